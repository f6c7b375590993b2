import { spawn, type ChildProcess } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Answer, Arguments, Operation } from '../contract/operation.ts'
import { live, local, recordings } from '../contract/operations/index.ts'
import { signedCall } from '../e2e/signed-call.ts'
import { fixturePackets } from '../service/hub/testing/fixture.ts'
import { Mp4Slice } from '../service/recording/slice-mp4.ts'
import { configured, isFrame, type SliceTracks } from '../service/timeline/tracks.ts'
import { finishMp4 } from '../service/recording/work-finish.ts'
import { createWorkers } from '../service/recording/workers.ts'
import {
  jsonLines,
  median,
  pause,
  percentile,
  printTable,
  processFigures,
  stopChild,
  streamFixture,
  temporaryFolder,
} from './measurement.ts'
import { publish, readFlv, sentAt } from './stamped-stream.ts'

/**
 * Two files of 400 MB merged by the service's worker and by `ffmpeg -f concat -c copy`, by turns; and how much later pictures reach a reader while
 * the service merges. Ours includes putting the result on the disk; ffmpeg's does not, so its time is given with that too.
 * `node bench/merge.ts [--megabytes 400] [--runs 3] [--seconds 10]`
 */
const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '400' },
    runs: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
  },
})
const reach = { speed: 0.9, memory: 200, rise: 50 }
const folder = temporaryFolder()
const credentials = { appKey: 'bench-key', appSecret: 'bench-secret' }

/** Records the fixture over and over until a file is large enough. */
function makeFile(path: string): number {
  let tracks: SliceTracks = {}
  const packets = fixturePackets(streamFixture(), 0)
  for (const packet of packets) if (packet.configuration && packet.kind !== 'data') tracks = configured(tracks, packet)
  const frames = packets.filter((packet) => !packet.configuration && isFrame(tracks, packet))
  const length = frames.at(-1)!.timestamp + 33
  const slice = new Mp4Slice(tracks)
  const file = openSync(path, 'w')
  const index = openSync(`${path}.index`, 'w')
  let size = writeSync(file, slice.head)
  for (let shift = 0; size < Number(values.megabytes) * 1e6; shift += length)
    for (const packet of frames) {
      const part = slice.packet(packet, packet.timestamp + shift)
      if (!part) continue
      size += writeSync(file, Buffer.concat(part.media))
      writeSync(index, part.index!)
    }
  closeSync(file)
  closeSync(index)
  return finishMp4({ path, index: `${path}.index`, recover: false }).duration
}

/** Notes when this process itself was not run for a while: what it measured then says nothing about the service. */
function watchOneself(): { readonly late: () => boolean; stop(): void } {
  let last = performance.now()
  let until = 0
  const timer = setInterval(() => {
    const now = performance.now()
    // Frames that waited for this process are read in the turns after it.
    if (now - last > 25) until = now + 200
    last = now
  }, 5)
  return { late: () => performance.now() < until || performance.now() - last > 25, stop: () => clearInterval(timer) }
}

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1000
}
const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) =>
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`ended with ${code}`)))),
  )

async function compareSpeed(
  sources: readonly string[],
): Promise<{ ours: number; ffmpeg: number; ffmpegOnDisk: number }> {
  const workers = createWorkers()
  const list = join(folder.path, 'list.txt')
  writeFileSync(list, sources.map((path) => `file '${path}'\n`).join(''))
  const result = join(folder.path, 'result.mp4')
  const times = { ours: [] as number[], ffmpeg: [] as number[], ffmpegOnDisk: [] as number[] }
  for (let run = 0; run < Number(values.runs); run++) {
    times.ours.push(
      await seconds(() => workers.run({ kind: 'merge', sources, temporary: `${result}.part`, target: result })),
    )
    rmSync(result)
    const plain = await seconds(() =>
      ended(
        spawn('ffmpeg', ['-v', 'error', '-y', '-f', 'concat', '-safe', '0', '-i', list, '-c', 'copy', result], {
          stdio: ['ignore', 'ignore', 'inherit'],
        }),
      ),
    )
    const sync = await seconds(async () => {
      const file = openSync(result, 'r+')
      fdatasyncSync(file)
      closeSync(file)
    })
    times.ffmpeg.push(plain)
    times.ffmpegOnDisk.push(plain + sync)
    rmSync(result)
  }
  await workers.close()
  return { ours: median(times.ours), ffmpeg: median(times.ffmpeg), ffmpegOnDisk: median(times.ffmpegOnDisk) }
}

async function measureService(
  sources: readonly string[],
  duration: number,
): Promise<{ idle: number; merging: number; usable: number; before: number; memory: number; merges: number }> {
  const dataDir = join(folder.path, 'data')
  const args = [
    fileURLToPath(new URL('../service/main.ts', import.meta.url)),
    '--data',
    dataDir,
    '--api-port',
    '0',
    '--media-port',
    '0',
    '--rtmp-port',
    '0',
  ]
  const child = spawn(process.execPath, args, {
    env: { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    let baseUrl = ''
    for await (const line of jsonLines(child)) {
      baseUrl = String(line['baseUrl'])
      break
    }
    const client = {
      call: async <O extends Operation>(operation: O, args: Arguments<O>) =>
        (await signedCall(baseUrl, credentials, operation.path, args)) as unknown as Partial<Answer<O>>,
    }
    const channel = (await client.call(live.create, { name: 'bench' })).ret!
    const { uid } = (await client.call(local.info, {})).ret!
    const database = new DatabaseSync(join(dataDir, 'sidestage.db'))
    mkdirSync(join(dataDir, 'recordings', channel.cid), { recursive: true })
    const vidList = sources.map((path) => {
      const { lastInsertRowid } = database
        .prepare(
          `insert into recording (cid, uid, state, format, merged, slice, beginTime, filename, endTime, completed, name, fileKey, bytes, duration, codecs) values (?, ?, 'ready', 0, 0, 0, 1, '', 2, 3, 'n', 'k', ?, ?, 'same')`,
        )
        .run(channel.cid, uid, statSync(path).size, duration)
      copyFileSync(path, join(dataDir, 'recordings', channel.cid, `${lastInsertRowid}.mp4`))
      return Number(lastInsertRowid)
    })
    database.close()
    const publisher = await publish(channel.pushUrl)
    await pause(2000)
    let ages: number[] = []
    let unusable = 0
    const oneself = watchOneself()
    const socket = readFlv(channel.httpPullUrl, ({ kind, body }) => {
      const sent = kind === 'video' ? sentAt(body.subarray(-16)) : undefined
      if (sent === undefined) return
      if (oneself.late()) unusable++
      else ages.push(performance.now() - sent)
    })
    await pause(1500)
    ages = []
    await pause(Number(values.seconds) * 1000)
    const idle = percentile(ages, 0.99)
    const before = processFigures(child.pid!).memory
    let memory = 0
    let merges = 0
    const watch = setInterval(() => (memory = Math.max(memory, processFigures(child.pid!).memory)), 50)
    ages = []
    unusable = 0
    for (
      const end = performance.now() + Number(values.seconds) * 1000;
      performance.now() < end && merges < 9;
      merges++
    ) {
      await client.call(recordings.merge, { outputName: `m${merges}`, vidList })
      for (let state = 'running'; state === 'running'; await pause(50))
        state = (await client.call(local.mergeTasks, {})).ret!.list[0]!.state
      const { list } = (await client.call(local.recordedFiles, { cid: channel.cid, beginTime: 0, endTime: Date.now() }))
        .ret!
      await client.call(local.removeRecordings, { vidList: list.filter(({ merged }) => merged).map(({ vid }) => vid) })
    }
    const merging = percentile(ages, 0.99)
    const usable = ages.length / (ages.length + unusable)
    oneself.stop()
    clearInterval(watch)
    socket.destroy()
    publisher.stop()
    return { idle, merging, usable, before, memory, merges }
  } finally {
    child.stdout.resume()
    await stopChild(child)
  }
}

try {
  const sources = [join(folder.path, 'one.mp4'), join(folder.path, 'two.mp4')]
  const durations = sources.map((path) => makeFile(path))
  const megabytes = sources.reduce((sum, path) => sum + statSync(path).size, 0) / 1e6
  const speed = await compareSpeed(sources)
  const service = await measureService(sources, durations[0]!)
  printTable([
    { figure: 'merge, MB/s (on the disk)', ours: Math.round(megabytes / speed.ours), other: '', reach: '' },
    { figure: 'ffmpeg concat, MB/s', ours: '', other: Math.round(megabytes / speed.ffmpeg), reach: '' },
    {
      figure: 'ffmpeg concat on the disk, MB/s',
      ours: '',
      other: Math.round(megabytes / speed.ffmpegOnDisk),
      reach: '',
    },
    {
      figure: 'speed against ffmpeg',
      ours: (speed.ffmpeg / speed.ours).toFixed(2),
      other: 1,
      reach: `>= ${reach.speed}`,
    },
    {
      figure: 'memory of the service while merging, MB',
      ours: Math.round(service.memory),
      other: Math.round(service.before),
      reach: `< ${reach.memory}`,
    },
    {
      figure: 'ingest to reader p99 while merging, ms',
      ours: service.merging.toFixed(1),
      other: service.idle.toFixed(1),
      reach: `rise < ${reach.rise}`,
    },
  ])
  const ratio = speed.ffmpeg / speed.ours
  const reached = ratio >= reach.speed && service.memory < reach.memory && service.merging - service.idle < reach.rise
  console.log(
    JSON.stringify({
      bench: 'merge',
      result: {
        megabytes,
        ...speed,
        ratio,
        ratioOnDisk: speed.ffmpegOnDisk / speed.ours,
        ...service,
        rise: service.merging - service.idle,
        reached,
      },
    }),
  )
  process.exitCode = reached ? 0 : 1
} finally {
  folder.remove()
}
