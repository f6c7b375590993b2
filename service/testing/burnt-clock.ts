import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Bits of the burnt-in clock: size in pixels, and number; it counts hundredths of a second. */
export const clockBits = { width: 40, height: 40, count: 16 } as const

/**
 * Filters that give video and audio the wall clock since `origin` (ms) as timestamps and draw it as a binary number
 * into the top row of a picture 640 wide.
 */
export function burntClock(origin: number): { readonly video: string; readonly audio: string } {
  const { width, height, count } = clockBits
  const bits = Array.from(
    { length: count },
    (_, bit) =>
      `drawbox=x=${bit * width}:y=0:w=${width}:h=${height}:color=white:t=fill:enable='mod(floor(t*100/${2 ** bit})\\,2)'`,
  )
  const times = `setpts='(RTCTIME-${origin}000)/(TB*1000000)'`
  return {
    video: `${times},drawbox=x=0:y=0:w=640:h=${height}:color=black:t=fill,${bits.join(',')}`,
    audio: `a${times}`,
  }
}

/** The burnt-in clock at `seconds` of a file, in ms since its origin. Rejects when there is no picture. */
export async function clockAt(file: string, seconds: number): Promise<number> {
  const { width, height, count } = clockBits
  const middle = `crop=${width * count}:${height / 2}:0:${height / 4},scale=${count}:1:flags=area,format=gray`
  const args = [
    '-v',
    'error',
    '-ss',
    seconds.toFixed(3),
    '-i',
    file,
    '-frames:v',
    '1',
    '-vf',
    middle,
    '-f',
    'rawvideo',
    'pipe:1',
  ]
  const { stdout } = await run('ffmpeg', args, { encoding: 'buffer' })
  if (stdout.length !== count) throw new Error(`no picture at ${seconds} s of ${file}`)
  return stdout.reduce((sum, level, bit) => (level > 127 ? sum + 2 ** bit : sum), 0) * 10
}
