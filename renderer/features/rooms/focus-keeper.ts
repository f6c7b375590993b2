import { nextTick, onBeforeUnmount, onMounted, type Ref } from 'vue'
import { inBackground } from '../../background.ts'

/** Overlays that manage the focus themselves. */
const passing = '[role="dialog"], [role="menu"], [role="listbox"]'
const isOff = (element: Element): boolean => element.matches(':disabled')
const stands = (element: Element): boolean => element.isConnected && element.closest('[inert]') === null
const isNowhere = (): boolean => document.activeElement === null || document.activeElement === document.body

/** Whether an element takes input. */
export const isField = (element: Element | null): boolean =>
  element instanceof HTMLElement && (element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName))

/**
 * When the focused element is removed, moves the focus to the nearest box around it, or to what opens the removed part
 * (`data-opener`). A button that was disabled while its call ran gets it back.
 */
export function useFocusKeeper(pane: Readonly<Ref<HTMLElement | null>>) {
  let holder: Element | null = null
  let around: readonly HTMLElement[] = []
  let lost = false
  let writing = false
  let atOpener = false
  /** Whether Escape was pressed last: a field removed then was left on purpose. */
  let escaped = false

  const hold = (element: Element): void => {
    const boxes: HTMLElement[] = []
    const whole = pane.value?.parentElement
    if (whole?.contains(element) === true) {
      for (let box = element.parentElement; box !== null && box !== whole; box = box.parentElement)
        if (box.hasAttribute('tabindex')) boxes.push(box)
      boxes.push(pane.value!)
    }
    holder = element
    around = boxes
    lost = false
  }
  const came = ({ target }: FocusEvent): void => {
    if (target instanceof Element && target.closest(passing) === null) hold(target)
  }
  const went = ({ target }: FocusEvent): void => {
    // focusout precedes the removal: whether the focus left on purpose is known only afterwards.
    queueMicrotask(() => {
      if (
        target === holder &&
        holder !== null &&
        isNowhere() &&
        stands(holder) &&
        !isOff(holder) &&
        holder.checkVisibility()
      )
        holder = null
    })
  }
  const keyed = ({ key }: KeyboardEvent): void => {
    escaped = key === 'Escape'
  }
  const pressed = (): void => {
    escaped = false
    lost = false
    if (isNowhere()) holder = null
  }
  const check = (): void => {
    if (
      holder === null ||
      (!isNowhere() && document.activeElement !== holder) ||
      (stands(holder) && !isOff(holder) && !isNowhere())
    )
      return
    if (document.querySelector('[role="dialog"]')) return
    writing = isField(holder) && !escaped
    atOpener = false
    if (stands(holder)) {
      // The focus returns when the button is enabled.
      if (isOff(holder)) lost = true
      else if (lost && holder instanceof HTMLElement) holder.focus({ preventScroll: true })
      return
    }
    const box = around.find(stands)
    const opener = box === pane.value ? null : box?.querySelector<HTMLElement>('[data-opener]')
    const place = opener ?? box?.querySelector<HTMLElement>('[data-opener]') ?? box
    atOpener = opener != null && !writing
    place?.focus({ preventScroll: true })
    // Keys still apply to the same person.
    lost = writing || place?.closest('[data-accid]') == null
  }
  const observer = new MutationObserver(check)
  const ended = new AbortController()
  const { signal } = ended
  onMounted(() => {
    if (!isNowhere() && document.activeElement!.closest(passing) === null) hold(document.activeElement!)
    document.addEventListener('focusin', came, { signal })
    document.addEventListener('focusout', went, { signal })
    document.addEventListener('pointerdown', pressed, { capture: true, signal })
    document.addEventListener('keydown', keyed, { capture: true, signal })
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled', 'inert'] })
  })
  onBeforeUnmount(() => {
    ended.abort()
    observer.disconnect()
  })
  return {
    /** Whether the focus went with its element, so that what is typed was meant for that. */
    isLost: (): boolean => lost || (holder !== null && isNowhere()),
    wasWriting: (): boolean => writing,
    isAtOpener: (): boolean => lost && atOpener,
    resume: (): void => {
      lost = false
      if (isNowhere()) holder = null
    },
    /** Call before a command that may remove the focused element; the pane is focused then. */
    letGo: (): void => {
      const was = holder
      if (was === null || lost) return
      holder = null
      inBackground(
        // The command comes after this call; what it removes is gone after the update that it begins.
        Promise.resolve()
          .then(() => nextTick())
          .then(() => {
            if (holder !== null) return
            if (document.activeElement === was) hold(was)
            else if (isNowhere() && !stands(was)) pane.value?.focus({ preventScroll: true })
          }),
      )
    },
  }
}
