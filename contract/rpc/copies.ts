import { z } from 'zod'
import { anyPort, newest, onProfile, profileId } from './ids.ts'
import { copyKinds } from '../operations/copy-kinds.ts'
import { forPage } from './procedure.ts'
import { reasonSchema } from './reason.ts'
import { receivedState, receiverState } from './receivers.ts'

/** The app's receiver of message copies of one profile. */
export const CopyReceiver = z.object({
  ...receiverState,
  /** `unverified`: only the MD5 is checked, as a hosted service's CheckSum is not specified. */
  verification: z.enum(['checked', 'unverified']),
  /** Copies of an unknown kind since it listens. */
  ignored: z.number(),
})
export type CopyReceiver = z.infer<typeof CopyReceiver>

/** A received copy. */
export const ReceivedCopy = z.object({
  ...receivedState,
  /** `duplicate`: repeated msgidServer. `probe`: `{}`, which tests the address. `ignored`: unknown eventType. */
  verdict: z.enum(['accepted', 'duplicate', 'ignored', 'probe', 'forged', 'unreadable']),
  /** Its CheckSum is right; also false if unverifiable. */
  verified: z.boolean(),
  /** Signed too long ago: a replay, or a wrong clock. */
  stale: z.boolean(),
  /** What is wrong with it. */
  why: reasonSchema('copy').nullable(),
})
export type ReceivedCopy = z.infer<typeof ReceivedCopy>

const onCopy = z.strictObject({ profileId, id: z.number().int().min(1) })

/** Procedures of the receiver of message copies. */
export const copyProcedures = {
  state: forPage('The receiver of message copies as it is.').input(onProfile).output(CopyReceiver),
  start: forPage('Port 0 takes any free one. Listens whenever the app runs, until stopped.')
    .input(z.strictObject({ profileId, host: z.string().min(1).max(255), port: anyPort }))
    .output(CopyReceiver),
  stop: forPage('Stops it, also for the next start of the app.').input(onProfile).output(CopyReceiver),
  list: forPage('Newest first.').input(newest).output(z.array(ReceivedCopy)),
  replay: forPage('Sends a genuine copy again, which shows as a duplicate.').input(onCopy).output(ReceivedCopy),
  tamper: forPage('Sends a genuine copy with one byte changed, which shows as forged.')
    .input(onCopy)
    .output(ReceivedCopy),
  target: forPage("Address and kinds of the embedded service's copies.")
    .input(onProfile)
    .output(z.object({ url: z.string().nullable(), kinds: z.array(z.number()) })),
  setTarget: forPage('Sets it after the service has tested the address; null ends copying. Extended services only.')
    .input(
      z.strictObject({
        profileId,
        url: z.string().min(1).max(1024).nullable(),
        kinds: z.array(z.literal(copyKinds)).max(4),
      }),
    )
    .output(z.void()),
}
