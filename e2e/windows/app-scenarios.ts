import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { live, recordings } from '../../contract/operations/index.ts'
import { httpRequest } from '../../service/testing/http-request.ts'
import { type CompanionClient, openCompanion } from '../companion-client.ts'
import type { AppReady } from '../app.ts'
import { type Scenario, type Stage, until } from './scenario.ts'

const start = path.join(import.meta.dirname, 'start.js')
const tether = new URL('launch-tether.mjs', import.meta.url).href
const anyPorts = ['--port', '0', '--api-port', '0', '--media-port', '0', '--rtmp-port', '0']

interface App {
  readonly ready: AppReady
  readonly pid: number
  readonly log: () => string
  /** Lets go of the channel by which the bootstrap holds it, as when that is killed; gives the exit code. */
  letGo(): Promise<number | null>
  kill(): Promise<void>
}

/** Starts the app's browser shell as the bootstrap does; its own folder is the usual one below `profile`, or the one named in `switches`. */
async function startApp(stage: Stage, profile: string, switches: readonly string[] = []): Promise<App> {
  const child = spawn(
    process.execPath,
    ['--import', tether, start, '--no-open', '--shell', 'browser', ...anyPorts, ...switches],
    {
      env: { ...process.env, LOCALAPPDATA: profile },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  )
  let out = ''
  let log = ''
  child.stdout!.on('data', (text: Buffer) => (out += text.toString()))
  child.stderr!.on('data', (text: Buffer) => (log = (log + text.toString()).slice(-20_000)))
  let code: number | null | undefined
  const exited = new Promise<number | null>((resolve) => child.once('exit', (how) => resolve((code = how))))
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  stage.after(kill)
  const line = await until(
    'the app is ready',
    () =>
      out.split('\n').find((one) => one.includes('"ready"')) ??
      (code === undefined ? undefined : `ended (${code}): ${log}`),
  )
  if (!line.startsWith('{')) throw new Error(line)
  const letGo = async (): Promise<number | null> => {
    if (child.connected) child.disconnect()
    return exited
  }
  return { ready: JSON.parse(line) as AppReady, pid: child.pid ?? 0, log: () => log, letGo, kill }
}

/** A line to the companion, through an address that a second start is given. */
async function companionOf(
  stage: Stage,
  app: App,
  profile: string,
  switches: readonly string[] = [],
): Promise<CompanionClient> {
  const companion = await openCompanion({
    link: async () => {
      const second = await startApp(stage, profile, switches)
      await second.letGo()
      return second.ready.url
    },
  })
  // A machine with much to do shows the page before the service is there.
  let refusal: unknown
  await until(
    () => `the service answers: ${String(refusal)}; ${app.log()}`,
    () =>
      companion.call('/app/channellist', {}).then(
        () => true,
        (error: unknown) => {
          refusal = error
          return false
        },
      ),
  )
  return companion
}

/** Whether nothing listens on a port any more. */
const isSilent = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(false)
    })
    socket.once('error', () => resolve(true))
  })

/** The two processes together: companion and service. */
export const appScenarios: readonly Scenario[] = [
  {
    name: 'companion and service run together, the page is served, and a second start is told where, in any case',
    run: async (stage) => {
      const data = path.join(stage.folder, 'Own Data 资料')
      const app = await startApp(stage, stage.folder, ['--data', data])
      const page = await httpRequest(app.ready.url, { method: 'GET' })
      assert.equal(page.status, 200)
      assert.match(page.text, /<title>Sidestage/)
      const second = await startApp(stage, stage.folder, ['--data', data.toUpperCase()])
      assert.match(second.log(), new RegExp(`already running on this data folder \\(process ${app.pid},`))
      const companion = await companionOf(stage, app, stage.folder, ['--data', data.toLowerCase()])
      stage.after(() => companion.close())
      await companion.call(live.create.path, { name: 'Together_一起' })
      const report = await companion.rpc.computer.secrets()
      assert.equal(report.mode.kind, 'keychain')
      assert.equal(report.store, 'credentialManager')
      assert.ok(
        report.entries?.some(({ kind, count }) => kind === 'own' && count > 0),
        JSON.stringify(report.entries),
      )
      assert.equal((await companion.rpc.computer.testSecrets()).mode.kind, 'keychain')
    },
  },
  {
    name: 'let go by its starter, the app ends in order: what it records is finished before the service is gone',
    run: async (stage) => {
      const app = await startApp(stage, stage.folder)
      const companion = await companionOf(stage, app, stage.folder)
      const created = await companion.rpc.console.call({
        profileId: 'local',
        path: live.create.path,
        parameters: { name: 'Ending' },
      })
      const { cid } = (JSON.parse(created.answer) as { ret: { cid: string } }).ret
      await companion.call(recordings.setAlwaysRecord.path, { cid, needRecord: 1, format: 0 })
      const { text } = await companion.rpc.push.copy({ profileId: 'local', cid, part: 'url' })
      const push = stage.pushOn(text ?? '')
      const dataDir = path.join(stage.folder, 'Sidestage', 'service')
      const folder = path.join(dataDir, 'recordings', cid)
      await until(
        'some seconds are recorded',
        () =>
          existsSync(folder) && readdirSync(folder).some((name) => statSync(path.join(folder, name)).size > 400_000),
      )
      companion.close()
      assert.equal(await app.letGo(), 0, app.log())
      await until('the service is gone', () => isSilent(Number(new URL(text ?? '').port)))
      await push.end
      const [file = ''] = readdirSync(folder)
      assert.match(file, /^\d+\.mp4$/)
      assert.equal((await stage.probe(path.join(folder, file))).complaints, '')
      const database = new DatabaseSync(path.join(dataDir, 'sidestage.db'), { readOnly: true })
      stage.after(() => database.close())
      assert.deepEqual({ ...database.prepare('select state from recording').get() }, { state: 'ready' })
    },
  },
  {
    name: 'the data move to another drive and back to work there, and the app that was killed leaves no service behind',
    run: async (stage) => {
      const app = await startApp(stage, stage.folder)
      const companion = await companionOf(stage, app, stage.folder)
      stage.after(() => companion.close())
      await companion.call(live.create.path, { name: 'Moved_搬家' })
      const to = path.join(stage.otherDrive, 'Elsewhere 别处')
      const plan = await companion.rpc.computer.typeFolder({ path: to.toUpperCase() })
      assert.deepEqual([plan.fault, path.basename(plan.path)], [null, 'ELSEWHERE 别处'])
      assert.equal((await companion.rpc.computer.typeFolder({ path: path.join(stage.folder, 'NUL') })).fault, 'name')
      const again = await companion.rpc.computer.typeFolder({ path: to })
      assert.deepEqual(await companion.rpc.computer.moveFolder({ handle: again.handle ?? '' }), {
        begun: true,
        refused: null,
      })
      const moved = path.join(to, 'sidestage.db')
      await until('the data are there', () => existsSync(moved) && existsSync(path.join(to, 'lock.pid')))
      await until('the service runs there', () =>
        companion.call(live.create.path, { name: 'After' }).then(
          () => true,
          () => false,
        ),
      )
      assert.deepEqual(await companion.rpc.computer.removeOldCopy({ keep: false }), { done: true })
      assert.ok(!existsSync(path.join(stage.folder, 'Sidestage', 'service', 'sidestage.db')))
      companion.close()
      await app.kill()
      const database = new DatabaseSync(moved, { readOnly: true })
      stage.after(() => database.close())
      assert.deepEqual(
        database
          .prepare('select name from channel order by name')
          .all()
          .map(({ name }) => name),
        ['After', 'Moved_搬家'],
      )
      // The next one gets the lock as soon as the service has seen that its companion is gone.
      const next = await startApp(stage, stage.folder)
      assert.equal(await next.letGo(), 0, next.log())
    },
  },
]
