import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'
import type { ApiCall } from '../../../contract/rpc/index.ts'
import type { FormValues } from './api-console.ts'

/** A call of this visit with the values that its form had. */
export interface PastCall {
  readonly id: number
  readonly call: ApiCall
  readonly values: FormValues
}

const maxPast = 50

/** What the console keeps while the page is open: forms as they were left, and the calls made. */
export const useConsoleCalls = defineStore('console-calls', () => {
  const forms = ref(new Map<string, FormValues>())
  const past = shallowRef<readonly PastCall[]>([])
  const lastPath = ref<string | null>(null)
  let count = 0
  return {
    forms,
    past,
    lastPath,
    /** Notes a call; the oldest beyond 50 go. */
    note(call: ApiCall, values: FormValues): void {
      past.value = [{ id: ++count, call, values }, ...past.value].slice(0, maxPast)
    },
  }
})
