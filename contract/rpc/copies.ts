import { z } from 'zod'
import { copyKinds } from '../operations/copy-kinds.ts'
import { forPage } from './procedure.ts'
import { reasonSchema } from './reason.ts'

/** The app's receiver of message copies of one profile. */
export const CopyReceiver = z.object({
  profileId: z.string(),
  /** `failed`: it cannot listen, see `reason`. */
  phase: z.enum(['off', 'listening', 'failed']),
  host: z.string(),
  port: z.number(),
  /** Its local address, while it listens. */
  url: z.string().nullable(),
  reason: reasonSchema('listener').nullable(),
  /** It listens beyond this computer. */
  open: z.boolean(),
  /** `unverified`: only the MD5 is checked, as a hosted service's CheckSum is not specified. */
  verification: z.enum(['checked', 'unverified']),
  /** Copies of an unknown kind since it listens. */
  ignored: z.number(),
})

/** A received copy. */
export const ReceivedCopy = z.object({
  /** Number in the receiver's log, ascending. */
  id: z.number(),
  at: z.number(),
  /** `duplicate`: repeated msgidServer. `probe`: `{}`, which tests the address. `ignored`: unknown eventType. */
  verdict: z.enum(['accepted', 'duplicate', 'ignored', 'probe', 'forged', 'unreadable']),
  /** Its CheckSum is right; also false if unverifiable. */
  verified: z.boolean(),
  /** Signed too long ago: a replay, or a wrong clock. */
  stale: z.boolean(),
  /** Sent by the app as a test. */
  test: z.enum(['replay', 'tamper']).nullable(),
  from: z.string(),
  /** What is wrong with it. */
  why: reasonSchema('copy').nullable(),
  /** Fields as received; empty if unreadable. */
  fields: z.record(z.string(), z.string()),
})

const profileId = z.string().min(1).max(64)
const onProfile = z.strictObject({ profileId })
const onCopy = z.strictObject({ profileId, id: z.number().int().min(1) })

/** Procedures of the receiver of message copies. */
export const copyProcedures = {
  state: forPage('The receiver of message copies as it is.').input(onProfile).output(CopyReceiver),
  start: forPage('Port 0 takes any free one. Listens whenever the app runs, until stopped.')
    .input(z.strictObject({ profileId, host: z.string().min(1).max(255), port: z.number().int().min(0).max(65_535) }))
    .output(CopyReceiver),
  stop: forPage('Stops it, also for the next start of the app.').input(onProfile).output(CopyReceiver),
  list: forPage('Newest first.')
    .input(z.strictObject({ profileId, limit: z.number().int().min(1).max(500) }))
    .output(z.array(ReceivedCopy)),
  replay: forPage('Sends a genuine copy again, which shows as a duplicate.').input(onCopy).output(ReceivedCopy),
  tamper: forPage('Sends a genuine copy with one byte changed, which shows as forged.')
    .input(onCopy)
    .output(ReceivedCopy),
  target: forPage("Address and kinds of the embedded service's copies.")
    .input(onProfile)
    .output(z.object({ url: z.string().nullable(), kinds: z.array(z.number()) })),
  setTarget: forPage('Sets it after the service has tested the address; null ends copying. Embedded service only.')
    .input(
      z.strictObject({
        profileId,
        url: z.string().min(1).max(1024).nullable(),
        kinds: z.array(z.literal(copyKinds)).max(4),
      }),
    )
    .output(z.void()),
}

export type CopyReceiver = z.infer<typeof CopyReceiver>
export type ReceivedCopy = z.infer<typeof ReceivedCopy>
