import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { roomNotices } from '../../contract/catalogue/notices.ts'
import type { WatchState } from '../../contract/watch.ts'
import { roomNotice, viewerLink } from '../testing/viewer-link.ts'
import { say } from './words.ts'

const state: WatchState = { title: 'Late night', live: false, disabled: false, time: 0, viewers: 0 }
const room = { roomid: 7, name: 'Room', announcement: '', open: true, muted: false, guests: true } as const
let starts = 0

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
  document.body.replaceChildren()
  delete document.body.dataset['tally']
  document.documentElement.className = ''
  // They would be those of the pages of other tests too.
  for (const style of document.querySelectorAll(
    'style[data-vite-dev-id*="/watch/"], style[data-vite-dev-id$="not-started.css"]',
  ))
    style.remove()
})
const passed = async (ms = 0): Promise<void> => {
  await vi.advanceTimersByTimeAsync(ms)
  for (let turn = 0; turn < 10; turn++) await vi.advanceTimersByTimeAsync(0)
}

/** The page of viewers, with a service that answers what `answer` has; a number is a status without a state. */
async function open(first: WatchState | number = state) {
  let answer = first
  const asked: string[] = []
  const { fetch } = globalThis
  let hangs = false
  vi.stubGlobal('fetch', (address: string, options?: RequestInit) => {
    if (address.endsWith('/guest'))
      return Promise.resolve(new Response(JSON.stringify({ accid: 'g', token: 't', expires: 1 }), { status: 201 }))
    asked.push(address)
    if (hangs)
      return new Promise((_resolve, reject) => {
        options?.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
      })
    if (answer === 0) return Promise.reject(new TypeError('no network'))
    return Promise.resolve(
      typeof answer === 'number' ? new Response('', { status: answer }) : new Response(JSON.stringify(answer)),
    )
  })
  onTestFinished(() => {
    vi.stubGlobal('fetch', fetch)
  })
  const waiting = document.createElement('p')
  waiting.className = 'not-started'
  document.body.append(waiting)
  await import(/* @vite-ignore */ `./main.ts?start=${(starts += 1)}`)
  await passed()
  const text = (selector: string): string => document.querySelector(selector)?.textContent ?? ''
  return {
    asked,
    text,
    /** Answers come no more, as on a connection that is dead. */
    hang(now: boolean): void {
      hangs = now
    },
    say: async (next: WatchState | number): Promise<void> => {
      answer = next
      await passed(4000)
    },
    answer: (next: WatchState | number): void => {
      answer = next
    },
    announcement: () => document.querySelector<HTMLElement>('.announcement')!,
  }
}

describe('the page of viewers', () => {
  it('asks for the state of its channel, shows it, and has no note of a page that could not be loaded', async () => {
    const { asked, text } = await open()
    expect(asked).toEqual([expect.stringMatching(/\/watch\/[^/]*\/state$/)])
    expect(text('h1')).toBe('Late night')
    expect(document.title).toBe('Late night')
    expect(document.querySelector('.not-started')).toBeNull()
    expect(document.documentElement.lang).toBe('en')
  })

  it.each([
    ['on air', { live: true }, 'onAir'],
    ['idle', {}, 'idle'],
    ['disabled', { disabled: true }, 'disabled'],
  ] as const)('says whether the channel is %s', async (_case, change, word) => {
    const { text } = await open({ ...state, ...change })
    expect(text('.lamp')).toBe(say(word))
    expect(document.body.dataset['tally']).toBe(word)
  })

  it('says so in its title, for who waits in another tab, while it is known', async () => {
    const onAir = `${say('onAir')} · Late night`
    const page = await open({ ...state, live: true })
    expect(document.title).toBe(onAir)
    await page.say({ ...state, live: true, held: 0 })
    expect(document.title).toBe(onAir)
    await page.say(0)
    expect(document.title).toBe('Late night')
    await page.say({ ...state, title: 'Later', live: true })
    expect(document.title).toBe(`${say('onAir')} · Later`)
    await page.say(state)
    expect(document.title).toBe('Late night')
    await page.say({ ...state, live: true })
    await page.say(404)
    expect(document.title).toBe('Late night')
  })

  it('counts viewers of a channel on air, and never says that there are none', async () => {
    const page = await open({ ...state, live: true, viewers: 1234 })
    expect(page.text('.viewers')).toBe(say('watching', { count: '1,234' }))
    await page.say({ ...state, live: true, viewers: 0 })
    expect(page.text('.viewers')).toBe('')
    await page.say({ ...state, viewers: 3 })
    expect(page.text('.viewers')).toBe('')
  })

  it('says since when the channel is on air', async () => {
    const since = new Date(2026, 10, 26, 9, 5).getTime()
    const page = await open({ ...state, live: true, since })
    expect(page.text('.since')).toBe(say('since', { time: '09:05' }))
    await page.say(state)
    expect(page.text('.since')).toBe('')
  })

  it('has the announcement of the room, with its addresses, while there is one', async () => {
    const page = await open({ ...state, room: { ...room, open: false, announcement: 'see https://example.com/a' } })
    expect(page.announcement().hidden).toBe(false)
    expect(page.text('.announcement .said')).toBe('see https://example.com/a')
    expect(page.text('.announcement button.link')).toBe('https://example.com/a')
    const before = page.announcement().querySelector('button.link')
    await page.say({ ...state, viewers: 1, room: { ...room, open: false, announcement: 'see https://example.com/a' } })
    // A focus on the address stays.
    expect(page.announcement().querySelector('button.link')).toBe(before)
    await page.say({ ...state, room: { ...room, open: false } })
    expect(page.announcement().hidden).toBe(true)
  })

  it('off air asks for the show that begins next, which is answered when it does', async () => {
    const page = await open()
    expect(page.asked).toEqual([expect.stringMatching(/\/state$/)])
    page.hang(true)
    await passed(500)
    expect(page.asked.slice(1)).toEqual([expect.stringMatching(/\/state\?wait=1$/)])
    page.hang(false)
    page.answer({ ...state, live: true })
    await passed(10_000)
    // On air every 4 s, and as seldom off air of a service that answers at once.
    await page.say({ ...state, live: true })
    const before = page.asked.length
    await page.say({ ...state, live: true })
    expect(page.asked.slice(before)).toEqual([expect.stringMatching(/\/state$/)])
    await page.say(state)
    await passed(2_000)
    const off = page.asked.length
    await passed(8_000)
    expect(page.asked.length - off).toBe(2)
  })

  it('asks again every 4 s, every 20 s while nobody sees it, and at once when it is seen again', async () => {
    let isHidden = false
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden })
    onTestFinished(() => {
      Reflect.deleteProperty(document, 'hidden')
    })
    const { asked } = await open({ ...state, disabled: true })
    await passed(3999)
    expect(asked).toHaveLength(1)
    isHidden = true
    await passed(1)
    expect(asked).toHaveLength(2)
    await passed(19_999)
    expect(asked).toHaveLength(2)
    await passed(1)
    expect(asked).toHaveLength(3)
    isHidden = false
    document.dispatchEvent(new Event('visibilitychange'))
    await passed()
    expect(asked.length).toBeGreaterThan(3)
  })

  it.each([
    ['thawed', () => document.dispatchEvent(new Event('resume'))],
    ['with a network again', () => window.dispatchEvent(new Event('online'))],
    ['on a computer that slept', () => vi.setSystemTime(Date.now() + 60_000)],
  ])('asks at once when it is %s, and does not wait for a connection that is dead', async (_case, wake) => {
    const { asked, hang, text, answer } = await open()
    hang(true)
    wake()
    await passed(1000)
    const before = asked.length
    expect(before).toBeGreaterThan(1)
    hang(false)
    answer({ ...state, title: 'Awake' })
    expect(text('h1')).toBe('Late night')
    await passed(3000)
    expect(asked.length).toBeGreaterThan(before)
    expect(text('h1')).toBe('Awake')
  })

  it('off air offers to tell when it starts, and not while the service does not answer', async () => {
    const page = await open()
    const isOffered = (): boolean => !document.querySelector<HTMLElement>('.next-actions')!.hidden
    expect(isOffered()).toBe(true)
    await page.say(0)
    expect([page.text('.cover'), isOffered()]).toEqual([say('serviceGone'), false])
    await page.say(state)
    expect(isOffered()).toBe(true)
  })

  it('says that the service does not answer when nothing comes, and goes on asking', async () => {
    const page = await open({ ...state, live: true })
    page.hang(true)
    await passed(8000)
    expect(page.text('.cover')).not.toBe(say('serviceGone'))
    await passed(7000)
    expect(page.text('.cover')).toBe(say('serviceGone'))
    page.hang(false)
    page.answer({ ...state, title: 'Back' })
    await passed(15_000)
    expect(page.text('h1')).toBe('Back')
  })

  it('asks again within a second after the room has changed', async () => {
    const link = viewerLink()
    const { asked } = await open({ ...state, room, link: '/link', appKey: 'app' })
    const before = asked.length
    link.push({ t: 'roomMessage', ...roomNotice(20, roomNotices.updated) })
    await passed(1000)
    expect(asked.length).toBeGreaterThan(before)
  })

  it('asks within a second after the first of several changes', async () => {
    const link = viewerLink()
    const { asked } = await open({ ...state, room, link: '/link', appKey: 'app' })
    const before = asked.length
    vi.spyOn(Math, 'random').mockReturnValue(0.99)
    for (let time = 0; time < 2; time++) {
      link.push({ t: 'roomMessage', ...roomNotice(20 + time, roomNotices.updated) })
      await passed(500)
    }
    vi.restoreAllMocks()
    expect(asked.length).toBeGreaterThan(before)
  })

  it('says that there is no such channel, and asks no more', async () => {
    const { asked, text } = await open(404)
    expect(text('[role=alert]')).toBe(say('noChannel'))
    expect(document.body.dataset['tally']).toBe('none')
    await passed(60_000)
    expect(asked).toHaveLength(1)
  })

  it('says that the channel was removed, and asks no more', async () => {
    const page = await open({ ...state, live: true })
    await page.say(404)
    expect(page.text('[role=alert]')).toBe(say('channelRemoved'))
    expect(document.querySelector('video')).toBeNull()
    const before = page.asked.length
    await passed(60_000)
    expect(page.asked).toHaveLength(before)
  })

  it.each([0, 500])('says that the service does not answer, and asks again: %i', async (status) => {
    const page = await open({ ...state, live: true, viewers: 5 })
    await page.say(status)
    expect(page.text('.cover')).toBe(say('serviceGone'))
    expect(page.text('.viewers')).toBe('')
    expect(page.text('h1')).toBe('Late night')
    await page.say({ ...state, title: 'Back' })
    expect(page.text('h1')).toBe('Back')
  })

  it('has the theme of the system, and follows it', async () => {
    let matches = true
    const media = new EventTarget()
    Object.defineProperty(media, 'matches', { get: () => matches })
    vi.stubGlobal('matchMedia', () => media)
    onTestFinished(() => {
      vi.unstubAllGlobals()
    })
    await open()
    expect(document.documentElement.className).toBe('light')
    matches = false
    media.dispatchEvent(new Event('change'))
    expect(document.documentElement.className).toBe('dark')
  })
})

describe('a page of viewers that nobody sees', () => {
  it('asks for nothing when it is hidden', async () => {
    const { asked } = await open()
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })
    onTestFinished(() => {
      Reflect.deleteProperty(document, 'hidden')
    })
    const before = asked.length
    document.dispatchEvent(new Event('visibilitychange'))
    await passed()
    expect(asked).toHaveLength(before)
  })
})

it('an answer that is no state is none, and only the name of the channel stays', async () => {
  const page = await open({ ...state, live: true, viewers: 5 })
  await page.say(200)
  expect(page.text('.cover')).toBe(say('serviceGone'))
  expect([page.text('h1'), page.text('.lamp')]).toEqual(['Late night', say('unknown')])
})

it.each([0, 500])('is not called on air while neither an answer nor a picture comes: %i', async (status) => {
  const since = new Date(2026, 10, 26, 9, 5).getTime()
  const tally = (): (string | undefined)[] => [page.text('.lamp'), document.body.dataset['tally'], page.text('.since')]
  const page = await open({ ...state, live: true, since })
  const onAir = [say('onAir'), 'onAir', say('since', { time: '09:05' })]
  expect(tally()).toEqual(onAir)
  await page.say(status)
  expect(tally()).toEqual([say('unknown'), 'unknown', ''])
  await page.say({ ...state, live: true, since })
  expect(tally()).toEqual(onAir)
})

it('a channel of which nothing was heard has no tally that claims something', async () => {
  const page = await open(0)
  expect([page.text('.lamp'), document.body.dataset['tally']]).toEqual([say('unknown'), 'unknown'])
})

/** A browser that plays HLS itself; the test plays the part of the video element. */
function playsItself(): void {
  const { MediaSource } = window
  const { canPlayType, play } = HTMLMediaElement.prototype
  Reflect.deleteProperty(window, 'MediaSource')
  Object.assign(HTMLMediaElement.prototype, { canPlayType: () => 'maybe', play: () => Promise.resolve() })
  const src = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, 'src')!
  Object.defineProperty(HTMLMediaElement.prototype, 'src', { configurable: true, set() {} })
  onTestFinished(() => {
    Object.assign(window, { MediaSource })
    Object.assign(HTMLMediaElement.prototype, { canPlayType, play })
    Object.defineProperty(HTMLMediaElement.prototype, 'src', src)
  })
}

it('is on air while its picture plays though the service does not answer, and no more when it stops', async () => {
  playsItself()
  const page = await open({ ...state, live: true, hls: '/live/c1/playlist.m3u8' })
  const video = document.querySelector('video')!
  video.dispatchEvent(new Event('playing'))
  await page.say(0)
  expect(page.text('.lamp')).toBe(say('onAir'))
  video.dispatchEvent(new Event('error'))
  expect(page.text('.lamp')).toBe(say('unknown'))
})

it('a channel that was removed is off the air, and its chat is gone', async () => {
  const page = await open({ ...state, live: true, room: { ...room, open: false } })
  expect(page.text('.chat .state')).toBe(say('roomClosed'))
  await page.say(404)
  expect([document.querySelector('.chat'), document.title]).toEqual([null, 'Late night'])
  expect(document.body.dataset['tally']).toBe('none')
})

it('is not called on air when its picture broke off and no answer has come since', async () => {
  playsItself()
  const page = await open({ ...state, live: true, viewers: 5, hls: '/live/c1/playlist.m3u8' })
  const video = document.querySelector('video')!
  video.dispatchEvent(new Event('playing'))
  page.hang(true)
  video.dispatchEvent(new Event('error'))
  expect(page.text('.lamp')).toBe(say('onAir'))
  await passed(1500)
  expect([page.text('.cover'), page.text('.lamp'), page.text('.viewers')]).toEqual([
    say('pictureBroken'),
    say('unknown'),
    '',
  ])
  page.hang(false)
  await passed(15_000)
  expect(page.text('.lamp')).toBe(say('onAir'))
  // With an answer the service is there, and only the picture is not.
  video.dispatchEvent(new Event('playing'))
  video.dispatchEvent(new Event('error'))
  await passed(1500)
  expect([page.text('.cover'), page.text('.lamp')]).toEqual([say('pictureBroken'), say('onAir')])
})

it('says that the show has ended while its rest plays, and is off the air after it', async () => {
  playsItself()
  const page = await open({ ...state, live: true, hls: '/live/c1/playlist.m3u8' })
  const video = document.querySelector('video')!
  const tally = (): (string | undefined)[] => [page.text('.lamp'), document.body.dataset['tally'], page.text('.since')]
  video.dispatchEvent(new Event('playing'))
  await page.say({ ...state, ended: 0 })
  expect([...tally(), page.text('.cover')]).toEqual([say('ending'), 'ending', say('restPlays'), ''])
  Object.defineProperty(video, 'ended', { configurable: true, value: true })
  video.dispatchEvent(new Event('ended'))
  expect([...tally(), page.text('.cover')]).toEqual([say('idle'), 'idle', '', say('ended')])
})
