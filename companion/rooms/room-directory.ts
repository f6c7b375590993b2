import { chatrooms, local } from '../../contract/operations/index.ts'
import type { Answer } from '../../contract/operation.ts'
import type { ListedRoom, RpcInputs } from '../../contract/rpc/index.ts'
import { existingAccounts } from '../client/accounts.ts'
import { callsOf, type Client } from '../client/client.ts'
import { readPages } from '../client/pages.ts'
import type { Messaging } from '../messaging/messaging.ts'
import type { IsExtended } from '../profiles/profiles.ts'
import type { KnownRoom, KnownRooms } from './known-rooms.ts'

/** Rooms, their creators and linked channels. Throws Failure. */
export type RoomDirectory = ReturnType<typeof createRoomDirectory>

type Input = RpcInputs['rooms']
type Chatroom = Answer<typeof chatrooms.get>['chatroom']

const pageSize = 100
/** Of rooms, when one is looked for by its creator. */
const maxPages = 100

const listedRoom = (room: Answer<typeof local.rooms>['ret']['list'][number]): ListedRoom => {
  const { roomid, name, creator, valid, online, cid } = room
  return { roomid, name, creator, valid, online, cid: cid ?? null }
}

/** Makes the directory. */
export function createRoomDirectory(ports: {
  readonly client: (profileId: string) => Promise<Client>
  readonly known: KnownRooms
  readonly accounts: Pick<Messaging, 'createAccount'>
  readonly isExtended: IsExtended
  /** The app's account in a room that it entered over the link. */
  readonly accidIn: (profileId: string, roomid: number) => string | undefined
}) {
  const { client, isExtended, known, accounts: ownAccounts, accidIn } = ports
  const call = callsOf(client)
  const read = async (profileId: string, roomid: number, needOnlineUserCount: boolean): Promise<Chatroom> =>
    (await call(profileId, chatrooms.get, { roomid, needOnlineUserCount })).chatroom
  const knownRoom = (profileId: string, { roomid, name, creator }: Omit<KnownRoom, 'profileId'>): ListedRoom => ({
    roomid,
    name,
    creator,
    valid: null,
    online: null,
    cid: known.channelOf(profileId, roomid) ?? null,
  })
  const creators = new Map<string, string>()
  const creatorOf = async (profileId: string, roomid: number): Promise<string> => {
    const key = `${profileId} ${roomid}`
    const creator = creators.get(key) ?? (await read(profileId, roomid, false)).creator
    creators.set(key, creator)
    return creator
  }
  /** Without asking; empty if unknown. */
  const knownCreator = (profileId: string, roomid: number): string =>
    (isExtended(profileId)
      ? accidIn(profileId, roomid)
      : known.rooms(profileId).find((room) => room.roomid === roomid)?.creator) ?? ''
  const madeOnDemand = async (profileId: string, accid: string): Promise<void> => {
    const found = await existingAccounts(await client(profileId), [accid])
    if (found.length === 0) await ownAccounts.createAccount(profileId, { accid }, 'own')
  }

  const list = async (
    profileId: string,
    before: number | undefined,
  ): Promise<{ complete: boolean; rooms: ListedRoom[]; next: number | null }> => {
    if (!isExtended(profileId))
      return { complete: false, next: null, rooms: known.rooms(profileId).map((room) => knownRoom(profileId, room)) }
    const { ret } = await call(profileId, local.rooms, {
      limit: pageSize,
      ...(before === undefined ? {} : { before }),
    })
    return {
      complete: true,
      next: ret.list.length === pageSize ? (ret.list.at(-1)?.created ?? null) : null,
      rooms: ret.list.map(listedRoom),
    }
  }

  return {
    read,
    creator: creatorOf,
    /** Empty if unknown. */
    creatorAsKnown: (profileId: string, roomid: number): Promise<string> =>
      creatorOf(profileId, roomid).catch(() => knownCreator(profileId, roomid)),
    list,
    find: async (profileId: string, roomid: number): Promise<ListedRoom | undefined> => {
      if (!isExtended(profileId)) {
        const room = known.rooms(profileId).find((each) => each.roomid === roomid)
        return room && knownRoom(profileId, room)
      }
      const [room] = (await call(profileId, local.roomDetails, { roomidList: [roomid] })).ret.list
      return room && listedRoom(room)
    },
    /** The oldest room of a creator that no channel but `cid` has; on a hosted profile of those made or added here. */
    ofCreator: async (profileId: string, creator: string, cid: string): Promise<ListedRoom | undefined> => {
      const isTheirs = (room: ListedRoom): boolean => room.creator === creator && (room.cid ?? cid) === cid
      if (!isExtended(profileId))
        return known
          .rooms(profileId)
          .map((room) => knownRoom(profileId, room))
          .findLast(isTheirs)
      let oldest: ListedRoom | undefined
      await readPages({
        most: maxPages,
        read: (before: number | undefined) => list(profileId, before),
        look: ({ rooms, next }) => {
          oldest = rooms.findLast(isTheirs) ?? oldest
          return next === null ? { answer: null } : { next }
        },
      })
      return oldest
    },
    create: async ({ profileId, accid, name, announcement }: Input['create']): Promise<{ roomid: number }> => {
      if (isExtended(profileId)) await madeOnDemand(profileId, accid)
      const { chatroom } = await call(profileId, chatrooms.create, {
        creator: accid,
        name,
        ...(announcement === '' ? {} : { announcement }),
      })
      if (!isExtended(profileId)) await known.noteRoom({ profileId, roomid: chatroom.roomid, name, creator: accid })
      return { roomid: chatroom.roomid }
    },
    add: async ({ profileId, roomid }: Input['add']): Promise<ListedRoom> => {
      const { name, creator, valid, onlineusercount } = await read(profileId, roomid, true)
      if (!isExtended(profileId)) await known.noteRoom({ profileId, roomid, name, creator })
      return { ...knownRoom(profileId, { roomid, name, creator }), valid, online: onlineusercount ?? null }
    },
    linked: async ({ profileId, cid }: Input['linked']): Promise<{ roomid: number | null }> => {
      if (!isExtended(profileId)) return { roomid: known.linked(profileId, cid) ?? null }
      return { roomid: (await call(profileId, local.linkedRoom, { cid })).ret.roomid ?? null }
    },
    link: async (profileId: string, cid: string, roomid: number | null) => {
      if (!isExtended(profileId)) return known.link(profileId, cid, roomid)
      await call(profileId, local.linkRoom, { cid, ...(roomid === null ? {} : { roomid }) })
    },
  }
}
