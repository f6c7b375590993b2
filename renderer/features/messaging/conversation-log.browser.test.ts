import { describe, expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import { h, ref } from 'vue'
import { spoken } from '../../format/languages.ts'
import { actingAs, quietMessaging } from '../../testing/messaging-values.ts'
import { began, mounted, settled } from '../../testing/mounted.ts'
import type { Line } from './conversation.ts'
import ConversationLog from './conversation-log.vue'
import { messagingWords } from './words.ts'

const { messaging: words } = spoken(messagingWords, 'en')
const line = (id: number, at = began + id): Line => ({
  id,
  at,
  from: 'mei',
  type: 0,
  body: { msg: `line ${id}` },
  recalled: false,
  via: null,
  held: false,
})
const lines = (from: number, to: number): Line[] =>
  Array.from({ length: to - from + 1 }, (_, index) => line(from + index))

async function show(
  first: readonly Line[] | null,
  props: { readonly whole?: boolean; readonly busy?: boolean; readonly fixed?: boolean } = {},
) {
  const shown = ref(first)
  const told: string[] = []
  await mounted(
    {
      render: () =>
        h('div', { style: 'display: flex; height: 200px; width: 500px' }, [
          h(ConversationLog, {
            accid: 'ana',
            label: 'Messages',
            whole: true,
            busy: false,
            fixed: false,
            ...props,
            lines: shown.value,
            onOlder: () => told.push('older'),
            onSeen: () => told.push('seen'),
          }),
        ]),
    },
    { before: actingAs(), answers: quietMessaging },
  )
  await settled()
  const element = document.querySelector<HTMLElement>('[role=log]')!
  const texts = (): string[] => [...element.querySelectorAll('.words')].map((each) => each.textContent ?? '')
  const scroll = async (top: number): Promise<void> => {
    element.scrollTop = top
    element.dispatchEvent(new Event('scroll'))
    await settled()
  }
  return { shown, told, element, texts, scroll }
}
const button = (name: string | RegExp) => page.getByRole('button', { name })
const atEnd = (element: HTMLElement): number => element.scrollHeight - element.scrollTop - element.clientHeight

describe('the lines of a conversation', () => {
  it('have the day above the first one of each', async () => {
    await show([line(1), line(2), line(3, began + 86_400_000)])
    await expect.element(page.getByText('2026-11-26 · UTC+8')).toBeVisible()
    const days = [...document.querySelectorAll('[role=log] p.caption')].map((each) => each.textContent?.trim())
    expect(days).toEqual([words.conversation.begin, '2026-11-26 · UTC+8', '2026-11-27 · UTC+8'])
  })

  it('say where the conversation begins only once its first line is there', async () => {
    await show(lines(1, 3), { whole: false })
    await expect.element(button(words.conversation.older)).toBeVisible()
    expect(page.getByText(words.conversation.begin).query()).toBeNull()
  })

  it('of a past time do not say that the conversation begins there', async () => {
    await show(lines(1, 3), { fixed: true })
    expect(page.getByText(words.conversation.begin).query()).toBeNull()
    expect(button(words.conversation.older).query()).toBeNull()
  })

  it.each([
    [false, words.conversation.none],
    [true, words.window.none],
  ])('are none, which is said only once they were read: of a past time: %s', async (fixed, says) => {
    await show([], { fixed })
    await expect.element(page.getByText(says)).toBeVisible()
  })

  it('are waited for before they are there, which a screen reader is told', async () => {
    const { element } = await show(null, { busy: true, whole: false })
    expect(document.querySelector('.waiting')).not.toBeNull()
    expect(element.getAttribute('aria-busy')).toBe('true')
    expect(page.getByText(words.conversation.none).query()).toBeNull()
  })

  it('begin at the newest, and follow it', async () => {
    const { element, shown } = await show(lines(1, 30))
    expect(atEnd(element)).toBeLessThan(2)
    shown.value = lines(1, 31)
    await settled()
    expect(atEnd(element)).toBeLessThan(2)
    await expect.element(page.getByText('line 31', { exact: true })).toBeVisible()
  })

  it('count those that come while one reads above, and lead to them', async () => {
    const { element, shown, scroll } = await show(lines(1, 30))
    await scroll(0)
    shown.value = lines(1, 32)
    await settled()
    expect(element.scrollTop).toBe(0)
    await button('2 new lines').click()
    await expect.poll(() => atEnd(element)).toBeLessThan(2)
    expect(button(/new line/).query()).toBeNull()
  })

  it('are seen at their end only, and only while the page is', async () => {
    let visibility = 'visible'
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => visibility })
    onTestFinished(() => {
      Reflect.deleteProperty(document, 'visibilityState')
    })
    const { element, told, scroll } = await show(lines(1, 30))
    expect(told).toContain('seen')
    told.length = 0
    await scroll(0)
    expect(told).toEqual([])
    await scroll(element.scrollHeight - element.clientHeight - 24)
    expect(told).toEqual([])
    visibility = 'hidden'
    await scroll(element.scrollHeight)
    expect(told).toEqual([])
    visibility = 'visible'
    await scroll(element.scrollHeight - element.clientHeight - 23)
    expect(told).toContain('seen')
  })

  it('stay where they are while older ones are read in', async () => {
    const { element, shown, scroll, told } = await show(lines(20, 49), { whole: false })
    await scroll(0)
    await button(words.conversation.older).click()
    expect(told).toContain('older')
    const place = (): number => page.getByText('line 20', { exact: true }).element().getBoundingClientRect().top
    const before = place()
    shown.value = lines(1, 49)
    await settled()
    expect(Math.abs(place() - before)).toBeLessThan(2)
    expect(element.scrollTop).toBeGreaterThan(0)
    expect(button(/new line/).query()).toBeNull()
  })

  it('are drawn 200 at a time, and the others by the buttons at their ends', async () => {
    const { texts, scroll, told } = await show(lines(1, 350), { whole: true })
    expect([texts().length, texts()[0], texts().at(-1)]).toEqual([200, 'line 151', 'line 350'])
    await scroll(0)
    await button(words.conversation.older).click()
    await expect.poll(() => [texts().length, texts()[0], texts().at(-1)]).toEqual([200, 'line 51', 'line 250'])
    expect(told.filter((each) => each === 'older')).toEqual([])
    await button(words.conversation.newer).click()
    await expect.poll(() => [texts()[0], texts().at(-1)]).toEqual(['line 151', 'line 350'])
    expect(button(words.conversation.newer).query()).toBeNull()
  })
})
