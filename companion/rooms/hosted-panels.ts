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
const passing = new Set<FailureData['kind']>(['unreachable', 'refused', 'away', 'certificate', 'down', 'late'])
const most = 8
/** After the last look, in ms. */
const lookFor = 60_000
/** Intervals in ms: usual, minimum, and maximum after failures. */
export const readEvery = { usually: 10_000, least: 2_000, most: 300_000 }
/** In ms. */
const tellAfter = 1_000

interface OpenPanel {
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
  const opened = new Map<string, OpenPanel>()
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
  const isThere = (open: OpenPanel): boolean => opened.get(keyOf(open.panel.profileId, open.panel.roomid)) === open
  const change = (open: OpenPanel, to: Partial<RoomPanel>, readAt = open.panel.copies?.readAt ?? null): void => {
    if (!isThere(open)) return
    const { profileId, roomid } = open.panel
    open.panel = { ...open.panel, ...to, copies: copiesOf(profileId, roomid, readAt) }
    ports.changed(open.panel)
  }
  const later = (open: OpenPanel, ms: number): void => {
    open.next?.()
    open.next = clock.after(ms, () => {
      open.next = undefined
      // Nobody looks: the next enter reads it.
      if (clock.now() - open.lookedAt < lookFor) read(open)
    })
  }
  const refused = (open: OpenPanel, error: unknown): void => {
    const { kind, code } = error instanceof Failure ? error.data : { kind: 'internal' as const, code: null }
    open.held = code === 416
    open.faults++
    if (open.held) return change(open, {})
    const system = messageOf(error)
    change(open, {
      phase: passing.has(kind) ? 'waiting' : 'refused',
      reason: code === null ? reasonOf('link', 'failed', { system }) : answeredReason(code, system),
    })
  }
  const read = (open: OpenPanel): void => {
    if (open.asking) return
    const { profileId, roomid } = open.panel
    const { muted: before } = open
    open.asking = true
    open.again = false
    open.askedAt = clock.now()
    ports
      .read(profileId, roomid)
      .then(
        ({ name, announcement, valid, muted, onlineusercount }) => {
          open.faults = 0
          open.held = false
          // Changes during the read are newer than the answer.
          const known = open.muted === before
          if (known && !muted) open.muted = undefined
          change(
            open,
            {
              ...(valid ? { phase: 'inside', reason: null } : { phase: 'refused', reason: reasonOf('link', 'closed') }),
              name,
              announcement,
              online: onlineusercount ?? null,
              ...(known && { muted, mutedBy: open.muted?.by ?? null, mutedAt: open.muted?.at ?? null }),
            },
            clock.now(),
          )
        },
        (error: unknown) => refused(open, error),
      )
      .finally(() => {
        open.asking = false
        if (isThere(open))
          later(
            open,
            open.again && !open.held ? readEvery.least : Math.min(readEvery.usually * 2 ** open.faults, readEvery.most),
          )
      })
      // Failed posts are not the room's fault.
      .catch(() => undefined)
  }
  const soon = (open: OpenPanel): void => {
    open.again = open.asking
    if (!open.held && !open.asking) later(open, Math.max(0, open.askedAt + readEvery.least - clock.now()))
  }
  const tell = (open: OpenPanel): void => {
    if (open.isPosting) return
    open.isPosting = true
    clock.after(tellAfter, () => {
      open.isPosting = false
      change(open, {})
    })
  }
  const leave = (open: OpenPanel): void => {
    open.next?.()
    change(open, { phase: 'off' })
    opened.delete(keyOf(open.panel.profileId, open.panel.roomid))
  }
  const of = (profileId: string): OpenPanel[] =>
    [...opened.values()].filter(({ panel }) => panel.profileId === profileId)
  const room = (): void => {
    if (opened.size < most) return
    const [oldest] = [...opened.values()].sort((a, b) => a.lookedAt - b.lookedAt)
    if (!oldest || clock.now() - oldest.lookedAt < lookFor) throw new Failure('absent', `at most ${most} rooms at once`)
    leave(oldest)
  }

  return {
    /** Enters, or extends the look. */
    enter: ({ profileId, roomid, name, creator }: KnownRoom): RoomPanel => {
      const before = opened.get(keyOf(profileId, roomid))
      if (before) {
        before.lookedAt = clock.now()
        if (before.next === undefined || before.panel.phase !== 'inside') soon(before)
        return before.panel
      }
      room()
      const copies = copiesOf(profileId, roomid, null)
      const panel: RoomPanel = { ...enteringPanel, profileId, roomid, accid: creator, name, copies }
      const now = clock.now()
      const open: OpenPanel = {
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
      opened.set(keyOf(profileId, roomid), open)
      ports.changed(panel)
      read(open)
      return open.panel
    },
    leave: (profileId: string, roomid: number) => {
      const open = opened.get(keyOf(profileId, roomid))
      if (open) leave(open)
    },
    all: (profileId: string): RoomPanel[] => of(profileId).map(({ panel }) => panel),
    find: (profileId: string, roomid: number): RoomPanel | undefined => opened.get(keyOf(profileId, roomid))?.panel,
    /** A copy came, or was counted. */
    copied: (profileId: string, roomid?: number) => {
      for (const open of of(profileId)) if (roomid === undefined || open.panel.roomid === roomid) tell(open)
    },
    /** The room is read soon. */
    changed: (profileId: string, roomid: number, what: RoomChange) => {
      const open = opened.get(keyOf(profileId, roomid))
      if (!open) return
      if (what.kind === 'muteRoom') {
        open.muted = what.on ? { by: what.by, at: what.at } : undefined
        if (what.sure)
          change(open, { muted: what.on, mutedBy: open.muted?.by ?? null, mutedAt: open.muted?.at ?? null })
      }
      soon(open)
    },
    forget: (profileId: string) => {
      for (const open of of(profileId)) leave(open)
    },
    end: () => {
      for (const open of opened.values()) open.next?.()
      opened.clear()
    },
  }
}
