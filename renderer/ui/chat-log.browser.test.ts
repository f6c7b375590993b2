import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h, ref, type Component } from 'vue'
import { mounted, settled } from '../testing/mounted.ts'
import { useChatLog } from './chat-log.ts'
import ChatLog from './chat-log.vue'

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index)

/** A log of numbers in a box of 100 px; each line is 20 px high, and at most 20 are drawn. */
async function show(first: readonly number[], options: { readonly list?: true; readonly place?: () => number } = {}) {
  const lines = ref(first)
  const fresh = ref(0)
  const pressed = ref(0)
  let log!: ReturnType<typeof useChatLog<number>>
  const part: Component = {
    setup: () => {
      log = useChatLog<number>({
        lines: () => lines.value,
        keyOf: (line) => line,
        drawn: 20,
        ...(options.place && { place: options.place }),
      })
      return () =>
        h('div', { style: 'display: flex; height: 100px' }, [
          h(
            ChatLog,
            {
              log,
              label: 'Lines',
              list: options.list ?? false,
              fresh: fresh.value,
              'aria-live': 'off',
              onNewest: () => (pressed.value += 1),
            },
            {
              default: () =>
                log.part.value.lines.map((line) =>
                  h(
                    options.list ? 'li' : 'p',
                    { key: line, 'data-id': line, style: 'flex: none; height: 20px' },
                    `${line}`,
                  ),
                ),
              fresh: () => `${fresh.value} more`,
            },
          ),
        ])
    },
  }
  await mounted(part)
  const drawn = (): number[] => [...log.element.value!.children].map((each) => Number(each.textContent))
  /** The line at the upper edge. */
  const top = (): number => {
    const { x, y } = log.element.value!.getBoundingClientRect()
    return Number(document.elementFromPoint(x + 5, y + 5)?.textContent)
  }
  return { lines, fresh, pressed, log, drawn, top }
}

describe('a log of which a part is drawn', () => {
  it('stands at the bottom while it has room, and scrolls once it has none', async () => {
    const { lines, log } = await show(numbers(0, 2))
    const rest = (): number => {
      const element = log.element.value!
      return element.getBoundingClientRect().bottom - element.lastElementChild!.getBoundingClientRect().bottom
    }
    expect(rest()).toBe(0)
    lines.value = numbers(0, 8)
    await log.toEnd()
    expect(rest()).toBe(0)
    expect(log.element.value!.scrollHeight).toBe(160)
  })

  it('draws the newest lines, and follows them', async () => {
    const { lines, log, drawn, top } = await show(numbers(0, 50))
    await log.toEnd()
    expect([drawn(), top()]).toEqual([numbers(30, 50), 45])
    lines.value = numbers(0, 52)
    await log.toEnd()
    expect([drawn(), top(), log.follows.value]).toEqual([numbers(32, 52), 47, true])
  })

  it('draws other lines, and what is seen stays at its place', async () => {
    const { log, drawn, top } = await show(numbers(0, 50))
    await log.toEnd()
    log.element.value!.scrollTop = 60
    expect(top()).toBe(33)
    await log.moveBy(-10)
    expect([drawn(), top()]).toEqual([numbers(20, 40), 33])
    await log.moveBy(5)
    expect([drawn(), top()]).toEqual([numbers(25, 45), 33])
  })

  it('draws no fewer lines at either end', async () => {
    const { log, drawn } = await show(numbers(0, 50))
    await log.moveBy(-100)
    expect(drawn()).toEqual(numbers(0, 20))
    await log.moveBy(100)
    expect(drawn()).toEqual(numbers(30, 50))
  })

  it('keeps the held line the last while lines come at both ends', async () => {
    const { lines, log, drawn } = await show(numbers(10, 50))
    log.hold(30)
    await settled()
    expect(drawn()).toEqual(numbers(20, 40))
    lines.value = numbers(0, 60)
    await settled()
    expect(drawn()).toEqual(numbers(20, 40))
    expect([log.part.value.earlier, log.part.value.later, log.follows.value]).toEqual([20, 20, false])
  })

  it('shows the oldest lines there are when the held one is gone', async () => {
    const { lines, log, drawn } = await show(numbers(0, 50))
    log.hold(25)
    lines.value = numbers(40, 90)
    await settled()
    expect(drawn()).toEqual(numbers(40, 60))
  })

  it('keeps what is seen at its place while older lines are read', async () => {
    const { lines, log, drawn, top } = await show(numbers(10, 25))
    await log.toEnd()
    log.element.value!.scrollTop = 0
    expect(top()).toBe(10)
    await log.keepPlace(async () => {
      log.hold(15)
      await Promise.resolve()
      lines.value = numbers(0, 25)
    })
    expect([drawn(), top()]).toEqual([numbers(5, 25), 10])
  })

  it('draws the lines around a place, and counts the others', async () => {
    const place = ref(25)
    const { log, drawn } = await show(numbers(0, 50), { list: true, place: () => place.value })
    expect(drawn()).toEqual(numbers(15, 35))
    place.value = 3
    await settled()
    expect([drawn(), log.part.value.earlier, log.part.value.later]).toEqual([numbers(0, 13), 0, 37])
  })
})

describe('the frame of a log', () => {
  it('is a log that can have the focus, and has what it is given', async () => {
    const { log } = await show(numbers(0, 3))
    const element = page.getByRole('log', { name: 'Lines' })
    await expect.element(element).toHaveAttribute('aria-live', 'off')
    log.element.value!.focus()
    await expect.element(element).toHaveFocus()
  })

  it('is a list where its lines are items', async () => {
    await show(numbers(0, 3), { list: true })
    await expect.element(page.getByRole('list', { name: 'Lines' })).toBeVisible()
    expect(page.getByRole('log').query()).toBeNull()
  })

  it('has a button to the newest lines while there are some below', async () => {
    const { fresh, pressed } = await show(numbers(0, 3))
    expect(page.getByRole('button').query()).toBeNull()
    fresh.value = 2
    await page.getByRole('button', { name: '2 more' }).click()
    expect(pressed.value).toBe(1)
  })
})
