import path from 'node:path'
import { z } from 'zod'
import { joinedPlace } from '../../contract/rpc/joined.ts'
import { jsonFile, keptDocument } from '../../platform/json-file.ts'

/** Maximum of joined rooms. */
export const maxJoined = 100

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
/** A kept room; its token is in the keychain, its session in memory. */
export type KeptJoined = z.infer<typeof Kept>

const Document = z.object({ version: z.literal(1), seats: z.array(Kept).max(maxJoined) })

/** Opens DATA/joined.json; a damaged one is quarantined. */
export async function openJoinedDocument(dataDir: string) {
  const file = jsonFile(path.join(dataDir, 'joined.json'), (raw) => Document.parse(raw))
  const document = await keptDocument(file, { version: 1, seats: [] })
  return {
    all: (): readonly KeptJoined[] => document.value().seats,
    /** Resolves once written; rejects with nothing changed. */
    change: (update: (seats: readonly KeptJoined[]) => readonly KeptJoined[]) =>
      document.change(({ version, seats }) => ({ version, seats: [...update(seats)] })),
  }
}
