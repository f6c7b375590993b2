/** Keys of the page, in lower case, and what they do. */
export type PageKeys = Readonly<Record<string, () => void>>

const typed = new Set(['text', 'password', 'search', 'email', 'url', 'tel', 'number'])

/** True where a key is text, or where it is meant for a dialog. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target.closest('dialog, textarea, select')) return true
  return target instanceof HTMLInputElement && typed.has(target.type)
}
/** True where the space bar has a meaning of its own. */
const takesSpace = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('button, a, input, summary, [tabindex]') !== null

/** Listens for them while what they act on is there, but not while somebody types. The result stops. */
export function listenForKeys(keys: PageKeys, isThere: () => boolean = () => true): () => void {
  const pressed = (event: KeyboardEvent): void => {
    if (!isThere()) return
    if (event.defaultPrevented || event.repeat || event.isComposing) return
    if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return
    if (document.querySelector('dialog[open]')) return
    if (event.key === ' ' && takesSpace(event.target)) return
    const act = keys[event.key.toLowerCase()]
    if (!act) return
    event.preventDefault()
    act()
  }
  document.addEventListener('keydown', pressed)
  return () => document.removeEventListener('keydown', pressed)
}
