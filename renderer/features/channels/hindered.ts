import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { useHindrance } from './hindrance.ts'

/** What a control that cannot be used now says as its reason; undefined while it can be used. */
export function useHindered(): ComputedRef<string | undefined> {
  const { t } = useI18n()
  const hindrance = useHindrance()
  return computed(() => (hindrance.cause === null ? undefined : t(`hindered.${hindrance.cause}`)))
}
