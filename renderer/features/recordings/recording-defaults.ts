import { computed, ref, watch } from 'vue'
import type { RecordingDefaults } from '../../../contract/rpc/recording-state.ts'
import { useCompanion } from '../../data/companion.ts'
import { sliceMinutes } from './recording-card.ts'
import { useSettingsChange } from '../../data/settings-change.ts'

/** Input; minutes as typed. */
export type RecordingDefaultsFields = Omit<RecordingDefaults, 'minutes'> & { minutes: string }

/** Null if the minutes are invalid. */
export function readRecordingDefaults(fields: RecordingDefaultsFields): RecordingDefaults | null {
  const text = fields.minutes.trim()
  const minutes = /^\d{1,3}$/.test(text) ? Number(text) : 0
  return minutes < sliceMinutes.min || minutes > sliceMinutes.max ? null : { ...fields, minutes }
}

/** Input and storage of the defaults for recording. */
export function useRecordingDefaults() {
  const companion = useCompanion()
  const shown = ({ minutes, ...others }: RecordingDefaults): RecordingDefaultsFields => ({
    ...others,
    minutes: String(minutes),
  })
  const entered = ref(shown(companion.recordingDefaults))
  const wanted = computed(() => readRecordingDefaults(entered.value))
  const changed = computed(() => JSON.stringify(entered.value) !== JSON.stringify(shown(companion.recordingDefaults)))
  const { busy, failure, change } = useSettingsChange()
  const saved = ref(false)
  watch(
    () => JSON.stringify(companion.recordingDefaults),
    () => {
      entered.value = shown(companion.recordingDefaults)
    },
  )
  return {
    entered,
    wanted,
    changed,
    busy,
    saved,
    failure,
    save: async (): Promise<void> => {
      const recording = wanted.value
      if (recording === null || !changed.value || busy.value) return
      saved.value = false
      saved.value = await change({ recording })
    },
  }
}
