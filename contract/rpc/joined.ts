import { z } from 'zod'
import { readFingerprint, readHost } from '../invitation.ts'
import { forPage } from './procedure.ts'
import { secret } from './secret.ts'

const id = z.string().regex(/^[0-9a-f]{16}$/)
const accid = z.string().regex(/^[a-z0-9_@.-]{1,32}$/)
/** Where a streamer's Sidestage lets moderators in, and the certificate that it is known by. */
export const joinedPlace = {
  /** As `readHost` of the invitation writes it. */
  host: z
    .string()
    .max(300)
    .refine((text) => readHost(text) === text, 'a host with its port'),
  /** Without TLS only on this very computer. */
  secured: z.boolean(),
  /** SHA-256 of the certificate in small hex digits: nothing is sent to who has another one. */
  fingerprint: z
    .string()
    .refine((text) => readFingerprint(text) === text, 'a SHA-256 fingerprint')
    .nullable(),
}

/** A room on another computer that is moderated from here. It never carries a token, a code or a session. */
export const JoinedSeat = z.object({
  id,
  ...joinedPlace,
  accid,
  /** The moderator's name there, and the room's, as the other side told them. */
  name: z.string(),
  roomid: z.number(),
  room: z.string(),
  /** When it was joined and when it was shown last, in ms. */
  joined: z.number(),
  lastAt: z.number(),
  /** Where the token is kept: `missing` must be entered again. */
  token: z.enum(['keychain', 'session', 'missing']),
})
/** A room on another computer that is moderated from here. */
export type JoinedSeat = z.infer<typeof JoinedSeat>

/**
 * Why a seat cannot be shown. `offline`: nobody answers there. `changed`: who answers has another certificate. `refused`: account, token or
 * code are not right, or the seat was taken back. `token`: none is kept any more. `notOurs`: who answers is no Sidestage that lets
 * moderators in. `elsewhere`: it does not know the name or the port that it was reached by. `plain`: another computer without TLS. `full`: its disk has no room.
 */
export const JoinTrouble = z.enum(['offline', 'changed', 'refused', 'token', 'notOurs', 'elsewhere', 'plain', 'full'])
/** Why a seat cannot be shown. */
export type JoinTrouble = z.infer<typeof JoinTrouble>

/** What came of joining: the seat, or why not, with the seconds until another try counts. */
export const JoinOutcome = z.union([
  z.object({ seat: JoinedSeat, trouble: z.null(), wait: z.literal(0) }),
  z.object({ seat: z.null(), trouble: JoinTrouble, wait: z.number() }),
])
/** What came of joining. */
export type JoinOutcome = z.infer<typeof JoinOutcome>

/** Procedures about rooms on other computers; how one is shown goes over a line of its own, which reaches nothing here. */
export const joinedProcedures = {
  list: forPage.output(z.array(JoinedSeat)),
  /** Compares the certificate, then signs in; the token goes to the keychain. */
  join: forPage
    .input(
      z.strictObject({
        ...joinedPlace,
        accid,
        token: secret(z.string().min(1).max(128)),
        code: secret(z.string().regex(/^[\w-]{8,64}$/)).nullable(),
      }),
    )
    .output(JoinOutcome),
  /** Ends its pages here and forgets it with its token; at the streamer's the seat stays. */
  forget: forPage.input(z.strictObject({ id })).output(z.void()),
}
