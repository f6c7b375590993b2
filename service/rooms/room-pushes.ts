import type { Bus } from '../bus/bus.ts'
import { textFrame } from '../link/frame.ts'
import type { Room } from './room.ts'
import { createRoomCatchUp } from './room-catch-up.ts'
import { textOf } from './line-text.ts'
import type { RoomCounts } from './room-counts.ts'
import type { RoomDeliveries } from './room-deliveries.ts'
import { outFrame, sessionsThatKnow, tellLeaders } from './room-notices.ts'
import type { RoomRegistry } from './rooms-registry.ts'

/** What those inside a room are told once it is stored: a plain value, whose `text` each node frames once. */
export type RoomPush =
  /** To all, except one session. */
  | {
      readonly to: 'all'
      readonly text: string
      readonly without?: string | undefined
      /** Of a guest: its deliveries are measured. */
      readonly isGuests?: boolean
      /** Number of the line that it shows. */
      readonly line?: number
    }
  /** An entry or exit, to all soon. */
  | { readonly to: 'allSoon'; readonly text: string }
  /** To all; `full` to leaders and targets. */
  | { readonly to: 'apart'; readonly text: string; readonly full: string; readonly targets: readonly string[] }
  /** To leaders and one more, except one session. */
  | {
      readonly to: 'leaders'
      readonly text: string
      readonly also?: string | undefined
      readonly without?: string | undefined
    }
  /** Puts an account out, or everybody. */
  | { readonly to: 'out'; readonly reason: 'closed' | 'blacklisted'; readonly accid?: string }

/** Makes them, for the rooms of a registry; a room is heard while somebody of this node is inside. */
export function createRoomPushes(options: {
  readonly bus: Pick<Bus, 'topic' | 'settled' | 'onBack'>
  readonly registry: Pick<RoomRegistry, 'onSeats' | 'putOut'>
  readonly deliveries: Pick<RoomDeliveries, 'deliver'>
  readonly counts: Pick<RoomCounts, 'touched'>
  /** Where several services tell rooms: what a gap of the bus loses. */
  readonly gaps?: Pick<Parameters<typeof createRoomCatchUp>[0], 'lines' | 'clock' | 'fresh' | 'log'> | undefined
}) {
  const { bus, registry, deliveries, counts, gaps } = options
  const topic = bus.topic<RoomPush>('room')

  const putOut = (room: Room, reason: 'closed' | 'blacklisted', accid?: string): void => {
    const frame = outFrame(room.row.roomid, reason)
    if (accid === undefined) room.listeners.tell(frame)
    else for (const listener of room.inside.get(accid)?.sessions.values() ?? []) listener.write(frame)
    registry.putOut(room, accid)
    if (accid !== undefined) counts.touched(room)
  }
  const catchUp =
    gaps &&
    createRoomCatchUp({
      ...gaps,
      bus,
      tell: ({ listeners }, line, without) => listeners.tell(textFrame(textOf(line, '')), without),
      putOut,
    })
  const heard = (room: Room, push: RoomPush): void => {
    if (!catchUp?.isLater(room, () => hear(room, push))) hear(room, push)
  }
  const hear = (room: Room, push: RoomPush): void => {
    if (catchUp && push.to === 'all' && push.line !== undefined && !catchUp.isNew(room, push.line)) return
    if (push.to === 'out') return putOut(room, push.reason, push.accid)
    const { listeners } = room
    const frame = textFrame(push.text)
    if (push.to === 'all') {
      const tell = (): void => listeners.tell(frame, push.without)
      if (push.isGuests) deliveries.deliver(listeners.size, tell)
      else tell()
    } else if (push.to === 'leaders') tellLeaders(room, frame, push)
    else if (push.to === 'apart') listeners.tellApart(frame, textFrame(push.full), sessionsThatKnow(room, push.targets))
    else listeners.tellSoon(frame)
  }
  registry.onSeats((room) => {
    const stops = [catchUp?.hear(room), topic.subscribe(room.row.roomid, (push) => heard(room, push))]
    return () => stops.forEach((stop) => stop?.())
  })

  const tell = ({ row }: Room, push: RoomPush): void => {
    if (catchUp && push.to === 'all' && push.line !== undefined) catchUp.sent(push.line, push.without)
    topic.publish(row.roomid, push)
  }
  return {
    /** Tells those inside, on every node. */
    tell,
    /**
     * Tells a line that was stored before to those who were not told it, as the node that stored it may have ended. One
     * that is alone has told what it stored, or ended with all its connections.
     */
    tellAgain(room: Room, push: Extract<RoomPush, { to: 'all' }> & { readonly line: number }): void {
      if (catchUp) tell(room, push)
    },
    /** Resolves once a room that was just entered is heard. */
    settled: (): Promise<void> => bus.settled(),
    close: (): void => catchUp?.close(),
  }
}

/** What those inside rooms are told. */
export type RoomPushes = ReturnType<typeof createRoomPushes>
