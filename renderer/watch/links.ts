import { element } from './element.ts'
import { say } from './words.ts'

const addressPattern = /https?:\/\/[^\s<>"'`]+/gi
/** Characters that change the order of what is read, or are not seen: an address or a name must not hide behind them. */
const hidden = /(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029]/gu
/** More marks than this on one letter are cut: a pile of them covers the lines above and below. */
const piledMarks = /(\p{M}{4})\p{M}+/gu

/** A text as it may be shown: without what is not seen, and without piles of marks. */
export const shownText = (text: string): string => text.replace(hidden, '').replace(piledMarks, '$1')

function ask(url: URL): void {
  const title = element('h2', { id: 'link-title' }, say('linkTitle'))
  const open = element('button', { type: 'button', class: 'primary' }, say('open'))
  const cancel = element('button', { type: 'button' }, say('cancel'))
  const dialog = element(
    'dialog',
    { 'aria-labelledby': 'link-title' },
    title,
    element('p', { class: 'address', dir: 'ltr' }, url.href),
    element('p', { class: 'note' }, say('linkNote', { host: url.host })),
    element('div', { class: 'actions' }, cancel, open),
  )
  cancel.addEventListener('click', () => dialog.close())
  open.addEventListener('click', () => {
    dialog.close()
    window.open(url.href, '_blank', 'noopener,noreferrer')
  })
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
  cancel.focus()
}

/** A text with its addresses as buttons, each shown whole; one is opened only after asking, and only http and https are addresses at all. */
export function textWithLinks(text: string): (Node | string)[] {
  const shown = shownText(text)
  const parts: (Node | string)[] = []
  let from = 0
  for (const match of shown.matchAll(addressPattern)) {
    const written = match[0].replace(/[).,;:!?，。；：！？）]+$/u, '')
    const url = URL.parse(written)
    // An address with a name before the host is made to be misread.
    if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') continue
    parts.push(shown.slice(from, match.index))
    const link = element('button', { type: 'button', class: 'link' }, written)
    link.addEventListener('click', () => ask(url))
    parts.push(link)
    from = match.index + written.length
  }
  parts.push(shown.slice(from))
  return parts.filter((part) => part !== '')
}
