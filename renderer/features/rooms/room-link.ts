import { defineStore } from 'pinia'
import { computed, shallowReactive, shallowRef, watch } from 'vue'
import { watchPath } from '../../../contract/watch.ts'
import type { ListedRoom } from '../../../contract/rpc/index.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { useCompanion } from '../../data/companion.ts'
import { useOutside } from '../../ui/outside.ts'
import { useRoom } from './room.ts'
import { useServices } from '../../data/services.ts'

/** Links between rooms and channels of all profiles; one to one. */
export const useRoomLink = defineStore('roomLink', () => {
  const { rpc } = useServices()
  const companion = useCompanion()
  const outside = useOutside()
  const room = useRoom()
  const byChannel = shallowReactive(new Map<string, number | null>())
  const failures = shallowReactive(new Map<string, Failure>())
  const rooms = shallowRef<{
    readonly profileId: string
    readonly list: readonly ListedRoom[]
    readonly next: number | null
  } | null>(null)
  const keyOf = (profileId: string, cid: string): string => `${profileId} ${cid}`
  const media = computed(() =>
    companion.local
      ? (companion.service?.addresses?.publicMedia ?? companion.service?.addresses?.media ?? null)
      : (companion.profile?.media ?? null),
  )

  const trying = async (key: string, work: () => Promise<void>): Promise<boolean> => {
    try {
      await work()
      failures.delete(key)
      return true
    } catch (error) {
      failures.set(key, failureOf(error))
      return false
    }
  }
  const read = (profileId: string, cid: string): Promise<boolean> =>
    trying(keyOf(profileId, cid), async () => {
      byChannel.set(keyOf(profileId, cid), (await rpc.rooms.linked({ profileId, cid })).roomid)
    })
  const readRooms = (profileId: string, more = false): Promise<boolean> =>
    trying(profileId, async () => {
      const before = more && rooms.value?.profileId === profileId ? rooms.value : null
      const { rooms: list, next } = await rpc.rooms.list({
        profileId,
        ...(before && before.next !== null && { before: before.next }),
      })
      rooms.value = { profileId, list: [...(before?.list ?? []), ...list], next }
    })
  // A restarted service or another window may have other links.
  watch(
    () => companion.fault === null,
    () => {
      byChannel.clear()
    },
  )

  return {
    rooms,
    /** Of the last call for a channel, or for the list of rooms. */
    failureOf: (profileId: string, cid?: string): Failure | null =>
      failures.get(cid === undefined ? profileId : keyOf(profileId, cid)) ?? null,
    /** Null for none, undefined while unknown. */
    roomOf: (profileId: string, cid: string): number | null | undefined => byChannel.get(keyOf(profileId, cid)),
    listed: (profileId: string, roomid: number): ListedRoom | undefined =>
      (rooms.value?.profileId === profileId ? rooms.value.list : (room.rooms ?? [])).find(
        (one) => one.roomid === roomid,
      ),
    read,
    readRooms,
    /** Links a room to a channel; null unlinks. False on failure. */
    link: (profileId: string, cid: string, roomid: number | null): Promise<boolean> =>
      trying(keyOf(profileId, cid), async () => {
        await rpc.rooms.link({ profileId, cid, roomid })
        for (const [key, one] of byChannel)
          if (one === roomid && key.startsWith(`${profileId} `)) byChannel.set(key, null)
        byChannel.set(keyOf(profileId, cid), roomid)
        await Promise.all([readRooms(profileId), ...(room.rooms === null ? [] : [room.readRooms()])])
      }),
    /** Null where the service has none, and while it is down. */
    watchAddress: (cid: string): string | null =>
      companion.extended && media.value !== null ? `${media.value}${watchPath}${cid}` : null,
    openWatchPage: (cid: string): Promise<boolean> =>
      trying(keyOf(room.profileId, cid), async () => {
        if (media.value !== null) await outside.open(`${media.value}${watchPath}${cid}`)
      }),
  }
})
