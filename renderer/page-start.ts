/**
 * The first script of a page, before its modules. A file that does not come, as when the network of the computer changes at that moment, would leave an
 * empty page: the page is loaded again, at once the first time and every 2 s from then on. What is fetched later is not heard any more.
 */
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
