import { computed, ref, shallowRef, type ComputedRef } from 'vue'
import type { ListedRoom } from '../../../contract/rpc/index.ts'
import type { Services } from '../../data/services.ts'
import type { RoomTries } from './room-tries.ts'

const maxRoomPages = 50
const place = (profileId: string): string => `sidestage.room.${profileId}`

/** The rooms of a profile, and the one shown last. */
export function createRoomList({
  rpc,
  memory,
  profileId,
  trying,
}: Pick<Services, 'rpc' | 'memory'> & Pick<RoomTries, 'trying'> & { readonly profileId: ComputedRef<string> }) {
  const rooms = shallowRef<readonly ListedRoom[] | null>(null)
  /** Cursor; null at the end. */
  const nextRooms = ref<number | null>(null)
  const kept = (): number => Number(memory.read(place(profileId.value)) ?? '')

  /** Reads pages until `wanted` is found, by default the room shown last. */
  const read = (wanted = kept()): Promise<boolean> =>
    trying('rooms', async () => {
      const profile = profileId.value
      const list: ListedRoom[] = []
      let next: number | null = null
      for (let page = 0; page < maxRoomPages; page++) {
        const part = await rpc.rooms.list({ profileId: profile, ...(next === null ? {} : { before: next }) })
        if (profile !== profileId.value) return
        list.push(...part.rooms)
        next = part.next
        if (next === null || !(wanted > 0) || list.some((room) => room.roomid === wanted)) break
      }
      rooms.value = list
      nextRooms.value = next
    })
  const more = (): Promise<boolean> =>
    trying('more rooms', async () => {
      const [profile, before, had] = [profileId.value, nextRooms.value, rooms.value]
      if (before === null || had === null) return
      const { rooms: list, next } = await rpc.rooms.list({ profileId: profile, before })
      // The list was read again meanwhile.
      if (profile !== profileId.value || had !== rooms.value) return
      rooms.value = [...had, ...list]
      nextRooms.value = next
    })

  return {
    rooms,
    read,
    hasMore: computed(() => nextRooms.value !== null),
    more,
    clear(): void {
      rooms.value = null
      nextRooms.value = null
    },
    remember: (id: number): void => memory.write(place(profileId.value), String(id)),
    remembered: (): number | null => {
      const last = kept()
      // There is no list while the service is down.
      if (rooms.value === null) return last > 0 ? last : null
      return rooms.value.find((room) => room.roomid === last)?.roomid ?? rooms.value[0]?.roomid ?? null
    },
  }
}
