import { readFileSync } from 'node:fs'
import sharp from 'sharp'

/** File names of pictures that a decoder is asked about. */
export const isPicture = (file: string): boolean => /\.(?:png|jpe?g|webp|gif|avif|svg)$/i.test(file)

/** Decodes a picture to its last pixel. Resolves with what is wrong with it, or undefined when browsers open it. */
export async function faultOf(file: string): Promise<string | undefined> {
  const bytes = readFileSync(file)
  // A picture that was written to a pipe may lack its length: some decoders forgive that, browsers do not.
  if (bytes.subarray(0, 4).toString('latin1') === 'RIFF' && bytes.readUInt32LE(4) + 8 !== bytes.length)
    return 'its header has another length than the file'
  try {
    const { info } = await sharp(bytes, { failOn: 'warning' }).raw().toBuffer({ resolveWithObject: true })
    return info.width > 0 && info.height > 0 ? undefined : 'it is empty'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
