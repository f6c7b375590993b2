import { spawn } from 'node:child_process'

/** What a picture may be at most, in bytes. */
const most = 110_000

const encode = (png: Buffer, options: readonly string[]): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const [taken, given] = ['-hide_banner -loglevel error -f png_pipe -i - -c:v libwebp', '-compression_level 6 -map_metadata -1 -f webp -']
    const child = spawn('ffmpeg', [...taken.split(' '), ...options, ...given.split(' ')])
    const parts: Buffer[] = []
    let said = ''
    child.stdout.on('data', (part: Buffer) => parts.push(part))
    child.stderr.on('data', (part: Buffer) => (said += part.toString()))
    child.once('error', reject)
    child.once('close', (code) => (code === 0 ? resolve(Buffer.concat(parts)) : reject(new Error(`ffmpeg: ${said}`))))
    child.stdin.end(png)
  })

/** A picture as WebP of at most 110 kB: as it is where that is small enough, else as good as fits. */
export async function toWebp(png: Buffer): Promise<Buffer> {
  const whole = await encode(png, ['-pix_fmt', 'bgra', '-lossless', '1', '-quality', '90'])
  if (whole.length <= most) return whole
  for (const quality of [90, 84, 76, 68, 58, 46]) {
    const picture = await encode(png, ['-pix_fmt', 'yuv420p', '-quality', String(quality), '-preset', 'text'])
    if (picture.length <= most) return picture
  }
  throw new Error(`the picture is too large for ${most} bytes`)
}
