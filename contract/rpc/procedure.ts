import { oc } from '@orpc/contract'
import { z } from 'zod'
import { reasonSchema } from './reason.ts'

/** Why a procedure failed, for the message in the interface. */
export const FailureData = z.object({
  /**
   * `code`: a result code of the service. `unreachable`, `certificate`: no connection; `refused`: nothing listens
   * there; `away`: something answers that the service cannot for now. `plain`: an address elsewhere without https.
   * `clock`: this computer's clock is off by `skewSeconds`. `signature`: refused with the right clock, so the
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
    'away',
    'certificate',
    'plain',
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
  /** What is wrong with a certificate of this app, instead of `detail`. */
  reason: reasonSchema('listener').optional(),
})
export type FailureData = z.infer<typeof FailureData>

/** Conditions on a moderator's call, so that it concerns their seat. */
export interface SeatRule {
  /** What the input must name: the seat's service, its room, the room's channel, or the room within `call`. */
  readonly names: 'nothing' | 'profile' | 'room' | 'channel' | 'call'
  /** A further condition on the input, which is not validated yet. */
  readonly also?: (input: Readonly<Record<string, unknown>>) => boolean
  /** Reads at most memory: not queued. */
  readonly isLight?: boolean
  /** Shows what viewers do not see: refused to former moderators. */
  readonly isOfModerators?: boolean
}

/** What a procedure is besides its input and output, and who may call it: `page` pages of this computer and its desktop shell, `moderator` pages of moderators. */
export interface ProcedureFacts {
  /** What it does. */
  readonly docs: string
  readonly audience: readonly ('page' | 'moderator')[]
  /** Conditions for moderators. */
  readonly seat?: SeatRule
}

/** Base of every procedure, with the one declared failure. Without an audience nobody may call it. */
export const procedure = oc
  .$meta<ProcedureFacts>({ docs: '', audience: [] })
  .errors({ FAILED: { status: 500, data: FailureData } })
/** A procedure for whoever sits at this computer. */
export const forPage = (docs: string) => procedure.meta({ docs, audience: ['page'] })
/** What a procedure is that moderators may call too. */
export const seatFacts = (seat: SeatRule): Omit<ProcedureFacts, 'docs'> => ({ audience: ['page', 'moderator'], seat })
/** A procedure for whoever sits at this computer, and for moderators as the rule has it. */
export const forModerators = (docs: string, seat: SeatRule) => procedure.meta({ docs, ...seatFacts(seat) })
