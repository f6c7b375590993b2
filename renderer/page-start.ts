/** At once the first time, then every 2 s. */
function reloadUntilWhole(page: Window): void {
  const heard = ({ target }: Event): void => {
    const isNeeded =
      target instanceof HTMLScriptElement || (target instanceof HTMLLinkElement && target.rel === 'stylesheet')
    if (!isNeeded) return
    page.removeEventListener('error', heard, true)
    const [navigation] = page.performance.getEntriesByType('navigation')
    const isAgain = navigation instanceof PerformanceNavigationTiming && navigation.type === 'reload'
    setTimeout(() => page.location.reload(), isAgain ? 2000 : 100)
  }
  page.addEventListener('error', heard, true)
  page.addEventListener('load', () => page.removeEventListener('error', heard, true))
}

reloadUntilWhole(window)
