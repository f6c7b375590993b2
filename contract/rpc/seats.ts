import { z } from 'zod'
import { accid, anyPort, profileId, roomid, seatId as id } from './ids.ts'
import { reasonSchema } from './reason.ts'
import { named } from './named.ts'
import { forPage } from './procedure.ts'
import { secret } from './secret.ts'

/** Steps of the service in a revocation. */
export const OwedStep = z.enum(['role', 'token', 'link'])
export type OwedStep = z.infer<typeof OwedStep>

/** A moderator's place at a room. Never contains a code or token. */
export const Seat = z.object({
  id: z.string(),
  profileId: z.string(),
  roomid: z.number(),
  /** Channel shown beside the room. */
  cid: z.string().nullable(),
  accid: z.string(),
  name: z.string(),
  state: z.enum(['invited', 'active', 'revoked']),
  created: z.number(),
  /** Expiry of the invitation code in ms; null once used. */
  codeUntil: z.number().nullable(),
  /** Signed-in browsers, and open pages. */
  sessions: z.number(),
  pages: z.number(),
  /** Time, address and client of the moderator's last action. */
  lastAt: z.number().nullable(),
  lastAction: z.string().nullable(),
  address: z.string().nullable(),
  device: z.string().nullable(),
  /** Pending steps of a revocation, retried automatically, and why they failed. */
  owed: z.array(OwedStep),
  owedReason: reasonSchema('revocation').nullable(),
})
export type Seat = z.infer<typeof Seat>

/** The listener for moderators. */
export const SeatListener = z.object({
  /** `failed`: it cannot listen, see `reason`. */
  phase: z.enum(['off', 'listening', 'failed']),
  /** It listens beyond this computer; only with a certificate. */
  open: z.boolean(),
  port: z.number(),
  /** Its addresses; the first is used in invitations. */
  urls: z.array(z.string()),
  reason: reasonSchema('listener').nullable(),
  /** `made`: by this app, so browsers warn; `supplied`: by the user. */
  certificate: z.enum(['none', 'made', 'supplied']),
  /** SHA-256 of the certificate, in hex with colons. */
  fingerprint: z.string().nullable(),
  /** Expiry of the certificate, in ms. */
  certificateUntil: z.number().nullable(),
  /** Failed sign-ins since it listens. */
  failures: z.number(),
})
export type SeatListener = z.infer<typeof SeatListener>

/** All that pages show of moderators. */
export const SeatBoard = z.object({
  listener: SeatListener,
  seats: z.array(Seat),
  /** Changes in force but not yet written; null for none. */
  unwritten: z
    .object({
      /** Revoked seats, or those whose browser was signed out. */
      names: z.array(z.string()),
      /** Survives a restart, as it is recorded elsewhere. */
      lasting: z.boolean(),
      reason: reasonSchema('revocation'),
    })
    .nullable(),
})
export type SeatBoard = z.infer<typeof SeatBoard>

/** An invitation, returned once. */
export const Invitation = z.object({
  seat: Seat,
  /** Single use, valid for a day. */
  code: secret(z.string()),
  token: secret(z.string()),
  /** Address with the code in its fragment; null while nothing listens. */
  link: secret(z.string()).nullable(),
  /** Address that opens the app, with the fingerprint; null while nothing listens. */
  appLink: secret(z.string()).nullable(),
})
export type Invitation = z.infer<typeof Invitation>

/** A step of a revocation. */
export const RevokeStep = z.object({
  what: z.enum(['sessions', 'kept', 'role', 'token', 'link']),
  ok: z.boolean(),
  /** Why it is left, if known. */
  reason: reasonSchema('revocation').nullable(),
})
export type RevokeStep = z.infer<typeof RevokeStep>

/** Procedures of moderators; not available to moderators. */
export const seatProcedures = {
  board: forPage('Moderators and the listener that they come to.').output(SeatBoard),
  invite: forPage(
    'Registers the account if missing, makes it a moderator of the room and gives it a new token; the ' +
      'old one is invalid for new log-ins.',
  )
    .input(z.strictObject({ profileId, roomid, accid, name: named(64) }))
    .output(Invitation),
  inviteAgain: forPage('A new code and token for a seat; signed-in browsers stay.')
    .input(z.strictObject({ id }))
    .output(Invitation),
  revoke: forPage(
    'Ends sessions here, then revokes role, token and link sessions at the service. Failed steps are ' +
      'reported, stored and retried.',
  )
    .input(z.strictObject({ id }))
    .output(z.object({ seat: Seat, steps: z.array(RevokeStep) })),
  forget: forPage('Removes a revoked seat from the list; refused while steps are pending.')
    .input(z.strictObject({ id }))
    .output(z.void()),
  listen: forPage('Turns the listener on or off. `open` admits other computers, which needs a certificate.')
    .input(z.strictObject({ on: z.boolean(), open: z.boolean(), port: anyPort }))
    .output(SeatListener),
  makeCertificate: forPage("Makes a certificate for this computer's names and addresses, and `names`.")
    .input(z.strictObject({ names: z.array(z.string().min(1).max(253)).max(8) }))
    .output(SeatListener),
  useCertificate: forPage('Takes a certificate and key in PEM. The key goes to the keychain.')
    .input(z.strictObject({ cert: z.string().min(1).max(32_768), key: secret(z.string().min(1).max(16_384)) }))
    .output(SeatListener),
}
