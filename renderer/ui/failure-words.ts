import { useI18n } from 'vue-i18n'
import { sentenceOf, type Failure, type Sentence } from '../data/failure.ts'
import { useCompanion } from '../data/companion.ts'

/** At the companion's computer, or for a moderator with a seat. */
export function useFailureWords(): (failure: Failure) => Sentence {
  const { t, locale } = useI18n()
  const companion = useCompanion()
  return (failure) =>
    sentenceOf(failure, locale.value === 'zh' ? 'zh' : 'en', (key, named) => t(key, named ?? {}), {
      atSeat: companion.seat !== null,
      elsewhere: companion.profile?.kind === 'hosted',
    })
}
