import { oc } from '@orpc/contract'
import { z } from 'zod'

/** Why a procedure could not be done, for the sentence that the interface shows. */
export const FailureData = z.object({
  /**
   * `code`: the service answered a result code. `unreachable`, `certificate`: it could not be asked; `refused`: nothing listens there. `clock`: this computer's clock is
   * off by `skewSeconds`. `signature`: it refused the signature with the clock right, so the AppSecret is wrong. `secret`: no secret is
   * kept for the profile. `down`: the embedded service is not running; `late`: it is there and did not answer in time. `notOurs`: the answer is not one of this API. `absent`: no such
   * profile, channel or ticket. `missing`: the service does not know an account or thing that was named; `present`: it has an account of that name already. `changed`: it is another one by now than the caller has read; nothing was changed. `decided`: the held line was let through or dropped before; nothing was changed. `outlasted`: a longer mute runs, for `leftSeconds` more; nothing was changed. `untold`: whether a moderator still is one could not be found out; nothing was changed. `keychain`: the keychain refused. `forbidden`: a moderator's page may not do this. `folder`: the data folder cannot be read or written. `full`, `readOnly`, `broken`: the disk has no room for what was to be kept, can only be read, or answers with errors; nothing was changed.
   */
  kind: z.enum([
    'code',
    'unreachable',
    'refused',
    'certificate',
    'clock',
    'signature',
    'secret',
    'down',
    'late',
    'notOurs',
    'absent',
    'missing',
    'present',
    'changed',
    'decided',
    'outlasted',
    'untold',
    'keychain',
    'forbidden',
    'folder',
    'full',
    'readOnly',
    'broken',
    'unlogged',
    'internal',
  ]),
  code: z.number().nullable(),
  skewSeconds: z.number().nullable(),
  leftSeconds: z.number().optional(),
  /** For "Details": text of the service or the network, without secrets. */
  detail: z.string(),
})
/** Why a procedure could not be done. */
export type FailureData = z.infer<typeof FailureData>

/** What a call of a moderator's page must be about, so that it is carried out for their seat. */
export interface SeatRule {
  /**
   * What of the seat its input must name: `profile` its service, `room` its room, `channel` the channel of that room, `call` its room within
   * the parameters of an operation; `nothing` where there is nothing to name.
   */
  readonly names: 'nothing' | 'profile' | 'room' | 'channel' | 'call'
  /** What else must be true of an input that names it; nobody has checked it yet. */
  readonly also?: (input: Readonly<Record<string, unknown>>) => boolean
  /** It reads nothing, or what is in memory: it waits for no turn. */
  readonly isLight?: boolean
  /** It tells what viewers do not see: who was a moderator and is none any more is refused. */
  readonly isOfModerators?: boolean
}

/** Who may call a procedure: `page` pages of this computer and its desktop shell, `moderator` pages of moderators. */
export interface ProcedureFacts {
  readonly audience: readonly ('page' | 'moderator')[]
  /** Where moderators may call it. */
  readonly seat?: SeatRule
}

/** What every procedure begins with: the one declared failure. Nobody may call one that does not say who may. */
export const procedure = oc
  .$meta<ProcedureFacts>({ audience: [] })
  .errors({ FAILED: { status: 500, data: FailureData } })
/** A procedure for whoever sits at this computer. */
export const forPage = procedure.meta({ audience: ['page'] })
/** What a procedure is that moderators may call too. */
export const seatFacts = (seat: SeatRule): ProcedureFacts => ({ audience: ['page', 'moderator'], seat })
/** A procedure for whoever sits at this computer, and for moderators as the rule has it. */
export const forModerators = (seat: SeatRule) => procedure.meta(seatFacts(seat))
