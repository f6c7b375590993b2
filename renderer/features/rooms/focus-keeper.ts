import { nextTick, onBeforeUnmount, onMounted, type Ref } from 'vue'
import { inBackground } from '../../background.ts'

/** What has the focus for itself and gives it back by itself. */
const passing = '[role="dialog"], [role="menu"], [role="listbox"]'
const isOff = (element: Element): boolean => element.matches(':disabled')
/** Whether an element still stands where the focus can be. */
const stands = (element: Element): boolean => element.isConnected && element.closest('[inert]') === null
const isNowhere = (): boolean => document.activeElement === null || document.activeElement === document.body

/** Whether a field is written in. */
export const isField = (element: Element | null): boolean =>
  element instanceof HTMLElement && (element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName))

/**
 * Keeps the focus of a room's parts from falling to the page: it goes to the nearest box around that can have it, or to what opens the part that went
 * (`data-opener`), and is lost until a pointer, Tab or a key that moves gives it anew. A button that was off while its call ran has it again after.
 */
export function useFocusKeeper(pane: Readonly<Ref<HTMLElement | null>>) {
  let holder: Element | null = null
  /** What can have the focus in its place, the nearest first. */
  let around: readonly HTMLElement[] = []
  let lost = false
  let writing = false
  let atOpener = false
  /** The key that was pressed last is Esc: a field that goes was left with it. */
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
    // Whether it was left on purpose shows once the page was drawn: what goes is told of before it has gone.
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
      // Off for a while: the focus waits for it.
      if (isOff(holder)) lost = true
      else if (lost && holder instanceof HTMLElement) holder.focus({ preventScroll: true })
      return
    }
    const box = around.find(stands)
    const opener = box === pane.value ? null : box?.querySelector<HTMLElement>('[data-opener]')
    const place = opener ?? box?.querySelector<HTMLElement>('[data-opener]') ?? box
    atOpener = opener != null && !writing
    place?.focus({ preventScroll: true })
    // Within what is about one person, keys are about the same one as before.
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
    /** The focus went with its element, and nobody has given it anew: what is typed on is meant for what was there. */
    isLost: (): boolean => lost || (holder !== null && isNowhere()),
    /** It was lost while a field was written in, and that was not left by Esc. */
    wasWriting: (): boolean => writing,
    /** It is with what opens the part that went, which somebody has left by a button or by Esc. */
    isAtOpener: (): boolean => lost && atOpener,
    /** Somebody means the room again. */
    resume: (): void => {
      lost = false
      if (isNowhere()) holder = null
    },
    /** A key takes away what it likes: the pane has the focus then, and nothing was lost. */
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
