import { readWebLink } from '../../contract/web-link.ts'
import { useCompanion } from '../data/companion.ts'
import { useServices } from '../data/services.ts'

/** Opens addresses in a tab of the browser that shows the page; from the desktop shell in the system browser. */
export function useOutside(): { readonly open: (url: string) => Promise<void> } {
  const { rpc } = useServices()
  const companion = useCompanion()
  return {
    open: async (url) => {
      const link = readWebLink(url)
      // What is no address of the web is refused by the companion.
      if (companion.about?.shell === 'browser' && link) window.open(link.href, '_blank', 'noopener,noreferrer')
      else await rpc.app.openLink({ url })
    },
  }
}
