import { textMember } from '../text-member.ts'
import { createBoundedLines } from '../../platform/bounded-lines.ts'
import type { Clock } from '../../platform/clock.ts'
import { digest, isSame } from './digest.ts'
import type { KeptSeats } from './kept-seats.ts'
import { type KeptSeat, maxSessions } from './seat-document.ts'
import { createSignInDelay } from './sign-in-delay.ts'

/** Bounds log lines: anyone can cause refusals. */
const refusalRate = { perSecond: 1 / 60, atOnce: 10 }

const accidIn = (body: unknown): string | undefined => textMember(body, 'accid', 32)?.toLowerCase()
/** Browser and system of a User-Agent. */
function deviceOf(agent: string): string {
  const system =
    ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'].find((name) => agent.includes(name)) ?? ''
  const browser = ['Sidestage', 'Edg', 'Firefox', 'Chrome', 'Safari'].find((name) => agent.includes(name)) ?? ''
  return [browser.replace('Edg', 'Edge'), system.replace('Mac OS X', 'macOS')].filter(Boolean).join(', ')
}

/** Makes it for all seats. */
export function createSeatSignIn(ports: {
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly seats: KeptSeats
  readonly token: (profileId: string, accid: string) => Promise<string | undefined>
  /** The last action is written with the sign-in or sign-out. */
  readonly overtaken: (id: string) => void
  readonly changed: () => void
  readonly log: (line: string) => void
}) {
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
    failures: (): number => failures,
    /** A new session for account, token and at first the code; undefined otherwise. */
    signIn: async (body: unknown, from: string, device: string): Promise<string | undefined> => {
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
      // Counted first, so that parallel tries do not avoid the delay.
      delay.failed(from, accid)
      failures++
      const now = clock.now()
      const isCode = (seat: KeptSeat): boolean =>
        code !== undefined && seat.code !== null && seat.code.until > now && isSame(digest(code), seat.code.digest)
      const isOpenTo = (seat: KeptSeat): boolean => {
        if (seat.state === 'revoked') return false
        // A code selects one of several seats.
        return isCode(seat) || (seat.state === 'active' && (code === undefined || seat.code === null))
      }
      for (const listed of seats.all()) {
        if (token === undefined || listed.accid !== accid || !isOpenTo(listed)) continue
        const kept = await ports.token(listed.profileId, accid).catch(() => undefined)
        if (kept === undefined || !isSame(kept, token)) continue
        // It may have been revoked meanwhile.
        const seat = seats.find(listed.id)
        if (!seat || !isOpenTo(seat)) continue
        const session = ports.random(32).toString('base64url')
        // The credentials were right, whatever the disk does.
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
    /** Time in ms that tries are refused; the same for unknown accounts. */
    wait: (body: unknown, from: string): number => delay.left(from, accidIn(body)),
    /** Ends one session only. */
    signOut: async (session: string) => {
      const seat = of(session)
      if (!seat) return
      const name = digest(session)
      ports.overtaken(seat.id)
      const out = (each: KeptSeat): KeptSeat => {
        const sessions = each.sessions.filter((one) => one !== name)
        return { ...each, sessions, lastAt: clock.now(), lastAction: 'signOut' }
      }
      await seats.hold([seat.id], (all) => all.map((each) => (each.id === seat.id ? out(each) : each)))
    },
  }
}
