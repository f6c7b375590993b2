import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import type { AppEvent, KeptAside, ServiceState } from '../../../contract/rpc/index.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { useServices } from '../../data/services.ts'

/** A copy of the main database. */
export type DatabaseCopy = NonNullable<ServiceState['database']>['copies'][number]

/** What a person asked to become of the main database: a copy in its place, or null for a new one. */
export interface Recovery {
  readonly copy: DatabaseCopy | null
  /** `failed`: the service stopped again, or could not be asked, for which there is a failure. */
  readonly phase: 'running' | 'failed'
  readonly failure: Failure | null
}

/** What was set aside instead of being deleted, and recovery of the main database. */
export const useKeeping = defineStore('keeping', () => {
  const { rpc } = useServices()
  /** Newest first; null until it was told. */
  const kept = shallowRef<KeptAside | null>(null)
  const recovery = shallowRef<Recovery | null>(null)
  /** What nobody was told of yet. */
  const unseen = computed(() => {
    const entries = kept.value?.entries.filter(({ seen }) => !seen) ?? []
    return { count: entries.length, bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0) }
  })

  return {
    kept,
    recovery,
    unseen,
    /** Puts a copy in the place of the main database, or begins a new one with null; `recovery` has the outcome. */
    recover: async (copy: DatabaseCopy | null): Promise<void> => {
      recovery.value = { copy, phase: 'running', failure: null }
      try {
        await rpc.app.recoverDatabase({ copy: copy?.name ?? null })
      } catch (error) {
        recovery.value = { copy, phase: 'failed', failure: failureOf(error) }
      }
    },
    /** Reads all of it again. */
    read: async (): Promise<void> => {
      kept.value = await rpc.keeping.list()
    },
    apply: (event: AppEvent): void => {
      if (event.type === 'setAside') kept.value = event.kept
      if (event.type !== 'service' || recovery.value?.phase !== 'running') return
      // Between the call and its outcome the service is restarting.
      if (event.service.phase === 'running') recovery.value = null
      else if (event.service.phase === 'stopped') recovery.value = { ...recovery.value, phase: 'failed' }
    },
  }
})
