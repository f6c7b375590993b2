import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { createChatElements } from './chat-elements.ts'
import { refusedNames, stands, type Stand } from './chat-stands.ts'
import { say, type Word } from './words.ts'

afterEach(() => document.body.replaceChildren())

const secure = (isSecure: boolean): void => {
  const before = Object.getOwnPropertyDescriptor(window, 'isSecureContext')!
  Object.defineProperty(window, 'isSecureContext', { configurable: true, get: () => isSecure })
  onTestFinished(() => {
    Object.defineProperty(window, 'isSecureContext', before)
  })
}

it.each([
  ['connecting', 'connecting'],
  ['reconnecting', 'reconnecting'],
  ['refused', 'connecting'],
  ['ended', 'reconnecting'],
  ['elsewhere', 'elsewhere'],
  ['closed', 'roomClosed'],
  ['banned', 'banned'],
  ['many', 'guestsMany'],
] as const satisfies readonly (readonly [Stand, Word])[])('says why one is outside: %s', (stand, word) => {
  expect(stands[stand]()).toBe(say(word))
})

it.each([
  ['taken', 'nameTaken'],
  ['reserved', 'nameReserved'],
  ['caught', 'nameCaught'],
  ['later', 'nameLater'],
] as const)('says why a name was not taken, and what one is called: %s', (why, word) => {
  expect(refusedNames[why]?.('Robin2')).toBe(say(word, { nick: 'Robin2' }))
})

describe.each([
  [true, 'guestsOff', false],
  [false, 'guestsOffPlain', true],
] as const)('a page with TLS: %s', (isSecure, word, hidden) => {
  it('offers an account only where its token cannot be read on the network', () => {
    secure(isSecure)
    expect(stands.guests()).toBe(say(word))
    expect(createChatElements(document.createElement('div')).sign.hidden).toBe(hidden)
  })
})

describe('the elements of the chat', () => {
  it('have their names for a screen reader', () => {
    const log = document.createElement('div')
    const { node, input, send, larger, note, rename, sign } = createChatElements(log)
    expect([node.getAttribute('aria-label'), input.getAttribute('aria-label')]).toEqual([say('chat'), say('sayLabel')])
    expect([send.getAttribute('aria-label'), send.title, send.type]).toEqual([say('send'), say('send'), 'submit'])
    expect(larger.closest('label')?.textContent).toBe(say('largerText'))
    expect([larger.getAttribute('role'), larger.checked, note.getAttribute('role')]).toEqual([
      'switch',
      false,
      'status',
    ])
    expect([rename.textContent, sign.textContent]).toEqual([say('nameAction'), say('signIn')])
    expect([input.autocomplete, input.enterKeyHint]).toEqual(['off', 'send'])
  })

  it('stand in their order: the log, what is said of it, and the field', () => {
    const log = document.createElement('div')
    const { node, note, form, foot } = createChatElements(log)
    const [head, ...others] = [...node.children]
    expect(head?.tagName).toBe('HEADER')
    expect(others).toEqual([log, note, form, foot])
  })
})
