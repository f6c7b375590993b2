import { z } from 'zod'
import { copyKinds } from '../operations/copy-kinds.ts'
import { forPage } from './procedure.ts'
import { reasonSchema } from './reason.ts'

/** The app's receiver of message copies of one profile. */
export const CopyReceiver = z.object({
  profileId: z.string(),
  /** `failed`: it should listen and cannot, see `reason`. */
  phase: z.enum(['off', 'listening', 'failed']),
  host: z.string(),
  port: z.number(),
  /** Its address on this computer, while it listens. */
  url: z.string().nullable(),
  reason: z.string().nullable(),
  /** It listens beyond this computer. */
  open: z.boolean(),
  /**
   * `checked`: MD5 and CheckSum decide. `unverified`: how a hosted service computes CheckSum is not in its specification, so copies with the
   * right MD5 are taken and said to be unverified.
   */
  verification: z.enum(['checked', 'unverified']),
  /** Copies of a kind that is not known, since it listens. */
  ignored: z.number(),
})

/** One copy that the receiver got. */
export const ReceivedCopy = z.object({
  /** Number in the receiver's log, ascending. */
  id: z.number(),
  at: z.number(),
  /** `duplicate`: its msgidServer came before. `probe`: an empty object, by which an address is tried out. `ignored`: an eventType that is not known. */
  verdict: z.enum(['accepted', 'duplicate', 'ignored', 'probe', 'forged', 'unreadable']),
  /** Its CheckSum is right; false also where that cannot be said. */
  verified: z.boolean(),
  /** It was signed longer ago than any sender takes: a replay, or a clock that is off. */
  stale: z.boolean(),
  /** Sent by the app itself to try the receiver out. */
  test: z.enum(['replay', 'tamper']).nullable(),
  from: z.string(),
  /** What is wrong with it. */
  why: reasonSchema('copy').nullable(),
  /** Fields as they were received; none of an unreadable one. */
  fields: z.record(z.string(), z.string()),
})

const profileId = z.string().min(1).max(64)
const onProfile = z.strictObject({ profileId })
const onCopy = z.strictObject({ profileId, id: z.number().int().min(1) })

/** Procedures of the receiver of message copies. */
export const copyProcedures = {
  state: forPage.input(onProfile).output(CopyReceiver),
  /** Port 0 takes any free one. It listens again whenever the app runs, until it is stopped. */
  start: forPage
    .input(z.strictObject({ profileId, host: z.string().min(1).max(255), port: z.number().int().min(0).max(65_535) }))
    .output(CopyReceiver),
  stop: forPage.input(onProfile).output(CopyReceiver),
  /** Newest first. */
  list: forPage
    .input(z.strictObject({ profileId, limit: z.number().int().min(1).max(500) }))
    .output(z.array(ReceivedCopy)),
  /** Sends a genuine copy again, as it came: it shows as a duplicate. */
  replay: forPage.input(onCopy).output(ReceivedCopy),
  /** Sends a genuine copy with one byte changed and its digests as they were: it shows as forged. */
  tamper: forPage.input(onCopy).output(ReceivedCopy),
  /** Where the embedded service sends copies, and which kinds. */
  target: forPage.input(onProfile).output(z.object({ url: z.string().nullable(), kinds: z.array(z.number()) })),
  /** Sets it; the service asks the address first. Null ends copying. The embedded service only. */
  setTarget: forPage
    .input(
      z.strictObject({
        profileId,
        url: z.string().min(1).max(1024).nullable(),
        kinds: z.array(z.literal(copyKinds)).max(4),
      }),
    )
    .output(z.void()),
}

/** The app's receiver of message copies of one profile. */
export type CopyReceiver = z.infer<typeof CopyReceiver>
/** One copy that the receiver got. */
export type ReceivedCopy = z.infer<typeof ReceivedCopy>
