import { textMember } from '../text-member.ts'
import { createBoundedLines } from '../../platform/bounded-lines.ts'
import type { Clock } from '../../platform/clock.ts'
import { digest, isSame } from './digest.ts'
import type { KeptSeats } from './kept-seats.ts'
import { type KeptSeat, maxSessions } from './seat-document.ts'
import { createSignInDelay } from './sign-in-delay.ts'

/** How moderators come in and go. */
export interface SeatSignIn {
  /** A new session for who knows account and token, and at the first time the code; undefined for anybody else. */
  signIn(body: unknown, from: string, device: string): Promise<string | undefined>
  /** For how long whatever is tried from there with that account is refused, in ms; the same for accounts that nobody has. */
  wait(body: unknown, from: string): number
  /** Forgets one session; the other browsers of the seat stay signed in. */
  signOut(session: string): Promise<void>
  /** The seat of a session; undefined for none of ours. */
  of(session: string): KeptSeat | undefined
  /** Sign-ins that failed. */
  failures(): number
}

/** What it needs. */
export interface SeatSignInPorts {
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly seats: KeptSeats
  /** The token that is kept of an account. */
  readonly token: (profileId: string, accid: string) => Promise<string | undefined>
  /** What a seat did last is written with its sign-in or sign-out. */
  readonly overtaken: (id: string) => void
  readonly changed: () => void
  readonly log: (line: string) => void
}

/** Lines of the log about refused sign-ins: whoever reaches the listener can make them, and other lines must stay. */
const refusalRate = { perSecond: 1 / 60, atOnce: 10 }

const accidIn = (body: unknown): string | undefined => textMember(body, 'accid', 32)?.toLowerCase()
/** The browser and system of a User-Agent in a few words. */
function deviceOf(agent: string): string {
  const system =
    ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'].find((name) => agent.includes(name)) ?? ''
  const browser = ['Sidestage', 'Edg', 'Firefox', 'Chrome', 'Safari'].find((name) => agent.includes(name)) ?? ''
  return [browser.replace('Edg', 'Edge'), system.replace('Mac OS X', 'macOS')].filter(Boolean).join(', ')
}

/** Makes it for all seats. */
export function createSeatSignIn(ports: SeatSignInPorts): SeatSignIn {
  const { clock, seats } = ports
  const delay = createSignInDelay(clock)
  const refusalLines = createBoundedLines(clock, refusalRate)
  let failures = 0

  const of = (session: string): KeptSeat | undefined => {
    const name = digest(session)
    return seats.all().find((seat) => seat.state === 'active' && seat.sessions.includes(name))
  }

  return {
    of,
    failures: () => failures,
    signIn: async (body, from, device) => {
      const [accid, token, code] = [accidIn(body), textMember(body, 'token', 128), textMember(body, 'code', 64)]
      const refuse = (why: string): undefined => {
        refusalLines.line(({ leftOut = 0 }) => {
          ports.log(
            `a moderator's sign-in from ${from} was refused: ${why}${leftOut > 0 ? `; ${leftOut} more since the last line` : ''}`,
          )
        })
        return undefined
      }
      if (delay.left(from, accid) > 0) return refuse('too many that failed')
      // Counted before it is looked at, so that tries at the same time are no way around the delay.
      delay.failed(from, accid)
      failures++
      const now = clock.now()
      const isCode = (seat: KeptSeat): boolean =>
        code !== undefined && seat.code !== null && seat.code.until > now && isSame(digest(code), seat.code.digest)
      const isOpenTo = (seat: KeptSeat): boolean => {
        if (seat.state === 'revoked') return false
        // A code names the seat of somebody who has several.
        return isCode(seat) || (seat.state === 'active' && (code === undefined || seat.code === null))
      }
      for (const listed of seats.all()) {
        if (token === undefined || listed.accid !== accid || !isOpenTo(listed)) continue
        const kept = await ports.token(listed.profileId, accid).catch(() => undefined)
        if (kept === undefined || !isSame(kept, token)) continue
        // Meanwhile it may have been taken back, or have got another code.
        const seat = seats.find(listed.id)
        if (!seat || !isOpenTo(seat)) continue
        const session = ports.random(32).toString('base64url')
        // Account, token and code were right, whatever the disk says next.
        delay.succeeded(from, accid)
        failures--
        ports.overtaken(seat.id)
        await seats.change(seat.id, {
          state: 'active',
          code: isCode(seat) ? null : seat.code,
          sessions: [digest(session), ...seat.sessions].slice(0, maxSessions),
          lastAt: now,
          lastAction: 'signIn',
          address: from,
          device: deviceOf(device),
        })
        return session
      }
      ports.changed()
      return refuse('wrong account, token or code')
    },
    wait: (body, from) => delay.left(from, accidIn(body)),
    signOut: async (session) => {
      const seat = of(session)
      if (!seat) return
      const name = digest(session)
      ports.overtaken(seat.id)
      await seats.hold([seat.id], (all) =>
        all.map((each) =>
          each.id === seat.id
            ? {
                ...each,
                sessions: each.sessions.filter((one) => one !== name),
                lastAt: clock.now(),
                lastAction: 'signOut',
              }
            : each,
        ),
      )
    },
  }
}
