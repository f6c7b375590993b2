import { computed, ref } from 'vue'
import type { ServiceChange } from '../../../contract/rpc/index.ts'
import { useTask } from '../../data/task.ts'

/** Restarts the service; requires confirmation while a channel is on air. */
export function useServiceChange(call: (evenOnAir: boolean) => Promise<ServiceChange>) {
  const { busy, failure, run } = useTask()
  const asking = ref(false)
  const outcome = ref<ServiceChange | null>(null)
  const carryOut = async (evenOnAir: boolean): Promise<void> => {
    outcome.value = null
    await run('change', async () => {
      const answer = await call(evenOnAir)
      asking.value = answer.outcome === 'onAir' && !evenOnAir
      if (!asking.value) outcome.value = answer
    })
    if (failure.value) asking.value = false
  }
  return {
    asking,
    outcome,
    failure,
    busy: computed(() => busy.value !== null),
    forget: (): void => {
      outcome.value = null
    },
    ask: (): Promise<void> => carryOut(false),
    confirm: (): Promise<void> => carryOut(true),
  }
}
