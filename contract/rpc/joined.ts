import { z } from 'zod'
import { accid, seatId as id } from './ids.ts'
import { readFingerprint, readHost } from '../invitation.ts'
import { forPage } from './procedure.ts'
import { secret } from './secret.ts'

/** Address of a streamer's Sidestage for moderators, and its certificate. */
export const joinedPlace = {
  /** Normalised by `readHost`. */
  host: z
    .string()
    .max(300)
    .refine((text) => readHost(text) === text, 'a host with its port'),
  /** Without TLS only on this computer. */
  secured: z.boolean(),
  /** SHA-256 of the certificate in lowercase hex; nothing is sent to another one. */
  fingerprint: z
    .string()
    .refine((text) => readFingerprint(text) === text, 'a SHA-256 fingerprint')
    .nullable(),
}

/** A room on another computer that is moderated from here. Never contains a token, code or session. */
export const JoinedSeat = z.object({
  id,
  ...joinedPlace,
  accid,
  /** Names of the moderator and the room, from the other side. */
  name: z.string(),
  roomid: z.number(),
  room: z.string(),
  /** In ms: joined, and last shown. */
  joined: z.number(),
  lastAt: z.number(),
  /** Where the token is kept; `missing` must be entered again. */
  token: z.enum(['keychain', 'session', 'missing']),
})
export type JoinedSeat = z.infer<typeof JoinedSeat>

/**
 * Why a seat cannot be shown. `offline`: no answer. `changed`: another certificate. `refused`: wrong account, token or
 * code, or a revoked seat. `token`: no token is kept. `notOurs`: not a Sidestage with moderators. `elsewhere`: it does
 * not accept this name or port. `plain`: another computer without TLS. `full`: disk full.
 */
export const JoinFailure = z.enum(['offline', 'changed', 'refused', 'token', 'notOurs', 'elsewhere', 'plain', 'full'])
export type JoinFailure = z.infer<typeof JoinFailure>

/** The seat, or why joining failed, with the seconds before another attempt. */
export const JoinOutcome = z.union([
  z.object({ seat: JoinedSeat, trouble: z.null(), wait: z.literal(0) }),
  z.object({ seat: z.null(), trouble: JoinFailure, wait: z.number() }),
])
export type JoinOutcome = z.infer<typeof JoinOutcome>

/** Procedures of rooms on other computers; a shown room has its own connection, without access to this app. */
export const joinedProcedures = {
  list: forPage('Rooms on other computers that are moderated from here.').output(z.array(JoinedSeat)),
  join: forPage('Compares the certificate, then signs in; the token goes to the keychain.')
    .input(
      z.strictObject({
        ...joinedPlace,
        accid,
        token: secret(z.string().min(1).max(128)),
        code: secret(z.string().regex(/^[\w-]{8,64}$/)).nullable(),
      }),
    )
    .output(JoinOutcome),
  forget: forPage("Closes its pages and forgets it with its token; the streamer's seat stays.")
    .input(z.strictObject({ id }))
    .output(z.void()),
}
