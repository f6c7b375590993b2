import { reasonOf } from '../../contract/catalogue/reasons.ts'
import type { FailureData, RoomCopies, RoomPanel } from '../../contract/rpc/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { Failure, reasonOf as messageOf } from '../failure.ts'
import { answeredReason } from '../messaging/link-failure.ts'
import type { Arrival } from './copied-lines.ts'
import type { KnownRoom } from './known-rooms.ts'

/** A hosted service's answer (3-chatrooms, get). */
export interface ReadRoom {
  readonly name: string
  readonly announcement: string
  readonly valid: boolean
  readonly muted: boolean
  readonly onlineusercount?: number | undefined
}
/** A change of a room; `sure` for own actions, else to be confirmed by the service. */
type RoomChange =
  | {
      readonly kind: 'muteRoom'
      readonly on: boolean
      readonly by: string
      readonly at: number
      readonly sure: boolean
    }
  | { readonly kind: 'other' }

/** A room that is being entered. */
export const enteringPanel = {
  phase: 'connecting',
  reason: null,
  announcement: '',
  muted: false,
  mutedBy: null,
  mutedAt: null,
  slow: 0,
  online: null,
  counts: null,
} as const satisfies Partial<RoomPanel>

/** Sessions in hosted rooms: lines come as copies, state by calls while somebody looks. */
export type HostedPanels = ReturnType<typeof createHostedPanels>

/** Temporary failures. */
const passing = new Set<FailureData['kind']>(['unreachable', 'refused', 'certificate', 'down', 'late'])
const most = 8
/** After the last look, in ms. */
const lookFor = 60_000
/** Intervals in ms: usual, minimum, and maximum after failures. */
export const readEvery = { usually: 10_000, least: 2_000, most: 300_000 }
/** In ms. */
const tellAfter = 1_000

interface Seat {
  panel: RoomPanel
  lookedAt: number
  askedAt: number
  asking: boolean
  /** Changed during a read. */
  again: boolean
  faults: number
  /** Rate limited by the service. */
  held: boolean
  muted: { readonly by: string; readonly at: number } | undefined
  next: (() => void) | undefined
  isPosting: boolean
}

/** Makes it with no room. */
export function createHostedPanels(ports: {
  readonly clock: Clock
  readonly read: (profileId: string, roomid: number) => Promise<ReadRoom>
  readonly receiver: (profileId: string) => { readonly phase: RoomCopies['receiver']; readonly url: string | null }
  readonly last: (profileId: string, roomid: number) => Arrival | undefined
  readonly counts: (profileId: string) => { readonly dropped: number; readonly elsewhere: number }
  readonly changed: (panel: RoomPanel) => void
}) {
  const { clock } = ports
  const seats = new Map<string, Seat>()
  const keyOf = (profileId: string, roomid: number): string => `${profileId} ${roomid}`
  const copiesOf = (profileId: string, roomid: number, readAt: number | null): RoomCopies => {
    const { phase, url } = ports.receiver(profileId)
    const last = ports.last(profileId, roomid)
    return {
      receiver: phase,
      url,
      lastAt: last?.at ?? null,
      verified: last?.verified ?? null,
      ...ports.counts(profileId),
      readAt,
    }
  }
  const isThere = (seat: Seat): boolean => seats.get(keyOf(seat.panel.profileId, seat.panel.roomid)) === seat
  const change = (seat: Seat, to: Partial<RoomPanel>, readAt = seat.panel.copies?.readAt ?? null): void => {
    if (!isThere(seat)) return
    const { profileId, roomid } = seat.panel
    seat.panel = { ...seat.panel, ...to, copies: copiesOf(profileId, roomid, readAt) }
    ports.changed(seat.panel)
  }
  const later = (seat: Seat, ms: number): void => {
    seat.next?.()
    seat.next = clock.after(ms, () => {
      seat.next = undefined
      // Nobody looks: the next enter reads it.
      if (clock.now() - seat.lookedAt < lookFor) read(seat)
    })
  }
  const refused = (seat: Seat, error: unknown): void => {
    const { kind, code } = error instanceof Failure ? error.data : { kind: 'internal' as const, code: null }
    seat.held = code === 416
    seat.faults++
    if (seat.held) return change(seat, {})
    const system = messageOf(error)
    change(seat, {
      phase: passing.has(kind) ? 'waiting' : 'refused',
      reason: code === null ? reasonOf('link', 'failed', { system }) : answeredReason(code, system),
    })
  }
  const read = (seat: Seat): void => {
    if (seat.asking) return
    const { profileId, roomid } = seat.panel
    const { muted: before } = seat
    seat.asking = true
    seat.again = false
    seat.askedAt = clock.now()
    ports
      .read(profileId, roomid)
      .then(
        ({ name, announcement, valid, muted, onlineusercount }) => {
          seat.faults = 0
          seat.held = false
          // Changes during the read are newer than the answer.
          const known = seat.muted === before
          if (known && !muted) seat.muted = undefined
          change(
            seat,
            {
              ...(valid ? { phase: 'inside', reason: null } : { phase: 'refused', reason: reasonOf('link', 'closed') }),
              name,
              announcement,
              online: onlineusercount ?? null,
              ...(known && { muted, mutedBy: seat.muted?.by ?? null, mutedAt: seat.muted?.at ?? null }),
            },
            clock.now(),
          )
        },
        (error: unknown) => refused(seat, error),
      )
      .finally(() => {
        seat.asking = false
        if (isThere(seat))
          later(
            seat,
            seat.again && !seat.held ? readEvery.least : Math.min(readEvery.usually * 2 ** seat.faults, readEvery.most),
          )
      })
      // Failed posts are not the room's fault.
      .catch(() => undefined)
  }
  const soon = (seat: Seat): void => {
    seat.again = seat.asking
    if (!seat.held && !seat.asking) later(seat, Math.max(0, seat.askedAt + readEvery.least - clock.now()))
  }
  const tell = (seat: Seat): void => {
    if (seat.isPosting) return
    seat.isPosting = true
    clock.after(tellAfter, () => {
      seat.isPosting = false
      change(seat, {})
    })
  }
  const leave = (seat: Seat): void => {
    seat.next?.()
    change(seat, { phase: 'off' })
    seats.delete(keyOf(seat.panel.profileId, seat.panel.roomid))
  }
  const of = (profileId: string): Seat[] => [...seats.values()].filter(({ panel }) => panel.profileId === profileId)
  const room = (): void => {
    if (seats.size < most) return
    const [oldest] = [...seats.values()].sort((a, b) => a.lookedAt - b.lookedAt)
    if (!oldest || clock.now() - oldest.lookedAt < lookFor) throw new Failure('absent', `at most ${most} rooms at once`)
    leave(oldest)
  }

  return {
    /** Enters, or extends the look. */
    enter: ({ profileId, roomid, name, creator }: KnownRoom): RoomPanel => {
      const before = seats.get(keyOf(profileId, roomid))
      if (before) {
        before.lookedAt = clock.now()
        if (before.next === undefined || before.panel.phase !== 'inside') soon(before)
        return before.panel
      }
      room()
      const copies = copiesOf(profileId, roomid, null)
      const panel: RoomPanel = { ...enteringPanel, profileId, roomid, accid: creator, name, copies }
      const now = clock.now()
      const seat: Seat = {
        panel,
        lookedAt: now,
        askedAt: now,
        asking: false,
        again: false,
        faults: 0,
        held: false,
        muted: undefined,
        next: undefined,
        isPosting: false,
      }
      seats.set(keyOf(profileId, roomid), seat)
      ports.changed(panel)
      read(seat)
      return seat.panel
    },
    leave: (profileId: string, roomid: number) => {
      const seat = seats.get(keyOf(profileId, roomid))
      if (seat) leave(seat)
    },
    all: (profileId: string): RoomPanel[] => of(profileId).map(({ panel }) => panel),
    find: (profileId: string, roomid: number): RoomPanel | undefined => seats.get(keyOf(profileId, roomid))?.panel,
    /** A copy came, or was counted. */
    copied: (profileId: string, roomid?: number) => {
      for (const seat of of(profileId)) if (roomid === undefined || seat.panel.roomid === roomid) tell(seat)
    },
    /** The room is read soon. */
    changed: (profileId: string, roomid: number, what: RoomChange) => {
      const seat = seats.get(keyOf(profileId, roomid))
      if (!seat) return
      if (what.kind === 'muteRoom') {
        seat.muted = what.on ? { by: what.by, at: what.at } : undefined
        if (what.sure)
          change(seat, { muted: what.on, mutedBy: seat.muted?.by ?? null, mutedAt: seat.muted?.at ?? null })
      }
      soon(seat)
    },
    forget: (profileId: string) => {
      for (const seat of of(profileId)) leave(seat)
    },
    end: () => {
      for (const seat of seats.values()) seat.next?.()
      seats.clear()
    },
  }
}
