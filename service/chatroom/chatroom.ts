import type { Served } from '../http/dispatch.ts'
import { createRoomLists } from './room-lists.ts'
import { createRoomMembers } from './room-members.ts'
import { roomOperations } from './room-operations.ts'
import { createRoomOrder } from './room-order.ts'
import { queueOperations } from './room-queue.ts'
import { robotOperations } from './room-robots.ts'
import { createRoomWork, type RoomWorkOptions } from './room-work.ts'
import { createRoomRegistry } from './rooms-registry.ts'
import { loadRooms } from './rooms-store.ts'

/** What chatrooms are made of. */
export interface ChatroomOptions extends Omit<RoomWorkOptions, 'registry'> {
  /** Root of the media listener as it is reached now. */
  readonly mediaRoot: () => string
}

/** Chatrooms of every application. */
export interface Chatroom {
  readonly operations: readonly Served[]
}

/** Builds the chatrooms in the order of dependence; rejects when the store is broken. */
export async function createChatroom(options: ChatroomOptions): Promise<Chatroom> {
  const { db, accounts, clock } = options
  const registry = createRoomRegistry(await loadRooms(db), clock)
  const work = createRoomWork({ ...options, registry })
  const order = createRoomOrder(work)
  const members = createRoomMembers(work)
  const lists = createRoomLists((uid, accid) => accounts.find(uid, accid), clock)
  return { operations: [...roomOperations({ work, order, members, lists }), ...queueOperations(work), ...robotOperations(work)] }
}
