import type { Amf0Value } from '../media/amf0.ts'
import { readAmf0 } from '../media/amf0-reader.ts'
import type { MediaPacket } from '../timeline/packet.ts'

const isSome = (value: Amf0Value | undefined): boolean =>
  typeof value === 'number' ? value > 0 : typeof value === 'string' && value !== ''

/**
 * Whether `onMetaData` announces a picture: by its codec, a number or a name; where none is given, by its size. Servers
 * that send a push on give zeros for sound alone.
 */
export function announcesPicture({ body }: Pick<MediaPacket, 'body'>): boolean {
  const [, members] = readAmf0(body)
  if (typeof members !== 'object' || members === null) return false
  const { videocodecid, width, height } = members as Readonly<Record<string, Amf0Value | undefined>>
  return videocodecid === undefined ? isSome(width) && isSome(height) : isSome(videocodecid)
}
