import { z } from 'zod'
import { anyPort, newest, onProfile, profileId } from './ids.ts'
import { forPage } from './procedure.ts'
import { reasonSchema } from './reason.ts'
import { secret } from './secret.ts'

const url = z.string().min(1).max(1024)

/** What a receiver of callbacks and one of message copies have in common. */
export const receiverState = {
  profileId: z.string(),
  /** `failed`: it cannot listen, see `reason`. */
  phase: z.enum(['off', 'listening', 'failed']),
  /** Where it listens, or was last set to. */
  host: z.string(),
  port: z.number(),
  /** Its local address, while it listens. */
  url: z.string().nullable(),
  reason: reasonSchema('listener').nullable(),
  /** It listens beyond this computer. */
  open: z.boolean(),
}
/** What a received callback and a received message copy have in common. */
export const receivedState = {
  /** Number in the receiver's log, ascending. */
  id: z.number(),
  at: z.number(),
  /** Sent by the app as a test. */
  test: z.enum(['replay', 'tamper']).nullable(),
  /** Sender's address. */
  from: z.string(),
  /** Fields as received; empty if unreadable. */
  fields: z.record(z.string(), z.string()),
}

/** The app's receiver of recording callbacks of one profile. */
export const Receiver = z.object({
  ...receiverState,
  /** The service is on another computer, which must reach this one, by a public name or a tunnel. */
  mustBeReachable: z.boolean(),
  /** Without a signing key every message is refused and resent later. */
  keyKnown: z.boolean(),
})
export type Receiver = z.infer<typeof Receiver>

/** A received callback. */
export const Delivery = z.object({
  ...receivedState,
  /** `forged`: wrong signature; `unreadable`: no callback; `duplicate`: genuine, with a repeated nId. */
  verdict: z.enum(['accepted', 'duplicate', 'forged', 'unreadable']),
  /** Genuine, but later than its last resend: a late recording, or a replay. */
  stale: z.boolean(),
  /** What is wrong with it. */
  why: reasonSchema('callback').nullable(),
})
export type Delivery = z.infer<typeof Delivery>

/** Procedures of the receiver of recording callbacks. */
export const receiverProcedures = {
  state: forPage('The receiver of callbacks as it is.').input(onProfile).output(Receiver),
  start: forPage(
    'Listens at an IP address of this computer; port 0 takes any free one. An error is in the answer (`failed`).',
  )
    .input(z.strictObject({ profileId, host: z.union([z.ipv4(), z.ipv6()]), port: anyPort }))
    .output(Receiver),
  stop: forPage('Stops it, also for the next start of the app.').input(onProfile).output(Receiver),
  register: forPage("Sets the service's callback address, by default the receiver's (`/app/record/setcallback`).")
    .input(z.strictObject({ profileId, url: url.optional() }))
    .output(z.object({ url: z.string() })),
  deliveries: forPage('Newest first.').input(newest).output(z.array(Delivery)),
  replay: forPage('Sends a genuine message to the receiver again: a duplicate.')
    .input(z.strictObject({ profileId, id: z.number().int() }))
    .output(Delivery),
  tamper: forPage('Sends a genuine message with one value changed and the old signature: a forgery.')
    .input(z.strictObject({ profileId, id: z.number().int(), field: z.string().min(1).max(64).optional() }))
    .output(Delivery),
  signKey: forPage('The signing key, on request.')
    .input(onProfile)
    .output(z.object({ signKey: secret(z.string()) })),
  setSignKey: forPage(
    'Stores the key for verification; with `atService` also sets it at the service (`/app/callback/setSignKey`).',
  )
    .input(z.strictObject({ profileId, signKey: secret(z.string().min(1).max(128)), atService: z.boolean() }))
    .output(z.void()),
}
