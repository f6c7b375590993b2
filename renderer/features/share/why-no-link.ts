import type { Say } from '../../ui/service-sentence.ts'
import { missingOf } from './reach-reasons.ts'
import type { ChannelAccess, Reach } from './share.ts'

/** Whether browsers on this computer are let in whatever is set: until people on the internet have an address. */
export const isFreeHere = ({ reach }: Pick<Reach, 'reach'>): boolean => reach === 'computer' || reach === 'home'

/** Why the link for everybody opens nothing, in words of the sheet; null where it may open the page. */
export function whyNoLink(
  access: Pick<ChannelAccess, 'closed' | 'mode'>,
  reach: Reach,
  t: Say,
  missing = missingOf(reach),
): string | null {
  if (access.closed) return t(isFreeHere(reach) ? 'share.link.offHere' : 'share.link.off')
  if (missing === 'measuring') return t('share.link.measuring')
  if (missing !== null) return t('share.link.missing', { why: t(`share.why.${missing}`) })
  return access.mode === 'links' ? t('share.link.alone') : null
}
