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

/** Mute presets and keys of the Room, kept by the companion for all windows. */
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
    /** The label of the first key of a command. */
    cap: (name: CommandName): string => capOf(keys.value[name][0] ?? '', isMac.value),
    /** Null for the defaults. */
    setPresets: (next: readonly number[] | null): Promise<boolean> =>
      change({ mutePresets: next === null ? null : [...next] }),
    bind: (name: CommandName, slot: number, chord: string): Promise<boolean> =>
      keep({ ...keys.value, [name]: keys.value[name].map((had, index) => (index === slot ? chord : had)) }),
    /** Restores default keys; where another command has one, answers that and changes nothing. */
    reset: async (name: CommandName): Promise<CommandName | null> => {
      const other = hinders(name, keys.value)
      if (other === null) await keep({ ...keys.value, [name]: usualKeys[name] })
      return other
    },
    resetAll: (): Promise<boolean> => keep(usualKeys),
  }
})
