import { defineStore } from 'pinia'
import { computed } from 'vue'
import { useCompanion } from '../../data/companion.ts'
import {
  bindingsOf,
  capOf,
  hinders,
  keptOf,
  keysOf,
  usualKeys,
  type CommandName,
  type RoomKeys,
} from './room-commands.ts'
import { usualPresets } from './room-presets.ts'
import { useSettingsChange } from '../../data/settings-change.ts'

/** What a moderator set for the Room, for every window: presets of a mute and keys. The companion keeps it. */
export const useRoomSettings = defineStore('roomSettings', () => {
  const companion = useCompanion()
  const { busy, failure, change } = useSettingsChange()
  const presets = computed<readonly number[]>(() => companion.settings?.mutePresets ?? usualPresets)
  const keys = computed(() => keysOf(companion.settings?.roomKeys ?? {}))
  const isMac = computed(() => companion.about?.platform === 'darwin')
  const keep = (next: RoomKeys): Promise<boolean> => change({ roomKeys: keptOf(next) })

  return {
    presets,
    keys,
    bindings: computed(() => bindingsOf(keys.value)),
    isMac,
    busy,
    failure,
    /** The key of a command as it stands on its cap; of two the first. */
    cap: (name: CommandName): string => capOf(keys.value[name][0] ?? '', isMac.value),
    /** Keeps presets; null for the usual ones. */
    setPresets: (next: readonly number[] | null): Promise<boolean> =>
      change({ mutePresets: next === null ? null : [...next] }),
    bind: (name: CommandName, slot: number, chord: string): Promise<boolean> =>
      keep({ ...keys.value, [name]: keys.value[name].map((had, index) => (index === slot ? chord : had)) }),
    /** Gives a command its usual keys again; answers who has one of them now, and changes nothing then. */
    reset: async (name: CommandName): Promise<CommandName | null> => {
      const other = hinders(name, keys.value)
      if (other === null) await keep({ ...keys.value, [name]: usualKeys[name] })
      return other
    },
    resetAll: (): Promise<boolean> => keep(usualKeys),
  }
})
