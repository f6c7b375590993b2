import { oc } from '@orpc/contract'
import { z } from 'zod'

/** Why a procedure failed, for the message in the interface. */
export const FailureData = z.object({
  /**
   * `code`: a result code of the service. `unreachable`, `certificate`: no connection; `refused`: nothing listens
   * there. `clock`: this computer's clock is off by `skewSeconds`. `signature`: refused with the right clock, so the
   * AppSecret is wrong. `secret`: no secret is stored for the profile. `down`: the embedded service is not running;
   * `late`: it did not answer in time. `notOurs`: not an answer of this API. `absent`: no such profile, channel or
   * ticket. `missing`: unknown account or thing; `present`: the account exists. `changed`: not the version that was
   * read; nothing changed. `decided`: the held line was decided before; nothing changed. `outlasted`: a longer mute
   * runs for `leftSeconds`; nothing changed. `untold`: the role of a moderator could not be checked; nothing changed.
   * `keychain`: the keychain refused. `forbidden`: not allowed for a moderator's page. `folder`: the data folder cannot
   * be read or written. `full`, `readOnly`, `broken`: the disk is full, read-only or has I/O errors; nothing changed.
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
  /** For "Details": message of the service or network, without secrets. */
  detail: z.string(),
})
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
