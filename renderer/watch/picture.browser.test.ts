import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { WatchState } from '../../contract/watch.ts'
import { locksApart } from '../testing/locks-apart.ts'
import { createAge } from './age.ts'
import { createPicture } from './picture.ts'
import { createPlace, places } from './places.ts'
import { say, span } from './words.ts'

const live: WatchState = {
  title: 'Channel',
  live: true,
  disabled: false,
  since: 1000,
  time: 60_000,
  viewers: 1,
  flv: '/live/c1.flv',
  hls: '/live/c1/playlist.m3u8',
}
const off: WatchState = { title: 'Channel', live: false, disabled: false, time: 0, viewers: 0 }
const over: WatchState = { ...off, ended: 0 }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
  document.body.replaceChildren()
})
const settle = async (ms = 0): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await vi.advanceTimersByTimeAsync(turn === 0 ? ms : 0)
}
/** Replaces a member until the end of the test. */
const replace = (object: object, name: string, descriptor: PropertyDescriptor): void => {
  const before = Object.getOwnPropertyDescriptor(object, name)
  Object.defineProperty(object, name, { configurable: true, ...descriptor })
  onTestFinished(() => {
    if (before) Object.defineProperty(object, name, before)
    else Reflect.deleteProperty(object, name)
  })
}

/** A picture in a browser that has HLS itself, or cannot play at all; the test plays the part of the video element. */
function show(playable = true, age = createAge()) {
  const { MediaSource } = window
  Reflect.deleteProperty(window, 'MediaSource')
  onTestFinished(() => {
    Object.assign(window, { MediaSource })
  })
  replace(HTMLMediaElement.prototype, 'canPlayType', { value: () => (playable ? 'maybe' : '') })
  const picture = createPicture({ age })
  document.body.append(picture.node)
  const find = (selector: string): HTMLElement => picture.node.querySelector<HTMLElement>(selector)!
  const video = picture.node.querySelector('video')!
  const sources: string[] = []
  const done: string[] = []
  Object.defineProperty(video, 'src', {
    set: (source: string) => {
      sources.push(source)
    },
  })
  video.load = () => done.push('emptied')
  video.pause = () => done.push('paused')
  video.play = () => {
    done.push('played')
    return Promise.resolve()
  }
  const [play, mute, full] = [...picture.node.querySelectorAll<HTMLButtonElement>('.control')] as [
    HTMLButtonElement,
    HTMLButtonElement,
    HTMLButtonElement,
  ]
  onTestFinished(() => {
    picture.show(off)
  })
  return {
    picture,
    find,
    video,
    sources,
    done,
    play,
    mute,
    full,
    unmute: find('.sound'),
    volume: picture.node.querySelector<HTMLInputElement>('.volume')!,
    controls: find('.controls'),
    cover: () => (find('.cover').hidden ? '' : find('.cover').textContent),
    isPlaying: (): boolean => video.dispatchEvent(new Event('playing')),
  }
}
/** The element has a picture that can be kept; the returned function shows another one. */
const holdPicture = (video: HTMLVideoElement): (() => void) => {
  let shows: VideoFrameRequestCallback | undefined
  for (const [name, value] of Object.entries({ videoWidth: 640, videoHeight: 360, readyState: 4 }))
    Object.defineProperty(video, name, { configurable: true, value })
  video.requestVideoFrameCallback = (call) => {
    shows = call
    return 1
  }
  video.cancelVideoFrameCallback = () => undefined
  return () => shows?.(0, { mediaTime: 1 } as VideoFrameCallbackMetadata)
}
/** The element plays what the test says: so many pictures, each of so many s. */
const playerOf = (video: HTMLVideoElement) => {
  let mediaTime = 0
  let seen: VideoFrameRequestCallback | undefined
  replace(video, 'requestVideoFrameCallback', { value: (call: VideoFrameRequestCallback) => void (seen = call) })
  replace(video, 'currentTime', { get: () => mediaTime })
  replace(video, 'paused', { value: false })
  return async (pictures: number, length: number): Promise<void> => {
    for (let each = 0; each < pictures; each++) {
      mediaTime += length
      seen?.(0, { mediaTime } as VideoFrameCallbackMetadata)
      await settle(length * 1000)
    }
  }
}
/** It has played to its end. */
const end = (video: HTMLVideoElement): void => {
  Object.defineProperty(video, 'ended', { configurable: true, value: true })
  video.dispatchEvent(new Event('ended'))
}
const playing = async (age = createAge()) => {
  const on = show(true, age)
  on.picture.show(live)
  await settle()
  on.isPlaying()
  return on
}

describe('the picture of a viewer', () => {
  it('begins muted, without controls, and says nothing before the first answer', () => {
    const { video, controls, cover, unmute } = show()
    expect([video.muted, controls.hidden, unmute.hidden]).toEqual([true, true, true])
    expect(cover()).toBe('')
  })

  it('says that the service does not answer when the first answer was waited for in vain', () => {
    const { picture, cover } = show()
    picture.show(undefined)
    expect(cover()).toBe(say('serviceGone'))
  })

  it.each([
    ['off the air', off, 'notLive'],
    ['disabled', { ...off, disabled: true }, 'channelDisabled'],
  ] as const)('says that the channel is %s, and plays nothing', async (_case, state, word) => {
    const { picture, cover, sources, controls } = show()
    picture.show(state)
    await settle()
    expect(cover()).toBe(say(word))
    expect(sources).toEqual([])
    expect(controls.hidden).toBe(true)
  })

  it('says that the browser cannot play it', async () => {
    const { picture, cover, sources } = show(false)
    picture.show(live)
    await settle()
    expect(cover()).toBe(say('unplayable'))
    expect(sources).toEqual([])
  })

  it('opens the stream of a channel on air, and shows it uncovered once it plays', async () => {
    const { picture, cover, sources, controls, isPlaying, unmute } = show()
    picture.show(live)
    expect(cover()).toBe(say('pictureOpening'))
    expect(controls.hidden).toBe(false)
    await settle()
    expect(sources).toEqual([expect.stringMatching(/\/live\/c1\/playlist\.m3u8\?page=\w{28}$/)])
    isPlaying()
    expect(cover()).toBe('')
    expect(unmute.hidden).toBe(false)
    picture.show({ ...live, viewers: 2 })
    await settle()
    expect(sources).toHaveLength(1)
  })

  it('plays what it has of a show that is over, and says that it is over then', async () => {
    const { picture, cover, done, unmute, controls, video } = await playing()
    picture.show(over)
    picture.show(over)
    await settle(1000)
    expect([done.includes('emptied'), cover(), unmute.hidden, controls.hidden]).toEqual([false, '', false, false])
    end(video)
    expect(done).toContain('emptied')
    expect(cover()).toBe(say('ended'))
    expect([unmute.hidden, controls.hidden]).toEqual([true, true])
  })

  it('plays the next show at once, whatever is left of the one before', async () => {
    const { picture, sources, cover } = await playing()
    picture.show(off)
    picture.show({ ...live, since: 2000 })
    await settle()
    expect(sources).toHaveLength(2)
    expect(cover()).toBe(say('pictureOpening'))
  })

  it.each([
    ['who may not watch any more', { ...off, gate: 'closed' }],
    ['a channel that is disabled', { ...off, disabled: true }],
  ] as const)('plays nothing more to %s', async (_whom, state) => {
    const { picture, done } = await playing()
    picture.show(state)
    expect(done).toContain('emptied')
  })

  it('says that it stopped, and tries again until it plays', async () => {
    const { cover, sources, video, isPlaying } = await playing()
    video.dispatchEvent(new Event('error'))
    await settle(300)
    expect(sources).toHaveLength(2)
    await settle(1200)
    expect(cover()).toBe(say('pictureBroken'))
    isPlaying()
    expect(cover()).toBe('')
  })

  it('says that it opens while the player plays without a picture, as after a restart', async () => {
    const on = show()
    const showPicture = holdPicture(on.video)
    on.picture.show(live)
    await settle()
    on.isPlaying()
    expect(on.cover()).toBe(say('pictureOpening'))
    showPicture()
    expect(on.cover()).toBe('')
    on.picture.show(undefined)
    // Nothing of it can be kept.
    Object.defineProperty(on.video, 'readyState', { value: 0 })
    on.video.dispatchEvent(new Event('emptied'))
    on.video.dispatchEvent(new Event('error'))
    expect(on.cover()).toBe(say('serviceGone'))
    on.picture.show({ ...live, since: 2000 })
    expect(on.cover()).toBe(say('pictureOpening'))
    await settle(400)
    on.isPlaying()
    expect(on.cover()).toBe(say('pictureOpening'))
    showPicture()
    expect(on.cover()).toBe('')
  })

  it('says so too at a break that leaves no picture', async () => {
    const on = await playing()
    on.video.dispatchEvent(new Event('emptied'))
    on.video.dispatchEvent(new Event('error'))
    expect(on.cover()).toBe(say('pictureOpening'))
    await settle(1500)
    expect(on.cover()).toBe(say('pictureBroken'))
  })

  it('does not call the end of a show a picture that stopped', async () => {
    const { picture, cover, video } = await playing()
    holdPicture(video)
    video.dispatchEvent(new Event('error'))
    expect(cover()).toBe('')
    await settle(1400)
    expect(cover()).toBe('')
    picture.show(over)
    await settle(1000)
    expect(cover()).toBe(say('ended'))
    picture.show({ ...over, next: 90_000 })
    expect(cover()).toBe(say('endedOffAir'))
  })

  it('does not say of a picture that never came that it stopped', async () => {
    const { picture, cover, video } = show()
    picture.show(live)
    await settle()
    video.dispatchEvent(new Event('error'))
    expect(cover()).toBe(say('pictureOpening'))
    await settle(1500)
    expect(cover()).toBe(say('pictureNotYet'))
  })

  it('is left alone while the service does not answer', async () => {
    const { picture, cover, video } = await playing()
    picture.show(undefined)
    expect(cover()).toBe('')
    video.dispatchEvent(new Event('error'))
    expect(cover()).toBe(say('serviceGone'))
  })

  it('stays when the service is known to be gone before its player has ended', async () => {
    const { picture, video } = await playing()
    holdPicture(video)
    picture.show(undefined)
    video.dispatchEvent(new Event('error'))
    expect(document.querySelector('canvas')?.hidden).toBe(false)
  })

  it('says that nothing arrives while it plays, not while it is paused', async () => {
    const { picture, cover, play } = await playing()
    picture.show({ ...live, silent: true })
    expect(cover()).toBe(say('nothingArrives'))
    play.click()
    expect(cover()).toBe('')
    play.click()
    picture.show(live)
    expect(cover()).toBe('')
  })

  it('has no message while it opens when silence is told', async () => {
    const { picture, cover } = show()
    picture.show({ ...live, silent: true })
    await settle()
    expect(cover()).toBe(say('pictureOpening'))
  })
})

it('a show whose end the service does not know, as after a crash, was interrupted and has not ended', async () => {
  const { picture, cover, video } = await playing()
  picture.show(undefined)
  video.dispatchEvent(new Event('error'))
  picture.show(off)
  expect(cover()).toBe(say('torn'))
  picture.show({ ...off, next: 90_000 })
  expect(cover()).toBe(say('tornOffAir'))
  picture.show({ ...live, since: 2000 })
  await settle()
  picture.show({ ...off, ended: 3000 })
  expect(cover()).toBe(say('ended'))
  // Half a day later the service tells no end any more.
  picture.show(off)
  expect(cover()).toBe(say('ended'))
})

describe('the controls of the picture', () => {
  it('pause and go on, and say which of them is next', async () => {
    const { play, done, cover } = await playing()
    const keyed = (word: 'play' | 'pause'): string => `${say(word)} (${say('spaceKey')})`
    expect(play.getAttribute('aria-label')).toBe(keyed('pause'))
    play.click()
    expect(done.at(-1)).toBe('paused')
    expect([play.getAttribute('aria-label'), play.title]).toEqual([keyed('play'), keyed('play')])
    expect(cover()).toBe('')
    play.click()
    expect(done.at(-1)).toBe('played')
    expect(play.getAttribute('aria-label')).toBe(keyed('pause'))
  })

  it('switch the sound on and off', async () => {
    const { video, unmute, mute } = await playing()
    unmute.click()
    await expect.poll(() => unmute.hidden).toBe(true)
    expect(video.muted).toBe(false)
    expect(mute.getAttribute('aria-label')).toBe(`${say('mute')} (M)`)
    mute.click()
    await expect.poll(() => mute.getAttribute('aria-label')).toBe(`${say('unmute')} (M)`)
    expect(video.muted).toBe(true)
    expect(unmute.hidden).toBe(false)
  })

  it('set the volume, which is silence at 0, and show it', async () => {
    const { video, volume, mute } = await playing()
    const set = (value: string): void => {
      volume.value = value
      volume.dispatchEvent(new Event('input'))
    }
    set('40')
    expect([video.volume, video.muted]).toEqual([0.4, false])
    set('0')
    expect(video.muted).toBe(true)
    // Sound that is switched on can be heard.
    mute.click()
    expect([video.volume, video.muted]).toEqual([1, false])
    await expect.poll(() => volume.value).toBe('100')
    video.muted = true
    await expect.poll(() => volume.value).toBe('0')
  })

  it.each([
    [true, false],
    [false, true],
  ])('have the full screen where the browser does: %s', (isThere, hidden) => {
    replace(document, 'fullscreenEnabled', { get: () => isThere })
    expect(show().full.hidden).toBe(hidden)
  })

  it('open and leave the full screen', () => {
    const asked: string[] = []
    const { full, find } = show()
    find('.stage').requestFullscreen = () => {
      asked.push('open')
      return Promise.resolve()
    }
    replace(document, 'exitFullscreen', {
      value: () => {
        asked.push('leave')
        return Promise.resolve()
      },
    })
    full.click()
    replace(document, 'fullscreenElement', { get: () => find('.stage') })
    full.click()
    expect(asked).toEqual(['open', 'leave'])
  })
})

describe('low delay', () => {
  /** In this browser, where every request for media fails, or has the given answer. */
  const failing = (
    answer: (signal?: AbortSignal | null) => Promise<Response> = () => Promise.reject(new TypeError('no network')),
  ) => {
    const asked: string[] = []
    const { fetch } = globalThis
    vi.stubGlobal('fetch', (input: RequestInfo | URL, init?: RequestInit) => {
      asked.push(input instanceof Request ? input.url : String(input))
      return answer(init?.signal)
    })
    const { open } = XMLHttpRequest.prototype
    XMLHttpRequest.prototype.open = () => {
      asked.push('hls')
      throw new Error('no network')
    }
    onTestFinished(() => {
      vi.stubGlobal('fetch', fetch)
      XMLHttpRequest.prototype.open = open
    })
    const picture = createPicture()
    document.body.append(picture.node)
    onTestFinished(() => {
      picture.show(off)
    })
    return { picture, asked, kind: () => picture.node.dataset['kind'] }
  }

  it('is tried first, left for HLS after two failures in a row, and tried anew with the next push', async () => {
    vi.useRealTimers()
    const { picture, asked, kind } = failing()
    expect(kind()).toBe('flv')
    picture.show(live)
    await expect.poll(kind).toBe('hls')
    expect(asked.filter((each) => each.includes('/live/c1.flv?'))).toHaveLength(2)
    picture.show({ ...live, viewers: 9 })
    expect(kind()).toBe('hls')
    picture.show({ ...live, since: 2000 })
    expect(kind()).toBe('flv')
  })

  it('is not left on a line that is lost, and tried at once when the service answers again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
    const { picture, asked, kind } = failing(
      (signal) => new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    )
    picture.show(live)
    // Nothing comes of it, nor of the next ones.
    await vi.waitFor(() => expect(asked).toHaveLength(1))
    for (let half = 0; half < 60 && asked.length < 4; half++) await settle(500)
    expect(asked).toHaveLength(4)
    expect(kind()).toBe('flv')
    const before = asked.length
    picture.show(live)
    await settle()
    expect([kind(), asked.length]).toEqual(['flv', before + 1])
    picture.show({ ...live, viewers: 2 })
    await settle()
    expect(asked).toHaveLength(before + 1)
  })

  it('is tried again at once when the service answers again, also after it was left', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
    const { picture, kind } = failing()
    picture.show(live)
    await vi.waitFor(() => expect(kind()).toBe('hls'))
    await settle(2000)
    picture.show(undefined)
    expect(kind()).toBe('hls')
    picture.show(live)
    expect(kind()).toBe('flv')
  })
})

describe('low delay in many tabs', () => {
  it('is left to the others while they have all their places, says so, and is had once one is free', async () => {
    vi.useRealTimers()
    const locks = locksApart('picture')
    replace(navigator, 'locks', { value: locks })
    // HLS opens for as long as the test does.
    replace(XMLHttpRequest.prototype, 'send', { value: () => undefined })
    const others = Array.from({ length: places }, () =>
      createPlace({ taken: () => undefined, free: () => undefined }, locks),
    )
    for (const each of others) {
      expect(await each.take()).toBe(true)
      onTestFinished(() => each.leave())
    }
    const picture = createPicture()
    document.body.append(picture.node)
    onTestFinished(() => picture.show(off))
    const kind = () => picture.node.dataset['kind']
    picture.show(live)
    await expect.poll(kind).toBe('hls')
    const video = picture.node.querySelector('video')!
    const note = picture.node.querySelector('.fell-back')!
    await vi.waitFor(() => {
      video.dispatchEvent(new Event('playing'))
      expect(note.textContent).toBe(say('otherTabs'))
    }, 15_000)
    others[0]!.leave()
    await expect.poll(kind).toBe('flv')
    // It leaves its place with the end of the show.
    picture.show(off)
    picture.show({ ...off, disabled: true })
    await expect.poll(() => others[0]!.take()).toBe(true)
  })
})

describe('a picture that the browser does not begin', () => {
  it('has a large Play, which begins it with its sound', async () => {
    const on = show()
    const big = on.find('.big-play')
    let isAllowed = false
    on.video.play = () =>
      isAllowed ? Promise.resolve() : Promise.reject(new DOMException('a gesture is needed', 'NotAllowedError'))
    on.picture.show(live)
    await settle()
    expect([big.hidden, on.cover()]).toEqual([false, say('playRefused')])
    isAllowed = true
    big.click()
    on.isPlaying()
    expect([big.hidden, on.cover(), on.video.muted]).toEqual([true, '', false])
  })

  it('is not paused but begun by the space bar and its button, which says so', async () => {
    const on = show()
    on.video.play = () => Promise.reject(new DOMException('a gesture is needed', 'NotAllowedError'))
    on.picture.show(live)
    await settle()
    expect(on.play.title).toBe(`${say('play')} (${say('spaceKey')})`)
    let plays = 0
    on.video.play = () => {
      plays += 1
      return Promise.resolve()
    }
    on.play.click()
    on.isPlaying()
    expect([plays, on.done.includes('paused'), on.video.muted, on.cover()]).toEqual([1, false, false, ''])
    expect(on.play.title).toBe(`${say('pause')} (${say('spaceKey')})`)
  })
})

describe('the sound that a browser takes without a gesture', () => {
  afterEach(() => sessionStorage.clear())

  it('is back with the first click on the picture, and its controls say so', async () => {
    sessionStorage.setItem('sidestage-sound', 'on')
    const on = show()
    on.video.play = () =>
      on.video.muted ? Promise.resolve() : Promise.reject(new DOMException('a gesture is needed', 'NotAllowedError'))
    on.picture.show(live)
    await settle()
    on.isPlaying()
    expect([on.video.muted, on.unmute.hidden, on.mute.title]).toEqual([true, false, `${say('unmute')} (M)`])
    on.video.click()
    await vi.waitFor(() => expect([on.unmute.hidden, on.mute.title]).toEqual([true, `${say('mute')} (M)`]))
    expect(on.video.muted).toBe(false)
    // What the person turned off stays off.
    on.mute.click()
    on.video.click()
    expect(on.video.muted).toBe(true)
  })

  it('stays off at a click where the person never had it on', async () => {
    const on = await playing()
    on.video.click()
    expect(on.video.muted).toBe(true)
  })
})

describe('how far behind', () => {
  it('counts the delay of the channel, which nobody catches up with, and is not said of a held picture', async () => {
    const age = createAge(() => 40_000)
    const on = await playing(age)
    Object.assign(on.video, { getStartDate: () => new Date(39_000) })
    const state: WatchState = { ...live, time: 40_000, newest: { timestamp: 0, sent: 40_000, delay: 30_000 } }
    age.answered(state, 40_000)
    on.picture.show(state)
    await settle(1000)
    expect([on.find('.behind').textContent, on.find('.behind').dataset['late']]).toEqual(['31.0 s behind', 'false'])
    on.picture.show({ ...state, held: 39_000 })
    await settle(1000)
    expect(on.find('.behind').hidden).toBe(true)
  })

  it('is said to be unknown where the browser does not tell the date, and not while that may come', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
    const on = await playing()
    await settle(2000)
    expect(on.find('.behind').hidden).toBe(true)
    // It moves all the time.
    let place = 0
    Object.defineProperty(on.video, 'currentTime', { get: () => (place += 0.1) })
    await settle(2000)
    expect([on.find('.behind').textContent, on.find('.behind').dataset['late']]).toEqual([
      say('behindUnknown'),
      'false',
    ])
    on.picture.show(off)
    end(on.video)
    expect(on.find('.behind').hidden).toBe(true)
  })

  it('that a sleep made is not played: the stream is opened again', async () => {
    let now = 40_000
    const age = createAge(() => now)
    const on = await playing(age)
    holdPicture(on.video)
    Object.assign(on.video, { getStartDate: () => new Date(39_000) })
    const tell = (): void =>
      age.answered({ ...live, time: now, newest: { timestamp: 0, sent: now, delay: 30_000 } }, now)
    tell()
    on.picture.awake()
    await settle()
    expect(on.sources).toHaveLength(1)
    now += 60_000
    tell()
    on.picture.awake()
    await settle()
    expect([on.sources.length, on.cover()]).toEqual([2, ''])
  })

  it('was said of the picture from before a sleep, and not of the one that comes after it', async () => {
    let now = 40_000
    const age = createAge(() => now)
    const on = await playing(age)
    let date = 39_000
    Object.assign(on.video, { getStartDate: () => new Date(date) })
    const tell = (): void => age.answered({ ...live, time: now, newest: { timestamp: 0, sent: now, delay: 0 } }, now)
    tell()
    now += 60_000
    await settle(1000)
    expect(on.find('.behind').textContent).toBe(say('behindLong', { time: '1:01' }))
    on.picture.awake()
    await settle()
    expect(on.find('.behind').hidden).toBe(true)
    date = 98_900
    on.isPlaying()
    expect(on.find('.behind').textContent).toBe(say('behind', { seconds: '1.1' }))
  })

  it('is a word while it is paused, which leads back to live', async () => {
    const { play, find, done } = await playing()
    play.click()
    expect([find('.behind').textContent, find('.behind').dataset['late']]).toEqual([say('pausedHere'), 'true'])
    find('.behind').click()
    expect(done.at(-1)).toBe('played')
    expect(find('.behind').hidden).toBe(true)
  })
})

it('a held picture says so in place of a silence', async () => {
  const { picture, cover, find } = await playing()
  picture.show({ ...live, time: 50_000, held: 8_000, silent: true })
  expect([cover(), find('.held-time').textContent]).toEqual([say('held'), 'for 0:42'])
  picture.show(live)
  expect([cover(), find('.held-clock').hidden]).toEqual(['', true])
})

it('says of a hold without a picture that there is none, and not that the last one stays', async () => {
  const { picture, cover, find } = show()
  picture.show({ ...live, time: 50_000, held: 8_000, noPicture: true })
  await settle()
  expect([cover(), find('.cover-note').textContent]).toEqual([say('held'), say('heldNoPicture')])
  picture.show({ ...live, time: 50_000, held: 8_000 })
  expect(find('.cover-note').textContent).toBe(say('heldNote'))
})

it('after a hold without a picture it counts to the end of the delay, and opens no stream anew', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
  const { picture, cover, find, sources } = show()
  picture.show({ ...live, time: 50_000, held: 8_000, noPicture: true })
  await settle()
  picture.show({ ...live, time: 50_000, held: 8_000, noPicture: true, growsTo: 25_000, goesOn: 75_000 })
  await settle()
  const said = () => [cover(), find('.held-time').textContent, find('.cover-note').textContent]
  expect(said()).toEqual([
    say('delayGrows', { time: span(25) }),
    say('goesOnIn', { time: '0:25' }),
    say('heldNoPicture'),
  ])
  await settle(24_000)
  expect(said()).toEqual([
    say('delayGrows', { time: span(25) }),
    say('goesOnIn', { time: '0:01' }),
    say('heldNoPicture'),
  ])
  expect(sources).toHaveLength(1)
})

it('says that the picture is held while the player shows that, later than the service tells', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
  const { picture, cover, video, find, isPlaying } = show()
  const plays = playerOf(video)
  picture.show(live)
  await settle()
  isPlaying()
  await plays(10, 0.04)
  picture.show({ ...live, time: 50_000, held: 49_000 })
  await plays(10, 0.04)
  expect([cover(), find('.cover-note').hidden]).toEqual(['', true])
  await plays(2, 1)
  expect(cover()).toBe(say('held'))
  picture.show({ ...live, time: 53_000 })
  await plays(3, 1)
  expect([cover(), find('.cover-note').textContent]).toEqual([say('held'), say('heldNote')])
  await plays(2, 0.04)
  expect([cover(), find('.cover-note').hidden]).toEqual(['', true])
  await settle(2_200)
  expect(cover()).toBe(say('pictureBroken'))
})

it('a picture that is held as the delay grows says how much later it comes', async () => {
  const { picture, cover } = await playing()
  picture.show({ ...live, time: 50_000, held: 48_000, growsTo: 600_000 })
  expect(cover()).toBe(say('delayGrows', { time: span(600) }))
})

it('counts a delay that grows to where this player goes on, later than the service tells', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
  const age = createAge()
  const { picture, video, find, isPlaying } = show(true, age)
  const plays = playerOf(video)
  const tell = (state: Partial<WatchState>, delay: number): void => {
    const answer = { ...live, ...state, newest: { timestamp: 0, sent: 50_000, delay } }
    age.answered(answer, Date.now())
    picture.show(answer)
  }
  tell({}, 5_000)
  await settle()
  isPlaying()
  await plays(10, 0.04)
  tell({ time: 50_000, held: 50_000, growsTo: 15_000, goesOn: 60_000 }, 5_000)
  // Six seconds of what came before it are still to be played.
  await plays(150, 0.04)
  await plays(4, 1)
  expect(find('.held-time').textContent).toBe(say('goesOnIn', { time: '0:07' }))
  tell({ time: 60_000 }, 15_000)
  await plays(1, 1)
  expect(find('.held-time').textContent).toBe(say('goesOnIn', { time: '0:06' }))
  await plays(6, 1)
  expect(find('.held-time').textContent).toBe(say('goesOnSoon'))
})

it('a channel off the air that has a next time says only that, above it', async () => {
  const { picture, cover } = show()
  picture.show({ ...off, next: 1 })
  await settle()
  expect(cover()).toBe(say('offAir'))
})

it('a page that is opened after the show says when it ended, also above the next time', () => {
  const { picture, cover } = show()
  const ended = new Date(2026, 10, 29, 21, 40).getTime()
  picture.show({ ...off, ended })
  expect(cover()).toBe(say('endedAt', { time: '21:40' }))
  picture.show({ ...off, ended, next: 1 })
  expect(cover()).toBe(say('endedAtOffAir', { time: '21:40' }))
})

it('the delay that was chosen is kept for the next visit', () => {
  onTestFinished(() => localStorage.clear())
  const first = createPicture()
  document.body.append(first.node)
  expect(first.node.dataset['kind']).toBe('flv')
  first.node.querySelectorAll<HTMLElement>('.panel [type=radio]')[1]!.click()
  expect(first.node.dataset['kind']).toBe('hls')
  first.show({ ...live, since: 2000 })
  expect(first.node.dataset['kind']).toBe('hls')
  first.show(off)
  expect(createPicture().node.dataset['kind']).toBe('hls')
})

it('a push that begins while the service does not answer is opened, and not said not to come', async () => {
  const { picture, cover, video } = await playing()
  video.dispatchEvent(new Event('error'))
  await settle(2_000)
  picture.show(undefined)
  picture.show({ ...live, since: 2_000 })
  await settle(100)
  expect(cover()).toBe(say('pictureOpening'))
})

it('opens the picture anew with the first answer after a break: the browser may wait on dead connections', async () => {
  const { picture, sources, video } = await playing()
  video.dispatchEvent(new Event('error'))
  await settle(1500)
  const before = sources.length
  await settle(4000)
  expect(sources).toHaveLength(before)
  picture.show(live)
  await settle()
  expect(sources).toHaveLength(before + 1)
  picture.show(live)
  await settle()
  expect(sources).toHaveLength(before + 1)
})
