import { maxGuestExt, maxOwnHeld, roomPageBytes, maxSessionRooms } from '../../contract/link/rooms.ts'
import type { ClientKind } from '../../contract/callbacks/copy-builders.ts'
import { roomNotices } from '../../contract/catalogue/notices.ts'
import { createAnswerPart } from '../../platform/answer-part.ts'
import { Refused } from '../refusal.ts'
import type { LinkCaller, LinkHandlers } from '../link/handlers.ts'
import type { Log } from '../log.ts'
import { isBlacklisted, leads, mutedFor, roleNumbers, roleOf, type Room } from './room.ts'
import { roomFields } from './room-settings.ts'
import { figuresOf } from './room-counts.ts'
import type { RoomGate } from './room-gate.ts'
import type { Line, RoomLines } from './room-lines.ts'
import type { MemberKind, RoomLists } from './room-lists.ts'
import type { RoomElsewhere } from './room-elsewhere.ts'
import { elementsOf } from './room-queue.ts'
import { lineMembers } from './line-text.ts'
import type { RoomMessages } from './room-messages.ts'
import type { RoomNames } from './room-names.ts'
import type { RoomContext } from './room-context.ts'

/** Link requests on rooms. */
export type RoomHandlers = Pick<
  LinkHandlers,
  'roomEnter' | 'roomLeave' | 'roomSend' | 'roomHistory' | 'roomMembers' | 'roomQueue'
>

/** Makes the handlers of link requests on rooms. */
export function createRoomPresence(options: {
  readonly context: RoomContext
  readonly lines: Pick<RoomLines, 'count' | 'latest' | 'heldOf' | 'query'>
  readonly lists: RoomLists
  readonly messages: Pick<RoomMessages, 'say'>
  readonly gate: Pick<RoomGate, 'appear' | 'enter' | 'wasTold'>
  readonly names: Pick<RoomNames, 'stored'>
  readonly isGuest: (uid: number, accid: string) => boolean
  /** Undefined for a service that is alone. */
  readonly elsewhere?: RoomElsewhere | undefined
  readonly log: Pick<Log, 'error'>
}) {
  const { context, lines, lists, messages, gate, names, isGuest, elsewhere, log } = options
  const { registry, accounts, counts, clock } = context.options
  const counting = new Set<Promise<void>>()

  const countEntry = (uid: number, roomid: number, accid: string): void => {
    const counted = lines.count({ uid, roomid, accid, at: clock.now(), what: 'enters' }).then(
      () => void counting.delete(counted),
      (error: unknown) => {
        counting.delete(counted)
        log.error({ err: error, roomid }, 'an entry could not be counted')
      },
    )
    counting.add(counted)
  }
  const mustBeInside = ({ uid, accid, session }: LinkCaller, roomid: number): Room => {
    const room = context.must(uid, roomid, 404)
    if (!room.inside.get(accid)?.sessions.has(session)) throw new Refused(403, 'not in the room')
    return room
  }
  const mustBeShort = ({ uid, accid }: LinkCaller, ext: string | undefined): void => {
    if (ext !== undefined && ext.length > maxGuestExt && [...ext].length > maxGuestExt && isGuest(uid, accid))
      throw new Refused(414, `ext of a guest has at most ${maxGuestExt} characters`)
  }
  const figuresFor = (room: Room, accid: string): Partial<ReturnType<typeof figuresOf>> & { online: number } => {
    const figures = figuresOf(room, clock.now())
    return leads(roleOf(room, accid)) ? figures : { online: figures.online }
  }
  const leave = async (room: Room, accid: string, session: string): Promise<void> => {
    const operatorNick = context.nickOf(room, accid)
    if (!registry.leave(room, accid, session)) return
    // Of two services that are left at the same moment one says so.
    if (elsewhere && (await elsewhere.inOrder(() => room.inside.has(accid)))) return
    if (!gate.wasTold(room, accid)) counts.touched(room)
    else
      await context.commit(room, {}, [
        { id: roomNotices.left, operator: accid, operatorNick, clientType: 'REST', target: [accid] },
      ])
  }
  const page = async (
    roomid: number,
    asked: { readonly limit: number; readonly notices: boolean; readonly before?: number | undefined },
  ): Promise<{ lines: ReturnType<typeof lineMembers>[]; more: boolean }> => {
    const { limit, notices, before } = asked
    // One more than requested, to know whether there are more.
    const query = { roomid, before, states: ['shown'], notices, limit: limit + 1 } as const
    const found: Line[] =
      limit === 0 ? [] : await (before === undefined ? lines.latest(roomid, notices, limit + 1) : lines.query(query))
    const part = createAnswerPart<ReturnType<typeof lineMembers>>({ entries: limit, bytes: roomPageBytes })
    const more = found.some((line) => !part.add(lineMembers(line)))
    return { lines: part.list, more }
  }

  const handlers: RoomHandlers = {
    async roomEnter({ roomid, nick, avatar, ext, lines: limit, notices, held }, caller) {
      mustBeShort(caller, ext)
      const { uid, accid, clientType, session, subnet, connection } = caller
      const { room, note } = await context.on(uid, roomid, 404, async (entered) => {
        if (entered.row.valid === 0) throw new Refused(13002, 'the room is closed')
        if (isBlacklisted(entered, accid)) throw new Refused(13003, 'blacklisted from the room')
        if (registry.ofSession(session).length >= maxSessionRooms)
          throw new Refused(419, `${maxSessionRooms} rooms at once at most`)
        // It may have ended meanwhile; then nothing would remove it from the room.
        if (!connection.isOpen) throw new Refused(403, 'the session has ended')
        const isTold = entered.inside.has(accid) || gate.enter(entered, accid)
        const { note: why, ...appearance } = gate.appear(
          entered,
          accid,
          { nick, avatar, ext },
          accounts.find(uid, accid),
          subnet,
        )
        const outcome = registry.enter(entered, accid, session, connection, appearance)
        const now = { room: entered, note: why }
        // Whose turn is next at another service decides on names by what is stored. That it fails is told below.
        if (elsewhere) await names.stored(roomid, accid).catch(() => undefined)
        if (outcome === 'same') return now
        // It entered at another service at the same moment, which says so.
        if (outcome === 'entered' && elsewhere && (await elsewhere.inOrder(() => elsewhere.has(entered, accid))))
          return now
        if (outcome === 'entered') countEntry(uid, roomid, accid)
        if (!isTold) {
          counts.touched(entered)
          return now
        }
        const seconds = mutedFor(entered, accid, clock.now())
        const confidential = {
          ...(roleOf(entered, accid) === 'limited' && { muted: true }),
          ...(seconds > 0 && { tempMuted: true, muteTtl: seconds }),
        }
        const id = outcome === 'entered' ? roomNotices.entered : roomNotices.appearanceChanged
        await context.commit(entered, {}, [
          {
            id,
            operator: accid,
            clientType: clientType as ClientKind,
            target: [accid],
            ext: appearance.ext,
            confidential,
          },
        ])
        return now
      })
      // What is told from now on is heard, so that the page has all that was before.
      await context.options.pushes.settled()
      await names
        .stored(roomid, accid)
        .catch((error: unknown) =>
          log.error({ err: error, roomid }, 'a name could not be stored; it is kept until the service ends'),
        )
      const { creator, muted, slow } = room.row
      return {
        room: { roomid, ...roomFields(room.row), creator, muted: muted === 1, slow },
        type: roleNumbers[roleOf(room, accid)],
        mutedFor: mutedFor(room, accid, clock.now()),
        nick: room.inside.get(accid)?.nick ?? '',
        ...(note !== undefined && { note }),
        ...figuresFor(room, accid),
        ...(await page(roomid, { limit, notices })),
        ...(held && { held: (await lines.heldOf(roomid, accid, maxOwnHeld)).map(lineMembers) }),
      }
    },
    async roomLeave({ roomid }, caller) {
      await leave(mustBeInside(caller, roomid), caller.accid, caller.session)
      return {}
    },
    async roomSend({ clientId, ...rest }, caller) {
      mustBeInside(caller, rest.roomid)
      mustBeShort(caller, rest.ext)
      const { uid, accid: from, clientType, session, subnet } = caller
      const { line, at, state } = await messages.say(uid, {
        from,
        clientType: clientType as ClientKind,
        clientId,
        session,
        subnet,
        ...rest,
      })
      return { msgid: String(line), at, ...(state === 'held' && { held: true }) }
    },
    roomHistory: ({ roomid, ...asked }, caller) => page(mustBeInside(caller, roomid).row.roomid, asked),
    roomMembers: ({ roomid, type, endtime, limit }, caller) => ({
      members: lists.page(mustBeInside(caller, roomid), type as MemberKind, endtime, limit, caller.accid),
    }),
    roomQueue: ({ roomid }, caller) => ({ list: elementsOf(mustBeInside(caller, roomid)) }),
  }
  return {
    handlers,
    sessionEnded(session: string): void {
      for (const { room, accid } of registry.ofSession(session))
        leave(room, accid, session).catch((error: unknown) =>
          log.error({ err: error, roomid: room.row.roomid }, 'an exit could not be announced'),
        )
    },
    /** Resolves when all entries are counted. */
    async settled(): Promise<void> {
      await Promise.all(counting)
    },
  }
}

/** Members inside rooms, by the link. */
export type RoomPresence = ReturnType<typeof createRoomPresence>
