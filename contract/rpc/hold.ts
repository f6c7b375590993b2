import { z } from 'zod'

/** Hold and delay of a channel; times in ms, null for none. */
export const HoldState = z.object({
  /** How long the picture is held when the encoder is lost; 0 for not at all. */
  holdSeconds: z.number(),
  /** Delay for viewers and targets that was asked for. */
  delaySeconds: z.number(),
  /** Viewers get the held picture. */
  holding: z.boolean(),
  byHand: z.boolean(),
  /** It is held by hand since before any picture was sent: viewers see none. */
  noPicture: z.boolean(),
  since: z.number().nullable(),
  /** When the broadcast ends unless the encoder returns. */
  until: z.number().nullable(),
  /** The last hold of this push, and its length. */
  lastHeld: z.number().nullable(),
  lastHeldFor: z.number().nullable(),
  /** When viewers see that the last hold is over, where that is later by a delay. */
  goesOn: z.number().nullable(),
  /** A push that begins before then is held by hand and without a picture. */
  nextHeldUntil: z.number().nullable(),
  /** Delay that viewers have now, while on air. */
  delayed: z.number().nullable(),
  /** The delay is growing: the picture repeats until it is reached. */
  delayChanging: z.boolean(),
  /** The delay stays at 20 s, as the disk is full or refused. */
  delayFault: z.enum(['disk']).nullable(),
})
export type HoldState = z.infer<typeof HoldState>
