import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { useHindrance } from './hindrance.ts'

/** Why a control cannot be used now, in words; undefined while it can. */
export function useHindered(): ComputedRef<string | undefined> {
  const { t } = useI18n()
  const hindrance = useHindrance()
  return computed(() => (hindrance.cause === null ? undefined : t(`hindered.${hindrance.cause}`)))
}
