import { linkedParts, type WebLink } from '../../contract/web-link.ts'
import { element } from './element.ts'
import { say } from './words.ts'

const warnings = { encoded: 'linkEncoded', mixed: 'linkMixed', number: 'linkNumber' } as const

function ask(link: WebLink): void {
  const title = element('h2', { id: 'link-title' }, say('linkTitle'))
  const open = element('button', { type: 'button', class: 'primary' }, say('open'))
  const cancel = element('button', { type: 'button' }, say('cancel'))
  const dialog = element(
    'dialog',
    { 'aria-labelledby': 'link-title' },
    title,
    element('p', { class: 'address', dir: 'ltr' }, link.href),
    element('p', { class: 'note' }, say('linkNote', { host: link.host })),
    ...link.warnings.map((warning) => element('p', { class: 'warning' }, say(warnings[warning]))),
    element('div', { class: 'actions' }, cancel, open),
  )
  cancel.addEventListener('click', () => dialog.close())
  open.addEventListener('click', () => {
    dialog.close()
    window.open(link.href, '_blank', 'noopener,noreferrer')
  })
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
  cancel.focus()
}

/** Addresses are buttons, shown whole, that ask before opening. */
export function textWithLinks(text: string): (Node | string)[] {
  return linkedParts(text).map((part) => {
    if (typeof part === 'string') return part
    const link = element('button', { type: 'button', class: 'link', dir: 'ltr' }, part.written)
    link.addEventListener('click', () => ask(part))
    return link
  })
}
