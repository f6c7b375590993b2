import { ref } from 'vue'
import type { SettingsPlan } from '../../../contract/rpc/index.ts'
import { readLayout, writeLayout } from '../../ui/layout.ts'
import { saveFile } from '../../ui/saved-file.ts'
import { useTask } from '../../data/task.ts'
import { useServices } from '../../data/services.ts'

/** Maximum bytes of a file; real ones have a few thousand. */
const maxText = 100_000

const saveAs = (name: string, text: string): void => saveFile(new Blob([text], { type: 'application/json' }), name)

/** Export, import and reset of the app's settings. */
export function useSettingsExchange(save: (name: string, text: string) => void = saveAs) {
  const { rpc, memory } = useServices()
  const { busy, failure, run } = useTask()
  const plan = ref<SettingsPlan | null>(null)
  const done = ref<{
    readonly what: 'exported' | 'applied' | 'resetDone'
    readonly name: string
    readonly secretNeeded: boolean
  } | null>(null)
  const tooLarge = ref(false)
  const begin = (name: string, work: () => Promise<void>): Promise<boolean> => {
    done.value = null
    tooLarge.value = false
    return run(name, work)
  }
  return {
    busy,
    failure,
    plan,
    done,
    tooLarge,
    write: (): Promise<boolean> =>
      begin('export', async () => {
        const { name, text } = await rpc.computer.exportSettings({ layout: readLayout(memory) })
        save(name, text)
        done.value = { what: 'exported', name, secretNeeded: false }
      }),
    read: (file: Blob): Promise<boolean> =>
      begin('read', async () => {
        plan.value = null
        tooLarge.value = file.size > maxText
        if (!tooLarge.value)
          plan.value = await rpc.computer.readSettings({ text: await file.text(), layout: readLayout(memory) })
      }),
    apply: (): Promise<boolean> =>
      begin('apply', async () => {
        const now = plan.value
        if (!now?.handle) return
        const { layout } = await rpc.computer.importSettings({ handle: now.handle })
        writeLayout(memory, layout)
        plan.value = null
        done.value = {
          what: 'applied',
          name: '',
          secretNeeded: now.changes.some(({ part, before }) => part === 'profiles' && before === null),
        }
      }),
    reset: (): Promise<boolean> =>
      begin('reset', async () => {
        await rpc.computer.resetSettings()
        done.value = { what: 'resetDone', name: '', secretNeeded: false }
      }),
    leave: (): void => {
      plan.value = null
    },
  }
}
