import { inject } from 'vue'
import { useI18n } from 'vue-i18n'
import { watchPath } from '../../../contract/watch.ts'
import { useCompanion } from '../../data/companion.ts'
import { needWordsKey } from '../../data/need-words.ts'
import { useServices } from '../../data/services.ts'
import type { Say } from '../../ui/service-sentence.ts'
import { missingOf } from './reach-reasons.ts'
import type { ChannelAccess, Reach } from './share.ts'

/** The link of a watch page, or why there is none that works, as the sheet says it. */
export type WatchLink = { readonly url: string } | { readonly why: string }

/**
 * Why the link for everybody opens nothing, as the sheet says it; null where it may open the page.
 * `local`: the service runs on this computer.
 */
export function whyNoLink(
  access: Pick<ChannelAccess, 'closed' | 'mode'>,
  reach: Reach,
  t: Say,
  local: boolean,
  missing = missingOf(reach),
): string | null {
  if (access.closed) return t(!reach.freeHere ? 'share.link.off' : local ? 'share.link.offHere' : 'share.link.offThere')
  if (missing === 'measuring') return t('share.link.measuring')
  if (missing !== null)
    return t(local ? 'share.link.missing' : 'share.link.missingThere', { why: t(`share.why.${missing}`) })
  return access.mode === 'links' ? t('share.link.alone') : null
}

/** Asks at the moment of copying, as the reach and who may watch change meanwhile. */
export function useWatchLink(): (on: { readonly profileId: string; readonly cid: string }) => Promise<WatchLink> {
  const { rpc } = useServices()
  const { t } = useI18n()
  const companion = useCompanion()
  const needWords = inject(needWordsKey)
  return async ({ profileId, cid }) => {
    const [access, reach] = await Promise.all([
      rpc.operations.access.access({ profileId, call: { cid } }),
      rpc.operations.reach.reach({ profileId, call: {} }),
    ])
    // Only the Studio has its words from the start.
    const { local } = companion
    if (whyNoLink(access.ret, reach.ret, (key) => key, local) !== null) await needWords?.(['share'])
    const why = whyNoLink(access.ret, reach.ret, t, local)
    return why === null ? { url: `${reach.ret.url}${watchPath}${cid}` } : { why }
  }
}
