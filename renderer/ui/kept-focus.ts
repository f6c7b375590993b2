/** An element that had the focus, undefined once it is removed, with what it was in. */
interface Focused {
  readonly element: HTMLElement | undefined
  readonly around: readonly HTMLElement[]
  /** It was in a part that does this itself. */
  readonly isKept: boolean
}

const remembered = 8
const dialogs = '[role="dialog"], [role="alertdialog"]'
const tabbable = 'button, a[href], input, select, textarea, [tabindex="0"]'
/** A part that does this itself, with what stands beside it: in a room a key acts on the person who has the focus. */
const itself = ':is([data-keeps-focus], :has(> [data-keeps-focus]))'
const isDisabled = (element: HTMLElement): boolean => element.matches(':disabled')
const isUsable = (element: HTMLElement): boolean =>
  element.isConnected && !isDisabled(element) && element.tabIndex >= 0 && element.checkVisibility()

/**
 * Gives the focus back where its element was disabled or removed, as by a dialog that closed or a row that changed: to
 * the element, else to what is left around it, else to what had the focus before. Returns what ends it.
 */
export function keepFocus(): () => void {
  const stop = new AbortController()
  let past: Focused[] = []
  /** It was taken away on purpose. */
  let isLeft = false
  let waiting: ReturnType<typeof setTimeout> | undefined

  /** What has the focus for want of another element; null while it is somewhere. */
  const placeOfLost = (): HTMLElement | null => {
    const active = document.activeElement
    if (active === null || active === document.body) return document.body
    // A dialog takes the focus itself when the element that had it is removed.
    return active instanceof HTMLElement && active.matches(dialogs) ? active : null
  }
  const leftOf = ({ element, around }: Focused, within: HTMLElement): HTMLElement | undefined => {
    if (element && within.contains(element) && isUsable(element)) return element
    for (const one of around) {
      if (one === document.body || !within.contains(one)) continue
      if (one.tagName === 'MAIN') return one
      const found = [...one.querySelectorAll<HTMLElement>(tabbable)].find(isUsable)
      if (found) return found
    }
    return undefined
  }
  /** Elements that were removed are let go, as each keeps its whole screen in memory, players with it. */
  const forgetRemoved = (): void => {
    past = past.map((one) => ({
      ...one,
      element: one.element?.isConnected ? one.element : undefined,
      around: one.around.filter((each) => each.isConnected),
    }))
  }
  const check = (): void => {
    waiting = undefined
    forgetRemoved()
    const within = placeOfLost()
    const last = past.at(-1)
    // Where the window has no focus, as in the browser's own bars, nothing is taken from there.
    if (isLeft || within === null || last === undefined || !document.hasFocus()) return
    if (last.isKept) return
    // Such as a button whose work goes on.
    if (last.element && isDisabled(last.element)) return
    for (const one of past.toReversed()) {
      const found = one.isKept ? undefined : leftOf(one, within)
      if (!found || found.closest(itself)) continue
      found.focus()
      return
    }
    if (within === document.body) document.querySelector<HTMLElement>('main')?.focus()
  }
  /** Later than dialogs give the focus back. */
  const checkSoon = (): void => {
    waiting ??= setTimeout(check)
  }
  const note = (element: unknown): void => {
    if (!(element instanceof HTMLElement) || element === document.body || element.matches(dialogs)) return
    isLeft = false
    const around: HTMLElement[] = []
    for (let one = element.parentElement; one; one = one.parentElement) around.push(one)
    const isKept = around.some((one) => one.matches(itself))
    past = [...past.filter((one) => one.element !== element).slice(1 - remembered), { element, around, isKept }]
  }

  const on = { capture: true, signal: stop.signal }
  document.addEventListener('focusin', ({ target }) => note(target), on)
  document.addEventListener(
    'focusout',
    ({ target, relatedTarget }) => {
      if (relatedTarget !== null || !(target instanceof HTMLElement) || !isUsable(target)) return
      // It may be about to be removed.
      setTimeout(() => {
        if (placeOfLost() === document.body && isUsable(target)) isLeft = true
      })
    },
    on,
  )
  document.addEventListener('pointerdown', () => (isLeft = true), on)
  document.addEventListener('click', () => note(document.activeElement), on)
  window.addEventListener('focus', checkSoon, { signal: stop.signal })
  const changes = new MutationObserver(checkSoon)
  changes.observe(document.body, { subtree: true, childList: true, attributeFilter: ['disabled'] })
  return () => {
    stop.abort()
    changes.disconnect()
    clearTimeout(waiting)
  }
}
