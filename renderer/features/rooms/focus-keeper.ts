import { nextTick, onBeforeUnmount, onMounted, type Ref } from 'vue'
import { inBackground } from '../../background.ts'

/** Overlays that manage the focus themselves. */
const passing = '[role="dialog"], [role="menu"], [role="listbox"]'
const isOff = (element: Element): boolean => element.matches(':disabled')
/** Whether an element can still have the focus. */
const stands = (element: Element): boolean => element.isConnected && element.closest('[inert]') === null
const isNowhere = (): boolean => document.activeElement === null || document.activeElement === document.body

/** Whether an element takes typed text or a choice. */
export const isField = (element: Element | null): boolean =>
  element instanceof HTMLElement && (element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName))

/**
* Moves the focus, when its element is removed, to the nearest box around it that can have it, or to the opener of the
* removed part (`data-opener`). It counts as lost until a pointer, Tab or a moving key sets it again. A button that was
* disabled while its call ran gets it back.
*/
export function useFocusKeeper(pane: Readonly<Ref<HTMLElement | null>>) {
  let holder: Element | null = null
  /** Boxes around the holder that can have the focus, the nearest first. */
  let around: readonly HTMLElement[] = []
  let lost = false
  let writing = false
  let atOpener = false
  /** The last key pressed was Escape: a field removed then was left on purpose. */
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
    // focusout comes before a removal: whether the focus left on purpose is known only after the update.
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
      // Disabled for a while: the focus returns when it is enabled.
      if (isOff(holder)) lost = true
      else if (lost && holder instanceof HTMLElement) holder.focus({ preventScroll: true })
      return
    }
    const box = around.find(stands)
    const opener = box === pane.value ? null : box?.querySelector<HTMLElement>('[data-opener]')
    const place = opener ?? box?.querySelector<HTMLElement>('[data-opener]') ?? box
    atOpener = opener != null && !writing
    place?.focus({ preventScroll: true })
    // Inside a part about one person, keys still apply to the same person.
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
    /** The focus went with its element and was not set again: what is typed was meant for that element. */
    isLost: (): boolean => lost || (holder !== null && isNowhere()),
    /** The focus was lost from a field that was not left with Escape. */
    wasWriting: (): boolean => writing,
    /** The focus is on the opener of a part that was left by a button or Escape. */
    isAtOpener: (): boolean => lost && atOpener,
    resume: (): void => {
      lost = false
      if (isNowhere()) holder = null
    },
    /** Call before a command that may remove the focused element: the pane gets the focus then, and it is not lost. */
    letGo: (): void => {
      const was = holder
      if (was === null || lost) return
      holder = null
      inBackground(
        nextTick().then(() => {
          if (holder !== null) return
          if (document.activeElement === was) hold(was)
          else if (isNowhere() && !stands(was)) pane.value?.focus({ preventScroll: true })
        }),
      )
    },
  }
}
