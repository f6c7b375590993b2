import { defineStore } from 'pinia'
import { shallowReactive, watch } from 'vue'
import { inBackground } from '../../background.ts'
import type { ViewerChat } from '../../../contract/rpc/index.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { useServices } from '../../data/services.ts'
import { useRoomLink } from './room-link.ts'
import { useRoom } from './room.ts'

/** Chat for viewers of channels, as one switch. */
export const useViewerChat = defineStore('viewerChat', () => {
  const { rpc } = useServices()
  const room = useRoom()
  const link = useRoomLink()
  const chats = shallowReactive(new Map<string, ViewerChat>())
  const failures = shallowReactive(new Map<string, { readonly of: 'read' | 'switch'; readonly failure: Failure }>())
  /** What is being switched, to what. */
  const wanted = shallowReactive(new Map<string, boolean>())
  const keyOf = (profileId: string, cid: string): string => `${profileId} ${cid}`

  /** The answer; undefined on failure. */
  const asked = async (
    key: string,
    of: 'read' | 'switch',
    ask: () => Promise<ViewerChat>,
  ): Promise<ViewerChat | undefined> => {
    try {
      const chat = await ask()
      chats.set(key, chat)
      // That it could be read says nothing of a switch that failed.
      if (of === 'switch' || failures.get(key)?.of === 'read') failures.delete(key)
      return chat
    } catch (error) {
      failures.set(key, { of, failure: failureOf(error) })
      return undefined
    }
  }
  const read = (profileId: string, cid: string): Promise<ViewerChat | undefined> =>
    asked(keyOf(profileId, cid), 'read', () => rpc.rooms.chat({ profileId, cid }))
  /** The link and the app's seat follow what was switched, here or in another window. */
  const follow = async (profileId: string, cid: string, chat: ViewerChat | undefined): Promise<void> => {
    await link.read(profileId, cid)
    const roomid = chat?.on ? chat.roomid : null
    if (roomid === null || profileId !== room.profileId) return
    if (room.rooms !== null && !room.rooms.some((one) => one.roomid === roomid)) await room.readRooms()
    if (room.roomid === roomid) await room.open(roomid)
  }

  watch(
    () => room.switched,
    (told) => {
      // Who switched it follows the answer.
      if (!told || wanted.has(keyOf(told.profileId, told.cid))) return
      const { profileId, cid } = told
      inBackground(read(profileId, cid).then((chat) => follow(profileId, cid, chat)))
    },
  )

  return {
    /** Undefined while unknown. */
    chatOf: (profileId: string, cid: string): ViewerChat | undefined => chats.get(keyOf(profileId, cid)),
    failureOf: (profileId: string, cid: string): Failure | null => failures.get(keyOf(profileId, cid))?.failure ?? null,
    /** What it is being switched to; null for nothing. */
    wantedOf: (profileId: string, cid: string): boolean | null => wanted.get(keyOf(profileId, cid)) ?? null,
    read,
    /** False on failure, and while it is being switched. */
    switchTo: async (profileId: string, cid: string, on: boolean): Promise<boolean> => {
      const key = keyOf(profileId, cid)
      if (wanted.has(key)) return false
      wanted.set(key, on)
      try {
        const chat = await asked(key, 'switch', () => rpc.rooms.switchChat({ profileId, cid, on }))
        await follow(profileId, cid, chat)
        return chat !== undefined
      } finally {
        wanted.delete(key)
      }
    },
  }
})
