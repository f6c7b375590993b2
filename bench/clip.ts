import { execFileSync, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, renameSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Answer, Arguments, Operation } from '../contract/operation.ts'
import { live, local } from '../contract/operations/index.ts'
import { signedCall } from '../e2e/signed-call.ts'
import { fixturePackets } from '../service/hub/testing/fixture.ts'
import { Mp4Slice } from '../service/recording/slice-mp4.ts'
import { configured, isFrame, type SliceTracks } from '../service/timeline/tracks.ts'
import { finishMp4 } from '../service/recording/work-finish.ts'
import {
  jsonLines,
  median,
  pause,
  percentile,
  printTable,
  processFigures,
  startPublisher,
  stopChild,
  streamFixture,
} from './measurement.ts'
import { publish, readFlv, sentAt } from './stamped-stream.ts'

/**
 * Clips of 6 Mbit/s: the last 60 s of a push of ffmpeg, until they play; and 10 min out of a file of 2 h against
 * `cp` of the same bytes, by turns. A cut is on the disk when it is listed, so it is compared with a `cp` that is too;
 * that without is printed beside it. Meanwhile, how much later pictures of another push reach a reader, and the memory
 * of the service. `node bench/clip.ts [--hours 2] [--runs 3] [--seconds 10]`
 */
const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '2' },
    runs: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
  },
})
const kbps = 6000
const reach = { playable: 1000, speed: 0.9, memory: 200, rise: 50 }
const credentials = { appKey: 'bench-key', appSecret: 'bench-secret' }
const folder = join(tmpdir(), 'clip-bench')
const minutes = 60_000

/** Records the fixture over and over until the file is long enough; gives its length in ms. */
function makeFile(path: string, length: number): number {
  let tracks: SliceTracks = {}
  const packets = fixturePackets(streamFixture(kbps), 0)
  for (const packet of packets) if (packet.configuration && packet.kind !== 'data') tracks = configured(tracks, packet)
  const frames = packets.filter((packet) => !packet.configuration && isFrame(tracks, packet))
  const round = frames.at(-1)!.timestamp + 33
  const slice = new Mp4Slice(tracks)
  const file = openSync(path, 'w')
  const index = openSync(`${path}.index`, 'w')
  writeSync(file, slice.head)
  for (let shift = 0; shift < length; shift += round)
    for (const packet of frames) {
      const part = slice.packet(packet, packet.timestamp + shift)
      if (!part) continue
      writeSync(file, Buffer.concat(part.media))
      writeSync(index, part.index!)
    }
  closeSync(file)
  closeSync(index)
  return finishMp4({ path, index: `${path}.index`, recover: false }).duration
}

/** Runs a command; not in step, as this process measures meanwhile. */
const run = (command: string, ...args: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
    child.once('error', reject)
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}`))))
  })

/** Reads a share of a file, so that what copies it finds it where `cp` finds what was just written. */
async function warm(path: string, from: number, to: number): Promise<void> {
  const { size } = statSync(path)
  const block = 8 * 1024 * 1024
  const [skip, count] = [Math.floor((size * from) / block), Math.ceil((size * (to - from)) / block)]
  await run('dd', `if=${path}`, 'of=/dev/null', 'status=none', `bs=${block}`, `skip=${skip}`, `count=${count}`)
}

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1000
}

async function measure() {
  const dataDir = join(folder, 'data')
  const made = join(folder, 'long.mp4')
  const duration = makeFile(made, Number(values.hours) * 60 * minutes)
  // What is put on the disk later than it was made would wait for it.
  execFileSync('sync')
  const main = fileURLToPath(new URL('../service/main.ts', import.meta.url))
  const ports = ['--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
  const child = spawn(process.execPath, [main, '--data', dataDir, ...ports], {
    env: { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let publisher: ReturnType<typeof startPublisher> | undefined
  try {
    let baseUrl = ''
    for await (const line of jsonLines(child)) {
      baseUrl = String(line['baseUrl'])
      break
    }
    const call = async <O extends Operation>(operation: O, args: Arguments<O>) => {
      const answer = (await signedCall(baseUrl, credentials, operation.path, args)) as unknown as Answer<O>
      if (!('ret' in answer)) throw new Error(`${operation.path}: ${JSON.stringify(answer)}`)
      return answer.ret as Answer<O>['ret']
    }
    const pushed = await call(live.create, { name: 'pushed' })
    const watched = await call(live.create, { name: 'watched' })
    const { uid } = await call(local.info, {})
    const recorded = join(dataDir, 'recordings', pushed.cid)
    mkdirSync(recorded, { recursive: true })
    const { size } = statSync(made)
    const database = new DatabaseSync(join(dataDir, 'sidestage.db'))
    const { lastInsertRowid } = database
      .prepare(
        `insert into recording (cid, uid, state, format, merged, slice, beginTime, filename, endTime, completed, name,
          fileKey, bytes, duration, codecs) values (?, ?, 'ready', 0, 0, 0, 1, '', 2, 3, 'n', 'k', ?, ?, 'same')`,
      )
      .run(pushed.cid, uid, size, duration)
    database.close()
    const vid = Number(lastInsertRowid)
    const source = join(recorded, `${vid}.mp4`)
    renameSync(made, source)

    const begun = performance.now()
    publisher = startPublisher(streamFixture(kbps), pushed.pushUrl)
    const stamped = await publish(watched.pushUrl)
    await pause(2000)
    let ages: number[] = []
    const socket = readFlv(watched.httpPullUrl, ({ kind, body }) => {
      const sent = kind === 'video' ? sentAt(body.subarray(-16)) : undefined
      if (sent !== undefined) ages.push(performance.now() - sent)
    })
    await pause(1500)
    ages = []
    await pause(Number(values.seconds) * 1000)
    const idle = percentile(ages, 0.99)
    const before = processFigures(child.pid!).memory
    let memory = 0
    const watch = setInterval(() => (memory = Math.max(memory, processFigures(child.pid!).memory)), 50)
    ages = []

    const times = { trim: [] as number[], cp: [] as number[], cpOnDisk: [] as number[] }
    let megabytes = 0
    const ratios: number[] = []
    for (let turn = 0; turn < Number(values.runs); turn++) {
      const from = (turn * duration) / Number(values.runs)
      const to = Math.min(duration, from + 10 * minutes)
      await warm(source, from / duration, to / duration)
      const name = `cut ${turn}`
      let cut = 0
      times.trim.push(
        await seconds(async () => {
          const task = await call(local.trim, { vidList: [vid], from: Math.round(from), to: Math.round(to), name })
          cut = task.vid
          for (let state = 'running'; state === 'running'; await pause(10))
            state = (await call(local.mergeTasks, {})).list.find((each) => each.taskId === task.taskId)!.state
        }),
      )
      const result = join(recorded, `${cut}.mp4`)
      const copy = join(folder, 'copy.mp4')
      megabytes = statSync(result).size / 1e6
      const plain = await seconds(() => run('cp', result, copy))
      const synced = await seconds(() => run('sync', copy))
      times.cp.push(plain)
      times.cpOnDisk.push(plain + synced)
      ratios.push((plain + synced) / times.trim.at(-1)!)
      rmSync(copy)
      await call(local.removeRecordings, { vidList: [cut] })
    }
    const during = percentile(ages, 0.99)

    // Until 60 s were on air.
    await pause(Math.max(0, 64_000 - (performance.now() - begun)))
    const playable: number[] = []
    let clip = ''
    for (let turn = 0; turn < Number(values.runs); turn++)
      playable.push(
        1000 *
          (await seconds(async () => {
            const taken = await call(local.takeClip, { cid: pushed.cid, seconds: 60 })
            const { url } = await call(local.playbackTicket, { vid: taken.vid })
            const answer = await fetch(url, { headers: { range: 'bytes=0-65535' } })
            if (answer.status !== 206) throw new Error(`the clip was answered with ${answer.status}`)
            await answer.arrayBuffer()
            clip = join(recorded, `${taken.vid}.mp4`)
          })),
      )
    const probed = Number(
      execFileSync('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', clip]),
    )
    clearInterval(watch)
    socket.destroy()
    stamped.stop()
    return {
      file: { megabytes: size / 1e6, minutes: duration / minutes },
      megabytes,
      trim: median(times.trim),
      cp: median(times.cp),
      cpOnDisk: median(times.cpOnDisk),
      ratio: median(ratios),
      ratioPlain: median(times.cp) / median(times.trim),
      playable: Math.max(...playable),
      clipSeconds: probed,
      idle,
      during,
      rise: during - idle,
      before,
      memory,
      load: loadavg()[0]!,
    }
  } finally {
    if (publisher) await stopChild(publisher)
    child.stdout.resume()
    await stopChild(child)
  }
}

const needed = Number(values.hours) * 3600 * (kbps / 8) * 1000 * 1.4
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const { bavail, bsize } = statfsSync(folder)
if (bavail * bsize < needed * 2) throw new Error(`${folder} has no room for ${Math.round(needed / 1e9)} GB`)
try {
  const result = await measure()
  const reached =
    result.playable <= reach.playable &&
    result.clipSeconds >= 60 &&
    result.ratio >= reach.speed &&
    result.memory < reach.memory &&
    result.rise < reach.rise
  printTable([
    { figure: 'clip of 60 s until it plays, ms', ours: Math.round(result.playable), other: '', reach: '< 1000' },
    { figure: 'cut, MB/s', ours: Math.round(result.megabytes / result.trim), other: '', reach: '' },
    { figure: 'cp on the disk, MB/s', ours: '', other: Math.round(result.megabytes / result.cpOnDisk), reach: '' },
    { figure: 'cp, MB/s', ours: '', other: Math.round(result.megabytes / result.cp), reach: '' },
    { figure: 'speed against cp on the disk', ours: result.ratio.toFixed(2), other: 1, reach: '>= 0.9' },
    {
      figure: 'memory of the service, MB',
      ours: Math.round(result.memory),
      other: Math.round(result.before),
      reach: '< 200',
    },
    {
      figure: 'ingest to reader p99, ms',
      ours: result.during.toFixed(1),
      other: result.idle.toFixed(1),
      reach: 'rise < 50',
    },
    { figure: 'load of the machine', ours: result.load.toFixed(1), other: '', reach: '' },
  ])
  console.log(JSON.stringify({ bench: 'clip', result: { ...result, reached } }))
  process.exitCode = reached ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
