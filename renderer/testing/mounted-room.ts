import type { Component } from 'vue'
import type { RoomPanel } from '../../contract/rpc/index.ts'
import { useRoom } from '../features/rooms/room.ts'
import type { Answers } from './memory-client.ts'
import { mounted, type Mounted, type MountOptions } from './mounted.ts'
import { roomAction, roomPanel } from './room-values.ts'

/** An empty page of a list of the service. */
export const emptyPage = { ret: { list: [], more: false } }

/** A member of room 7 who is inside; by their role, 0 ordinary. */
export const roomMember = (accid: string, type = 0) => ({ roomid: 7, accid, nick: accid, type, onlineStat: true })

/** Answers of room 7 with nobody in it, in which every measure is carried out. */
export const quietRoom: Answers = {
  'rooms.act': ({ measure }) => ({ action: roomAction(measure), taken: null }),
  'rooms.actions': () => [],
  'rooms.note': () => ({ text: '' }),
  'rooms.history': () => emptyPage,
  'rooms.list': () => ({ complete: true, rooms: [], next: null }),
  'operations.queue.list': () => ({ desc: { list: [] } }),
  'operations.chatrooms.membersByPage': () => ({ desc: { data: [] } }),
  'operations.chatrooms.queryMembers': ({ call }) => ({
    desc: { data: (call.accids as string[]).map((accid) => roomMember(accid)) },
  }),
  'operations.local.muted': () => emptyPage,
  'operations.local.blacklisted': () => emptyPage,
  'operations.local.held': () => emptyPage,
}

/** Shows a component in a page whose room is room 7, which the account `host` made and sits in. */
export const mountedRoom = (
  component: Component,
  options: MountOptions & { readonly panel?: Partial<RoomPanel> } = {},
): Promise<Mounted> =>
  mounted(component, {
    path: '/room',
    ...options,
    answers: { ...quietRoom, ...options.answers },
    before: (pinia) => {
      const room = useRoom(pinia)
      room.rooms = [{ roomid: 7, name: 'Seven', creator: 'host', valid: true, online: 1, cid: null }]
      room.roomid = 7
      room.apply({ type: 'room', panel: roomPanel(options.panel) })
      options.before?.(pinia)
    },
  })
