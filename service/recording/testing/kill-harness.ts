import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { live, local, recordings } from '../../../contract/operations/index.ts'
import { FlvReader } from '../../media/flv-reader.ts'
import { encodeFixture, probePackets, temporaryFolder } from '../../hub/testing/fixture.ts'
import { until } from '../../testing/condition.ts'
import { startPublisher } from '../../testing/publisher.ts'
import { signedClient, type SignedClient } from '../../testing/signed-client.ts'

const run = promisify(execFile)
const credentials = { appKey: 'kill-key', appSecret: 'kill-secret' }
const main = fileURLToPath(new URL('../../main.ts', import.meta.url))
const signs = /^[0-9]+$/

/** A listed file and its path. */
export interface SurvivingFile {
  readonly vid: number
  readonly path: string
  readonly duration: number
  readonly format: 'mp4' | 'flv'
}

/** Result of the kill rounds. */
export interface KillReport {
  readonly rounds: number
  /** Files being written at a kill, and those of them that held media. */
  readonly torn: number
  readonly opened: number
  /** Media lost at the kills, in ms. */
  readonly missing: readonly number[]
  readonly mergesKilled: number
  readonly listed: number
  readonly calledBack: number
  /** What was wrong; empty when all checks passed. */
  readonly faults: readonly string[]
  readonly files: readonly SurvivingFile[]
  remove(): void
}

interface Running {
  readonly child: ChildProcess
  readonly client: SignedClient
  readonly mediaUrl: string
  readonly log: () => string
}

async function startMain(dataDir: string): Promise<Running> {
  const args = [main, '--data', dataDir, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
  const child = spawn(process.execPath, args, {
    env: { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let log = ''
  child.stdout.on('data', (text: Buffer) => (out += text.toString()))
  child.stderr.on('data', (text: Buffer) => (log = (log + text.toString()).slice(-50_000)))
  const line = await until('the service is ready', () => out.split('\n').find((one) => one.includes('"ready"')), 20_000)
  const { baseUrl, mediaUrl } = JSON.parse(line) as { baseUrl: string; mediaUrl: string }
  return { child, client: signedClient(baseUrl, credentials), mediaUrl, log: () => log }
}

/** Plays a stream to its end and returns its last time, in ms: what the service had received. */
async function newestOf(url: string): Promise<number> {
  let newest = 0
  const reader = new FlvReader(({ timestamp }) => (newest = Math.max(newest, timestamp)))
  try {
    for await (const part of (await fetch(url)).body ?? []) reader.push(Buffer.from(part))
  } catch {
    // The service was killed; what was read counts.
  }
  return newest
}

/**
 * Records FLV and MP4 from real pushes, merges meanwhile, and kills the service at random moments; after each it checks
 * what docs/checks.md#8-files-recording-merging asks for.
 */
export async function killRounds(options: {
  readonly rounds: number
  readonly random: () => number
  readonly say?: (line: string) => void
}): Promise<KillReport> {
  const { rounds, random, say = () => undefined } = options
  const folder = temporaryFolder()
  const dataDir = join(folder.path, 'data')
  const fixture = await encodeFixture(folder.path, 'push', {
    duration: 20,
    gop: 60,
    bFrames: 2,
    bitrate: '3M',
    size: '640x360',
  })
  const faults: string[] = []
  const missing: number[] = []
  let torn = 0
  let opened = 0
  let mergesKilled = 0
  /** Message ids by file. */
  const called = new Map<number, Set<string>>()
  const receiver = createServer((request, answer) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { vid, nId } = JSON.parse(Buffer.concat(parts).toString()) as { vid: string; nId: string }
      if (!signs.test(vid)) faults.push(`a callback without a file: ${vid}`)
      const ids = called.get(Number(vid)) ?? new Set()
      called.set(Number(vid), ids.add(nId))
      answer.end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const rows = () => {
    const database = new DatabaseSync(join(dataDir, 'sidestage.db'), { readOnly: true })
    try {
      return database
        .prepare('select vid, cid, state, format, merged, beginTime, bytes, duration from recording order by vid')
        .all() as {
        vid: number
        cid: string
        state: string
        format: number
        merged: number
        beginTime: number
        bytes: number
        duration: number
      }[]
    } finally {
      database.close()
    }
  }
  const pathOf = ({ cid, vid, format }: { cid: string; vid: number; format: number }): string =>
    join(dataDir, 'recordings', cid, `${vid}.${format === 1 ? 'flv' : 'mp4'}`)
  const lengthOf = async (path: string): Promise<number> => {
    const packets = await probePackets(path).catch(() => [])
    return packets.length === 0
      ? 0
      : Math.max(
          ...packets.map(({ dts_time, duration_time }) => (Number(dts_time) + (Number(duration_time) || 0)) * 1000),
        )
  }

  let service = await startMain(dataDir)
  const channels: { cid: string; format: number }[] = []
  for (const format of [0, 1]) {
    const { cid } = (await service.client.call(live.create, { name: `kill${format}` })).ret!
    await service.client.call(recordings.setAlwaysRecord, { cid, needRecord: 1, format, filename: `杀${format}` })
    channels.push({ cid, format })
  }
  await service.client.call(recordings.setCallback, {
    recordClk: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
  })

  for (let round = 0; round < rounds; round++) {
    const pushes = []
    for (const { cid } of channels)
      pushes.push(startPublisher((await service.client.call(live.address, { cid })).ret!.pushUrl, fixture))
    for (const { cid } of channels)
      await until(
        'it is being recorded',
        async () => (await service.client.call(local.recordingState, { cid })).ret!.recording,
        20_000,
      )
    const { mediaUrl } = service
    const taken = channels.map(({ cid }) => newestOf(`${mediaUrl}/live/${cid}.flv`))
    await new Promise((resolve) => setTimeout(resolve, 300 + random() * 3500))
    const sources = rows().filter(({ state, format, merged }) => state === 'ready' && format === 0 && merged === 0)
    let merging = false
    if (sources.length > 0) {
      const vidList = Array.from({ length: 150 }, (_, index) => sources[index % sources.length]!.vid)
      merging = (await service.client.call(recordings.merge, { outputName: `合并${round}`, vidList })).code === 200
      await new Promise((resolve) => setTimeout(resolve, random() * 700))
    }
    const killedAt = Date.now()
    service.child.kill('SIGKILL')
    await new Promise((resolve) => service.child.once('exit', resolve))
    await Promise.all(pushes.map((push) => push.stop()))
    if (merging && rows().some(({ state }) => state === 'merging')) mergesKilled++

    for (const row of rows().filter(({ state }) => state === 'writing')) {
      torn++
      // Lost are only media that the service received; without a reader this is unknown.
      const newest = (await taken[channels.findIndex(({ cid }) => cid === row.cid)]) ?? 0
      const due = Math.min(killedAt - row.beginTime, newest === 0 ? Infinity : newest)
      const length = await lengthOf(pathOf(row))
      if (length > 0) opened++
      missing.push(due - length)
      if (due - length > 1000)
        faults.push(
          `round ${round}: of ${row.format === 1 ? 'flv' : 'mp4'} ${row.vid}, ${Math.round(due - length)} of ${due} ms are missing`,
        )
    }
    const before = new Set(rows().map(({ vid }) => vid))
    service = await startMain(dataDir)
    await until(
      'everything is finished',
      () => rows().every(({ vid, state }) => !before.has(vid) || state === 'ready'),
      60_000,
    ).catch(() => {
      faults.push(
        `round ${round}: not finished: ${JSON.stringify(rows().filter(({ state }) => state !== 'ready'))} ${service.log().slice(-2000)}`,
      )
    })
    for (const task of (await service.client.call(local.mergeTasks, {})).ret!.list)
      if (task.state !== 'done')
        faults.push(`round ${round}: merge ${task.taskId} is ${task.state}: ${task.reason?.code}`)
    // Merged files are large: checked, then deleted.
    for (const row of rows().filter(({ merged }) => merged === 1)) {
      if (statSync(pathOf(row)).size !== row.bytes)
        faults.push(`round ${round}: merged ${row.vid} has another size than listed`)
      const length = await lengthOf(pathOf(row))
      if (Math.abs(length - row.duration) > 50)
        faults.push(`round ${round}: merged ${row.vid} is ${length} ms long, not ${row.duration}`)
      await until('it was called back', () => called.has(row.vid)).catch(() =>
        faults.push(`round ${round}: merged ${row.vid} was not called back`),
      )
      if (called.get(row.vid)?.size !== 1)
        faults.push(`round ${round}: merged ${row.vid} was called back ${called.get(row.vid)?.size ?? 0} times`)
      await service.client.call(local.removeRecordings, { vidList: [row.vid] })
    }
    say(
      `round ${round + 1} of ${rounds}: ${rows().length} files, ${faults.length} faults, missing at most ${Math.round(Math.max(0, ...missing))} ms`,
    )
  }

  const files: SurvivingFile[] = []
  for (const row of rows()) {
    const path = pathOf(row)
    files.push({ vid: row.vid, path, duration: row.duration, format: row.format === 1 ? 'flv' : 'mp4' })
    if (statSync(path).size !== row.bytes) faults.push(`file ${row.vid} has another size than listed`)
    const { stdout, stderr } = await run('ffprobe', [
      '-v',
      'warning',
      '-count_packets',
      '-show_entries',
      'stream=codec_type,nb_frames,nb_read_packets',
      '-of',
      'json',
      path,
    ])
    if (stderr.trim() !== '') faults.push(`file ${row.vid}: ${stderr.trim()}`)
    for (const stream of (
      JSON.parse(stdout) as { streams: { codec_type: string; nb_frames?: string; nb_read_packets: string }[] }
    ).streams)
      if (stream.nb_frames !== undefined && stream.nb_frames !== stream.nb_read_packets)
        faults.push(`file ${row.vid} says ${stream.nb_frames} of ${stream.codec_type}, has ${stream.nb_read_packets}`)
    if (Math.abs((await lengthOf(path)) - row.duration) > 50) faults.push(`file ${row.vid} is not as long as listed`)
  }
  await until('all were called back', () => files.every(({ vid }) => called.has(vid)), 15_000).catch(() => undefined)
  for (const { vid } of files)
    if (called.get(vid)?.size !== 1) faults.push(`file ${vid} was called back ${called.get(vid)?.size ?? 0} times`)
  for (const { cid } of channels) {
    const names = readdirSync(join(dataDir, 'recordings', cid)).sort()
    const wanted = rows()
      .flatMap((row) => (row.cid === cid ? [`${row.vid}.${row.format === 1 ? 'flv' : 'mp4'}`] : []))
      .sort()
    if (names.join() !== wanted.join())
      faults.push(`the folder holds ${names.join(' ')}, listed are ${wanted.join(' ')}`)
  }
  service.child.kill('SIGTERM')
  await new Promise((resolve) => service.child.once('exit', resolve))
  receiver.close()
  receiver.closeAllConnections()
  return {
    rounds,
    torn,
    opened,
    missing,
    mergesKilled,
    listed: files.length,
    calledBack: called.size,
    faults,
    files,
    remove: () => folder.remove(),
  }
}
