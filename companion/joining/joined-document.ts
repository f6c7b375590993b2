import path from 'node:path'
import { z } from 'zod'
import { joinedPlace } from '../../contract/rpc/joined.ts'
import { jsonFile } from '../../platform/json-file.ts'

/** Rooms on other computers that are kept at most. */
export const joinedMost = 100

const Kept = z.object({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  ...joinedPlace,
  accid: z.string(),
  name: z.string(),
  roomid: z.number(),
  room: z.string(),
  joined: z.number(),
  lastAt: z.number(),
})
/** A joined room as it is kept: its token is in the keychain, its session in memory only. */
export type KeptJoined = z.infer<typeof Kept>

const Document = z.object({ version: z.literal(1), seats: z.array(Kept).max(joinedMost) })

/** Opens DATA/joined.json. A damaged one is set aside. */
export async function openJoinedDocument(
  dataDir: string,
): Promise<{ all: () => readonly KeptJoined[]; save: (seats: readonly KeptJoined[]) => Promise<void> }> {
  const file = jsonFile(path.join(dataDir, 'joined.json'), (raw) => Document.parse(raw))
  let seats: readonly KeptJoined[] = (await file.load())?.seats ?? []
  return {
    all: () => seats,
    save: async (next) => {
      const before = seats
      seats = next
      try {
        await file.save({ version: 1, seats: [...next] })
      } catch (error) {
        if (seats === next) seats = before
        throw error
      }
    },
  }
}
