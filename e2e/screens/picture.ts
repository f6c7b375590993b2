import sharp from 'sharp'

/** What a picture may be at most, in bytes. */
const most = 110_000

/** A picture as WebP of at most 110 kB: as it is where that is small enough, else as good as fits. */
export async function toWebp(png: Buffer): Promise<Buffer> {
  const whole = await sharp(png).webp({ lossless: true, effort: 6 }).toBuffer()
  if (whole.length <= most) return whole
  for (const quality of [90, 84, 76, 68, 58, 46]) {
    const picture = await sharp(png).webp({ quality, preset: 'text', effort: 6 }).toBuffer()
    if (picture.length <= most) return picture
  }
  throw new Error(`the picture is too large for ${most} bytes`)
}
