import { useI18n } from 'vue-i18n'
import { sentenceOf, type Failure, type Sentence } from '../data/failure.ts'
import { useCompanion } from '../data/companion.ts'

/** Makes the words of a failure in the interface's language, for whoever sits at the companion's computer or moderates from a seat. */
export function useFailureWords(): (failure: Failure) => Sentence {
  const { t, locale } = useI18n()
  const companion = useCompanion()
  return (failure) =>
    sentenceOf(
      failure,
      locale.value === 'zh' ? 'zh' : 'en',
      (key, named) => t(key, named ?? {}),
      companion.seat !== null,
    )
}
