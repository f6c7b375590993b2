import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { hash, randomBytes } from 'node:crypto'
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { live, local, recordings } from '../../contract/operations/index.ts'
import { ensureBuilt } from '../../scripts/launch-build.ts'
import { encodeFixture, fixturePackets } from '../../service/hub/testing/fixture.ts'
import { startServiceProcess } from '../../service/testing/service-process.ts'
import { signedClient, type SignedClient } from '../../service/testing/signed-client.ts'
import { readFlv, readHls, readRtmp, type KnownMedia, type Reader } from './hold-readers.ts'

/**
 * Kills the encoder again and again at random moments while readers of every protocol stay, and tells what they saw.
 * One JSON line; ends with 1 when a reader was thrown out, a gap was longer than 1 s, the tracks drifted by 40 ms or
 * more, or the recording does not decode. `node e2e/soak/hold.ts [--kills 50] [--readers 20] [--seed 1]`
 *
 * `--delay` (`npm run soak:delay`) measures instead the memory of a long delay, whose media are `--minutes` (60) at
 * 6 Mbit/s: with `--speed 1` in real time, else by a push that is faster, with a delay that is shorter by as much.
 * `node e2e/soak/hold.ts --delay [--minutes 60] [--speed 10]`
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    readers: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    delay: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '60' },
    speed: { type: 'string', default: '10' },
  },
})
/** Readers that stand for targets: they join where targets do. */
const targets = 2
const bounds = { gap: 1000, drift: 40, memory: 150 } as const
const run = promisify(execFile)
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function chances(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const folder = mkdtempSync(path.join(tmpdir(), 'sidestage-soak-hold-'))
const data = path.join(folder, 'data')
const credentials = { appKey: randomBytes(12).toString('hex'), appSecret: randomBytes(12).toString('hex') }
const root = path.join(import.meta.dirname, '../..')
await ensureBuilt(root, ['main'], () => undefined)
const service = startServiceProcess(
  ['--data', data, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0', '--time-zone', 'UTC'],
  { SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
  // As `npm run service` starts it.
  ['--max-semi-space-size=2', path.join(root, 'out/main/service-alone.js')],
)
const ready = await service.ready
const client: SignedClient = signedClient(ready.baseUrl, credentials)
const rtmp = new URL(ready.rtmpUrl)
const { ret: made } = await client.call(live.create, { name: 'Soak' })
const { cid, pushUrl } = made!

/** Resident memory of the service in MB. */
const memory = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))?.[1]) / 1024

/** An encoder that sends a file as it is. */
const encode = (file: string, more: readonly string[]): ChildProcess =>
  spawn('ffmpeg', ['-v', 'error', ...more, '-stream_loop', '-1', '-i', file, '-c', 'copy', '-f', 'flv', pushUrl], {
    stdio: 'ignore',
  })
const ended = (child: ChildProcess): Promise<unknown> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', resolve))
const until = async (holds: () => Promise<boolean> | boolean, what: string, patience = 30_000): Promise<void> => {
  const begun = performance.now()
  while (!(await holds())) {
    if (performance.now() - begun > patience) throw new Error(`never: ${what}`)
    await pause(20)
  }
}
const status = async (): Promise<number | undefined> => (await client.call(live.state, { cid })).ret?.status

/** Kills the encoder so many times; returns the figures. */
async function kill(kills: number, readers: number, seed: number): Promise<object> {
  const chance = chances(seed)
  const file = await encodeFixture(folder, 'push', { duration: 20, gop: 30, sampleRate: 48_000 })
  const media: KnownMedia = new Map(
    fixturePackets(file)
      .filter(({ configuration }) => !configuration)
      .map(({ body, timestamp }) => [hash('sha1', body, 'hex'), timestamp]),
  )
  await client.call(local.updateHold, { cid, holdSeconds: 60 })
  await client.call(recordings.setAlwaysRecord, { cid, needRecord: 1, format: 0, duration: 120, filename: 'soak' })
  let encoder = encode(file, ['-re'])
  await until(async () => (await status()) === 3, 'on air')
  await pause(3000)
  const stream = `${ready.mediaUrl}/live/${cid}`
  const all: Reader[] = [
    ...Array.from({ length: readers }, () => readFlv(`${stream}.flv`, media)),
    ...Array.from({ length: readers + targets }, () => readRtmp(rtmp.hostname, Number(rtmp.port), cid, media)),
    ...Array.from({ length: readers }, () => readHls(`${stream}/playlist.m3u8`)),
  ]
  await pause(2000)
  let notOnAir = 0
  for (let done = 0; done < kills; done++) {
    await pause(800 + 2200 * chance())
    encoder.kill('SIGKILL')
    await ended(encoder)
    await pause(100 + 2400 * chance())
    if ((await status()) !== 3) notOnAir += 1
    encoder = encode(file, ['-re'])
    await until(async () => (await client.call(local.hold, { cid })).ret?.holding === false, 'the encoder has returned')
  }
  await pause(3000)
  await Promise.all(all.map((reader) => reader.stop()))
  encoder.kill('SIGTERM')
  await ended(encoder)
  await until(async () => (await status()) === 0, 'off air')
  const files = (): string[] => globSync(path.join(data, '**/*.mp4'))
  // The file is finished a moment later.
  await pause(3000)
  const recorded = files()
  const faults: string[] = []
  const lengths: string[] = []
  for (const each of recorded) {
    const { stderr } = await run(
      'ffmpeg',
      // By the times of the file: by ticks of one frame, two pictures less than a frame apart have the same time.
      ['-v', 'warning', '-xerror', '-i', each, '-fps_mode', 'passthrough', '-enc_time_base', '-1', '-f', 'null', '-'],
      {
        maxBuffer: 64 * 1024 * 1024,
      },
    ).catch((error: unknown) => ({ stderr: String(error) }))
    if (stderr.trim() !== '') faults.push(stderr.trim().slice(0, 300))
    const { stdout } = await run('ffprobe', [
      '-v',
      'error',
      '-show_entries',
      'stream=codec_type,duration',
      '-of',
      'csv=p=0',
      each,
    ])
    lengths.push(stdout.trim().replaceAll('\n', ' '))
  }
  const of = (protocol: string) => all.map(({ seen }) => seen).filter((seen) => seen.protocol === protocol)
  const figures = Object.fromEntries(
    ['flv', 'rtmp', 'hls'].map((protocol) => {
      const seen = of(protocol)
      return [
        protocol,
        {
          readers: seen.length,
          packets: Math.min(...seen.map(({ packets }) => packets)),
          reconnects: seen.reduce((sum, { ends }) => sum + ends, 0),
          longestGap: Math.round(Math.max(...seen.map(({ longestGap }) => longestGap))),
          longestStep: Math.max(...seen.map(({ longestStep }) => longestStep)),
          back: seen.reduce((sum, { back }) => sum + back, 0),
          drift: Math.max(...seen.map(({ drift }) => drift)),
          drifts: Math.min(...seen.map(({ drifts }) => drifts)),
          faults: seen.flatMap(({ faults: each }) => each).slice(0, 5),
        },
      ]
    }),
  )
  const reached =
    notOnAir === 0 &&
    recorded.length > 0 &&
    faults.length === 0 &&
    all.every(
      ({ seen }) =>
        seen.ends === 0 &&
        seen.back === 0 &&
        seen.packets > 0 &&
        seen.longestGap <= bounds.gap &&
        seen.drift < bounds.drift &&
        seen.faults.length === 0,
    )
  return {
    soak: 'hold',
    kills,
    seed,
    notOnAir,
    ...figures,
    recording: { files: recorded.length, lengths, faults },
    memory: Math.round(memory()),
    reached,
  }
}

/** Delays as many bytes as a push of 6 Mbit/s has in these minutes; returns the figures. */
async function delay(minutes: number, speed: number): Promise<object> {
  const file = await encodeFixture(folder, 'push', {
    duration: 20,
    gop: 60,
    bitrate: '6M',
    size: '1280x720',
    sampleRate: 48_000,
  })
  const seconds = Math.round((minutes * 60) / speed)
  await client.call(local.updateHold, { cid, delaySeconds: seconds })
  const before = memory()
  const encoder = encode(file, ['-readrate', String(speed)])
  await until(async () => (await status()) === 1, 'on air')
  const reader = readFlv(`${ready.mediaUrl}/live/${cid}.flv`)
  const place = path.join(data, 'delay')
  let most = 0
  let onDisk = 0
  const begun = performance.now()
  // Until the delay is reached, and some time longer, while it is read and written.
  while (performance.now() - begun < seconds * 1000 + Math.min(seconds * 250, 90_000)) {
    most = Math.max(most, memory())
    const bytes = readdirSync(place).reduce((sum, name) => {
      try {
        return sum + statSync(path.join(place, name)).size
      } catch {
        return sum
      }
    }, 0)
    onDisk = Math.max(onDisk, bytes)
    await pause(500)
  }
  const { ret: facts } = await client.call(local.hold, { cid })
  await reader.stop()
  encoder.kill('SIGKILL')
  await ended(encoder)
  const reached =
    most < bounds.memory &&
    facts?.delayed === seconds * 1000 &&
    facts.delayFault === undefined &&
    facts.delayChanging !== true &&
    reader.seen.packets > 0
  return {
    soak: 'delay',
    // The delay is shorter by the factor by which the push is faster; what is kept is the same.
    delaySeconds: seconds,
    speed,
    mediaMinutes: minutes,
    megabytesOnDisk: Math.round(onDisk / 1e6),
    memoryBefore: Math.round(before),
    memoryMost: Math.round(most),
    packetsSent: reader.seen.packets,
    facts,
    reached,
  }
}

try {
  const figures = values.delay
    ? await delay(Number(values.minutes), Number(values.speed))
    : await kill(Number(values.kills), Number(values.readers), Number(values.seed))
  console.log(JSON.stringify(figures))
  if (!('reached' in figures && figures.reached === true)) process.exitCode = 1
} finally {
  service.child.kill('SIGTERM')
  await service.exited
  rmSync(folder, { recursive: true, force: true })
}
