import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { useHindrance } from './hindrance.ts'

/** In words; undefined if nothing prevents changes. */
export function useHindered(): ComputedRef<string | undefined> {
  const { t } = useI18n()
  const hindrance = useHindrance()
  return computed(() => (hindrance.cause === null ? undefined : t(`hindered.${hindrance.cause}`)))
}
