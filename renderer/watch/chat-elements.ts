import { element, icon } from './element.ts'
import { say } from './words.ts'

/** Longest line, in characters. */
export const maxLine = 200

/** Creates the elements of the chat. */
export function createChatElements(log: HTMLElement) {
  const larger = element('input', { type: 'checkbox', role: 'switch' })
  const note = element('p', { class: 'state', role: 'status' })
  const input = element('input', {
    type: 'text',
    maxlength: String(maxLine),
    'aria-label': say('sayLabel'),
    autocomplete: 'off',
    enterkeyhint: 'send',
  })
  const send = element(
    'button',
    { type: 'submit', class: 'primary send', 'aria-label': say('send'), title: say('send') },
    icon('send'),
  )
  const form = element('form', { class: 'composer' }, input, send)
  const left = element('span', { class: 'left' })
  const slowNote = element('span', {})
  const rename = element('button', { type: 'button', class: 'plain' }, say('nameAction'))
  const sign = element('button', { type: 'button', class: 'plain' }, say('signIn'))
  // Without TLS a token could be read on the network.
  sign.hidden = !window.isSecureContext
  const foot = element('div', { class: 'foot' }, slowNote, rename, sign, element('span', { class: 'grow' }), left)
  const head = element(
    'header',
    {},
    element('h2', {}, say('chat')),
    element('label', { class: 'larger' }, say('largerText'), larger),
  )
  const node = element('section', { class: 'chat', 'aria-label': say('chat') }, head, log, note, form, foot)
  return { node, larger, note, input, send, form, left, slowNote, rename, sign, foot }
}
