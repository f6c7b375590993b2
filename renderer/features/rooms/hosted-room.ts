import { defineStore } from 'pinia'
import { computed, watch } from 'vue'
import { useCompanion } from '../../data/companion.ts'
import { useRoom } from './room.ts'
import { useServices } from '../../data/services.ts'
import { useTask } from '../../data/task.ts'

type CopiesState = 'off' | 'failed' | 'waiting' | 'receiving' | 'stale'

/** Age of the last copy in ms from which the state is `stale`. */
export const staleAfter = 600_000
/** Interval of `look` in ms; without it the companion stops reading after a minute. */
export const lookEvery = 20_000

/** The source of lines in a room of a hosted profile. */
export const useHostedRoom = defineStore('hostedRoom', () => {
  const { rpc, now } = useServices()
  const companion = useCompanion()
  const room = useRoom()
  const { busy, failure, run, drop } = useTask()
  let lookedAt = 0
  const copies = computed(() => room.panel?.copies ?? null)
  /** ms since the last copy. */
  const age = computed(() =>
    copies.value === null || copies.value.lastAt === null ? null : Math.max(0, companion.clock - copies.value.lastAt),
  )
  const state = computed<CopiesState | null>(() => {
    if (copies.value === null) return null
    if (copies.value.receiver !== 'listening') return copies.value.receiver
    if (age.value === null) return 'waiting'
    return age.value > staleAfter ? 'stale' : 'receiving'
  })
  watch(
    () => [room.profileId, room.roomid],
    () => {
      drop()
      lookedAt = now()
    },
    { immediate: true },
  )

  return {
    copies,
    age,
    state,
    busy: computed(() => busy.value !== null),
    failure,
    /** Call once a second while the room is shown. */
    look: async (): Promise<void> => {
      const { profileId, roomid } = room
      if (copies.value === null || roomid === null || now() - lookedAt < lookEvery) return
      lookedAt = now()
      // The next call tries again.
      await rpc.rooms.enter({ profileId, roomid, renew: false }).catch(() => undefined)
    },
    /** Starts the receiver on its last address. */
    start: async (): Promise<void> => {
      const { profileId } = room
      await run('start', async () => {
        const { host, port } = await rpc.copies.state({ profileId })
        await rpc.copies.start({ profileId, host, port })
      })
    },
  }
})
