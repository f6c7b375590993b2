import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { useBlocker } from './blocker.ts'

/** In words; undefined if nothing prevents changes. */
export function useBlockerText(): ComputedRef<string | undefined> {
  const { t } = useI18n()
  const blocker = useBlocker()
  return computed(() => (blocker.cause === null ? undefined : t(`blocker.${blocker.cause}`)))
}
