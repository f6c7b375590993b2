import { readWebLink } from '../../contract/web-link.ts'
import { useCompanion } from '../data/companion.ts'
import { useServices } from '../data/services.ts'

/**
 * Opens addresses outside of the app: a page that lies in a browser opens a tab of that browser, which is the one of whoever pressed it; the
 * desktop shell has the companion open them in the system's. Rejects where the companion refuses or nothing could open it.
 */
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
