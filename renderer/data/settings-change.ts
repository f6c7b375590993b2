import { computed } from 'vue'
import type { Settings } from '../../contract/rpc/state.ts'
import { useCompanion } from './companion.ts'
import { useServices } from './services.ts'
import { useTask } from './task.ts'

/** One change at a time; `change` resolves with whether it was stored. */
export function useSettingsChange() {
  const { rpc } = useServices()
  const companion = useCompanion()
  const { busy, failure, run } = useTask()
  return {
    busy: computed(() => busy.value !== null),
    failure,
    change: (settings: Partial<Settings>): Promise<boolean> =>
      run('change', async () => {
        companion.settings = await rpc.app.changeSettings(settings)
      }),
  }
}
