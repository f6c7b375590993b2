import { afterEach, expect, it, onTestFinished } from 'vitest'
import { element } from './element.ts'
import { listenForKeys } from './keys.ts'

afterEach(() => document.body.replaceChildren())

function show() {
  const done: string[] = []
  const stop = listenForKeys({
    m: () => done.push('mute'),
    ' ': () => done.push('play'),
    escape: () => done.push('out'),
  })
  onTestFinished(stop)
  const press = (key: string, target: EventTarget = document.body, more: KeyboardEventInit = {}): boolean =>
    target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }))
  const add = <T extends HTMLElement>(node: T): T => {
    document.body.append(node)
    return node
  }
  return { done, press, add, stop }
}

it('does what a key stands for, in capitals too, and takes it from the browser', () => {
  const { done, press, stop } = show()
  expect(press('m')).toBe(false)
  press('M')
  press(' ')
  press('Escape')
  expect(press('x')).toBe(true)
  expect(done).toEqual(['mute', 'mute', 'play', 'out'])
  stop()
  press('m')
  expect(done).toHaveLength(4)
})

it('are none while what they act on is gone', () => {
  let isThere = false
  const done: string[] = []
  onTestFinished(listenForKeys({ m: () => done.push('mute') }, () => isThere))
  const { press } = show()
  press('m')
  expect(done).toEqual([])
  isThere = true
  press('m')
  expect(done).toEqual(['mute'])
})

it.each(['text', 'password'])('leaves all keys to a field of kind %s', (type) => {
  const { done, press, add } = show()
  expect(press('m', add(element('input', { type })))).toBe(true)
  press(' ', add(element('textarea')))
  expect(done).toEqual([])
})

it('works from a slider and a button, but the space bar is theirs', () => {
  const { done, press, add } = show()
  const button = add(element('button', { type: 'button' }))
  press('m', add(element('input', { type: 'range' })))
  press('m', button)
  expect(press(' ', button)).toBe(true)
  expect(done).toEqual(['mute', 'mute'])
})

it('is silent with Ctrl, Alt and Meta, for repetitions, in compositions, and while a dialog is open', () => {
  const { done, press, add } = show()
  for (const more of [{ ctrlKey: true }, { altKey: true }, { metaKey: true }, { repeat: true }, { isComposing: true }])
    press('m', document.body, more)
  add(element('dialog')).showModal()
  press('m')
  expect(done).toEqual([])
})
