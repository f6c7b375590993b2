import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { useCompanion } from '../data/companion.ts'
import { gapOf } from '../format/languages.ts'
import { sayReason } from './reasons.ts'

/** What the service took back and could not save yet; null where nothing is owed. */
export function useOwedWords(): ComputedRef<{ readonly title: string; readonly text: string } | null> {
  const { t, locale } = useI18n()
  const companion = useCompanion()
  return computed(() => {
    const { owed, local } = companion
    if (owed === null) return null
    const reason = owed === 'other' ? t('unwritten.database') : sayReason(t, 'revocation', { code: owed, params: {} })
    const now = local && owed === 'full' ? t('unwritten.full') : t('unwritten.other', { reason })
    return { title: t('unwritten.service'), text: [now, t('unwritten.undone')].join(gapOf(locale.value)) }
  })
}
