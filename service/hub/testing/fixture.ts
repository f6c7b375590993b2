import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { FlvReader } from '../../media/flv-reader.ts'
import type { MediaPacket } from '../../timeline/packet.ts'

const run = promisify(execFile)

/** Encoding of a fixture. */
export interface FixtureOptions {
  /** In s. */
  readonly duration: number
  /** GOP in frames at 30 a second; 60 by default. */
  readonly gop?: number
  readonly bFrames?: number
  readonly video?: boolean
  readonly audio?: boolean
  readonly size?: string
  readonly rate?: number
  readonly bitrate?: string
  readonly sampleRate?: number
}

/** A temporary folder; `remove` deletes it. */
export function temporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'sidestage-media-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Encodes a test picture and tone to an FLV file with ffmpeg; returns its path. */
export async function encodeFixture(folder: string, name: string, options: FixtureOptions): Promise<string> {
  const {
    duration,
    gop = 60,
    bFrames = 2,
    video = true,
    audio = true,
    size = '320x180',
    rate = 30,
    bitrate,
    sampleRate = 44_100,
  } = options
  const path = join(folder, `${name}.flv`)
  const args = ['-y', '-v', 'error']
  if (video) args.push('-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}`)
  if (audio) args.push('-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=${sampleRate}`)
  args.push('-t', String(duration))
  if (video) {
    args.push(
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-pix_fmt',
      'yuv420p',
      '-bf',
      String(bFrames),
      '-g',
      String(gop),
      '-keyint_min',
      String(gop),
      '-sc_threshold',
      '0',
    )
    if (bitrate)
      args.push(
        '-b:v',
        bitrate,
        '-minrate',
        bitrate,
        '-maxrate',
        bitrate,
        '-bufsize',
        bitrate,
        '-x264-params',
        'nal-hrd=cbr',
      )
  }
  if (audio) args.push('-c:a', 'aac', '-b:a', '96k')
  await run('ffmpeg', [...args, '-f', 'flv', path])
  return path
}

/** Packets of an FLV file as the ingest would pass them; `arrived` is `begin` plus the packet's time. */
export function fixturePackets(path: string, begin = 1_700_000_000_000): MediaPacket[] {
  const packets: MediaPacket[] = []
  const reader = new FlvReader(({ kind, timestamp, body }) => {
    const configuration = kind === 'data' || body[1] === 0
    packets.push({
      kind,
      timestamp,
      body,
      configuration,
      keyFrame: kind === 'video' && !configuration && body[0]! >> 4 === 1,
      arrived: begin + timestamp,
    })
  })
  reader.push(readFileSync(path))
  return packets
}

/** A packet or frame as ffprobe shows it, times in s. */
export interface ProbedPacket {
  readonly codec_type: 'video' | 'audio'
  readonly pts_time: string
  readonly dts_time: string
  readonly duration_time: string
  readonly flags: string
}

/** Packets that ffprobe demuxes from a file or address. */
export async function probePackets(input: string, more: readonly string[] = []): Promise<ProbedPacket[]> {
  const args = [
    '-v',
    'error',
    ...more,
    '-show_entries',
    'packet=codec_type,pts_time,dts_time,duration_time,flags',
    '-of',
    'json',
    input,
  ]
  const { stdout } = await run('ffprobe', args, { maxBuffer: 64 * 1024 * 1024 })
  return (JSON.parse(stdout) as { packets: ProbedPacket[] }).packets
}

/** Decodes with ffmpeg; returns its error output. */
export async function decodeFaults(input: string): Promise<string> {
  const { stderr } = await run('ffmpeg', ['-v', 'warning', '-i', input, '-f', 'null', '-'], {
    maxBuffer: 16 * 1024 * 1024,
  })
  return stderr.trim()
}

/** Fails with what to install if ffmpeg or ffprobe is missing, so that tests do not pass by skipping. */
export async function requireEncoder(): Promise<void> {
  for (const tool of ['ffmpeg', 'ffprobe'])
    await run(tool, ['-version']).catch(() => {
      throw new Error(
        `${tool} is not in PATH; it comes with: apt-get install ffmpeg, brew install ffmpeg, or choco install ffmpeg`,
      )
    })
}
