import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { jsonFile } from '../../platform/json-file.ts'
import { reasonOf } from '../failure.ts'
import { createSerial } from '../../platform/serial.ts'

const port = z.number().int().min(1).max(65_535).nullable()
const Document = z.object({
  version: z.literal(1),
  /** Null: the usual place. */
  folder: z.string().nullable(),
  /** Left by a move. */
  old: z.object({ folder: z.string(), names: z.array(z.string()), at: z.number() }).nullable(),
  /** A move under way. */
  moving: z.object({ to: z.string(), made: z.boolean() }).nullable(),
  ports: z.object({ api: port, media: port, rtmp: port }),
  /** IANA; null: the system's. */
  timeZone: z.string().nullable(),
})
/** APP/computer.json, the one place that says where the data are. */
type ComputerDocument = z.infer<typeof Document>

const empty: ComputerDocument = {
  version: 1,
  folder: null,
  old: null,
  moving: null,
  ports: { api: null, media: null, rtmp: null },
  timeZone: null,
}

/** The document and its changes, one after the other. */
export type ComputerStore = Awaited<ReturnType<typeof openComputerDocument>>

/** A second copy beside it. */
export const computerCopyName = 'computer-copy.json'

/** Opens it; a damaged or missing one is restored from its copy. */
export async function openComputerDocument(home: string, log: (line: string) => void = () => undefined) {
  const file = jsonFile(path.join(home, 'computer.json'), (raw) => Document.parse(raw))
  const copy = jsonFile(path.join(home, computerCopyName), (raw) => Document.parse(raw))
  const found = await file.load()
  const second = await copy.load()
  let document = found ?? second ?? empty
  if (!found && second)
    log(
      `computer.json was not usable and was made again of ${computerCopyName}: the data are in ${second.folder ?? 'the usual folder'}`,
    )
  // A start needs neither; the next one reads again.
  for (const [one, was] of [
    [file, found],
    [copy, second],
  ] as const)
    if ((found ?? second) && !isDeepStrictEqual(was, document))
      await one
        .save(document)
        .catch((error: unknown) => log(`computer.json and its copy could not be made alike: ${reasonOf(error)}`))
  const inTurn = createSerial()
  return {
    value: (): ComputerDocument => document,
    change: (change: Partial<Omit<ComputerDocument, 'version'>>) =>
      inTurn(async () => {
        const changed = { ...document, ...change }
        // First, so that the copy is never older.
        await copy.save(changed)
        try {
          await file.save(changed)
        } catch (error) {
          await copy
            .save(document)
            .catch((left: unknown) => log(`${computerCopyName} could not be put back: ${reasonOf(left)}`))
          throw error
        }
        document = changed
      }),
  }
}
