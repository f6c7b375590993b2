import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { roomNotices } from '../../contract/catalogue/notices.ts'
import { roomLine, roomNotice } from '../testing/viewer-link.ts'
import { createLines } from './lines.ts'
import { say } from './words.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
  document.body.replaceChildren()
})

/** A log of 200 px, whose lines have a height. */
function show() {
  const lines = createLines()
  const list = lines.node.querySelector<HTMLElement>('[role=log]')!
  list.style.cssText = 'height: 200px; overflow: auto; line-height: 1.5'
  document.body.append(lines.node)
  return {
    ...lines,
    list,
    more: lines.node.querySelector<HTMLButtonElement>('.more')!,
    voice: lines.node.querySelector<HTMLElement>('.heard')!,
    rows: () => [...list.querySelectorAll<HTMLElement>('.line')],
    texts: () => [...list.querySelectorAll('.said')].map((said) => said.textContent),
    /** Adds lines until the log scrolls. */
    fill: (from = 1000): void => {
      for (let number = 0; number < 40; number++) lines.add(roomLine(from + number, `filler ${number}`), false)
    },
  }
}
const scrolled = async (list: HTMLElement, top: number): Promise<void> => {
  list.scrollTop = top
  list.dispatchEvent(new Event('scroll'))
  await Promise.resolve()
}
type Shown = ReturnType<typeof show>
/** Sizes were observed, and what that changed was drawn. */
const drawn = async (): Promise<void> => {
  for (let frame = 0; frame < 3; frame++) await new Promise((done) => requestAnimationFrame(done))
}
const atEnd = (list: HTMLElement): number => list.scrollHeight - list.scrollTop - list.clientHeight

describe('a line of the log', () => {
  it('has the name and the text of its sender, and is shown once', () => {
    const { add, rows } = show()
    add(roomLine(1, 'hello'), true)
    add(roomLine(1, 'hello'), true)
    expect(rows().map((row) => row.querySelector('.name')?.textContent)).toEqual(['Kestrel'])
    expect(rows()[0]?.querySelector('.said')?.textContent).toBe('hello')
  })

  it('has the account where the name has nothing to be seen', () => {
    const { add, rows } = show()
    add(roomLine(1, 'hello', { fromNick: '​ ' }), false)
    expect(rows()[0]?.querySelector('.name')?.textContent).toBe('kestrel')
  })

  it('never becomes markup', () => {
    const { add, rows } = show()
    add(roomLine(1, '<img src=x>', { fromNick: '<b>bold</b>' }), false)
    expect(rows()[0]?.querySelector('img, b')).toBeNull()
    expect(rows()[0]?.textContent).toContain('<img src=x>')
  })

  it('is cut after 2,000 characters, its name after 40', () => {
    const { add, rows } = show()
    add(roomLine(1, '😀'.repeat(2001), { fromNick: 'n'.repeat(41) }), false)
    add(roomLine(2, '😀'.repeat(2000), { fromNick: 'n'.repeat(40) }), false)
    const part = (index: number, what: string) => rows()[index]!.querySelector(what)!.textContent
    expect(part(0, '.said')).toBe(`${'😀'.repeat(2000)}…`)
    expect(part(0, '.name')).toBe(`${'n'.repeat(40)}…`)
    expect(part(1, '.said')).toBe('😀'.repeat(2000))
    expect(part(1, '.name')).toBe('n'.repeat(40))
  })

  it('of a picture, or of JSON without a text, says that the page does not show it', () => {
    const { add, texts } = show()
    add(roomLine(1, '{"url":"x"}', { type: 1 }), false)
    add(roomLine(2, '{"url":"x"}', { type: 100 }), false)
    add(roomLine(3, '{"msg":"from json"}', { type: 100 }), false)
    add(roomLine(4, '{"msg":"plain"}'), false)
    expect(texts()).toEqual([say('picturesKind'), say('picturesKind'), 'from json', 'plain'])
  })

  it('of a notice has no name, and is not there where viewers are told nothing', () => {
    const { add, rows } = show()
    add(roomNotice(1, roomNotices.roomMuted), true)
    add(roomNotice(2, roomNotices.entered, { target: ['a'] }), true)
    expect(rows()).toHaveLength(1)
    expect(rows()[0]?.textContent).toBe(say('roomWasMuted'))
    expect(rows()[0]?.className).toBe('line notice')
  })

  it('leaves when it is deleted, and does not come back from a history', () => {
    const { add, remove, texts } = show()
    add(roomLine(1, 'one'), false)
    add(roomLine(2, 'two'), false)
    remove('1')
    expect(texts()).toEqual(['two'])
    add(roomLine(1, 'one'), false)
    remove('3')
    add(roomLine(3, 'three'), false)
    expect(texts()).toEqual(['two'])
  })

  it('is among the last 300', () => {
    const { add, texts } = show()
    for (let number = 1; number <= 301; number++) add(roomLine(number, `line ${number}`), false)
    expect([texts().length, texts()[0], texts().at(-1)]).toEqual([300, 'line 2', 'line 301'])
  })

  it('has the badge of its sender, which follows the roles', () => {
    const { add, roles, rows } = show()
    const badge = (index: number) => rows()[index]!.querySelector<HTMLElement>('.badge')!
    add(roomLine(1, 'one'), false)
    roles((accid) => (accid === 'kestrel' ? 'moderator' : undefined))
    add(roomLine(2, 'two', { from: 'other' }), false)
    add(roomLine(3, 'three'), false)
    expect([0, 1, 2].map((index) => badge(index).hidden)).toEqual([false, true, false])
    expect(badge(0).textContent).toBe(say('moderator'))
    expect(rows()[0]?.querySelector('.name')?.classList.contains('leads')).toBe(true)
    roles(() => 'host')
    expect([0, 1, 2].map((index) => badge(index).textContent)).toEqual(Array(3).fill(say('host')))
    roles(() => undefined)
    expect(badge(0).hidden).toBe(true)
    expect(rows()[0]?.querySelector('.name')?.classList.contains('leads')).toBe(false)
  })
})

describe('the log', () => {
  it('follows its end, and does not while one reads above', async () => {
    const { add, fill, list, more } = show()
    fill()
    expect(atEnd(list)).toBeLessThan(2)
    expect(more.hidden).toBe(true)
    await scrolled(list, 100)
    add(roomLine(1, 'one'), true)
    expect(list.scrollTop).toBe(100)
    expect(more.hidden).toBe(false)
    expect(more.textContent).toBe(say('newLine'))
    add(roomLine(2, 'two'), true)
    expect(more.textContent).toBe(say('newLines', { count: '2' }))
  })

  it('goes to the new lines by the button, which takes the focus there', async () => {
    const { add, fill, list, more } = show()
    fill()
    await scrolled(list, 0)
    add(roomLine(1, 'one'), true)
    more.click()
    expect(atEnd(list)).toBeLessThan(2)
    expect(more.hidden).toBe(true)
    expect(document.activeElement).toBe(list)
  })

  it.each([
    ['a line waits for a moderator', ({ waits }: Shown) => waits(roomLine(1, 'own'))],
    ['a line was dropped', ({ waits, dropped }: Shown) => (waits(roomLine(1, 'own')), dropped('1'))],
    ['there is less room', ({ list }: Shown) => list.style.setProperty('height', '120px')],
    ['the text is larger', ({ list }: Shown) => list.style.setProperty('font-size', '30px')],
  ])('stays at its end when %s', async (_case, change) => {
    const shown = show()
    const { list, fill } = shown
    list.append(document.createElement('style'))
    list.querySelector('style')!.textContent = '.fate:not(:empty) { display: block; height: 60px }'
    fill()
    await drawn()
    change(shown)
    await expect.poll(() => atEnd(list)).toBeLessThan(1)
  })

  it('stays where one reads when the room changes', async () => {
    const { list, fill } = show()
    fill()
    await drawn()
    await scrolled(list, 100)
    list.style.height = '120px'
    await drawn()
    expect(list.scrollTop).toBeLessThan(150)
    expect(atEnd(list)).toBeGreaterThan(500)
  })

  it('has no button any more when one scrolls to the end', async () => {
    const { add, fill, list, more } = show()
    fill()
    await scrolled(list, 0)
    add(roomLine(1, 'one'), true)
    await scrolled(list, 10)
    expect(more.hidden).toBe(false)
    await scrolled(list, list.scrollHeight)
    expect(more.hidden).toBe(true)
  })

  it('still follows from 39 px above its end, not from 40', async () => {
    const { add, fill, list, more } = show()
    fill()
    await scrolled(list, list.scrollHeight - list.clientHeight - 39)
    add(roomLine(1, 'one'), true)
    expect(more.hidden).toBe(true)
    await scrolled(list, list.scrollHeight - list.clientHeight - 40)
    add(roomLine(2, 'two'), true)
    expect(more.hidden).toBe(false)
  })
})

describe('what a screen reader is told', () => {
  it('is a new line with its name, and not the history', () => {
    const { add, voice } = show()
    add(roomLine(1, 'old'), false)
    vi.advanceTimersByTime(0)
    expect(voice.textContent).toBe('')
    add(roomLine(2, 'hello'), true)
    vi.advanceTimersByTime(0)
    expect(voice.textContent).toBe('Kestrel: hello')
  })

  it('comes at most every 2 s: two lines in full, more as their number', () => {
    const { add, voice } = show()
    add(roomLine(1, 'one'), true)
    vi.advanceTimersByTime(0)
    add(roomLine(2, 'two'), true)
    add(roomNotice(3, roomNotices.roomMuted), true)
    vi.advanceTimersByTime(1999)
    expect(voice.textContent).toBe('Kestrel: one')
    vi.advanceTimersByTime(1)
    expect(voice.textContent).toBe(`Kestrel: two. ${say('roomWasMuted')}`)
    for (const number of [4, 5, 6]) add(roomLine(number, 'more'), true)
    vi.advanceTimersByTime(2000)
    expect(voice.textContent).toBe(say('newLines', { count: '3' }))
    add(roomLine(7, 'seven'), true)
    vi.advanceTimersByTime(2000)
    expect(voice.textContent).toBe('Kestrel: seven')
  })

  it('has one stop after each notice', () => {
    const { add, voice } = show()
    add(roomLine(1, 'one'), true)
    vi.advanceTimersByTime(0)
    add(roomNotice(2, roomNotices.roomMuted), true)
    add(roomNotice(3, roomNotices.roomUnmuted), true)
    vi.advanceTimersByTime(2000)
    expect(voice.textContent).toBe(`${say('roomWasMuted')} ${say('roomWasUnmuted')}`)
  })

  it('is a new element even for the same text', () => {
    const { add, voice } = show()
    add(roomLine(1, 'hello'), true)
    vi.advanceTimersByTime(0)
    const before = voice.firstChild
    add(roomLine(2, 'hello'), true)
    vi.advanceTimersByTime(2000)
    expect(voice.firstChild).not.toBe(before)
  })

  it('is cut after 200 characters', () => {
    const { add, voice } = show()
    add(roomLine(1, 'x'.repeat(201)), true)
    vi.advanceTimersByTime(0)
    expect(voice.textContent).toBe(`Kestrel: ${'x'.repeat(200)}…`)
  })

  it('does not have a line that was deleted, before or after it was read', () => {
    const { add, remove, voice } = show()
    add(roomLine(1, 'one'), true)
    vi.advanceTimersByTime(0)
    remove('1')
    expect(voice.textContent).toBe('')
    add(roomLine(2, 'two'), true)
    add(roomLine(3, 'three'), true)
    remove('2')
    vi.advanceTimersByTime(2000)
    expect(voice.textContent).toBe('Kestrel: three')
  })
})

describe('an address in a line', () => {
  const open = (text: string): HTMLDialogElement => {
    const { add, rows } = show()
    add(roomLine(1, text), false)
    rows()[0]!.querySelector<HTMLButtonElement>('button.link')!.click()
    return document.querySelector('dialog')!
  }
  const opened = (): unknown[][] => {
    const calls: unknown[][] = []
    const { open: before } = window
    window.open = (...given: unknown[]) => {
      calls.push(given)
      return null
    }
    onTestFinished(() => {
      window.open = before
    })
    return calls
  }

  it('is a button with the whole address, in the order of its characters', () => {
    const { add, rows } = show()
    add(roomLine(1, 'see https://example.com/a now'), false)
    const button = rows()[0]!.querySelector('button.link')!
    expect([button.textContent, button.getAttribute('dir')]).toEqual(['https://example.com/a', 'ltr'])
    expect(rows()[0]?.querySelector('.said')?.textContent).toBe('see https://example.com/a now')
  })

  it('asks before it is opened, with the focus on Cancel, in another tab that does not know this one', () => {
    const calls = opened()
    const dialog = open('https://example.com/a')
    expect(dialog.open).toBe(true)
    expect(dialog.querySelector('.address')?.textContent).toBe('https://example.com/a')
    expect(dialog.querySelector('.note')?.textContent).toBe(say('linkNote', { host: 'example.com' }))
    expect(dialog.querySelector('.warning')).toBeNull()
    expect(document.activeElement?.textContent).toBe(say('cancel'))
    expect(calls).toEqual([])
    dialog.querySelector<HTMLButtonElement>('.primary')!.click()
    expect(calls).toEqual([['https://example.com/a', '_blank', 'noopener,noreferrer']])
  })

  it('is not opened after Cancel, and the question is gone', async () => {
    const calls = opened()
    const dialog = open('https://example.com/a')
    ;(document.activeElement as HTMLElement).click()
    await expect.poll(() => document.querySelector('dialog')).toBeNull()
    expect(dialog.open).toBe(false)
    expect(calls).toEqual([])
  })

  it.each([
    ['https://xn--80ak6aa92e.com/', 'linkEncoded'],
    ['https://раypal.com/', 'linkMixed'],
    ['http://192.168.0.1/', 'linkNumber'],
  ] as const)('warns of %s', (address, word) => {
    const dialog = open(address)
    expect([...dialog.querySelectorAll('.warning')].map((each) => each.textContent)).toContain(say(word))
  })
})

describe('the ids of lines', () => {
  it('are remembered for the last 1,000, so that no line of them is shown twice', () => {
    const { add, texts } = show()
    for (let number = 1; number <= 1001; number++) add(roomLine(number, `line ${number}`), false)
    add(roomLine(2, 'again 2'), false)
    expect(texts().at(-1)).toBe('line 1001')
    add(roomLine(1, 'again 1'), false)
    expect(texts().at(-1)).toBe('again 1')
  })
})

describe('a number of new lines that was read out', () => {
  it('stays when one of them is deleted', () => {
    const { add, remove, voice } = show()
    for (const number of [1, 2, 3]) add(roomLine(number, 'more'), true)
    vi.advanceTimersByTime(0)
    remove('1')
    expect(voice.textContent).toBe(say('newLines', { count: '3' }))
  })
})

it('the log of the chat has a name and can have the focus, and is not read out itself', () => {
  const { list } = show()
  expect([list.getAttribute('aria-label'), list.tabIndex, list.getAttribute('aria-live')]).toEqual([
    say('chat'),
    0,
    'off',
  ])
})
