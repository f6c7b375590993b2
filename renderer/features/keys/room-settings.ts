import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import type { Settings } from '../../../contract/rpc/state.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
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
import { useServices } from '../../data/services.ts'

/** What a moderator set for the Room, the same in every window: presets of a mute and keys. The companion keeps it. */
export const useRoomSettings = defineStore('roomSettings', () => {
  const { rpc } = useServices()
  const companion = useCompanion()
  const busy = ref(false)
  const failure = shallowRef<Failure | null>(null)
  const presets = computed<readonly number[]>(() => companion.settings?.mutePresets ?? usualPresets)
  const keys = computed(() => keysOf(companion.settings?.roomKeys ?? {}))
  const isMac = computed(() => companion.about?.platform === 'darwin')

  const change = async (settings: Partial<Settings>): Promise<boolean> => {
    if (busy.value) return false
    busy.value = true
    failure.value = null
    try {
      companion.settings = await rpc.app.changeSettings(settings)
      return true
    } catch (error) {
      failure.value = failureOf(error)
      return false
    } finally {
      busy.value = false
    }
  }
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
    /** Gives a command another key in the place of one that it has. */
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
