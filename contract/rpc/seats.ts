import { z } from 'zod'
import { named } from './named.ts'
import { forPage } from './procedure.ts'
import { secret } from './secret.ts'

const id = z.string().regex(/^[0-9a-f]{16}$/)
const accid = z.string().regex(/^[a-z0-9_@.-]{1,32}$/)

/** What the service does when a seat is taken back. */
export const OwedStep = z.enum(['role', 'token', 'link'])
/** What the service does when a seat is taken back. */
export type OwedStep = z.infer<typeof OwedStep>

/** The place of one moderator at one room: who sits there, and what came of it. It never carries a code or a token. */
export const Seat = z.object({
  id: z.string(),
  profileId: z.string(),
  roomid: z.number(),
  /** Channel whose picture is shown beside the room. */
  cid: z.string().nullable(),
  accid: z.string(),
  name: z.string(),
  state: z.enum(['invited', 'active', 'revoked']),
  created: z.number(),
  /** Until when the code of the invitation is good, in ms; null when it was used. */
  codeUntil: z.number().nullable(),
  /** Browsers that are signed in, and pages that are open now. */
  sessions: z.number(),
  pages: z.number(),
  /** What the moderator did last, when, from which address and with what. */
  lastAt: z.number().nullable(),
  lastAction: z.string().nullable(),
  address: z.string().nullable(),
  device: z.string().nullable(),
  /** What the service has still to do of a seat that was taken back: tried again by itself until it is done; and why it was not. */
  owed: z.array(OwedStep),
  owedReason: z.string().nullable(),
})
/** The place of one moderator at one room. */
export type Seat = z.infer<typeof Seat>

/** The listener that moderators come to. */
export const SeatListener = z.object({
  /** `failed`: it should listen and cannot, see `reason`. */
  phase: z.enum(['off', 'listening', 'failed']),
  /** It listens beyond this computer; only with a certificate. */
  open: z.boolean(),
  port: z.number(),
  /** Its addresses, the first the one that invitations carry. */
  urls: z.array(z.string()),
  reason: z.string().nullable(),
  /** `made`: by this app, so a browser warns; `supplied`: given to it. */
  certificate: z.enum(['none', 'made', 'supplied']),
  /** SHA-256 of the certificate, in hex with colons. */
  fingerprint: z.string().nullable(),
  /** When the certificate ends, in ms. */
  certificateUntil: z.number().nullable(),
  /** Sign-ins that failed since it listens. */
  failures: z.number(),
})
/** The listener that moderators come to. */
export type SeatListener = z.infer<typeof SeatListener>

/** Everything that a page shows of moderators. */
export const SeatBoard = z.object({
  listener: SeatListener,
  seats: z.array(Seat),
  /** What is in force but could not be written yet; null for nothing. */
  unwritten: z
    .object({
      /** Names of seats that were taken back, or signed a browser out. */
      names: z.array(z.string()),
      /** The disk is full. */
      full: z.boolean(),
      /** It holds after a restart all the same, since it is noted elsewhere. */
      lasting: z.boolean(),
      detail: z.string(),
    })
    .nullable(),
})
/** Everything that a page shows of moderators. */
export type SeatBoard = z.infer<typeof SeatBoard>

/** What an invitation hands over, once. */
export const Invitation = z.object({
  seat: Seat,
  /** Works once, for a day. */
  code: secret(z.string()),
  token: secret(z.string()),
  /** Address with the code in its fragment; null while nothing listens. */
  link: secret(z.string()).nullable(),
  /** Address that opens the app instead, with the fingerprint that it compares; null while nothing listens. */
  appLink: secret(z.string()).nullable(),
})
/** What an invitation hands over, once. */
export type Invitation = z.infer<typeof Invitation>

/** One step of a revocation. */
export const RevokeStep = z.object({
  what: z.enum(['sessions', 'kept', 'role', 'token', 'link']),
  ok: z.boolean(),
  detail: z.string(),
})
/** One step of a revocation. */
export type RevokeStep = z.infer<typeof RevokeStep>

/** Procedures about moderators; none of them is a moderator's. */
export const seatProcedures = {
  board: forPage.output(SeatBoard),
  /** Makes the account where there is none, makes it a moderator of the room, and gives it a new token: the old one ends for new log-ins. */
  invite: forPage
    .input(
      z.strictObject({ profileId: z.string().min(1).max(64), roomid: z.number().int().min(1), accid, name: named(64) }),
    )
    .output(Invitation),
  /** A new code and token for a seat whose moderator lost them; who is signed in stays so. */
  inviteAgain: forPage.input(z.strictObject({ id })).output(Invitation),
  /** Ends sessions here first, then takes back role, token and link sessions at the service. What failed is told, kept, and tried again by itself. */
  revoke: forPage.input(z.strictObject({ id })).output(z.object({ seat: Seat, steps: z.array(RevokeStep) })),
  /** Takes a revoked seat off the list; refused while the service has something left to do of it. */
  forget: forPage.input(z.strictObject({ id })).output(z.void()),
  /** Turns the listener on or off. `open` lets others than this computer in, which needs a certificate. */
  listen: forPage
    .input(z.strictObject({ on: z.boolean(), open: z.boolean(), port: z.number().int().min(0).max(65_535) }))
    .output(SeatListener),
  /** Makes a certificate for this computer's names and addresses and `names`. */
  makeCertificate: forPage
    .input(z.strictObject({ names: z.array(z.string().min(1).max(253)).max(8) }))
    .output(SeatListener),
  /** Takes a certificate with its key, both PEM. The key goes to the keychain. */
  useCertificate: forPage
    .input(z.strictObject({ cert: z.string().min(1).max(32_768), key: secret(z.string().min(1).max(16_384)) }))
    .output(SeatListener),
}
