import { inject } from 'vue'
import { useI18n } from 'vue-i18n'
import { watchPath } from '../../../contract/watch.ts'
import { needWordsKey } from '../../data/need-words.ts'
import { useServices } from '../../data/services.ts'
import { missingOf } from './reach-reasons.ts'

/** The link of a watch page, or why there is none that works, as the sheet says it. */
export type WatchLink = { readonly url: string } | { readonly why: string }

/** Asks at the moment of copying, as the reach and who may watch change meanwhile. */
export function useWatchLink(): (on: { readonly profileId: string; readonly cid: string }) => Promise<WatchLink> {
  const { rpc } = useServices()
  const { t } = useI18n()
  const needWords = inject(needWordsKey)
  return async ({ profileId, cid }) => {
    const [access, reach] = await Promise.all([
      rpc.operations.access.access({ profileId, call: { cid } }),
      rpc.operations.reach.reach({ profileId, call: {} }),
    ])
    const isClosed = access.ret.closed
    const missing = missingOf(reach.ret)
    if (!isClosed && missing === null) return { url: `${reach.ret.url}${watchPath}${cid}` }
    // Only the Studio has them from the start.
    await needWords?.(['share'])
    if (isClosed || missing === null) return { why: t('share.link.off') }
    if (missing === 'measuring') return { why: t('share.link.measuring') }
    return { why: t('share.link.missing', { why: t(`share.why.${missing}`) }) }
  }
}
