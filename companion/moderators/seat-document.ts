import path from 'node:path'
import { z } from 'zod'
import type { ReasonOf } from '../../contract/catalogue/reasons.ts'
import { jsonFile } from '../../platform/json-file.ts'
import { inBackground } from '../background.ts'
import type { Clock } from '../../platform/clock.ts'
import { reasonOf as messageOf } from '../failure.ts'
import { whyLeft } from './why-left.ts'
import { OwedStep } from '../../contract/rpc/seats.ts'
import { openRevocationMarks } from './revocation-marks.ts'
import { createBackoff, listedWait } from '../../platform/backoff.ts'

/** Seats kept. */
export const maxSeats = 200
/** Browsers of one seat; the oldest is dropped. */
export const maxSessions = 8

const Kept = z.object({
  id: z.string(),
  profileId: z.string(),
  roomid: z.number(),
  accid: z.string(),
  name: z.string(),
  state: z.enum(['invited', 'active', 'revoked']),
  created: z.number(),
  code: z.object({ digest: z.string(), until: z.number() }).nullable(),
  sessions: z.array(z.string()).max(maxSessions),
  lastAt: z.number().nullable(),
  lastAction: z.string().nullable(),
  address: z.string().nullable(),
  device: z.string().nullable(),
  /** Absent in older files. */
  owed: z.array(OwedStep).default([]),
})
/** A kept seat: digests of codes and sessions. */
export type KeptSeat = z.infer<typeof Kept>

const Listening = z.object({ on: z.boolean(), open: z.boolean(), port: z.number() })
const Document = z.object({
  version: z.literal(1),
  listening: Listening,
  /** Its key is in the keychain. */
  certificate: z.object({ cert: z.string(), origin: z.enum(['made', 'supplied']) }).nullable(),
  seats: z.array(Kept).max(maxSeats),
})
/** DATA/seats.json. */
export type SeatDocument = z.infer<typeof Document>

type SeatUpdate = (document: SeatDocument) => Partial<SeatDocument>

/** In force but not in DATA/seats.json. */
interface Unwritten {
  /** Seats that were revoked or lost sessions. */
  readonly ids: readonly string[]
  readonly reason: ReasonOf<'revocation'>
  /** Whether it holds after a restart. */
  readonly marked: boolean
}

/** DATA/seats.json while the app runs. */
export type SeatStore = Awaited<ReturnType<typeof openSeatStore>>

interface SeatStorePorts {
  readonly dataDir: string
  readonly clock: Clock
  readonly log: (line: string) => void
  /** What is not written changed. */
  readonly changed: () => void
}

/** In ms; the last one repeats. */
const tryAgain = [1_000, 2_000, 5_000, 10_000] as const

/** Revokes seats: ends sessions and notes the service's steps. */
export const revoking =
  (ids: readonly string[]): SeatUpdate =>
  ({ seats }) => ({
    seats: seats.map((seat) => {
      if (!ids.includes(seat.id)) return seat
      // Steps done already are not repeated.
      const owed = seat.state === 'revoked' ? seat.owed : [...OwedStep.options]
      return { ...seat, state: 'revoked' as const, sessions: [], code: null, owed }
    }),
  })

interface Waiting {
  readonly update: SeatUpdate
  /** Undefined if the change may be undone. */
  readonly holds: readonly string[] | undefined
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

/** Opens DATA/seats.json; a damaged one is quarantined, and nobody has a seat then. */
export async function openSeatStore(ports: SeatStorePorts) {
  const file = jsonFile(path.join(ports.dataDir, 'seats.json'), (raw) => Document.parse(raw))
  let written: SeatDocument = (await file.load()) ?? {
    version: 1,
    listening: { on: false, open: false, port: 8720 },
    certificate: null,
    seats: [],
  }
  const marks = await openRevocationMarks(ports.dataDir, ports.log)
  /** Held but unwritten; being written; waiting. `document` is `written` with all of them. */
  let owed: Waiting[] = []
  let writing: Waiting[] = []
  let waiting: Waiting[] = []
  let document = written
  let unwritten: Unwritten | null = null
  let marked: readonly string[] = marks.left
  let isWriting = false
  let isDue = false
  let working: Promise<void> = Promise.resolve()

  const applied = (updates: readonly Waiting[]): SeatDocument => {
    const next = { ...written }
    for (const { update } of updates) Object.assign(next, update(next))
    return next
  }
  const see = (): void => {
    document = applied([...owed, ...writing, ...waiting])
  }
  const mark = async (ids: readonly string[]): Promise<boolean> => {
    if (ids.length === 0 && marked.length === 0) return true
    const kept = await marks.put(ids)
    if (kept) marked = ids
    return kept
  }
  const failed = async (error: unknown): Promise<void> => {
    const lost = writing.filter(({ holds }) => holds === undefined)
    owed = [...owed, ...writing.filter(({ holds }) => holds !== undefined)]
    const held = writing.filter(({ holds }) => holds !== undefined)
    writing = []
    see()
    if (owed.length > 0) {
      const ids = [...new Set(owed.flatMap(({ holds }) => holds ?? []))]
      // A sign-out cannot be noted there.
      const revoked = ids.filter((id) => document.seats.every((seat) => seat.id !== id || seat.state === 'revoked'))
      const kept = await mark(revoked)
      if (!unwritten) ports.log(`a revocation is in force but could not be written, trying again: ${messageOf(error)}`)
      unwritten = {
        ids,
        reason: whyLeft(error),
        marked: kept && revoked.length === ids.length,
      }
      backoff.again()
      ports.changed()
    }
    for (const one of held) one.done()
    for (const one of lost) one.failed(error)
  }
  const write = async (): Promise<void> => {
    writing = waiting
    waiting = []
    const next = applied([...owed, ...writing])
    try {
      await file.save(next)
    } catch (error) {
      return failed(error)
    }
    const done = writing
    written = next
    owed = []
    writing = []
    see()
    backoff.reset()
    backoff.stop()
    await mark([])
    if (unwritten) {
      unwritten = null
      ports.log('what was taken back is written')
      ports.changed()
    }
    for (const one of done) one.done()
  }
  /** One write at a time, each with all changes since. */
  const run = async (): Promise<void> => {
    isWriting = true
    try {
      while (isDue) {
        isDue = false
        await write()
      }
    } finally {
      isWriting = false
    }
  }
  const work = (): Promise<void> => {
    isDue = true
    if (!isWriting) working = run()
    return working
  }
  const backoff = createBackoff(
    ports.clock,
    (before) => listedWait(tryAgain, before),
    () => inBackground(work(), ports.log, 'writing seats again'),
  )
  const take = (update: SeatUpdate, holds?: readonly string[]): Promise<void> =>
    new Promise((done, reject) => {
      waiting.push({ update, holds, done, failed: reject })
      see()
      inBackground(work(), ports.log, 'writing seats')
    })

  const { left } = marks
  if (left.length > 0) {
    ports.log(`seats that were taken back while the disk took nothing: ${left.length}`)
    await take(revoking(left), left)
  }
  return {
    value: (): SeatDocument => document,
    /** Undone, and rejects, if it cannot be written. */
    change: (update: SeatUpdate) => take(update),
    /** In force at once and written until it succeeds. Resolves after the first try. */
    hold: (ids: readonly string[], update: SeatUpdate) => take(update, ids),
    /** Null when everything is written. */
    unwritten: (): Unwritten | null => unwritten,
    close: async () => {
      backoff.stop()
      await working
      if (owed.length > 0) await work()
      backoff.stop()
    },
  }
}
