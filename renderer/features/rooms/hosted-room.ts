import { defineStore } from 'pinia'
import { computed, watch } from 'vue'
import { useCompanion } from '../../data/companion.ts'
import { useRoom } from './room.ts'
import { useServices } from '../../data/services.ts'
import { useTask } from '../../data/task.ts'

/** How lines of a hosted room come in at present. */
export type CopiesState = 'off' | 'failed' | 'waiting' | 'receiving' | 'stale'

/** After so long without a copy, in ms, it is said that none came. */
export const staleAfter = 600_000
/** How often a page says that it still shows the room, in ms; the companion stops reading it a minute after the last time. */
export const lookEvery = 20_000

/** The room of a hosted profile that is shown: where its lines come from, and how that is set up. */
export const useHostedRoom = defineStore('hostedRoom', () => {
  const { rpc, now } = useServices()
  const companion = useCompanion()
  const room = useRoom()
  const { busy, failure, run, drop } = useTask()
  let lookedAt = 0
  const copies = computed(() => room.desk?.copies ?? null)
  /** Time in ms since the last copy of the room. */
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
    /** Says that the room is still being shown; whoever shows it calls this once a second. */
    look: async (): Promise<void> => {
      const { profileId, roomid } = room
      if (copies.value === null || roomid === null || now() - lookedAt < lookEvery) return
      lookedAt = now()
      // Without a line there is nobody to tell, and it is told again soon.
      await rpc.rooms.enter({ profileId, roomid, renew: false }).catch(() => undefined)
    },
    /** Starts the receiver where it listened last. */
    start: async (): Promise<void> => {
      const { profileId } = room
      await run('start', async () => {
        const { host, port } = await rpc.copies.state({ profileId })
        await rpc.copies.start({ profileId, host, port })
      })
    },
  }
})
