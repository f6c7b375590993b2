import type { Ref } from 'vue'
import { useI18n } from 'vue-i18n'
import { useCompanion } from '../../data/companion.ts'
import { commaOf } from '../../format/languages.ts'
import type { NamedLink } from './share.ts'

/** What is said of named links and their times; `isOpen`: whoever has no good one gets in all the same. */
export function useNamedLinkWords(isOpen: Readonly<Ref<boolean>>) {
  const { t, locale } = useI18n()
  const companion = useCompanion()
  /** With the date where it is not that of today. */
  const timeOf = (at: number): string => {
    const { minute, date } = companion.zone
    const isToday = date(at).slice(0, 10) === date(companion.clock).slice(0, 10)
    return isToday ? minute(at) : date(at)
  }
  const endOf = ({ expires = 0 }: NamedLink): string => timeOf(expires)
  return {
    timeOf,
    endOf,
    isOver: ({ expires }: NamedLink): boolean => expires !== undefined && expires <= companion.clock,
    limitsOf: (link: NamedLink): string =>
      [
        link.expires === undefined ? '' : t('share.named.upTo', { time: endOf(link) }),
        link.expires === undefined || !isOpen.value ? '' : t('share.named.afterwards'),
        link.maxViewers === undefined ? '' : t('share.named.atOnce', { n: link.maxViewers }),
        link.viewers >= (link.maxViewers ?? Infinity) ? t('share.named.full') : '',
      ]
        .filter((one) => one !== '')
        .join(commaOf(locale.value)),
  }
}
