import { createHash, timingSafeEqual } from 'node:crypto'
import { createBoundedLines } from '../../platform/bounded-lines.ts'
import { inBackground } from '../background.ts'
import { accounts, chatrooms } from '../../contract/operations/index.ts'
import { roleOptions } from '../../contract/operations/chatrooms.ts'
import type { RevokeStep, Seat } from '../../contract/rpc/index.ts'
import { OwedStep } from '../../contract/rpc/seats.ts'
import type { Client } from '../client/client.ts'
import type { Clock } from '../clock.ts'
import { Failure } from '../failure.ts'
import { createTurns } from '../turns.ts'
import { createLastDeeds } from './last-deeds.ts'
import { createRevocationSteps } from './revocation-steps.ts'
import { type KeptSeat, revoking, maxSeats, type SeatStore, maxSessions } from './seat-document.ts'
import { createSignInDelay } from './sign-in-delay.ts'

/** What an invitation hands over, once. */
export interface MadeInvitation {
  readonly seat: KeptSeat
  readonly code: string
  readonly token: string
}

/** Who moderates besides the one at this computer. Failures are Failure. */
export interface Seats {
  all(): Seat[]
  find(id: string): KeptSeat | undefined
  invite(profileId: string, roomid: number, accid: string, name: string): Promise<MadeInvitation>
  inviteAgain(id: string): Promise<MadeInvitation>
  /** A new session for who knows account and token, and at the first time the code; undefined for anybody else. */
  signIn(body: unknown, from: string, device: string): Promise<string | undefined>
  /** For how long whatever is tried from there with that account is refused, in ms; the same for accounts that nobody has. */
  wait(body: unknown, from: string): number
  /** Forgets one session; the other browsers of the seat stay signed in. */
  signOut(session: string): Promise<void>
  /** The seat of a session; undefined for none of ours. */
  of(session: string): KeptSeat | undefined
  /** Notes what a seat did. */
  did(id: string, action: string): void
  /** A page of a seat was opened; the returned function says that it is gone. */
  opened(id: string, end: () => void): () => void
  /** What fails of it is kept and tried again by itself. */
  revoke(id: string): Promise<{ seat: Seat; steps: RevokeStep[] }>
  /** The service of a profile answers again. */
  serviceBack(profileId: string): void
  forget(id: string): Promise<void>
  forgetProfile(profileId: string): Promise<void>
  /** Rooms of a profile were linked to other channels. */
  relinked(profileId: string): Promise<void>
  /** Sign-ins that failed. */
  failures(): number
  close(): void
}

/** What they need. */
export interface SeatPorts {
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly document: SeatStore
  readonly client: (profileId: string) => Promise<Client>
  readonly accounts: {
    createAccount(profileId: string, call: { accid: string; name?: string }, keep: boolean): Promise<{ token: string }>
    refreshToken(profileId: string, accid: string, keep: boolean): Promise<{ token: string }>
  }
  /** The token that is kept of an account. */
  readonly token: (profileId: string, accid: string) => Promise<string | undefined>
  /** The creator of a room. */
  readonly creator: (profileId: string, roomid: number) => Promise<string>
  /** The channel whose picture belongs to a room. */
  readonly channel: (profileId: string, roomid: number) => Promise<string | null>
  /** A seat that was taken back only partly is so wholly now. */
  readonly completed: (seat: Pick<KeptSeat, 'profileId' | 'roomid' | 'accid'>) => void
  readonly changed: () => void
  readonly log: (line: string) => void
}

/**
 * Until when a code is good, in ms. It is kept over starts of the app, which only the time of the computer goes on through: where that is set ahead a
 * code ends early and another is made, where it is set back a code that nobody used is good for as much longer.
 */
export const codeLife = 86_400_000

/** Lines of the log about refused sign-ins: whoever reaches the listener can make them, and other lines must stay. */
const refusalRate = { perSecond: 1 / 60, atOnce: 10 }

const digest = (text: string): string => createHash('sha256').update(text).digest('base64')
const same = (a: string, b: string): boolean => {
  const [left, right] = [createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest()]
  return timingSafeEqual(left, right)
}
const word = (body: unknown, name: string, most: number): string | undefined => {
  const value =
    typeof body === 'object' && body !== null && name in body
      ? (body as Readonly<Record<string, unknown>>)[name]
      : undefined
  return typeof value === 'string' && value !== '' && value.length <= most ? value : undefined
}
const accidIn = (body: unknown): string | undefined => word(body, 'accid', 32)?.toLowerCase()
const hasCode = (error: unknown, ...codes: number[]): boolean =>
  error instanceof Failure && error.data.code !== null && codes.includes(error.data.code)
/** The browser and system of a User-Agent in a few words. */
function deviceOf(agent: string): string {
  const system =
    ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'].find((name) => agent.includes(name)) ?? ''
  const browser = ['Sidestage', 'Edg', 'Firefox', 'Chrome', 'Safari'].find((name) => agent.includes(name)) ?? ''
  return [browser.replace('Edg', 'Edge'), system.replace('Mac OS X', 'macOS')].filter(Boolean).join(', ')
}

/** Opens the seats of a data folder. */
export function createSeats(ports: SeatPorts): Seats {
  const { clock, document } = ports
  const delay = createSignInDelay(clock)
  const refusalLines = createBoundedLines(() => clock.monotonic(), refusalRate)
  const pages = new Map<string, Set<() => void>>()
  const channels = new Map<string, string | null>()
  /** What is under way with an account: its token and role are the same whichever seat it is about. */
  const turns = createTurns()
  /** Invitations and revocations in the order in which they were asked for, and the last revocation of each seat. */
  let asked = 0
  const takenBack = new Map<string, number>()
  /** Seats of a first invitation that is under way. */
  const fresh = new Set<string>()
  let failures = 0

  const seatsNow = (): KeptSeat[] => document.value().seats
  const find = (id: string): KeptSeat | undefined => seatsNow().find((seat) => seat.id === id)
  const must = (id: string): KeptSeat => {
    const seat = find(id)
    if (!seat) throw new Failure('absent', 'there is no such seat')
    return seat
  }
  const save = async (update: (seats: KeptSeat[]) => KeptSeat[]): Promise<void> => {
    try {
      await document.change(({ seats }) => ({ seats: update(seats) }))
    } finally {
      ports.changed()
    }
  }
  const changing =
    (id: string, change: Partial<KeptSeat>) =>
    (seats: KeptSeat[]): KeptSeat[] =>
      seats.map((seat) => (seat.id === id ? { ...seat, ...change } : seat))
  const change = async (id: string, change: Partial<KeptSeat>): Promise<KeptSeat> => {
    const next = { ...must(id), ...change }
    await save(changing(id, change))
    return next
  }
  /** Takes access away: at once, whatever the disk says. */
  const hold = async (ids: readonly string[], update: (seats: KeptSeat[]) => KeptSeat[]): Promise<void> => {
    const done = document.hold(ids, ({ seats }) => ({ seats: update(seats) }))
    ports.changed()
    await done
    ports.changed()
  }
  /** Does what asks the service about an account when all that was begun before with it is done. */
  const inTurn = <T>({ profileId, accid }: Pick<KeptSeat, 'profileId' | 'accid'>, work: () => Promise<T>): Promise<T> =>
    turns(`${profileId} ${accid}`, work)
  const rest = createRevocationSteps({
    clock,
    client: ports.client,
    accounts: ports.accounts,
    creator: ports.creator,
    all: seatsNow,
    inTurn,
    keep: (id, owed) =>
      hold([id], (seats) =>
        seats.map((seat) => (seat.id === id && seat.state === 'revoked' ? { ...seat, owed } : seat)),
      ),
    completed: ports.completed,
    changed: ports.changed,
    log: ports.log,
  })
  const endPages = (id: string): void => {
    for (const end of pages.get(id) ?? []) end()
  }
  const of = (session: string): KeptSeat | undefined => {
    const name = digest(session)
    return seatsNow().find((seat) => seat.state === 'active' && seat.sessions.includes(name))
  }
  const deeds = createLastDeeds(
    clock,
    (last) => save((seats) => seats.map((seat) => ({ ...seat, ...last.get(seat.id) }))),
    ports.log,
  )
  const shown = ({ code, sessions, ...seat }: KeptSeat): Seat => ({
    ...seat,
    ...deeds.of(seat.id),
    cid: channels.get(seat.id) ?? null,
    codeUntil: code?.until ?? null,
    sessions: sessions.length,
    pages: pages.get(seat.id)?.size ?? 0,
    owedReason: rest.reason(seat.id),
  })
  const lookUpChannel = async (seat: KeptSeat): Promise<void> => {
    const found = await ports.channel(seat.profileId, seat.roomid).catch(() => undefined)
    // What nobody can tell now stays as it was known.
    if (found !== undefined) channels.set(seat.id, found)
  }
  /** Whether the service may have done what failed: it said nothing. */
  const isOpen = (error: unknown): boolean => !(error instanceof Failure) || error.data.code === null
  const tokenFor = async (profileId: string, accid: string, name: string): Promise<string> => {
    const { uinfos } = await (
      await ports.client(profileId)
    )
      .call(accounts.getUinfos, { accids: [accid] })
      .catch((error: unknown) => {
        if (hasCode(error, 414, 404)) return { uinfos: [] }
        throw error
      })
    if (uinfos.length === 0) return (await ports.accounts.createAccount(profileId, { accid, name }, true)).token
    return (await ports.accounts.refreshToken(profileId, accid, true)).token
  }
  /** Refuses where the seat was taken back since it was asked for. */
  const mustStand = (id: string, turn: number): void => {
    if ((takenBack.get(id) ?? 0) > turn) throw new Failure('absent', 'the seat was taken back meanwhile')
  }
  /** Gives a seat a code, as it is now. */
  const withCode = async (id: string, token: string, turn: number): Promise<MadeInvitation> => {
    const code = ports.random(18).toString('base64url')
    mustStand(id, turn)
    const state = must(id).state === 'active' ? 'active' : 'invited'
    return {
      seat: await change(id, { state, code: { digest: digest(code), until: clock.now() + codeLife }, owed: [] }),
      code,
      token,
    }
  }

  /** Makes a new token and a moderator of whose seat it is, and gives the seat a code. */
  const admit = async (seat: KeptSeat, turn: number): Promise<MadeInvitation> => {
    const { id, profileId, roomid, accid, name } = seat
    const operator = await ports.creator(profileId, roomid)
    if (operator === accid) throw new Failure('absent', 'this is the host of the room, who needs no invitation')
    const token = await tokenFor(profileId, accid, name)
    mustStand(id, turn)
    const before = find(id)
    const put = (next: KeptSeat | undefined): Promise<void> =>
      save((seats) => [...(next ? [next] : []), ...seats.filter((each) => each.id !== id)])
    // Kept before the service does it: nobody stays a moderator by an invitation that stops half-way.
    if (seat.state === 'revoked') await put({ ...seat, owed: [...new Set<OwedStep>([...seat.owed, 'role'])] })
    try {
      await (
        await ports.client(profileId)
      ).call(chatrooms.setMemberRole, { roomid, operator, target: accid, opt: roleOptions.admin, optvalue: true })
    } catch (error) {
      // 417: a moderator already.
      if (!hasCode(error, 417)) {
        if (seat.state === 'revoked' && !isOpen(error)) await put(before)
        rest.resume()
        throw error
      }
    }
    await lookUpChannel(seat)
    try {
      return await withCode(id, token, turn)
    } catch (error) {
      rest.resume()
      throw error
    }
  }

  rest.resume()
  for (const seat of seatsNow()) inBackground(lookUpChannel(seat), ports.log, 'looking for the channel of a seat')
  return {
    all: () => seatsNow().flatMap((seat) => (fresh.has(seat.id) && seat.state === 'revoked' ? [] : [shown(seat)])),
    find,
    invite: (profileId, roomid, accid, name) => {
      const turn = ++asked
      return inTurn({ profileId, accid }, async () => {
        const there = seatsNow().find(
          (seat) => seat.profileId === profileId && seat.roomid === roomid && seat.accid === accid,
        )
        if (there && there.state !== 'revoked')
          throw new Failure('absent', 'this account has a seat at this room already')
        if (!there && seatsNow().length >= maxSeats) throw new Failure('absent', `there are ${maxSeats} seats already`)
        const id = there?.id ?? ports.random(8).toString('hex')
        const seat: KeptSeat = {
          id,
          profileId,
          roomid,
          accid,
          name,
          state: 'revoked',
          created: clock.now(),
          code: null,
          sessions: [],
          lastAt: null,
          lastAction: null,
          address: null,
          device: null,
          owed: there?.owed ?? [],
        }
        if (there) return admit(seat, turn)
        fresh.add(id)
        try {
          return await admit(seat, turn)
        } finally {
          fresh.delete(id)
          ports.changed()
        }
      })
    },
    inviteAgain: async (id) => {
      const turn = ++asked
      return inTurn(must(id), () => admit(must(id), turn))
    },
    signIn: async (body, from, device) => {
      const [accid, token, code] = [accidIn(body), word(body, 'token', 128), word(body, 'code', 64)]
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
        code !== undefined && seat.code !== null && seat.code.until > now && same(digest(code), seat.code.digest)
      const isOpenTo = (seat: KeptSeat): boolean => {
        if (seat.state === 'revoked') return false
        // A code names the seat of somebody who has several.
        return isCode(seat) || (seat.state === 'active' && (code === undefined || seat.code === null))
      }
      for (const listed of seatsNow()) {
        if (token === undefined || listed.accid !== accid || !isOpenTo(listed)) continue
        const kept = await ports.token(listed.profileId, accid).catch(() => undefined)
        if (kept === undefined || !same(kept, token)) continue
        // Meanwhile it may have been taken back, or have got another code.
        const seat = find(listed.id)
        if (!seat || !isOpenTo(seat)) continue
        const session = ports.random(32).toString('base64url')
        // Account, token and code were right, whatever the disk says next.
        delay.succeeded(from, accid)
        failures--
        deeds.overtaken(seat.id)
        await change(seat.id, {
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
      deeds.overtaken(seat.id)
      await hold([seat.id], (seats) =>
        seats.map((each) =>
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
    of,
    did: (id, action) => {
      if (!find(id)) return
      deeds.did(id, action)
      ports.changed()
    },
    opened: (id, end) => {
      const open = pages.get(id) ?? new Set()
      pages.set(id, open.add(end))
      ports.changed()
      return () => {
        open.delete(end)
        ports.changed()
      }
    },
    revoke: async (id) => {
      const seat = must(id)
      // What is ours ends first, whatever the service says and whatever is under way with the account.
      takenBack.set(id, ++asked)
      const kept = document.hold([id], revoking([id]))
      endPages(id)
      ports.changed()
      // Its turn begins now: whoever is invited again from here on is so after it.
      const round = rest.round(seat)
      await kept
      const left = document.unwritten()
      await round
      const now = find(id) ?? seat
      const ofService = OwedStep.options.map((what) => {
        const ok = !now.owed.includes(what)
        return { what, ok, detail: ok ? '' : (rest.reason(id) ?? '') }
      })
      const isKept = !left?.ids.includes(id)
      ports.changed()
      return {
        seat: shown(now),
        steps: [
          { what: 'sessions', ok: true, detail: '' },
          { what: 'kept', ok: isKept, detail: isKept ? '' : (left?.reason ?? '') },
          ...ofService,
        ],
      }
    },
    forget: async (id) =>
      inTurn(must(id), async () => {
        if (must(id).state !== 'revoked') throw new Failure('absent', 'this seat is not revoked')
        if (must(id).owed.length > 0)
          throw new Failure('absent', 'the service has not done everything of taking it back yet')
        await save((seats) => seats.filter((seat) => seat.id !== id))
      }),
    forgetProfile: async (profileId) => {
      const ids = seatsNow().flatMap((seat) => (seat.profileId === profileId ? [seat.id] : []))
      if (ids.length === 0) return
      for (const id of ids) endPages(id)
      await hold(ids, (seats) => seats.filter((seat) => seat.profileId !== profileId))
    },
    relinked: async (profileId) => {
      await Promise.all(seatsNow().flatMap((seat) => (seat.profileId === profileId ? [lookUpChannel(seat)] : [])))
      ports.changed()
    },
    serviceBack: (profileId) => rest.resume(profileId),
    failures: () => failures,
    close: () => {
      deeds.close()
      rest.close()
    },
  }
}
