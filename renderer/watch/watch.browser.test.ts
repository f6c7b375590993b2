import { afterEach, beforeEach, expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import tokens from '../styles/tokens.css?inline'
import { element } from './element.ts'
import watch from './watch.css?inline'

// As text: tests of the page take its styles out, and a module is not run again.
const styles = element('style', {}, tokens, watch)
beforeEach(() => document.head.append(styles))
afterEach(() => {
  styles.remove()
  document.body.replaceChildren()
  document.documentElement.className = ''
})

it.each(['dark', 'light'])(
  'a button that is barred by a tap looks so while the pointer is on it: %s',
  async (theme) => {
    document.documentElement.className = theme
    const button = (isBarred: boolean): HTMLElement =>
      element('button', { class: 'primary', 'aria-disabled': String(isBarred), style: 'transition: none' }, theme)
    const [barred, open] = [button(true), button(false)]
    document.body.replaceChildren(barred, open)
    const look = (node: HTMLElement): string[] => {
      const { backgroundColor, borderTopColor, color } = getComputedStyle(node)
      return [backgroundColor, borderTopColor, color]
    }
    const openBefore = look(open)
    await userEvent.click(open)
    expect(look(open)).not.toEqual(openBefore)
    open.setAttribute('aria-disabled', 'true')
    expect([open.matches(':hover'), open.matches(':focus'), look(open)]).toEqual([true, true, look(barred)])
  },
)

it('what a narrow field asks for ends in three dots', () => {
  const field = element('input', { type: 'text', placeholder: 'Say something as Guest 1234', style: 'width: 100px' })
  document.body.replaceChildren(field)
  expect(getComputedStyle(field).textOverflow).toBe('ellipsis')
  field.value = 'what somebody writes'
  expect(getComputedStyle(field).textOverflow).toBe('clip')
})
