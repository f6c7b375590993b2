import { isFramed } from './embed.ts'

/** Notifications of the browser, as far as a page without a service worker may show them. */
export interface Notifier {
  /** Not without TLS, in frames, or after a refusal. */
  possible(): boolean
  /** The person was asked before, and agreed. */
  isAllowed(): boolean
  /** Asks the person once; false if refused. */
  ask(): Promise<boolean>
  tell(title: string, icon: string): void
}

/** Those of this browser. */
export const browserNotifier: Notifier = {
  possible: () =>
    window.isSecureContext &&
    'Notification' in window &&
    Notification.permission !== 'denied' &&
    !isFramed() &&
    // Only service workers may show notifications there.
    !/Android/.test(navigator.userAgent),
  isAllowed: () => Notification.permission === 'granted',
  ask: async () => (await Notification.requestPermission()) === 'granted',
  tell(title, icon) {
    const shown = new Notification(title, { icon, tag: `sidestage${location.pathname}` })
    shown.addEventListener('click', () => {
      window.focus()
      shown.close()
    })
  },
}
