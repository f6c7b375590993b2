import { z } from 'zod'
import { targetPresets, targetStarts, targetStates } from '../operations/targets.ts'
import { cid, onChannel, profileId } from './ids.ts'
import { named } from './named.ts'
import { forPage } from './procedure.ts'
import { secret } from './secret.ts'

const targetId = z.number().int().min(1)
const onTarget = z.strictObject({ profileId, cid, targetId })
const url = z.string().min(1).max(1024)
const key = secret(z.string().min(1).max(1024))
const start = z.enum(targetStarts)

/** How far a target is; times in ms. */
export const TargetState = z.object({
  state: z.enum(targetStates),
  since: z.number(),
  /** Sent over the last 2 s; 0 while nothing is taken. */
  kbps: z.number(),
  /** Video frames that it did not get in this push. */
  dropped: z.number(),
  /** Connections of this push that followed a lost one; a start by hand is none. */
  reconnects: z.number(),
  /** Attempts since it last sent. */
  tries: z.number(),
  nextTry: z.number().nullable(),
  reason: z
    .enum([
      'unresolved',
      'unreachable',
      'noAnswer',
      'certificate',
      'tls',
      'handshake',
      'refused',
      'closed',
      'stalled',
      'fault',
    ])
    .nullable(),
  /** The server's own words, without the key. */
  answer: z.string().nullable(),
})
export type TargetState = z.infer<typeof TargetState>

/** A target, without its key. */
export const Target = TargetState.extend({
  targetId: z.number(),
  name: z.string(),
  preset: z.enum(targetPresets),
  /** Without the key. */
  url: z.string(),
  start,
  /** The service has its key. */
  hasKey: z.boolean(),
  keyEnd: z.string().nullable(),
  /** Its key was for another server, and was forgotten with its address. */
  keyForgotten: z.boolean(),
  /** It had a key, which is kept nowhere any more. */
  keyGone: z.boolean(),
})
export type Target = z.infer<typeof Target>

/** Targets of a channel; kbit/s that they need, upload at most, 0 without a limit, and pages that wait. */
export const TargetBoard = z.object({
  targets: z.array(Target),
  needs: z.number(),
  budget: z.number(),
  waiting: z.number(),
})
export type TargetBoard = z.infer<typeof TargetBoard>

/**
 * Where a key is kept: `keychain`; `session`: in memory until the app ends; `refused`: the keychain refused, so the
 * service has it until it ends; `none`: no key was given.
 */
const KeptKey = z.enum(['keychain', 'session', 'refused', 'none'])

/** Targets: where else the push of a channel goes. Keys go in, and never out. Extended services only. */
export const targetProcedures = {
  list: forPage('Targets of a channel in the order they were added.').input(onChannel).output(TargetBoard),
  add: forPage('Adds a target; its key goes to the service and to the keychain.')
    .input(
      z.strictObject({
        profileId,
        cid,
        name: named(64),
        preset: z.enum(targetPresets),
        url,
        key: key.optional(),
        start,
      }),
    )
    .output(z.object({ targetId: z.number(), key: KeptKey })),
  update: forPage('Changes a target; absent members stay. A new address needs its key again.')
    .input(
      onTarget.extend({
        name: named(64).optional(),
        url: url.optional(),
        key: key.optional(),
        start: start.optional(),
      }),
    )
    .output(z.object({ key: KeptKey })),
  remove: forPage('Stops a target and forgets it with its key; a keychain that refuses changes nothing.')
    .input(onTarget)
    .output(z.void()),
  start: forPage('Starts a target now, or with the next push.').input(onTarget).output(z.void()),
  stop: forPage('Stops a target for the push that runs; off air it takes back a start.')
    .input(onTarget)
    .output(z.void()),
}
