import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import type { AppEvent, KeptAside, ServiceState } from '../../../contract/rpc/index.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { useServices } from '../../data/services.ts'

/** A copy of the main database. */
export type DatabaseCopy = NonNullable<ServiceState['database']>['copies'][number]

/** From a copy, or null for a new database. */
export interface Recovery {
  readonly copy: DatabaseCopy | null
  /** `failed`: the service stopped again, or the call failed with `failure`. */
  readonly phase: 'running' | 'failed'
  readonly failure: Failure | null
}

/** The quarantine, and recovery of the main database. */
export const useKeeping = defineStore('keeping', () => {
  const { rpc } = useServices()
  /** Newest first; null until read. */
  const kept = shallowRef<KeptAside | null>(null)
  const recovery = shallowRef<Recovery | null>(null)
  const unseen = computed(() => {
    const entries = kept.value?.entries.filter(({ seen }) => !seen) ?? []
    return { count: entries.length, bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0) }
  })

  return {
    kept,
    recovery,
    unseen,
    /** Null: a new database. `recovery` has the result. */
    recover: async (copy: DatabaseCopy | null): Promise<void> => {
      recovery.value = { copy, phase: 'running', failure: null }
      try {
        await rpc.app.recoverDatabase({ copy: copy?.name ?? null })
      } catch (error) {
        recovery.value = { copy, phase: 'failed', failure: failureOf(error) }
      }
    },
    read: async (): Promise<void> => {
      kept.value = await rpc.keeping.list()
    },
    apply: (event: AppEvent): void => {
      if (event.type === 'setAside') kept.value = event.kept
      if (event.type !== 'service' || recovery.value?.phase !== 'running') return
      // Until `running` or `stopped`, the service is restarting.
      if (event.service.phase === 'running') recovery.value = null
      else if (event.service.phase === 'stopped') recovery.value = { ...recovery.value, phase: 'failed' }
    },
  }
})
