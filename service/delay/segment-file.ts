import { mkdir, open, rm, statfs, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { MediaPacket } from '../timeline/packet.ts'

/** A packet that waits to be sent: its number, and when it was taken (monotonic, ms). */
export interface WaitingPacket {
  readonly packet: MediaPacket
  readonly number: number
  readonly at: number
}

/** Files of delayed media. */
export interface SegmentFiles {
  /** Writes a new file; rejects with the system's error, or with `ENOSPC` when the reserve would be used. */
  write(name: string, bytes: Buffer): Promise<void>
  read(name: string): Promise<Buffer>
  remove(name: string): Promise<void>
}

const kinds = ['video', 'audio', 'data'] as const
/** Kind, flags, timestamp, arrival, time taken, length. */
const headBytes = 1 + 1 + 8 + 8 + 8 + 4
const isKey = 1
const isConfiguration = 2

/** Packets as bytes of a file; in `space`, if they fit. */
export function packedMedia(packets: readonly WaitingPacket[], space?: Buffer): Buffer {
  const length = packets.reduce((sum, { packet }) => sum + headBytes + packet.body.length, 0)
  const bytes = space && space.length >= length ? space.subarray(0, length) : Buffer.allocUnsafeSlow(length)
  let offset = 0
  for (const { packet, at } of packets) {
    bytes[offset] = kinds.indexOf(packet.kind)
    bytes[offset + 1] = (packet.keyFrame ? isKey : 0) | (packet.configuration ? isConfiguration : 0)
    bytes.writeDoubleBE(packet.timestamp, offset + 2)
    bytes.writeDoubleBE(packet.arrived, offset + 10)
    bytes.writeDoubleBE(at, offset + 18)
    bytes.writeUInt32BE(packet.body.length, offset + 26)
    packet.body.copy(bytes, offset + headBytes)
    offset += headBytes + packet.body.length
  }
  return bytes
}

/** The packets of a file, of which the first has this number. */
export function unpackedMedia(bytes: Buffer, first: number): WaitingPacket[] {
  const packets: WaitingPacket[] = []
  for (let offset = 0; offset + headBytes <= bytes.length;) {
    const end = offset + headBytes + bytes.readUInt32BE(offset + 26)
    const kind = kinds[bytes[offset]!]
    if (kind === undefined || end > bytes.length) throw new Error('a file of delayed media is damaged')
    const flags = bytes[offset + 1]!
    packets.push({
      number: first + packets.length,
      at: bytes.readDoubleBE(offset + 18),
      packet: {
        kind,
        timestamp: bytes.readDoubleBE(offset + 2),
        arrived: bytes.readDoubleBE(offset + 10),
        keyFrame: (flags & isKey) !== 0,
        configuration: (flags & isConfiguration) !== 0,
        body: bytes.subarray(offset + headBytes, end),
      },
    })
    offset = end
  }
  return packets
}

/** Files in a folder, which is emptied first; `reserve` bytes of the disk are left free. */
export async function segmentFiles(folder: string, reserve: number): Promise<SegmentFiles> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o700 })
  return {
    async write(name, bytes) {
      const { bavail, bsize } = await statfs(folder)
      if (bavail * bsize - bytes.length < reserve)
        throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' })
      await writeFile(path.join(folder, name), bytes, { mode: 0o600, flag: 'wx' })
    },
    // `readFile` reads in pieces, and has twice the bytes in memory when it joins them.
    async read(name) {
      const file = await open(path.join(folder, name))
      try {
        const bytes = Buffer.allocUnsafeSlow((await file.stat()).size)
        for (let at = 0; at < bytes.length;) {
          const { bytesRead } = await file.read(bytes, at)
          if (bytesRead === 0) throw new Error('a file of delayed media is cut short')
          at += bytesRead
        }
        return bytes
      } finally {
        await file.close()
      }
    },
    remove: (name) => rm(path.join(folder, name), { force: true }),
  }
}
