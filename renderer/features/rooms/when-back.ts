import { computed } from 'vue'
import { useI18n } from 'vue-i18n'
import { useCompanion } from '../../data/companion.ts'

const ignored = (event: Event): void => {
  event.stopImmediatePropagation()
  event.preventDefault()
}

/** Attributes of a measure's button: while the service is unreachable it says so, and presses do nothing. */
export function useWhenBack() {
  const { t } = useI18n()
  const companion = useCompanion()
  return computed(() =>
    companion.isLost ? { 'aria-disabled': true, title: t('blocker.down'), onClickCapture: ignored } : {},
  )
}
