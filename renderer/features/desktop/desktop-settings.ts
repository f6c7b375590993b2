import { defineStore } from 'pinia'
import { computed } from 'vue'
import type { GlobalCommand, NoticeKind } from '../../../contract/rpc/desktop.ts'
import type { Settings } from '../../../contract/rpc/state.ts'
import { useCompanion } from '../../data/companion.ts'
import { useSettingsChange } from '../../data/settings-change.ts'

/** Commands that a key may have from other windows, in their order. */
export const globalCommands = ['panic', 'record', 'show'] as const satisfies readonly GlobalCommand[]
/** Kinds of notifications, in their order. */
export const noticeKinds = [
  'onAir',
  'pushLost',
  'recordingStopped',
  'diskLow',
  'signInFailed',
] as const satisfies readonly NoticeKind[]

/** What the app does outside its windows, and what the system made of it. */
export const useDesktopSettings = defineStore('desktopSettings', () => {
  const companion = useCompanion()
  const { busy, failure, change } = useSettingsChange()
  const keys = computed<Settings['globalKeys']>(() => companion.settings?.globalKeys ?? {})

  return {
    busy,
    failure,
    keys,
    change,
    isMac: computed(() => companion.about?.platform === 'darwin'),
    /** Whether the system gives the key of a command; null while that is not known, or it has none. */
    stateOf: (command: GlobalCommand): 'registered' | 'taken' | null =>
      companion.desktop?.keys.find((each) => each.command === command && each.key === keys.value[command])?.state ??
      null,
    /** Gives a command a key, or none. False when another one has it, or it could not be kept. */
    bind: async (command: GlobalCommand, key: string | null): Promise<boolean> => {
      const { [command]: _, ...others } = keys.value
      if (key !== null && Object.values(others).includes(key)) return false
      return change({ globalKeys: key === null ? others : { ...others, [command]: key } })
    },
    /** Shows a kind of notification, or no longer. */
    notify: (kind: NoticeKind, on: boolean): Promise<boolean> => {
      const now = companion.settings?.notices ?? []
      return change({ notices: noticeKinds.filter((each) => (each === kind ? on : now.includes(each))) })
    },
  }
})
