/** What appears is what the person asked for last, and nothing was done since. */
let isAsked = true
/** What the person did so far: keys and presses. */
let acts = 0
let over: ReturnType<typeof setTimeout> | undefined

/** A screen or a dialog was asked for: what appears in it may take the focus until the person does something else. */
export function askForFocus(): void {
  clearTimeout(over)
  isAsked = true
}

const isNowhere = (): boolean => document.activeElement === null || document.activeElement === document.body

/**
 * Whether what appears now may take the focus a little later: never from where a person has put it since the screen was
 * asked for, as a field that appears with a late answer would.
 */
export function mayTakeFocus(): () => boolean {
  const [wasAsked, before] = [isAsked, acts]
  return () => (wasAsked && acts === before) || isNowhere()
}

const dialogs = '[role="dialog"], [role="alertdialog"]'

/** Notes what the person does; returns what ends it. */
export function noteActs(): () => void {
  const stop = new AbortController()
  const on = { capture: true, signal: stop.signal }
  const act = (): void => {
    acts += 1
    // What appears at once, as the form of a button, was asked for by this.
    askForFocus()
    over = setTimeout(() => (isAsked = false))
  }
  for (const type of ['keydown', 'pointerdown', 'click']) document.addEventListener(type, act, on)
  document.addEventListener(
    'focusin',
    ({ target, relatedTarget }) => {
      const dialog = target instanceof Element ? target.closest(dialogs) : null
      if (dialog && !(relatedTarget instanceof Node && dialog.contains(relatedTarget))) askForFocus()
    },
    on,
  )
  askForFocus()
  return () => {
    stop.abort()
    askForFocus()
  }
}
