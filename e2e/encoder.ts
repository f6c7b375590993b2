import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { burntClock } from '../service/testing/burnt-clock.ts'

/** What an encoder says of itself at one moment. */
interface EncoderProgress {
  /** Wall clock in ms. */
  readonly at: number
  /** Sent so far, in all. */
  readonly bytes: number
  readonly frames: number
}

/** A running ffmpeg that publishes a real encode. */
export interface Encoder {
  readonly process: ChildProcess
  /** Wall clock in ms at which the burnt clock reads 0. */
  readonly origin: number
  readonly log: () => string
  /** What it said of itself, oldest first, about two a second of the last minute. */
  readonly progress: () => readonly EncoderProgress[]
  /** Resolves when it has ended. */
  readonly exited: Promise<void>
  /** Ends it as a person does (q), or as a crash does. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
}

/**
 * Publishes 640x360 at 30 fps with AAC, encoded now, to an RTMP address. The wall clock is burnt into the top row as a binary number of
 * hundredths of a second since `origin`, so that a reader of the pixels knows how old a picture is. After `seconds` of media it ends by itself.
 * `sound` is a source of ffmpeg for another sound than the tone; null for none.
 */
export function startEncoder(
  pushUrl: string,
  options: { gopSeconds?: number; bFrames?: number; seconds?: number; sound?: string | null } = {},
): Encoder {
  const origin = Date.now()
  const clock = burntClock(origin)
  // Sound goes by its own samples, as that of a sound card does: stamped one by one as they pass, a sixth of them would be missing.
  const { sound: source = 'sine=frequency=440:sample_rate=48000' } = options
  const sound = `asetpts='NB_CONSUMED_SAMPLES/(SR*TB)+(RTCSTART-${origin}000)/(TB*1000000)'`
  const child = spawn(
    'ffmpeg',
    [
      '-hide_banner',
      '-loglevel',
      'warning',
      '-progress',
      'pipe:1',
      '-re',
      '-f',
      'lavfi',
      '-i',
      'testsrc2=size=640x360:rate=30',
      ...(source === null ? [] : ['-re', '-f', 'lavfi', '-i', source]),
      '-filter_complex',
      `[0:v]${clock.video}[v]${source === null ? '' : `;[1:a]${sound}[a]`}`,
      '-map',
      '[v]',
      ...(source === null ? [] : ['-map', '[a]']),
      '-fps_mode',
      'passthrough',
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-tune',
      'zerolatency',
      '-pix_fmt',
      'yuv420p',
      '-g',
      String((options.gopSeconds ?? 2) * 30),
      '-bf',
      String(options.bFrames ?? 0),
      '-b:v',
      '1200k',
      '-c:a',
      'aac',
      '-b:a',
      '96k',
      ...(options.seconds === undefined ? [] : ['-t', String(options.seconds)]),
      '-f',
      'flv',
      pushUrl,
    ],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  )
  const progress: EncoderProgress[] = []
  let said: Record<string, number> = {}
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [name = '', value] = line.split('=')
    if (name !== 'progress') {
      said[name] = Number(value)
      return
    }
    const { total_size: bytes = Number.NaN, frame: frames = Number.NaN } = said
    if (Number.isFinite(bytes) && frames > 0) progress.push({ at: Date.now(), bytes, frames })
    if (progress.length > 120) progress.shift()
    said = {}
  })
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-50_000)
  })
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  return {
    process: child,
    origin,
    log: () => log,
    progress: () => progress,
    exited,
    stop: async (signal) => {
      if (signal) child.kill(signal)
      else child.stdin.end('q')
      await exited
    },
  }
}
