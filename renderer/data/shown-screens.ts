/** Sent after a notification, a tray command or an opened address. */
const showMessage = 'sidestage:show'

const known =
  /^\/(studio\/[0-9a-f]{32}|room\?open=[1-9]\d{0,15}|join(\?host=[\w.:%-]{3,320}(&(accid|code|fp)=[\w.@-]{1,64}){0,3})?|settings\/(recordings|moderators))$/

/** Calls back when the shell asks for a screen, with `profileId` if it is about one. */
export function followScreens(
  page: Pick<Window, 'addEventListener' | 'location'>,
  show: (route: string, profileId: string | null) => void,
): void {
  page.addEventListener('message', (event: MessageEvent<unknown>) => {
    // Only the shell's preload posts from this window.
    if (
      event.source !== page ||
      event.origin !== page.location.origin ||
      typeof event.data !== 'object' ||
      event.data === null
    )
      return
    const { type, screen } = event.data as { type?: unknown; screen?: { route?: unknown; profileId?: unknown } | null }
    if (type !== showMessage || typeof screen?.route !== 'string' || !known.test(screen.route)) return
    show(screen.route, typeof screen.profileId === 'string' ? screen.profileId : null)
  })
}
