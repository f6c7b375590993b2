import { readWebLink } from '../../contract/web-link.ts'
import { useCompanion } from '../data/companion.ts'
import { useServices } from '../data/services.ts'

/** In a tab of the page's browser; from the desktop shell in the system's browser. */
export function useOutside(): { readonly open: (url: string) => Promise<void> } {
  const { rpc } = useServices()
  const companion = useCompanion()
  return {
    open: async (url) => {
      const link = readWebLink(url)
      // The companion rejects what is no web address.
      if (companion.about?.shell === 'browser' && link) window.open(link.href, '_blank', 'noopener,noreferrer')
      else await rpc.app.openLink({ url })
    },
  }
}
