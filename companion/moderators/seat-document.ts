import path from 'node:path'
import { z } from 'zod'
import { jsonFile } from '../../platform/json-file.ts'

/** Seats kept at most, and browsers that one of them is signed in with. */
export const seatsMost = 200
/** Browsers of one seat; the oldest goes. */
export const sessionsMost = 8

const Kept = z.object({
  id: z.string(),
  profileId: z.string(),
  roomid: z.number(),
  accid: z.string(),
  name: z.string(),
  state: z.enum(['invited', 'active', 'revoked']),
  created: z.number(),
  /** Digest of the code that was handed over, and until when it is good. */
  code: z.object({ digest: z.string(), until: z.number() }).nullable(),
  /** Digests of the sessions of browsers. */
  sessions: z.array(z.string()).max(sessionsMost),
  lastAt: z.number().nullable(),
  lastAction: z.string().nullable(),
  address: z.string().nullable(),
  device: z.string().nullable(),
})
/** A seat as it is kept: of codes and sessions only digests. */
export type KeptSeat = z.infer<typeof Kept>

const Listening = z.object({ on: z.boolean(), open: z.boolean(), port: z.number() })
const Document = z.object({
  version: z.literal(1),
  listening: Listening,
  /** The certificate; its key is in the keychain. */
  certificate: z.object({ cert: z.string(), origin: z.enum(['made', 'supplied']) }).nullable(),
  seats: z.array(Kept).max(seatsMost),
})
/** DATA/seats.json. */
export type SeatDocument = z.infer<typeof Document>

/** Opens DATA/seats.json. A damaged one is set aside and nobody has a seat then, so that nobody is let in by mistake. */
export async function openSeatDocument(dataDir: string): Promise<{ value: () => SeatDocument; change: (change: Partial<SeatDocument>) => Promise<void> }> {
  const file = jsonFile(path.join(dataDir, 'seats.json'), (raw) => Document.parse(raw))
  let document: SeatDocument = (await file.load()) ?? { version: 1, listening: { on: false, open: false, port: 8720 }, certificate: null, seats: [] }
  return {
    value: () => document,
    change: (change) => {
      document = { ...document, ...change }
      return file.save(document)
    },
  }
}
