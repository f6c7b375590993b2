import { local } from '../../contract/operations/index.ts'
import { maxAccounts, maxLinesBytes, queueChanges } from '../../contract/operations/local.ts'
import type { Operation } from '../../contract/operation.ts'
import { noticeType, roomNotices } from '../../contract/catalogue/notices.ts'
import { createKeyedSerial } from '../../platform/serial.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import { leads, mutedFor, onlineCount, roleOf, type Room } from './room.ts'
import type { Line, RoomLines } from './room-lines.ts'
import type { RoomLists } from './room-lists.ts'
import type { RoomSettings } from './room-settings.ts'
import type { RoomQueue } from './room-queue.ts'
import type { RoomMessages } from './room-messages.ts'
import { mustLead, type RoomContext } from './room-context.ts'

/** Line numbers as callers write them. */
const lineNumber = /^[1-9][0-9]{0,14}$/

/** A line in the answer to a decision on it. */
const lineThen = ({ sender: from, nick, type, attach }: Line) => ({ from, nick, type, attach })

/** A room as lists of rooms give it. */
const listed = (room: Room) => ({
  roomid: room.row.roomid,
  name: room.row.name,
  valid: room.row.valid === 1,
  online: onlineCount(room),
  creator: room.row.creator,
  created: room.row.created,
  ...(room.row.cid !== null && { cid: room.row.cid }),
})

/** A page of accounts after one of them, ordered by name. */
export function accountsBehind<T extends { readonly accid: string }>(
  all: T[],
  after: string | undefined,
  max: number,
): { list: T[]; more: boolean } {
  const rest = after === undefined ? all : all.filter(({ accid }) => accid > after)
  if (rest.length <= max) return { list: rest, more: false }
  return { list: rest.toSorted((one, other) => (one.accid < other.accid ? -1 : 1)).slice(0, max), more: true }
}

/** Handlers of the local operations on rooms (contract/operations/local.ts; behaviour.md#extension-operations). */
export function roomExtensions(options: {
  readonly context: RoomContext
  readonly lines: Pick<RoomLines, 'find' | 'part'>
  readonly lists: Pick<RoomLists, 'describe'>
  readonly messages: Pick<RoomMessages, 'decide' | 'remove'>
  readonly settings: Pick<RoomSettings, 'update'>
  readonly queue: RoomQueue
  /** The application of a channel; undefined for none. */
  readonly channelOwner: (cid: string) => number | undefined
}): Served[] {
  const { context, lines, lists, messages, settings, queue, channelOwner } = options
  const { registry, clock } = context.options

  const own = ({ unknown, foreign }: Operation, uid: number, roomid: number): Room => {
    const room = registry.get(roomid)
    if (!room) throw new Refused(unknown, 'there is no such room', 'missing')
    if (room.row.uid !== uid) throw new Refused(foreign, 'the room belongs to another application')
    return room
  }
  const ownChannel = ({ unknown, foreign }: Operation, uid: number, cid: string): void => {
    const owner = channelOwner(cid)
    if (owner === undefined) throw new Refused(unknown, 'there is no such channel')
    if (owner !== uid) throw new Refused(foreign, 'the channel belongs to another application')
  }
  const lineOf = async (
    { unknown }: Operation,
    roomid: number,
    msgid: string,
    isOne: (line: Line) => boolean,
    sender?: string,
  ): Promise<Line> => {
    const line = lineNumber.test(msgid) ? await lines.find(roomid, Number(msgid)) : undefined
    const isTheirs = sender === undefined || line?.sender === sender.toLowerCase()
    if (!line || !isOne(line) || !isTheirs || line.type === noticeType)
      throw new Refused(unknown, 'there is no such line')
    return line
  }
  const placeOf = ({ invalid }: Operation, before: string | undefined): number | undefined => {
    if (before !== undefined && !lineNumber.test(before))
      throw new Refused(invalid, 'before must be the msgid of a line')
    return before === undefined ? undefined : Number(before)
  }
  /** Was visible, perhaps deleted since. */
  const wasShown = ({ state }: Line): boolean => state === 'shown' || state === 'removed'
  /** Is held, or was released or dropped as caught. */
  const wasHeld = ({ state, heldAt }: Line): boolean => state === 'held' || state === 'caught' || heldAt !== null
  const linking = createKeyedSerial<string>()
  const link = (uid: number, room: Room, cid: string | null): Promise<void> =>
    context.on(uid, room.row.roomid, 414, () => context.commit(room, { room: { ...room.row, cid } }))
  /** Only leaders delete lines; those of a leader only the creator or the author. */
  const mayRemove = (room: Room, operator: string, { sender }: Line): void => {
    const role = roleOf(room, operator)
    if (!leads(role)) throw new Refused(local.removeLine.invalid, 'operator does not lead the room')
    if (role === 'admin' && sender !== operator && leads(roleOf(room, sender)))
      throw new Refused(local.removeLine.invalid, 'operator may not act on this sender')
  }

  return [
    serve(local.rooms, ({ before, limit }, { application: { uid } }) => ({
      ret: { list: registry.newest(uid, before, limit).map(listed) },
    })),
    serve(local.roomDetails, ({ roomidList }, { application: { uid } }) => ({
      ret: {
        list: [...new Set(roomidList)].flatMap((roomid) => {
          const room = registry.get(roomid)
          return room?.row.uid === uid ? [listed(room)] : []
        }),
      },
    })),
    serve(
      local.roomHistory,
      async ({ roomid, beginTime: begin, endTime: end, before, accid, limit, notices }, { application: { uid } }) => {
        own(local.roomHistory, uid, roomid)
        const states = ['shown', 'removed'] as const
        const query = {
          roomid,
          begin,
          end,
          before: placeOf(local.roomHistory, before),
          sender: accid?.toLowerCase(),
          states,
          notices,
          limit,
        }
        return {
          ret: await lines.part(
            query,
            maxLinesBytes,
            ({ line, at, heldAt, sender, type, attach, state, nick, clientId }) => ({
              msgid: String(line),
              at,
              from: sender,
              type,
              attach,
              removed: state === 'removed',
              nick,
              clientId,
              ...(heldAt !== null && { heldAt }),
            }),
          ),
        }
      },
    ),
    serve(local.roomLine, async ({ roomid, msgid }, { application: { uid } }) => {
      own(local.roomLine, uid, roomid)
      return { ret: lineThen(await lineOf(local.roomLine, roomid, msgid, () => true)) }
    }),
    serve(local.removeLine, async ({ roomid, operator, msgid, sender, notifyExt }, { application: { uid } }) => {
      const room = own(local.removeLine, uid, roomid)
      // Serialised, as below.
      return context.on(uid, roomid, 414, async () => {
        const line = await lineOf(local.removeLine, roomid, msgid, wasShown, sender)
        mayRemove(room, operator, line)
        if (line.state === 'removed') throw new Refused(417, 'the line is already deleted')
        await messages.remove(room, line, operator, notifyExt)
        return { ret: lineThen(line) }
      })
    }),
    serve(local.muted, ({ roomid, after }, { application: { uid } }) => {
      const room = own(local.muted, uid, roomid)
      const now = clock.now()
      const list = [...room.members.values()].flatMap(({ accid, muted }) => {
        const seconds = mutedFor(room, accid, now)
        return muted === 1 || seconds > 0 ? [{ accid, permanent: muted === 1, seconds }] : []
      })
      return { ret: accountsBehind(list, after, maxAccounts) }
    }),
    serve(local.blacklisted, ({ roomid, after }, { application: { uid } }) => {
      const { members } = own(local.blacklisted, uid, roomid)
      const list = [...members.values()].flatMap(({ accid, blacklisted, updated }) =>
        blacklisted === 1 ? [{ accid, at: updated }] : [],
      )
      return { ret: accountsBehind(list, after, maxAccounts) }
    }),
    serve(local.roomPeople, ({ roomid, accids }, { application: { uid } }) => {
      const room = own(local.roomPeople, uid, roomid)
      const now = clock.now()
      return {
        ret: {
          list: [...new Set(accids)].map((accid) => {
            const { type, nick } = lists.describe(room, accid)
            return { accid, type, nick, seconds: mutedFor(room, accid, now) }
          }),
        },
      }
    }),
    serve(local.changeRoom, async ({ roomid, operator, was, notifyExt, ...fields }, { application: { uid } }) => {
      own(local.changeRoom, uid, roomid)
      await settings.update(uid, roomid, fields, { needNotify: true, notifyExt, operator, was })
      return {}
    }),
    serve(local.changeQueue, async ({ roomid, operator, change, key, value, fresh }, { application: { uid } }) => {
      own(local.changeQueue, uid, roomid)
      const ret = await context.on(uid, roomid, 414, async (room) => {
        context.mustExist(uid, [operator], 404)
        mustLead(room, operator)
        if (change === queueChanges.take) return queue.poll(room, operator, key)
        if (change === queueChanges.empty) return queue.drop(room, operator)
        if (key === undefined || value === undefined)
          throw new Refused(local.changeQueue.invalid, 'an element needs a key and a value')
        if (fresh && room.queue.has(key)) throw new Refused(417, 'an element has this key already')
        return queue.offer(room, operator, key, value)
      })
      return { ret: ret ?? {} }
    }),
    serve(local.slowMode, async ({ roomid, operator, seconds }, { application: { uid } }) => {
      own(local.slowMode, uid, roomid)
      await context.on(uid, roomid, 414, async (room) => {
        if (operator !== undefined) mustLead(room, operator)
        const notice = {
          id: roomNotices.updated,
          operator: operator ?? room.row.creator,
          clientType: 'REST',
          more: { slow: seconds },
        } as const
        await context.commit(room, { room: { ...room.row, slow: seconds } }, [notice])
      })
      return {}
    }),
    serve(local.held, async ({ roomid, before, limit }, { application: { uid } }) => {
      own(local.held, uid, roomid)
      const query = { roomid, before: placeOf(local.held, before), states: ['held'], limit } as const
      return {
        ret: await lines.part(query, maxLinesBytes, ({ line, at, sender, type, attach, ext, nick }) => ({
          msgid: String(line),
          at,
          from: sender,
          type,
          attach,
          ...(ext !== '' && { ext }),
          nick,
        })),
      }
    }),
    serve(local.decideHeld, async ({ roomid, msgid, sender, allow }, { application: { uid } }) => {
      const room = own(local.decideHeld, uid, roomid)
      // Serialised: of two decisions at once the second finds it decided.
      return context.on(uid, roomid, 414, async () => {
        const line = await lineOf(local.decideHeld, roomid, msgid, wasHeld, sender)
        if (line.state !== 'held') throw new Refused(417, 'the line was already released or dropped')
        await messages.decide(room, line, allow)
        return { ret: lineThen(line) }
      })
    }),
    serve(local.linkRoom, ({ cid, roomid }, { application: { uid } }) =>
      // Serialised: of two rooms that are linked at once the second unlinks the first.
      linking(cid, async () => {
        const before = registry.ofChannel(uid, cid)
        // A room can be unlinked from a deleted channel.
        if (roomid !== undefined || !before) ownChannel(local.linkRoom, uid, cid)
        const room = roomid === undefined ? undefined : own(local.linkRoom, uid, roomid)
        if (before && before !== room) await link(uid, before, null)
        if (room) await link(uid, room, cid)
        return {}
      }),
    ),
    serve(local.linkedRoom, ({ cid }, { application: { uid } }) => {
      ownChannel(local.linkedRoom, uid, cid)
      const room = registry.ofChannel(uid, cid)
      return { ret: room ? { roomid: room.row.roomid } : {} }
    }),
  ]
}
