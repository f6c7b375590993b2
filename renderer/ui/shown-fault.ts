import type { VNode } from 'vue'

/** The form that was sent last, as long as the person has done nothing since. */
let sent: HTMLFormElement | null = null
const firstWrong = (form: HTMLFormElement): HTMLElement | null =>
  form.querySelector<HTMLElement>('[aria-invalid="true"]')
for (const type of ['keydown', 'pointerdown', 'input'])
  document.addEventListener(type, () => (sent = null), { capture: true })
document.addEventListener(
  'submit',
  ({ target }) => {
    if (!(target instanceof HTMLFormElement)) return
    sent = target
    // What is wrong before the service is asked is marked by then, or was already.
    setTimeout(() => {
      if (sent === target) firstWrong(target)?.focus()
    })
  },
  { capture: true },
)

/** Whether the focus is where a form was sent from, or nowhere: a button that works has none, and a dialog takes it. */
const isFree = (field: HTMLInputElement): boolean => {
  if (sent !== null && sent === field.form) return field === firstWrong(sent)
  const active = document.activeElement
  if (active === null || active === document.body) return true
  return active instanceof HTMLButtonElement ? active.form === field.form : active.contains(field)
}

/**
 * Shows what is wrong with a field that was found wrong: its words may be below the edge of what scrolls. The first
 * such field of a form that was sent takes the focus, but never from a field where somebody types.
 */
export function showFault({ el, props }: VNode, before: VNode): void {
  if (!props?.['error'] || before.props?.['error'] || !(el instanceof HTMLElement)) return
  const field = el.querySelector('input')
  const isSent = sent !== null && sent === field?.form
  const marked = !isSent && document.activeElement?.matches('[aria-invalid="true"]') ? document.activeElement : null
  if (!field || (marked && marked !== field)) return
  if (isFree(field)) field.focus()
  el.scrollIntoView({ block: 'nearest' })
}
