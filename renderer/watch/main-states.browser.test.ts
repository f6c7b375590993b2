import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import type { WatchState } from '../../contract/watch.ts'
import { viewerLink } from '../testing/viewer-link.ts'
import { say, span } from './words.ts'

const room = { roomid: 7, name: 'Room', announcement: '', open: true, muted: false, guests: true } as const
const inside: WatchState = {
  title: 'Late night',
  live: true,
  disabled: false,
  time: 0,
  viewers: 1,
  room,
  link: '/link',
  appKey: 'app',
}
const gated = (gate: NonNullable<WatchState['gate']>, ahead?: number): WatchState => ({
  title: 'Late night',
  live: false,
  disabled: false,
  time: 0,
  viewers: 0,
  gate,
  ...(ahead !== undefined && { ahead }),
})
let starts = 0

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
  document.body.replaceChildren()
  for (const name of ['data-tally', 'data-chat-hidden', 'data-theatre', 'data-room'])
    document.body.removeAttribute(name)
  document.documentElement.className = ''
  for (const style of document.querySelectorAll(
    'style[data-vite-dev-id*="/watch/"], style[data-vite-dev-id$="not-started.css"]',
  ))
    style.remove()
})
const passed = async (ms = 0): Promise<void> => {
  await vi.advanceTimersByTimeAsync(ms)
  for (let turn = 0; turn < 10; turn++) await vi.advanceTimersByTimeAsync(0)
}

async function open(first: WatchState) {
  let answer = first
  let failing: 'refused' | 'silent' | undefined
  let asked = 0
  const link = viewerLink()
  const { fetch } = globalThis
  vi.stubGlobal('fetch', (address: string, options?: RequestInit) => {
    if (address.endsWith('/guest'))
      return Promise.resolve(new Response(JSON.stringify({ accid: 'g', token: 't', expires: 1 }), { status: 201 }))
    asked += 1
    if (failing === 'refused') return Promise.reject(new TypeError('no network'))
    if (failing === 'silent')
      return new Promise((_resolve, reject) => {
        options?.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
      })
    return Promise.resolve(new Response(JSON.stringify(answer)))
  })
  onTestFinished(() => {
    vi.stubGlobal('fetch', fetch)
  })
  await import(/* @vite-ignore */ `./main.ts?state=${(starts += 1)}`)
  await passed()
  const find = (selector: string): HTMLElement => document.querySelector<HTMLElement>(selector)!
  return {
    link,
    asked: () => asked,
    find,
    text: (selector: string): string => find(selector).textContent,
    answer: (next: WatchState): void => {
      answer = next
    },
    fail: (next: typeof failing): void => {
      failing = next
    },
    say: async (next: WatchState): Promise<void> => {
      answer = next
      await passed(6000)
    },
    press: (key: string): boolean =>
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })),
  }
}

it('a frame whose site was taken off the list ends, and says where it is shown', async () => {
  const { find, text, say: tell } = await open(inside)
  await tell(gated('embed'))
  expect([find('.left-side').hidden, text('.gate h2'), text('.gate-note')]).toEqual([
    true,
    say('gateEmbed'),
    say('gateEmbedNote'),
  ])
})

it('a page behind a gate has neither picture nor chat, and makes no guest', async () => {
  const { find, text, link } = await open(gated('passphrase'))
  expect([find('.left-side').hidden, find('.chat').hidden, find('.gate').hidden]).toEqual([true, true, false])
  expect(text('.gate h2')).toBe(say('gatePassphrase'))
  expect([document.title, text('h1'), link.connected]).toEqual(['Late night', 'Late night', 0])
})

it('who is put out while watching leaves the room and reads why, and is back by themselves', async () => {
  const { find, text, link, say: tell } = await open(inside)
  expect([find('.gate').hidden, link.connected]).toEqual([true, 1])
  await tell(gated('link'))
  expect([find('.left-side').hidden, find('.chat').hidden, link.connected]).toEqual([true, true, 0])
  expect(text('.gate-why')).toBe(say('outLink'))
  await tell(gated('closed'))
  // It was not this that put them out.
  expect(find('.gate-why').hidden).toBe(true)
  await tell(inside)
  expect([find('.left-side').hidden, find('.gate').hidden]).toEqual([false, true])
  await passed(3000)
  expect(link.connected).toBe(1)
})

it('a page that waits its turn asks every 5 to 6 s, says who is before it, and goes in', async () => {
  const page = await open(gated('full', 2))
  expect(page.text('.gate-turn')).toBe(say('ahead', { count: '2' }))
  await passed(4999)
  expect(page.asked()).toBe(1)
  await passed(1001)
  expect(page.asked()).toBe(2)
  await page.say(inside)
  expect(page.find('.gate').hidden).toBe(true)
})

it('a page that is next takes a place within 2 s after it is free', async () => {
  const page = await open(gated('full', 0))
  expect(page.text('.gate-turn')).toBe(say('aheadNone'))
  page.answer(inside)
  await passed(2000)
  expect(page.find('.gate').hidden).toBe(true)
})

it.each([
  ['refused', gated('full', 2)],
  ['refused', gated('passphrase')],
  ['silent', { ...gated('full'), isLinkFull: true }],
  ['silent', gated('passphrase')],
] as const)(
  'a page behind a gate says that the service does not answer, and goes in by itself: %s',
  async (how, gate) => {
    const page = await open(gate)
    const gone = (): string => (page.find('.gate-gone').hidden ? '' : page.text('.gate-gone'))
    expect(gone()).toBe('')
    page.fail(how)
    await passed(how === 'refused' ? 6000 : 10_000)
    expect([gone(), page.find('.gate-turn').hidden, page.find('.gate').hidden]).toEqual([
      say('serviceGone'),
      true,
      false,
    ])
    await passed(30_000)
    expect([gone(), page.text('.lamp')]).toEqual([say('serviceGone'), say('unknown')])
    page.fail(undefined)
    // A question that is not answered yet is given up first.
    await passed(16_000)
    expect([gone(), page.find('.gate').hidden]).toEqual(['', false])
    await page.say(inside)
    expect(page.find('.gate').hidden).toBe(true)
  },
)

it('keys hide the chat and leave nothing but picture and chat, but not behind a gate', async () => {
  const { press, find, say: tell } = await open(inside)
  const shown = (): boolean[] => ['data-chat-hidden', 'data-theatre'].map((name) => document.body.hasAttribute(name))
  press('c')
  press('t')
  expect(shown()).toEqual([true, true])
  expect(find('.chat-toggle').getAttribute('aria-expanded')).toBe('false')
  press('Escape')
  press('c')
  expect(shown()).toEqual([false, false])
  await tell(gated('closed'))
  press('t')
  expect(shown()).toEqual([false, false])
})

it('a key of the page brings back the sound that the browser took', async () => {
  sessionStorage.setItem('sidestage-sound', 'on')
  onTestFinished(() => sessionStorage.clear())
  const { press, find } = await open(inside)
  const video = find('video') as HTMLVideoElement
  video.muted = true
  press('x')
  expect(video.muted).toBe(true)
  press('t')
  expect(video.muted).toBe(false)
})

it('a page that stays open reads that the time of the next broadcast was changed', async () => {
  const idle = { ...inside, live: false, viewers: 0, time: Date.now() }
  const { text, answer } = await open({ ...idle, next: idle.time + 3_600_000, nextTitle: 'Requests' })
  expect(text('.next-when')).toContain(say('nextIn', { time: span(3600) }))
  answer({ ...idle, next: idle.time + 7_200_000, nextTitle: 'Late requests' })
  await passed(4000)
  expect([text('.next-title'), text('.next-when')]).toEqual([
    'Late requests',
    expect.stringContaining(say('nextIn', { time: span(7200) })),
  ])
})

it('shows what the broadcast on air is called below the picture, as text, while it is on air', async () => {
  const { text, find, say: tell } = await open({ ...inside, broadcastTitle: '<b>Requests</b> until one' })
  expect([text('h1'), text('.broadcast-title')]).toEqual(['Late night', '<b>Requests</b> until one'])
  const below = find('.broadcast-title').getBoundingClientRect()
  expect(below.top).toBeGreaterThanOrEqual(find('.stage').getBoundingClientRect().bottom)
  await tell({ ...inside, broadcastTitle: 'Covers' })
  expect(text('.broadcast-title')).toBe('Covers')
  await tell({ ...inside, live: false })
  expect(find('.broadcast-title').checkVisibility()).toBe(false)
})

it('says for how long the picture has been held, and tells screen readers of it once', async () => {
  const { text, find, answer, say: tell } = await open(inside)
  await tell({ ...inside, time: 100_000, held: 58_000 })
  expect([text('.cover'), find('.cover').getAttribute('role')]).toEqual([say('held'), 'status'])
  const before = find('.cover').firstChild
  const first = text('.held-time')
  expect(first).toMatch(/^for 0:4\d$/)
  answer({ ...inside, time: 102_000, held: 58_000 })
  await passed(2000)
  expect(text('.held-time')).not.toBe(first)
  expect(find('.cover').firstChild).toBe(before)
  await tell(inside)
  expect(find('.held-clock').hidden).toBe(true)
})

it('asks each second while the picture is held, so that nothing is said over one that moves again', async () => {
  const page = await open({ ...inside, time: 100_000, held: 58_000 })
  const before = page.asked()
  await passed(3000)
  expect(page.asked() - before).toBe(3)
  page.answer(inside)
  await passed(1000)
  expect(page.find('.cover').textContent).not.toBe(say('held'))
  const after = page.asked()
  await passed(3000)
  expect(page.asked()).toBe(after)
})
