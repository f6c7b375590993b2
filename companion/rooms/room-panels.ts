import { reasonOf, receivedReason } from '../../contract/catalogue/reasons.ts'
import { linkClose, type LinkPush } from '../../contract/link/frames.ts'
import { roomPushes } from '../../contract/link/rooms.ts'
import { createLinkClient, type LinkClient, type OpenLinkSocket } from '../../contract/link/client.ts'
import { LinkFailure } from '../../contract/link/client-calls.ts'
import { noticeType, readNotice, roomNotices } from '../../contract/catalogue/notices.ts'
import type { RoomPanel, RoomPush } from '../../contract/rpc/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { Failure } from '../failure.ts'
import { answeredReason, linkReason, refusedByLink } from '../messaging/link-failure.ts'
import { enteringPanel } from './hosted-panels.ts'

/** The app's sessions in local rooms, each on its own link and re-entered after a drop. */
export type RoomPanels = ReturnType<typeof createRoomPanels>

const most = 8

interface Seat {
  panel: RoomPanel
  token: string
  /** Name before its own lines. */
  readonly nick: string
  client: LinkClient | undefined
  refusedToken: boolean
}

const failureOf = (error: unknown): Failure =>
  error instanceof LinkFailure && error.code !== 0
    ? refusedByLink(error)
    : new Failure('unreachable', error instanceof Error ? error.message : String(error))
/** Figures of a room; only leaders get more than `online`. */
const figuresIn = ({
  online,
  people,
  robots,
  muted,
  blacklisted,
}: Omit<LinkPush<'roomCount'>, 't' | 'roomid'>): Pick<RoomPanel, 'online' | 'counts'> => ({
  online,
  counts:
    people === undefined || robots === undefined || muted === undefined || blacklisted === undefined
      ? null
      : { people, robots, muted, blacklisted },
})
const isRoomPush = (push: LinkPush): push is RoomPush => Object.hasOwn(roomPushes, push.t)

/** Makes it with no room. */
export function createRoomPanels(ports: {
  readonly profileId: string
  readonly clock: Clock
  readonly random: () => number
  readonly device: string
  readonly openSocket: OpenLinkSocket
  readonly changed: (panel: RoomPanel) => void
  readonly pushed: (roomid: number, push: RoomPush) => void
}) {
  const seats = new Map<number, Seat>()
  let link: { readonly url: string; readonly appKey: string } | undefined

  const change = (seat: Seat, change: Partial<RoomPanel>): void => {
    // From outside only an empty closed room is known.
    const figures =
      change.phase === undefined || change.phase === 'inside'
        ? {}
        : { online: change.reason?.code === 'closed' ? 0 : null, counts: null }
    seat.panel = { ...seat.panel, ...figures, ...change }
    if (seats.get(seat.panel.roomid) === seat) ports.changed(seat.panel)
  }
  const disconnect = (seat: Seat): void => {
    const { client } = seat
    seat.client = undefined
    client?.close()
  }
  const noticed = (seat: Seat, attach: string, at: number, by: string): void => {
    const id = readNotice(attach)?.id
    if (id === roomNotices.roomMuted) change(seat, { muted: true, mutedBy: by, mutedAt: at })
    else if (id === roomNotices.roomUnmuted) change(seat, { muted: false, mutedBy: null, mutedAt: null })
    else if (id === roomNotices.updated) sit(seat)
  }
  /** Enters, or reads the room again. */
  const sit = (seat: Seat): void => {
    const { client } = seat
    client?.request('roomEnter', { roomid: seat.panel.roomid, lines: 0 }).then(
      ({ room: { name, announcement, muted, slow }, ...figures }) => {
        if (seat.client !== client) return
        change(seat, {
          phase: 'inside',
          reason: null,
          name,
          announcement,
          muted,
          slow,
          ...figuresIn(figures),
          ...(muted ? {} : { mutedBy: null, mutedAt: null }),
        })
      },
      (error: unknown) => {
        // Code 0: the link dropped and returns.
        if (seat.client !== client || !(error instanceof LinkFailure) || error.code === 0) return
        change(seat, {
          phase: 'refused',
          reason: error.code === 13002 ? reasonOf('link', 'closed') : answeredReason(error.code, error.message),
        })
      },
    )
  }
  const connect = (seat: Seat): void => {
    const to = link
    if (!to) return change(seat, { phase: 'waiting' })
    const client: LinkClient = createLinkClient({
      url: to.url,
      // Its own client kind: Messaging may have the same account on the link.
      credentials: () => ({
        appKey: to.appKey,
        accid: seat.panel.accid,
        token: seat.token,
        device: ports.device,
        clientType: 'WEB',
        sdkVersion: 'sidestage-room',
      }),
      open: ports.openSocket,
      later: (ms, call) => ports.clock.after(ms, call),
      random: ports.random,
      onPush: (push) => {
        if (seat.client !== client || !isRoomPush(push) || push.roomid !== seat.panel.roomid) return
        if (push.t === 'roomMessage' && push.type === noticeType) noticed(seat, push.attach, push.at, push.from)
        if (push.t === 'roomCount') return change(seat, figuresIn(push))
        if (push.t === 'roomOut')
          change(seat, { phase: 'refused', reason: receivedReason('link', { code: push.reason, params: {} }) })
        ports.pushed(seat.panel.roomid, push)
      },
      onState: (state) => {
        if (seat.client !== undefined && seat.client !== client) return
        if (state.at === 'online') return sit(seat)
        if (state.at === 'out' && state.code === 1000) return
        seat.refusedToken = state.at === 'out' && state.code === linkClose.login
        change(
          seat,
          state.at === 'out'
            ? { phase: 'refused', reason: linkReason(state) }
            : { phase: state.at === 'waiting' ? 'waiting' : 'connecting' },
        )
      },
    })
    seat.client = client
  }

  return {
    enter: ({
      roomid,
      accid,
      token,
      name,
      nick,
    }: {
      readonly roomid: number
      readonly accid: string
      readonly token: string
      readonly name: string
      readonly nick: string
    }): RoomPanel => {
      const before = seats.get(roomid)
      if (!before && seats.size >= most) throw new Failure('absent', `at most ${most} rooms at once`)
      if (before) disconnect(before)
      const panel: RoomPanel = { ...enteringPanel, profileId: ports.profileId, roomid, accid, name }
      const seat: Seat = { panel, token, nick, client: undefined, refusedToken: false }
      seats.set(roomid, seat)
      ports.changed(panel)
      connect(seat)
      return seat.panel
    },
    leave: (roomid: number) => {
      const seat = seats.get(roomid)
      if (!seat) return
      disconnect(seat)
      change(seat, { phase: 'off' })
      seats.delete(roomid)
    },
    renewed: (accid: string, token: string) => {
      for (const seat of seats.values()) if (seat.panel.accid === accid) seat.token = token
    },
    all: (): RoomPanel[] => [...seats.values()].map(({ panel }) => panel),
    find: (roomid: number): RoomPanel | undefined => seats.get(roomid)?.panel,
    /** Whether the room was refused because of the token. */
    hasRefusedToken: (roomid: number): boolean => seats.get(roomid)?.refusedToken === true,
    say: async (roomid: number, text: string, clientId: string): Promise<{ msgid: string; at: number }> => {
      const seat = seats.get(roomid)
      if (!seat?.client) throw new Failure('unreachable', 'the link is not open')
      try {
        const { msgid, at } = await seat.client.request('roomSend', {
          roomid,
          type: 0,
          attach: text,
          clientId,
          resend: 0,
        })
        // The sender gets no push; pages read lines from pushes.
        ports.pushed(roomid, {
          t: 'roomMessage',
          roomid,
          msgid,
          at,
          from: seat.panel.accid,
          fromNick: seat.nick,
          fromClientType: 'WEB',
          type: 0,
          attach: text,
          clientId,
        })
        return { msgid, at }
      } catch (error) {
        throw failureOf(error)
      }
    },
    serviceAt: (next: { readonly url: string; readonly appKey: string } | undefined) => {
      if (next?.url === link?.url && next?.appKey === link?.appKey) return
      link = next
      for (const seat of seats.values()) {
        disconnect(seat)
        connect(seat)
      }
    },
    end: () => {
      for (const seat of seats.values()) disconnect(seat)
      seats.clear()
    },
  }
}
