import { joinedAddress } from '../../data/joined-address.ts'
import { useCompanion } from '../../data/companion.ts'
import { useSeatPage } from './seat-page.ts'

/** Shows a joined room in this window, as a page that reaches the other computer only. */
export function showJoined(): (id: string) => void {
  const companion = useCompanion()
  const seatPage = useSeatPage()
  return (id) => {
    if (companion.settings) {
      seatPage.setTheme(companion.settings.theme)
      seatPage.setLanguage(companion.settings.language)
    }
    window.location.assign(joinedAddress(id))
  }
}
