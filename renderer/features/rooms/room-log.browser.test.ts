import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref, type Component } from 'vue'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import { began, settled, starting, withParts } from '../../testing/mounted.ts'
import { mountedRoom } from '../../testing/mounted-room.ts'
import { saidLine } from '../../testing/room-values.ts'
import RoomLog from './room-log.vue'
import RoomSearch from './room-search.vue'
import { useRoomPanel } from './room-panel.ts'
import { useRoom } from './room.ts'
import { spoken } from '../../format/languages.ts'
import { roomHostedWords } from './words-hosted.ts'
import { roomListsWords } from './words-lists.ts'
import { roomWords } from './words.ts'

const roomHostedEn = spoken(roomHostedWords, 'en')
const roomListsEn = spoken(roomListsWords, 'en')
const roomEn = spoken(roomWords, 'en')

const { room: words } = roomEn
const { log: logWords } = roomListsEn.roomLists
const at = { profileId: 'local', roomid: 7 }
/** A line that was said some seconds after the page began; before it with a negative number. */
const said = (n: number, from: string, text: string): AppEvent => {
  const event = saidLine(String(1_000 + n), from, text)
  return event.type === 'roomPush'
    ? { ...event, push: { ...event.push, at: began + n * 1_000 } as typeof event.push }
    : event
}
const kept = (n: number, text: string) => ({
  msgid: String(1_000 + n),
  at: began + n * 1_000,
  from: 'ana',
  type: 0,
  attach: text,
  removed: false,
  nick: 'ana',
  clientId: String(n),
})
const open = async ({
  lines = 0,
  height = 240,
  ...options
}: Parameters<typeof mountedRoom>[1] & { readonly lines?: number; readonly height?: number } = {}) => {
  const isHere = ref(true)
  const Log: Component = {
    setup: () => {
      const panel = useRoomPanel()
      return () =>
        h('div', { style: `height: ${height}px; display: flex; flex-direction: column` }, [
          panel.searching ? h(RoomSearch) : null,
          isHere.value ? h(RoomLog) : null,
        ])
    },
  }
  const shown = await mountedRoom(withParts(Log), options)
  await shown.tell(...Array.from({ length: lines }, (_, n) => said(n, n % 2 === 0 ? 'ana' : 'lee', `line ${n}`)))
  await expect.poll(() => rows().length).toBe(Math.min(lines, 100))
  // Vue takes no press of the millisecond in which its element came.
  await shown.pass(1)
  const panel = useRoomPanel(shown.pinia)
  const measures = () => shown.client.inputs('rooms.act').map(({ measure }) => measure)
  return { ...shown, panel, measures, isHere }
}
const log = () => page.getByRole('log')
const row = (text: string) => page.getByText(text, { exact: true })
const rows = () => [...log().element().querySelectorAll<HTMLElement>('[data-room-row]')]
const below = (): number => {
  const { scrollHeight, scrollTop, clientHeight } = log().element()
  return Math.round(scrollHeight - scrollTop - clientHeight)
}
const fresh = (n: number) => page.getByRole('button', { name: starting(`${n} new line`) })
const scrollTo = (top: number): void => {
  log().element().scrollTop = top
}

describe('the lines of a room', () => {
  it('begin at the newest one, and follow what comes', async () => {
    const { panel, tell } = await open({ lines: 40 })
    await expect.element(row('line 39')).toBeVisible()
    expect(below()).toBe(0)
    await tell(said(40, 'ana', 'line 40'))
    await expect.element(row('line 40')).toBeVisible()
    await expect.poll(below).toBe(0)
    expect(panel.frozen).toBe(false)
    expect(fresh(1).query()).toBeNull()
  })

  it('stand still once somebody scrolls up, count what came, and go on by the button', async () => {
    const { panel, tell } = await open({ lines: 40 })
    await expect.element(row('line 39')).toBeVisible()
    scrollTo(200)
    await expect.poll(() => panel.frozen).toBe(true)
    await tell(said(40, 'ana', 'line 40'), said(41, 'ana', 'line 41'))
    await expect.element(fresh(2)).toBeVisible()
    expect(row('line 40').query()).toBeNull()
    expect(log().element().scrollTop).toBe(200)
    await fresh(2).click()
    await expect.element(row('line 41')).toBeVisible()
    await expect.poll(below).toBe(0)
    await expect.element(log()).toHaveFocus()
    expect(panel.frozen).toBe(false)
    expect(fresh(2).query()).toBeNull()
  })

  it('stand still under a mouse until it leaves', async () => {
    const { panel, tell } = await open({ lines: 40 })
    await row('line 39').hover()
    await expect.poll(() => panel.hovered).toBe(true)
    await tell(said(40, 'ana', 'line 40'))
    await expect.element(fresh(1)).toBeVisible()
    expect(row('line 40').query()).toBeNull()
    await userEvent.unhover(log())
    await expect.element(row('line 40')).toBeVisible()
  })

  it('stand still no more once they are gone from the page under the mouse', async () => {
    const { panel, isHere } = await open({ lines: 40 })
    await row('line 39').hover()
    await expect.poll(() => panel.hovered).toBe(true)
    isHere.value = false
    await expect.element(log()).not.toBeInTheDocument()
    expect(panel.hovered).toBe(false)
  })

  it('do not stand still under a mouse where none of them moves', async () => {
    const { panel } = await open({ lines: 1 })
    await row('line 0').hover()
    expect(panel.hovered).toBe(false)
  })

  it('are drawn 100 at a time: older ones while somebody scrolls up, newer ones while they scroll down', async () => {
    const { panel } = await open({ lines: 200 })
    await expect.element(row('line 199')).toBeVisible()
    expect(rows()).toHaveLength(100)
    expect(rows()[0]?.textContent).toContain('line 100')
    panel.frozen = true
    scrollTo(0)
    await expect.poll(() => rows()[0]?.textContent).toContain('line 60')
    expect(rows()).toHaveLength(100)
    // What was seen stays where it was.
    await expect.poll(() => log().element().scrollTop).toBeGreaterThan(500)
    scrollTo(log().element().scrollHeight)
    await expect.poll(() => rows().at(-1)?.textContent).toContain('line 199')
  })

  it('say that there is none yet, that none matches, and that a hosted service sent none', async () => {
    const { panel, tell } = await open()
    await expect.element(page.getByText(words.empty)).toBeVisible()
    await tell(said(1, 'ana', 'hello'))
    await expect.element(page.getByText(words.empty)).not.toBeInTheDocument()
    panel.search = 'nothing like it'
    await expect.element(page.getByText(words.noHit)).toBeVisible()
  })

  it('say that a hosted service sent none', async () => {
    await open({
      profile: 'hosted-1',
      panel: {
        profileId: 'hosted-1',
        copies: {
          receiver: 'listening',
          url: null,
          lastAt: null,
          verified: null,
          dropped: 0,
          elsewhere: 0,
          readAt: null,
        },
      },
    })
    await expect.element(page.getByText(roomHostedEn.roomHosted.nothing)).toBeVisible()
  })

  it('say nothing of an empty room while the app is outside of it', async () => {
    await open({ panel: { phase: 'connecting' } })
    await expect.element(log()).toBeVisible()
    expect(page.getByText(words.empty).query()).toBeNull()
  })
})

describe('a row of the lines', () => {
  it('is marked by a press, and stays in sight when it is marked by a key', async () => {
    const { panel } = await open({ lines: 60 })
    await row('line 58').click()
    expect(panel.focused).toBe('1058')
    panel.step(-40)
    await expect.element(row('line 18')).toBeVisible()
    expect(panel.focused).toBe('1018')
    await expect.element(log()).toHaveFocus()
  })

  it('that was marked far above is drawn and shown', async () => {
    const { panel } = await open({ lines: 200 })
    await expect.element(row('line 199')).toBeVisible()
    expect(row('line 5').query()).toBeNull()
    panel.step(-Infinity)
    await expect.element(row('line 0')).toBeVisible()
    expect(panel.focused).toBe('1000')
  })

  it.each([
    ['deletes the line', words.remove, { kind: 'removeLine', target: 'lee', msgid: '1001' }, {}],
    ['mutes its person', words.mute, { kind: 'temporaryMute', target: 'lee', seconds: 600 }, { upon: '1001' }],
  ] as const)('%s by its button, without marking it', async (_case, name, measure, more) => {
    const { client, panel } = await open({ lines: 2 })
    await row('line 1').hover()
    await page
      .getByRole('button', { name: starting(name) })
      .last()
      .click()
    await expect.poll(() => client.inputs('rooms.act')).toEqual([{ ...at, measure, why: '', ...more }])
    expect(panel.focused).toBeNull()
  })

  it('opens the card of its person by its button', async () => {
    const { panel } = await open({ lines: 2 })
    await row('line 1').hover()
    await page.getByRole('button', { name: words.card }).last().click()
    expect(panel.shown).toBe('lee')
    expect(panel.focused).toBeNull()
  })

  it('that moved under a resting mouse is not pressed by it, and the rows stand still then', async () => {
    const { panel, pass, tell } = await open({ lines: 40 })
    await row('line 39').hover()
    await expect.poll(() => panel.hovered).toBe(true)
    panel.hovered = false
    await tell(said(40, 'ana', 'line 40'))
    await expect.element(row('line 40')).toBeVisible()
    await pass(1)
    const target = rows().at(-2)!
    const { left, top } = target.getBoundingClientRect()
    const press = (clientX: number): boolean =>
      target.dispatchEvent(
        new PointerEvent('click', { pointerType: 'mouse', clientX, clientY: top + 5, bubbles: true, cancelable: true }),
      )
    press(left + 5)
    expect([panel.focused, panel.hovered]).toEqual([null, true])
    press(left + 5)
    expect(panel.focused).toBe(target.dataset['id'])
  })
})

describe('older lines', () => {
  const history = {
    'rooms.history': ({ call }: { readonly call: { readonly before?: string | undefined } }) => ({
      ret:
        call.before === undefined
          ? { list: Array.from({ length: 20 }, (_, n) => kept(-n, `kept ${n}`)), more: true }
          : { list: Array.from({ length: 5 }, (_, n) => kept(-20 - n, `kept ${20 + n}`)), more: false },
    }),
  }

  it('are read by scrolling up, once, down to the first line of the room', async () => {
    const { client, pinia } = await open({ answers: { ...history, 'rooms.enter': () => useRoom().panel! } })
    await useRoom(pinia).open(7)
    await expect.element(row('kept 0')).toBeVisible()
    expect(client.inputs('rooms.history')).toHaveLength(1)
    expect(page.getByText(logWords.first).query()).toBeNull()
    scrollTo(0)
    await expect.poll(() => rows().length).toBe(25)
    expect(client.inputs('rooms.history').map(({ call }) => call.before)).toEqual([undefined, '981'])
    await expect.element(page.getByText(logWords.first)).toBeInTheDocument()
    // What was seen stays where it was.
    expect(log().element().scrollTop).toBeGreaterThan(0)
    scrollTo(0)
    await expect.element(page.getByText(logWords.first)).toBeVisible()
    expect(client.inputs('rooms.history')).toHaveLength(2)
  })

  it('are read by their button', async () => {
    const { client, pass, pinia } = await open({
      height: 900,
      answers: { ...history, 'rooms.enter': () => useRoom().panel! },
    })
    await useRoom(pinia).open(7)
    await pass(1)
    await page.getByRole('button', { name: logWords.older }).click()
    await expect.poll(() => client.inputs('rooms.history').length).toBe(2)
    await expect.element(row('kept 24')).toBeVisible()
    await expect.element(page.getByRole('button', { name: logWords.older })).not.toBeInTheDocument()
  })
})

describe('the search of lines', () => {
  const field = () => page.getByRole('textbox', { name: words.search })
  const kind = (name: string) => page.getByRole('button', { name, exact: true })
  const texts = () => rows().map((each) => each.querySelector('.said')?.textContent ?? each.textContent.trim())
  const search = async (more: Parameters<typeof open>[0] = {}) => {
    const shown = await open({ lines: 4, ...more })
    shown.panel.openSearch()
    await expect.element(field()).toHaveFocus()
    return shown
  }

  it('has the focus, and leaves the lines that have the text or are of the person', async () => {
    await search()
    await field().fill('LINE 2')
    await expect.poll(texts).toEqual(['line 2'])
    await field().fill('lee')
    await expect.poll(texts).toEqual(['line 1', 'line 3'])
  })

  it('leaves what somebody said, or what was moderated, by choice', async () => {
    const { tell } = await search()
    await tell({
      type: 'roomPush',
      ...at,
      push: {
        t: 'roomRecall',
        roomid: 7,
        msgid: '1002',
        at: began,
        from: 'ana',
        clientId: '1002',
        operator: 'host',
        ext: 'spam',
      },
    })
    await kind(words.shown.moderated).click()
    await expect.poll(texts).toEqual(['line 2'])
    await kind(words.shown.lines).click()
    await expect.poll(texts).toEqual(['line 0', 'line 1', 'line 2', 'line 3'])
  })

  it('keeps the focus for keys of an input method, and for those of its other buttons', async () => {
    await search()
    const press = (element: Element, change: KeyboardEventInit): boolean =>
      element.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true, ...change }),
      )
    expect(press(field().element(), { isComposing: true })).toBe(true)
    expect(press(kind(words.shown.moderated).element(), {})).toBe(true)
    await settled()
    await expect.element(field()).toHaveFocus()
    expect(press(field().element(), {})).toBe(false)
  })

  it('is closed with Esc, without what was searched for', async () => {
    const { panel } = await search()
    await field().fill('line 2')
    await userEvent.keyboard('{Escape}')
    await expect.element(field()).not.toBeInTheDocument()
    expect([panel.search, panel.kind]).toEqual(['', 'all'])
    await expect.poll(texts).toHaveLength(4)
  })

  it.each(['{Enter}', '{ArrowDown}', '{ArrowUp}'])('leads into the newest line that was found, by %s', async (key) => {
    const { panel } = await search()
    await field().fill('ana')
    await userEvent.keyboard(key)
    await expect.element(log()).toHaveFocus()
    expect(panel.focused).toBe('1002')
  })
})
