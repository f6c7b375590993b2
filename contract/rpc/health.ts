import { z } from 'zod'
import { forPage } from './procedure.ts'

/** One second of a push: kbit/s, frames per second, and by how many ms media time fell behind the clock. */
const HealthSample = z.object({
  at: z.number(),
  kbps: z.number().nullable(),
  fps: z.number().nullable(),
  drift: z.number().nullable(),
})
/** One second of a push. */
export type HealthSample = z.infer<typeof HealthSample>

/** A begin or an end of a push, or one that was not let in. */
const PushTurn = z.object({
  at: z.number(),
  kind: z.enum(['started', 'ended', 'refused', 'replaced']),
  /** What the service said of it, in words; `service` when the service itself was lost. */
  detail: z.string().nullable(),
  remedy: z.string().nullable(),
  /** The address that a refused push came from, where that is told. */
  from: z.string().optional(),
})
/** A begin or an end of a push, or one that was not let in. */
export type PushTurn = z.infer<typeof PushTurn>

/** Procedures about the health of pushes. */
export const healthProcedures = {
  /** What the app saw of a channel's pushes since it began: figures of the last 10 minutes and the last 200 turns, oldest first; nothing of a hosted profile. */
  recent: forPage
    .input(z.strictObject({ profileId: z.string().min(1).max(64), cid: z.string().regex(/^[0-9a-f]{32}$/) }))
    .output(z.object({ samples: z.array(HealthSample), turns: z.array(PushTurn) })),
}
