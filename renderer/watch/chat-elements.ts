import { element, icon, iconButton } from './element.ts'
import { wholePage } from './embed.ts'
import { store, stored } from './stored.ts'
import { say } from './words.ts'

/** Longest line, in characters. */
export const maxLine = 200
const keptSize = 'sidestage-chat-text'

/** Creates the elements of the chat. */
export function createChatElements(log: HTMLElement) {
  const larger = element('input', { type: 'checkbox', role: 'switch' })
  const note = element('p', { class: 'state', id: 'chat-note', role: 'status' })
  const input = element('input', {
    type: 'text',
    maxlength: String(maxLine),
    'aria-label': say('sayLabel'),
    autocomplete: 'off',
    enterkeyhint: 'send',
  })
  const send = element(
    'button',
    // Why it cannot be sent stands in the note.
    {
      type: 'submit',
      class: 'primary send',
      'aria-label': say('send'),
      'aria-describedby': note.id,
      title: say('send'),
    },
    icon('send'),
  )
  const form = element('form', { class: 'composer' }, input, send)
  const left = element('span', { class: 'left' })
  const slowNote = element('span', {})
  const rename = element('button', { type: 'button', class: 'plain' }, say('nameAction'))
  const sign = element('button', { type: 'button', class: 'plain' }, say('signIn'))
  // Without TLS a token could be read on the network.
  sign.hidden = !window.isSecureContext
  const square = element('span', { class: 'square' })
  const who = element('span', { class: 'who' })
  const openPage = element(
    'a',
    { class: 'button open-page', href: wholePage, target: '_blank', rel: 'noopener' },
    icon('popOut', 16),
    say('openToWrite'),
  )
  openPage.hidden = true
  const grow = element('span', { class: 'grow' })
  const foot = element('div', { class: 'foot' }, slowNote, square, who, rename, sign, openPage, grow, left)
  const popOut = iconButton('popOut', say('popOut'), 'tool')
  const hide = iconButton('hideChat', `${say('hideChat')} (C)`, 'tool')
  const head = element(
    'header',
    {},
    element('h2', {}, say('chat')),
    element('span', { class: 'grow' }),
    element(
      'label',
      { class: 'larger tool', title: say('largerText') },
      icon('textSize'),
      element('span', { class: 'for-readers' }, say('largerText')),
      larger,
    ),
    popOut,
    hide,
  )
  const node = element('section', { class: 'chat', 'aria-label': say('chat') }, head, log, note, form, foot)
  const drawSize = (): void => void node.classList.toggle('large', larger.checked)
  larger.checked = stored(keptSize) === 'large'
  larger.addEventListener('change', () => {
    store(keptSize, larger.checked ? 'large' : 'normal')
    drawSize()
  })
  drawSize()
  return {
    node,
    head,
    larger,
    note,
    input,
    send,
    form,
    left,
    slowNote,
    square,
    who,
    rename,
    sign,
    openPage,
    foot,
    popOut,
    hide,
  }
}
