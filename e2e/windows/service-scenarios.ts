import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { live, local, recordings } from '../../contract/operations/index.ts'
import type { ServiceReady } from '../../contract/service-process.ts'
import { signedClient, type SignedClient } from '../../service/testing/signed-client.ts'
import { type Scenario, type Stage, until } from './scenario.ts'

const credentials = { appKey: 'windows-key', appSecret: 'windows-secret' }
/** Where `run.ts` installs the app, seen from the bundle of this file. */
const installed = path.join(import.meta.dirname, '..', 'out', 'main', 'service-alone.js')

interface Running {
  readonly ready: ServiceReady
  readonly client: SignedClient
  readonly log: () => string
  /** TerminateProcess, which is all that Windows has for a process without a window. */
  kill(): Promise<void>
}

/** Starts the built service; rejects with its log when it ends before it is ready. */
async function startService(
  stage: Stage,
  dataDir: string,
  ports: readonly [number, number, number] = [0, 0, 0],
): Promise<Running> {
  const switches = ['api', 'media', 'rtmp'].flatMap((name, index) => [`--${name}-port`, String(ports[index])])
  const child = spawn(process.execPath, [installed, '--data', dataDir, ...switches], {
    env: { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let log = ''
  child.stdout.on('data', (text: Buffer) => (out += text.toString()))
  child.stderr.on('data', (text: Buffer) => (log = (log + text.toString()).slice(-20_000)))
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  stage.after(kill)
  let ended = false
  exited.then(
    () => (ended = true),
    () => undefined,
  )
  const line = await until('the service is ready', () => {
    if (ended) throw new Error(`the service ended: ${log}`)
    return out.split('\n').find((one) => one.includes('"ready"'))
  })
  const ready = JSON.parse(line) as ServiceReady
  return { ready, client: signedClient(ready.baseUrl, credentials), log: () => log, kill }
}

async function recordedChannel(
  client: SignedClient,
  name: string,
  format: 0 | 1,
  filename: string,
): Promise<{ cid: string; pushUrl: string }> {
  const { cid } = (await client.call(live.create, { name })).ret!
  assert.equal((await client.call(recordings.setAlwaysRecord, { cid, needRecord: 1, format, filename })).code, 200)
  return { cid, pushUrl: (await client.call(live.address, { cid })).ret!.pushUrl }
}

const fileOf = (dataDir: string, cid: string): string => {
  const folder = path.join(dataDir, 'recordings', cid)
  const name = readdirSync(folder).find((one) => /^\d+\.(mp4|flv)$/.test(one)) ?? ''
  return path.join(folder, name)
}

const listed = async (client: SignedClient, cid: string, count: number) =>
  until(`${count} files`, async () => {
    const list = (await client.call(recordings.videoList, { cid })).ret?.videoList ?? []
    return list.length === count ? list : undefined
  })

/** What the stand-alone service promises about files, ports and its own end. */
export const serviceScenarios: readonly Scenario[] = [
  {
    name: 'a push of a real encoder is recorded as MP4 and FLV under names of devices, merged, and complete by ffprobe',
    run: async (stage) => {
      const dataDir = path.join(stage.folder, 'Daten und 数据')
      const { client } = await startService(stage, dataDir)
      const shows = [await recordedChannel(client, 'CON', 0, 'NUL'), await recordedChannel(client, '频道', 1, '录像')]
      const [sent] = await Promise.all(shows.map(({ pushUrl }) => stage.push(pushUrl, 4)))
      for (const { cid } of shows) {
        const [entry] = await listed(client, cid, 1)
        assert.match(entry!.video_name, cid === shows[0]!.cid ? /^NUL_/ : /^录像_/)
        const found = await stage.probe(fileOf(dataDir, cid))
        assert.equal(found.complaints, '')
        assert.equal(found.frames['video'], sent!.frames['video'])
        // The first frame of sound is the delay of the encoder, before the first picture, with which a recording begins.
        assert.ok(sent!.frames['audio']! - found.frames['audio']! <= 1, `${found.frames['audio']} frames of sound`)
      }
      const [{ cid }] = shows as [{ cid: string; pushUrl: string }, unknown]
      const [source] = await listed(client, cid, 1)
      const single = await stage.probe(fileOf(dataDir, cid))
      assert.equal(
        (await client.call(recordings.merge, { outputName: 'COM1', vidList: [source!.vid, source!.vid] })).code,
        200,
      )
      const both = await listed(client, cid, 2)
      const folder = path.join(dataDir, 'recordings', cid)
      const merged = readdirSync(folder).find((name) =>
        name.startsWith(`${both.find(({ vid }) => vid !== source!.vid)!.vid}.`),
      )
      const twice = await stage.probe(path.join(folder, merged!))
      assert.equal(twice.complaints, '')
      assert.equal(twice.frames['video'], 2 * single.frames['video']!)
    },
  },
  {
    name: 'killed while it records, the service finishes the file at its next start',
    run: async (stage) => {
      const dataDir = path.join(stage.folder, 'data')
      const first = await startService(stage, dataDir)
      const { cid, pushUrl } = await recordedChannel(first.client, 'Killed', 0, 'Killed')
      const push = stage.pushOn(pushUrl)
      await until('some seconds are on the disk', () => {
        const folder = path.join(dataDir, 'recordings', cid)
        return (
          existsSync(folder) && readdirSync(folder).some((name) => statSync(path.join(folder, name)).size > 400_000)
        )
      })
      await first.kill()
      const { client } = await startService(stage, dataDir)
      await listed(client, cid, 1)
      const found = await stage.probe(fileOf(dataDir, cid))
      assert.equal(found.complaints, '')
      assert.ok(found.frames['video']! > 20)
      await push.end
    },
  },
  {
    name: 'a file is deleted while it is read, and the folder of its channel goes on',
    run: async (stage) => {
      const dataDir = path.join(stage.folder, 'data')
      const { client } = await startService(stage, dataDir)
      const { cid, pushUrl } = await recordedChannel(client, 'Open', 0, 'Open')
      await stage.push(pushUrl, 2)
      const [entry] = await listed(client, cid, 1)
      const file = fileOf(dataDir, cid)
      const reader = createReadStream(file, { highWaterMark: 1024 })
      await new Promise<void>((resolve) => reader.once('readable', () => resolve()))
      const { ret } = await client.call(local.removeRecordings, { vidList: [entry!.vid] })
      assert.deepEqual(ret?.successList, [entry!.vid])
      await listed(client, cid, 0)
      reader.destroy()
      await until('it is off the disk', () => !existsSync(file))
      await stage.push((await client.call(live.address, { cid })).ret!.pushUrl, 2)
      await listed(client, cid, 1)
    },
  },
  {
    name: 'a data folder has one service, however its path is written, and is free after a kill',
    run: async (stage) => {
      const dataDir = path.join(stage.folder, 'Data Folder')
      const first = await startService(stage, dataDir)
      for (const spelling of [dataDir.toUpperCase(), `${dataDir.replaceAll('\\', '/')}/../data folder`])
        await assert.rejects(startService(stage, spelling), /is in use by another service \(process \d+\)/, spelling)
      await first.kill()
      const second = await startService(stage, dataDir.toUpperCase())
      assert.equal((await second.client.call(live.create, { name: 'Again' })).code, 200)
    },
  },
  {
    name: 'data outlive a restart in a folder whose paths are longer than 260 characters',
    run: async (stage) => {
      const dataDir = path.join(
        stage.folder,
        ...Array.from({ length: 6 }, (_, index) => `${'长 path '.repeat(6)}${index}`),
      )
      assert.ok(dataDir.length > 260)
      mkdirSync(dataDir, { recursive: true })
      const first = await startService(stage, dataDir)
      const { cid, pushUrl } = await recordedChannel(first.client, 'Deep', 0, 'Deep')
      await stage.push(pushUrl, 2)
      await listed(first.client, cid, 1)
      await first.kill()
      const second = await startService(stage, dataDir)
      const [entry] = await listed(second.client, cid, 1)
      assert.match(entry!.video_name, /^Deep_/)
      assert.equal((await stage.probe(fileOf(dataDir, cid))).complaints, '')
    },
  },
  {
    name: 'a taken port that was named ends the start',
    run: async (stage) => {
      const holder = createServer().listen(0, '127.0.0.1')
      await new Promise((resolve) => holder.once('listening', resolve))
      stage.after(() => void holder.close())
      const taken = (holder.address() as { port: number }).port
      await assert.rejects(startService(stage, path.join(stage.folder, 'data'), [taken, 0, 0]), /is taken by/)
    },
  },
  {
    name: 'names that Windows cannot keep are refused as data folder in one sentence',
    run: async (stage) => {
      for (const name of ['NUL', 'data. ', 'a:b'])
        await assert.rejects(startService(stage, `${stage.folder}\\${name}\\service`), /Windows cannot keep/, name)
      assert.deepEqual(readdirSync(stage.folder), [])
    },
  },
  {
    name: 'the key pair that was made is kept, and read again',
    run: async (stage) => {
      const dataDir = path.join(stage.folder, 'data')
      const child = spawn(
        process.execPath,
        [installed, '--data', dataDir, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'],
        {
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      )
      const gone = new Promise((resolve) => child.once('exit', resolve))
      stage.after(async () => {
        child.kill()
        await gone
      })
      let out = ''
      child.stdout.on('data', (text: Buffer) => (out += text.toString()))
      const ready = JSON.parse(
        await until('ready', () => out.split('\n').find((one) => one.includes('"ready"'))),
      ) as ServiceReady
      const made = JSON.parse(readFileSync(path.join(dataDir, 'credentials.json'), 'utf8')) as {
        appKey: string
        appSecret: string
      }
      assert.equal(made.appKey, ready.appKey)
      assert.equal((await signedClient(ready.baseUrl, made).call(live.create, { name: 'Own' })).code, 200)
    },
  },
]
