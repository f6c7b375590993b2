import { useI18n } from 'vue-i18n'
import { commaOf } from '../../format/languages.ts'
import { grouped, lengthClock } from '../../format/figures.ts'
import { useCompanion } from '../../data/companion.ts'

/** How lengths and times of broadcasts are said. Call it within a component. */
export function useSpokenTimes() {
  const { t, locale } = useI18n()
  const companion = useCompanion()
  /** Of ms: "9 s", "4 min" or "1:02:00" from an hour on. */
  const length = (milliseconds: number): string => {
    const seconds = Math.max(0, Math.round(milliseconds / 1_000))
    if (seconds < 60) return t('broadcast.seconds', { n: seconds })
    if (seconds < 3_600) return t('word.minutes', { n: Math.round(seconds / 60) })
    return lengthClock(milliseconds)
  }
  return {
    length,
    /** Of thousandths: with a digit below ten. */
    viewers: (thousandths: number): string =>
      thousandths > 0 && thousandths < 10_000 ? (thousandths / 1_000).toFixed(1) : grouped(thousandths / 1_000),
    comma: (): string => commaOf(locale.value),
    /** Date and time of the begin, and the end with its date if it is another. */
    times: ({ began, ended }: { readonly began: number; readonly ended?: number | undefined }): string => {
      const from = companion.zone.date(began)
      if (ended === undefined) return t('broadcast.since', { from })
      const to = companion.zone.date(ended)
      return t('broadcast.times', { from, to: to.slice(0, 10) === from.slice(0, 10) ? to.slice(11) : to })
    },
  }
}
