import { computed } from 'vue'
import { useI18n } from 'vue-i18n'
import { useCompanion } from '../../data/companion.ts'

const ignored = (event: Event): void => {
  event.stopImmediatePropagation()
  event.preventDefault()
}

/** What the button of a measure is bound to: while the service cannot be reached it is disabled with the reason, and a press or Enter in its form does nothing. */
export function useWhenBack() {
  const { t } = useI18n()
  const companion = useCompanion()
  return computed(() =>
    companion.isLost ? { 'aria-disabled': true, title: t('hindered.down'), onClickCapture: ignored } : {},
  )
}
