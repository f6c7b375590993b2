import { afterEach, expect, it } from 'vitest'
import { roomLine } from '../testing/viewer-link.ts'
import { createLines } from './lines.ts'
import { say } from './words.ts'

afterEach(() => document.body.replaceChildren())

function show() {
  const lines = createLines()
  document.body.append(lines.node)
  for (const [id, text] of ['first', 'second', 'third'].entries())
    lines.add(roomLine(id + 1, text, { from: `person${id}`, fromNick: `Person ${id}` }), false)
  const rows = [...lines.node.querySelectorAll<HTMLElement>('.line')]
  const log = lines.node.querySelector<HTMLElement>('.log')!
  const tools = (): HTMLElement | null => lines.node.querySelector('.tools')
  const over = (row: HTMLElement, pointerType = 'mouse'): boolean =>
    row.dispatchEvent(new PointerEvent('pointerover', { pointerType, bubbles: true }))
  const press = (key: string): boolean =>
    document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
  return { ...lines, rows, log, tools, over, press }
}

it('stand with the time on the line under the pointer, and are gone with it', () => {
  const { rows, tools, over, log } = show()
  expect(tools()).toBeNull()
  over(rows[1]!)
  expect(tools()?.parentElement).toBe(rows[1])
  expect(tools()?.querySelector('.time')?.textContent).toBe(new Date(2).toLocaleTimeString('en-GB'))
  over(rows[2]!)
  expect(tools()?.parentElement).toBe(rows[2])
  log.dispatchEvent(new PointerEvent('pointerleave', { pointerType: 'mouse' }))
  expect(tools()).toBeNull()
})

it('are reached by keyboard: up and down go from line to line, the newest first', () => {
  const { rows, tools, log, press } = show()
  log.focus()
  press('ArrowUp')
  expect(document.activeElement).toBe(rows[2])
  press('ArrowUp')
  expect([document.activeElement, tools()?.parentElement]).toEqual([rows[1], rows[1]])
  press('ArrowDown')
  press('ArrowDown')
  expect(document.activeElement).toBe(rows[2])
  rows[2]!.blur()
  expect(tools()).toBeNull()
})

it('mention whoever wrote the line, while something can be written', () => {
  const { rows, tools, over, mention } = show()
  const called: string[] = []
  mention((name) => called.push(name))
  over(rows[0]!)
  const button = tools()!.querySelector<HTMLElement>(`[aria-label="${say('mention')}"]`)!
  expect(button.hidden).toBe(false)
  button.click()
  expect(called).toEqual(['Person 0'])
  mention(undefined)
  expect(button.hidden).toBe(true)
})

it('are gone with a line that is deleted', () => {
  const { rows, tools, over, remove, add } = show()
  over(rows[0]!)
  remove('1')
  expect(tools()).toBeNull()
  add(roomLine(9, 'fourth'), false)
  over(rows[1]!)
  expect(tools()?.parentElement).toBe(rows[1])
})

it('lines that call one by name stand out, and one’s own are marked', () => {
  const { add, me, node } = show()
  me('guest1', 'Heron')
  add(roomLine(10, 'thanks @heron, found it'), false)
  add(roomLine(11, 'not for @heronry'), false)
  add(roomLine(12, 'me: @Heron', { from: 'guest1', fromNick: 'Heron' }), false)
  const rows = [...node.querySelectorAll('.line')].slice(-3)
  expect(rows.map((row) => row.classList.contains('mentions'))).toEqual([true, false, false])
  expect(rows.map((row) => row.querySelector('.own')?.textContent)).toEqual([undefined, undefined, say('you')])
})

it('names have a square of their own colour, hosts and moderators a badge instead', () => {
  const { roles, rows } = show()
  const squares = (): boolean[] => rows.map((row) => row.querySelector<HTMLElement>('.square')!.hidden === true)
  expect(squares()).toEqual([false, false, false])
  expect(rows[0]!.querySelector<HTMLElement>('.square')!.dataset['hue']).toMatch(/^[0-7]$/)
  roles((accid) => (accid === 'person1' ? 'host' : undefined))
  expect(squares()).toEqual([false, true, false])
})
