import { chatrooms } from '../../contract/operations/index.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { onlineCount, roleNames, type Room } from './room.ts'
import type { MemberKind, RoomLists } from './room-lists.ts'
import type { RoleOption, RoomMembers } from './room-members.ts'
import { roomFields, type RoomSettings } from './room-settings.ts'
import type { RoomActor, RoomContext } from './room-context.ts'

const byApi = (accid: string): RoomActor => ({ accid, clientType: 'REST' })
const described = ({ row }: Room) => ({
  roomid: row.roomid,
  valid: row.valid === 1,
  ...roomFields(row),
  creator: row.creator,
})

/** Handlers of the operations on rooms and members (3-chatrooms Endpoints). */
export function roomOperations(options: {
  readonly context: Pick<RoomContext, 'must'>
  readonly settings: RoomSettings
  readonly members: RoomMembers
  readonly lists: RoomLists
}): Served[] {
  const { context, settings, members, lists } = options
  return [
    serve(chatrooms.create, async ({ creator, ...fields }, { application: { uid } }) => ({
      chatroom: described(await settings.create(uid, creator, fields)),
    })),
    serve(chatrooms.get, ({ roomid, needOnlineUserCount }, { application: { uid } }) => {
      const room = context.must(uid, roomid, 404)
      return {
        chatroom: {
          ...described(room),
          muted: room.row.muted === 1,
          ...(needOnlineUserCount && { onlineusercount: onlineCount(room) }),
        },
      }
    }),
    serve(chatrooms.update, async ({ roomid, needNotify, notifyExt, ...fields }, { application: { uid } }) => ({
      chatroom: described(await settings.update(uid, roomid, fields, { needNotify, notifyExt })),
    })),
    serve(chatrooms.toggleCloseStat, async ({ roomid, operator, valid }, { application: { uid } }) => ({
      desc: described(await settings.setOpen(uid, roomid, byApi(operator), valid)),
    })),
    serve(
      chatrooms.setMemberRole,
      async ({ roomid, operator, target, opt, optvalue, notifyExt }, { application: { uid } }) => {
        const role = await members.setRole(uid, roomid, {
          operator: byApi(operator),
          target,
          option: opt as RoleOption,
          on: optvalue,
          notifyExt,
        })
        return { desc: { roomid, level: 0, accid: target, type: roleNames[role] } }
      },
    ),
    serve(
      chatrooms.temporaryMute,
      async ({ roomid, operator, target, muteDuration, needNotify, notifyExt }, { application: { uid } }) => {
        await members.muteForAWhile(uid, roomid, {
          operator: byApi(operator),
          target,
          seconds: muteDuration,
          needNotify,
          notifyExt,
        })
        return { desc: { muteDuration } }
      },
    ),
    serve(chatrooms.muteRoom, async ({ roomid, operator, mute, needNotify, notifyExt }, { application: { uid } }) => {
      await settings.setMuted(uid, roomid, byApi(operator), mute, { needNotify, notifyExt })
      return { desc: { success: true } }
    }),
    serve(chatrooms.membersByPage, ({ roomid, type, endtime, limit }, { application: { uid } }) => ({
      desc: { data: lists.page(context.must(uid, roomid, 414), type as MemberKind, endtime, limit) },
    })),
    serve(chatrooms.queryMembers, ({ roomid, accids }, { application: { uid } }) => ({
      desc: { data: lists.online(context.must(uid, roomid, 414), accids) },
    })),
  ]
}
