/** Paints the page as the browser wishes, also when that changes. */
export function followTheme(): void {
  const light = matchMedia('(prefers-color-scheme: light)')
  const paint = (): void => void (document.documentElement.className = light.matches ? 'light' : 'dark')
  light.addEventListener('change', paint)
  paint()
}
