import { defineStore } from 'pinia'
import { computed } from 'vue'
import type { GlobalCommand, NoticeKind } from '../../../contract/rpc/desktop.ts'
import type { Settings } from '../../../contract/rpc/state.ts'
import { useCompanion } from '../../data/companion.ts'
import { useSettingsChange } from '../../data/settings-change.ts'

/** Commands with global keys, in order. */
export const globalCommands = ['panic', 'record', 'show'] as const satisfies readonly GlobalCommand[]
/** Kinds of notifications, in order. */
export const noticeKinds = [
  'onAir',
  'pushLost',
  'recordingStopped',
  'diskLow',
  'signInFailed',
] as const satisfies readonly NoticeKind[]

/** Settings of the desktop integration and their state in the system. */
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
    /** Null if unknown or without a key. */
    stateOf: (command: GlobalCommand): 'registered' | 'taken' | null =>
      companion.desktop?.keys.find((each) => each.command === command && each.key === keys.value[command])?.state ??
      null,
    /** False if the key is in use or could not be stored. */
    bind: async (command: GlobalCommand, key: string | null): Promise<boolean> => {
      const { [command]: _, ...others } = keys.value
      if (key !== null && Object.values(others).includes(key)) return false
      return change({ globalKeys: key === null ? others : { ...others, [command]: key } })
    },
    notify: (kind: NoticeKind, on: boolean): Promise<boolean> => {
      const now = companion.settings?.notices ?? []
      return change({ notices: noticeKinds.filter((each) => (each === kind ? on : now.includes(each))) })
    },
  }
})
