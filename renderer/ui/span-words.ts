import { useI18n } from 'vue-i18n'
import { lengthOf, restOf, type SpanPart } from '../format/spans.ts'

/** Call it within a component. */
export function useSpanWords() {
  const { t } = useI18n()
  const word = ({ n, unit }: SpanPart): string => t(`moderator.span.${unit}`, { n: n.toLocaleString('en') })
  const words = (parts: readonly SpanPart[]): string => parts.map(word).join(' ')
  return {
    /** For mutes: "10 min"; 0 is "until lifted". */
    length: (seconds: number): string => (seconds === 0 ? t('moderator.span.lifted') : words(lengthOf(seconds))),
    rest: (seconds: number): string => words(restOf(seconds)),
  }
}
