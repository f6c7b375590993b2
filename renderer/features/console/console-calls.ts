import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'
import type { ApiCall } from '../../../contract/rpc/index.ts'
import type { FormValues } from './api-console.ts'

/** A call and the input of its form. */
export interface PastCall {
  readonly id: number
  readonly call: ApiCall
  readonly values: FormValues
}

const maxPast = 50

/** Forms and calls of this visit. */
export const useConsoleCalls = defineStore('console-calls', () => {
  const forms = ref(new Map<string, FormValues>())
  const past = shallowRef<readonly PastCall[]>([])
  const lastPath = ref<string | null>(null)
  let count = 0
  return {
    forms,
    past,
    lastPath,
    note(call: ApiCall, values: FormValues): void {
      past.value = [{ id: ++count, call, values }, ...past.value].slice(0, maxPast)
    },
  }
})
