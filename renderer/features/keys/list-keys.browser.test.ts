import { beforeEach, describe, expect, it } from 'vitest'
import { moveInList, type Move } from './list-keys.ts'

let pane: HTMLElement
const put = (html: string): void => {
  pane.innerHTML = html
}
const focused = (): string => document.activeElement?.textContent.trim() ?? ''
beforeEach(() => {
  pane = document.createElement('div')
  document.body.replaceChildren(pane)
})

describe('moving keys in a list', () => {
  const people = (): void =>
    put(
      `<div data-list tabindex="0"><ul>${['ana', 'lee', 'mei']
        .map((name) => `<li><button data-stop>${name}</button><button>menu of ${name}</button></li>`)
        .join('')}</ul></div>`,
    )
  const stop = (name: string): HTMLElement =>
    [...pane.querySelectorAll<HTMLElement>('button')].find((each) => each.textContent === name)!

  it.each([
    ['down', 'ana', 'lee'],
    ['up', 'mei', 'lee'],
    ['down', 'mei', 'mei'],
    ['up', 'ana', 'ana'],
    ['first', 'mei', 'ana'],
    ['last', 'ana', 'mei'],
  ] as const)('go %s from %s to %s', (move, from, to) => {
    people()
    stop(from).focus()
    expect(moveInList(pane, move)).toBe(true)
    expect(focused()).toBe(to)
  })

  it('count from the row whose other button has the focus', () => {
    people()
    stop('menu of ana').focus()
    expect(moveInList(pane, 'down')).toBe(true)
    expect(focused()).toBe('lee')
  })

  it.each(['down', 'up', 'first'] as const)('begin with the first one where none has the focus: %s', (move) => {
    people()
    expect(moveInList(pane, move)).toBe(true)
    expect(focused()).toBe('ana')
  })

  it.each(['up', 'down', 'first', 'last'] as Move[])('focus a list without rows to stop at, once: %s', (move) => {
    put('<div data-list tabindex="0">figures</div>')
    expect(moveInList(pane, move)).toBe(true)
    expect(focused()).toBe('figures')
    // The list scrolls by itself then.
    expect(moveInList(pane, move)).toBe(false)
  })

  it('leave the keys to others where there is no list', () => {
    put('<p>nothing</p>')
    expect(moveInList(pane, 'down')).toBe(false)
  })
})
