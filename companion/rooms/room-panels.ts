import { reasonOf, receivedReason } from '../../contract/catalogue/reasons.ts'
import { linkClose, type LinkPush } from '../../contract/link/frames.ts'
import { roomPushes } from '../../contract/link/rooms.ts'
import { createLinkClient, type LinkClient, type OpenLinkSocket } from '../../contract/link/client.ts'
import { LinkFailure, wrongAnswer } from '../../contract/link/client-calls.ts'
import { noticeType, readNotice, roomNotices } from '../../contract/catalogue/notices.ts'
import type { RoomPanel, RoomPush } from '../../contract/rpc/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { Failure } from '../failure.ts'
import { answeredReason, linkReason, refusedByLink } from '../messaging/link-failure.ts'
import { toldLinkFaults } from '../messaging/told-faults.ts'
import { enteringPanel } from './hosted-panels.ts'

/** The app's sessions in local rooms, each on its own link and re-entered after a drop. */
export type RoomPanels = ReturnType<typeof createRoomPanels>

const most = 8
/** After a fault of the service, as without its database, it is entered again so often; ms. */
const againAfter = 5_000

interface OpenPanel {
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
/** Why a room was not entered. */
const entryReason = ({ code, message }: LinkFailure): RoomPanel['reason'] => {
  if (code === 13002) return reasonOf('link', 'closed')
  return code === wrongAnswer ? reasonOf('link', 'failed', { system: message }) : answeredReason(code, message)
}
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
  readonly log: (line: string) => void
}) {
  const faults = toldLinkFaults(ports.log)
  const opened = new Map<number, OpenPanel>()
  let link: { readonly url: string; readonly appKey: string } | undefined

  const change = (open: OpenPanel, change: Partial<RoomPanel>): void => {
    // From outside only an empty closed room is known.
    const figures =
      change.phase === undefined || change.phase === 'inside'
        ? {}
        : { online: change.reason?.code === 'closed' ? 0 : null, counts: null }
    open.panel = { ...open.panel, ...figures, ...change }
    if (opened.get(open.panel.roomid) === open) ports.changed(open.panel)
  }
  const disconnect = (open: OpenPanel): void => {
    const { client } = open
    open.client = undefined
    client?.close()
  }
  const noticed = (open: OpenPanel, attach: string, at: number, by: string): void => {
    const id = readNotice(attach)?.id
    if (id === roomNotices.roomMuted) change(open, { muted: true, mutedBy: by, mutedAt: at })
    else if (id === roomNotices.roomUnmuted) change(open, { muted: false, mutedBy: null, mutedAt: null })
    else if (id === roomNotices.updated) enterRoom(open)
  }
  /** Enters, or reads the room again. */
  const enterRoom = (open: OpenPanel): void => {
    const { client } = open
    client?.request('roomEnter', { roomid: open.panel.roomid, lines: 0 }).then(
      ({ room: { name, announcement, muted, slow }, ...figures }) => {
        if (open.client !== client) return
        change(open, {
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
        if (open.client !== client || !(error instanceof LinkFailure) || error.code === 0) return
        change(open, { phase: 'refused', reason: entryReason(error) })
        if (error.code !== 500) return
        ports.clock.after(againAfter, () => {
          if (open.client === client && open.panel.phase === 'refused') enterRoom(open)
        })
      },
    )
  }
  const connect = (open: OpenPanel): void => {
    const to = link
    if (!to) return change(open, { phase: 'waiting' })
    const client: LinkClient = createLinkClient({
      url: to.url,
      // Its own client kind: Messaging may have the same account on the link.
      credentials: () => ({
        appKey: to.appKey,
        accid: open.panel.accid,
        token: open.token,
        device: ports.device,
        clientType: 'WEB',
        sdkVersion: 'sidestage-room',
      }),
      open: ports.openSocket,
      later: (ms, call) => ports.clock.after(ms, call),
      random: ports.random,
      faults,
      onPush: (push) => {
        if (open.client !== client || !isRoomPush(push) || push.roomid !== open.panel.roomid) return
        if (push.t === 'roomMessage' && push.type === noticeType) noticed(open, push.attach, push.at, push.from)
        if (push.t === 'roomCount') return change(open, figuresIn(push))
        if (push.t === 'roomOut')
          change(open, { phase: 'refused', reason: receivedReason('link', { code: push.reason, params: {} }) })
        ports.pushed(open.panel.roomid, push)
      },
      onState: (state) => {
        if (open.client !== undefined && open.client !== client) return
        if (state.at === 'online') return enterRoom(open)
        if (state.at === 'out' && state.code === 1000) return
        open.refusedToken = state.at === 'out' && state.code === linkClose.login
        change(
          open,
          state.at === 'out'
            ? { phase: 'refused', reason: linkReason(state) }
            : { phase: state.at === 'waiting' ? 'waiting' : 'connecting' },
        )
      },
    })
    open.client = client
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
      const before = opened.get(roomid)
      if (!before && opened.size >= most) throw new Failure('absent', `at most ${most} rooms at once`)
      if (before) disconnect(before)
      const panel: RoomPanel = { ...enteringPanel, profileId: ports.profileId, roomid, accid, name }
      const open: OpenPanel = { panel, token, nick, client: undefined, refusedToken: false }
      opened.set(roomid, open)
      ports.changed(panel)
      connect(open)
      return open.panel
    },
    leave: (roomid: number) => {
      const open = opened.get(roomid)
      if (!open) return
      disconnect(open)
      change(open, { phase: 'off' })
      opened.delete(roomid)
    },
    renewed: (accid: string, token: string) => {
      for (const open of opened.values()) if (open.panel.accid === accid) open.token = token
    },
    all: (): RoomPanel[] => [...opened.values()].map(({ panel }) => panel),
    find: (roomid: number): RoomPanel | undefined => opened.get(roomid)?.panel,
    /** Whether the room was refused because of the token. */
    hasRefusedToken: (roomid: number): boolean => opened.get(roomid)?.refusedToken === true,
    say: async (roomid: number, text: string, clientId: string): Promise<{ msgid: string; at: number }> => {
      const open = opened.get(roomid)
      if (!open?.client) throw new Failure('unreachable', 'the link is not open')
      try {
        const { msgid, at } = await open.client.request('roomSend', {
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
          from: open.panel.accid,
          fromNick: open.nick,
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
      for (const open of opened.values()) {
        disconnect(open)
        connect(open)
      }
    },
    end: () => {
      for (const open of opened.values()) disconnect(open)
      opened.clear()
    },
  }
}
