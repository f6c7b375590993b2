import { z } from 'zod'
import { onChannel } from './ids.ts'
import { forPage } from './procedure.ts'

const HealthSample = z.object({
  at: z.number(),
  kbps: z.number().nullable(),
  fps: z.number().nullable(),
  drift: z.number().nullable(),
})
/** A second of a push: kbit/s, frames per second, and lag of media time behind the clock in ms. */
export type HealthSample = z.infer<typeof HealthSample>

const PushTurn = z.object({
  at: z.number(),
  kind: z.enum([
    'started',
    'ended',
    'refused',
    'replaced',
    'held',
    'heldByHand',
    'heldWithoutPicture',
    'returned',
    'holdEnded',
    'targetSending',
    'targetStalled',
    'targetRetrying',
    'targetRefused',
    'targetStopped',
    'targetNoKey',
    'targetRemoved',
  ]),
  /** The service's reason; `service` when it was lost. For targets the id, for the end of a hold its length in s. */
  detail: z.string().nullable(),
  remedy: z.string().nullable(),
  /** By how many s viewers see the end of a hold later, with a delay. */
  later: z.number().optional(),
  /** Address that a refused push came from, if known. */
  from: z.string().optional(),
})
/** Begin, end or refusal of a push, a hold, or what became of a target. */
export type PushTurn = z.infer<typeof PushTurn>

/** Procedures about the health of pushes. */
export const healthProcedures = {
  recent: forPage(
    "A channel's pushes since the app started: figures of the last 10 minutes and the last 200 turns, " +
      'oldest first; empty for a hosted profile.',
  )
    .input(onChannel)
    .output(z.object({ samples: z.array(HealthSample), turns: z.array(PushTurn) })),
}
