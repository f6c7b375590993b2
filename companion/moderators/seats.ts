import type { IsExtended } from '../profiles/profiles.ts'
import { inBackground } from '../background.ts'
import type { RevokeStep, Seat } from '../../contract/rpc/index.ts'
import { OwedStep } from '../../contract/rpc/seats.ts'
import { Failure } from '../failure.ts'
import { createKeyedSerial } from '../../platform/serial.ts'
import { createKeptSeats } from './kept-seats.ts'
import { createLastActions } from './last-actions.ts'
import { createRevocationSteps } from './revocation-steps.ts'
import { type KeptSeat, revoking, type SeatStore } from './seat-document.ts'
import { createSeatInvitations, type SeatAccounts } from './seat-invitations.ts'
import { createSeatSignIn } from './seat-sign-in.ts'
import type { PartPorts } from '../part-ports.ts'

/** Moderators other than the person at this computer. Throws Failure. */
export type Seats = ReturnType<typeof createSeats>

/** What they need. */
export interface SeatPorts extends Pick<PartPorts, 'clock' | 'random' | 'client' | 'log'> {
  readonly document: SeatStore
  readonly accounts: SeatAccounts
  readonly token: (profileId: string, accid: string) => Promise<string | undefined>
  readonly creator: (profileId: string, roomid: number) => Promise<string>
  readonly channel: (profileId: string, roomid: number) => Promise<string | null>
  /** A partial revocation is now complete. */
  readonly isExtended: IsExtended
  readonly completed: (seat: Pick<KeptSeat, 'profileId' | 'roomid' | 'accid'>) => void
  readonly changed: () => void
}

/** Opens the seats. */
export function createSeats(ports: SeatPorts) {
  const { clock, document } = ports
  const kept = createKeptSeats(document, ports.changed)
  const pages = new Map<string, Set<() => void>>()
  const channels = new Map<string, string | null>()
  const turns = createKeyedSerial<string>()
  const inTurn = <T>({ profileId, accid }: Pick<KeptSeat, 'profileId' | 'accid'>, work: () => Promise<T>): Promise<T> =>
    turns(`${profileId} ${accid}`, work)
  const rest = createRevocationSteps({
    ...ports,
    all: () => kept.all(),
    inTurn,
    keep: (id, owed) =>
      kept.hold([id], (seats) =>
        seats.map((seat) => (seat.id === id && seat.state === 'revoked' ? { ...seat, owed } : seat)),
      ),
  })
  const endPages = (id: string): void => {
    for (const end of pages.get(id) ?? []) end()
  }
  const actions = createLastActions(
    clock,
    (last) => kept.save((seats) => seats.map((seat) => ({ ...seat, ...last.get(seat.id) }))),
    ports.log,
  )
  const shown = ({ code, sessions, ...seat }: KeptSeat): Seat => ({
    ...seat,
    ...actions.of(seat.id),
    cid: channels.get(seat.id) ?? null,
    codeUntil: code?.until ?? null,
    sessions: sessions.length,
    pages: pages.get(seat.id)?.size ?? 0,
    owedReason: rest.reason(seat.id),
  })
  const lookUpChannels = async (seats: readonly KeptSeat[]): Promise<void> => {
    const byRoom = Map.groupBy(seats, ({ profileId, roomid }) => `${profileId} ${roomid}`)
    const look = async (ofRoom: readonly KeptSeat[]): Promise<void> => {
      const [one] = ofRoom
      const found = one && (await ports.channel(one.profileId, one.roomid).catch(() => undefined))
      // Unknown now: keep what was known.
      if (found !== undefined) for (const { id } of ofRoom) channels.set(id, found)
    }
    await Promise.all([...byRoom.values()].map(look))
  }
  const invitations = createSeatInvitations({
    ...ports,
    seats: kept,
    inTurn,
    resume: () => rest.resume(),
    admitted: (seat) => lookUpChannels([seat]),
  })
  const signIn = createSeatSignIn({ ...ports, seats: kept, overtaken: (id) => actions.overtaken(id) })

  rest.resume()
  inBackground(lookUpChannels(kept.all()), ports.log, 'looking for the channels of seats')
  return {
    ...signIn,
    invite: invitations.invite,
    inviteAgain: invitations.inviteAgain,
    all: (): Seat[] =>
      kept.all().flatMap((seat) => (invitations.isFresh(seat.id) && seat.state === 'revoked' ? [] : [shown(seat)])),
    find: kept.find,
    did: (id: string, action: string) => {
      if (!kept.find(id)) return
      actions.did(id, action)
      ports.changed()
    },
    /** A page was opened; returns its end. */
    opened: (id: string, end: () => void): (() => void) => {
      const open = pages.get(id) ?? new Set()
      pages.set(id, open.add(end))
      ports.changed()
      return () => {
        open.delete(end)
        ports.changed()
      }
    },
    /** Failed steps are repeated. */
    revoke: async (id: string): Promise<{ seat: Seat; steps: RevokeStep[] }> => {
      const seat = kept.must(id)
      // Our own sessions end first, whatever the service does.
      invitations.takenBack(id)
      const written = document.hold([id], revoking([id]))
      endPages(id)
      ports.changed()
      // Queued now: later invitations come after it.
      const round = rest.round(seat)
      await written
      const left = document.unwritten()
      await round
      const now = kept.find(id) ?? seat
      const ofService = OwedStep.options.map((what) => {
        const ok = !now.owed.includes(what)
        return { what, ok, reason: ok ? null : rest.reason(id) }
      })
      const isWritten = !left?.ids.includes(id)
      ports.changed()
      return {
        seat: shown(now),
        steps: [
          { what: 'sessions', ok: true, reason: null },
          { what: 'kept', ok: isWritten, reason: isWritten ? null : (left?.reason ?? null) },
          ...ofService,
        ],
      }
    },
    forget: async (id: string) =>
      inTurn(kept.must(id), async () => {
        if (kept.must(id).state !== 'revoked') throw new Failure('absent', 'this seat is not revoked')
        if (kept.must(id).owed.length > 0)
          throw new Failure('absent', 'the service has not done everything of taking it back yet')
        await kept.save((seats) => seats.filter((seat) => seat.id !== id))
      }),
    forgetProfile: async (profileId: string) => {
      const ids = kept.all().flatMap((seat) => (seat.profileId === profileId ? [seat.id] : []))
      if (ids.length === 0) return
      for (const id of ids) endPages(id)
      await kept.hold(ids, (seats) => seats.filter((seat) => seat.profileId !== profileId))
    },
    /** Rooms of a profile were linked to other channels. */
    relinked: async (profileId: string) => {
      await lookUpChannels(kept.all().filter((seat) => seat.profileId === profileId))
      ports.changed()
    },
    serviceBack: (profileId: string) => rest.resume(profileId),
    close: () => {
      actions.close()
      rest.close()
    },
  }
}
