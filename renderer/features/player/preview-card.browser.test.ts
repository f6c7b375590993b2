import flvjs from 'flv.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { page } from 'vitest/browser'
import { h, reactive, ref, type Component } from 'vue'
import { useCompanion } from '../../data/companion.ts'
import type { PreviewSample, TransportKind } from '../../player/transport.ts'
import {
  began,
  channel,
  figures,
  mounted,
  service,
  settled,
  starting,
  type MountOptions,
} from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { studioWords } from '../studio/words.ts'
import PreviewCard from './preview-card.vue'

const en = spoken(frameWords, 'en')
const studioEn = spoken(studioWords, 'en')

const { preview: words } = studioEn
const on = channel(1, { name: 'Studio one', status: 1 })

/** Stands for flv.js: remembers what was opened, and sends no picture by itself. */
class Player {
  readonly url: string
  isDestroyed = false
  private readonly listeners = new Map<string, (...data: unknown[]) => void>()
  constructor(url: string) {
    this.url = url
  }
  on(event: string, listener: (...data: unknown[]) => void): void {
    this.listeners.set(event, listener)
  }
  attachMediaElement(): void {}
  load(): void {}
  pause(): void {}
  unload(): void {}
  detachMediaElement(): void {}
  destroy(): void {
    this.isDestroyed = true
  }
  end(): void {
    this.listeners.get(flvjs.Events.LOADING_COMPLETE)?.()
  }
}
let players: Player[]
beforeEach(() => {
  players = []
  vi.spyOn(flvjs, 'createPlayer').mockImplementation(({ url }) => {
    const player = new Player(url ?? '')
    players.push(player)
    return player as unknown as ReturnType<typeof flvjs.createPlayer>
  })
})
afterEach(() => {
  vi.restoreAllMocks()
})

interface Given {
  live?: boolean
  disabled?: boolean
  since?: number | null
  ended?: boolean
  faultSince?: number | null
  small?: boolean
}
const show = async (first: Given = {}, options: MountOptions = {}) => {
  const given = reactive<Given>({ ...first })
  const kind = ref<TransportKind>('flv')
  const isShown = ref(true)
  const samples: PreviewSample[] = []
  const told: unknown[] = []
  const part: Component = {
    render: () =>
      isShown.value
        ? h(PreviewCard, {
            profileId: 'local',
            cid: on.cid,
            name: on.name,
            live: true,
            disabled: false,
            since: began,
            faultSince: null,
            ...given,
            kind: kind.value,
            'onUpdate:kind': (next: TransportKind) => (kind.value = next),
            onSample: (sample: PreviewSample) => samples.push(sample),
            onPlayed: (...what: unknown[]) => told.push(['played', ...what]),
            onAbsent: () => told.push('absent'),
          })
        : null,
  }
  const shown = await mounted(part, {
    channels: [on],
    ...options,
    answers: { 'preview.open': () => ({ flv: '/media/one.flv', hls: null }), ...options.answers },
  })
  return { ...shown, given, kind, isShown, samples, told }
}
const video = (): HTMLVideoElement => document.querySelector('video')!
const still = (): HTMLCanvasElement => document.querySelector('canvas')!
const button = (name: string) => page.getByRole('button', { name, exact: true })
const cover = () => page.getByRole('status')
/** The first picture of the newest player. */
const plays = async (): Promise<void> => {
  await expect.poll(() => players.at(-1)?.isDestroyed).toBe(false)
  video().dispatchEvent(new Event('playing'))
}
/** The element has a picture, of which a still can be kept. */
const hasPicture = (): void => {
  Object.defineProperties(video(), {
    videoWidth: { value: 320 },
    videoHeight: { value: 180 },
    readyState: { value: 4 },
  })
}

describe('the preview of a channel', () => {
  it('opens the address of its channel while on air, and tells when it plays', async () => {
    const { client, told } = await show()
    await expect.element(cover()).toMatchTextContent(words.opening)
    expect(client.inputs('preview.open')).toEqual([{ profileId: 'local', cid: on.cid }])
    await plays()
    await expect.poll(() => told).toEqual([['played', began, 'flv']])
    expect(players.map(({ url }) => url)).toEqual(['/media/one.flv'])
    await expect.element(cover()).not.toBeInTheDocument()
  })

  it('opens nothing while off air, begins with the push and closes with it', async () => {
    const { client, given } = await show({ live: false, since: null })
    await expect.element(cover()).toMatchTextContent(words.idle)
    expect(client.inputs('preview.open')).toEqual([])
    Object.assign(given, { live: true, since: began })
    await plays()
    Object.assign(given, { live: false, since: null })
    await expect.poll(() => players.map(({ isDestroyed }) => isDestroyed)).toEqual([true])
    await expect.element(cover()).toBeVisible()
  })

  it('begins without sound, and names its channel to a screen reader', async () => {
    await show()
    expect(video().muted).toBe(true)
    expect(video().getAttribute('aria-label')).toBe(words.video.replace('{name}', on.name))
    expect(button(words.mute).query()).toBeNull()
    await button(words.unmute).click()
    expect(video().muted).toBe(false)
    await button(words.mute).click()
    expect(video().muted).toBe(true)
  })

  it('pauses, says that it is paused, and goes on with the same stream', async () => {
    await show()
    await plays()
    const [pause, play] = [vi.spyOn(video(), 'pause'), vi.spyOn(video(), 'play')]
    await button(words.pause).click()
    await expect.element(cover()).toMatchTextContent(words.paused)
    expect([pause.mock.calls.length, play.mock.calls.length]).toEqual([1, 0])
    await button(words.play).click()
    await expect.element(cover()).not.toBeInTheDocument()
    expect([pause.mock.calls.length, play.mock.calls.length, players.length]).toEqual([1, 1, 1])
  })

  it('gives a sample each second while it plays, and none before or after', async () => {
    const { samples, given } = await show()
    Object.defineProperty(video(), 'buffered', { value: { length: 1, start: () => 0, end: () => 0.7 } })
    expect(samples).toEqual([])
    await plays()
    await expect.poll(() => samples.length).toBeGreaterThan(0)
    expect(samples[0]).toMatchObject({ at: began, figures: { dropped: 0, decoded: 0 } })
    await expect.element(page.getByText(/^FLV \d+\.\d s$/)).toBeVisible()
    const measured = () => document.querySelector('[data-figure=previewFigures]')
    expect(measured()?.textContent).toMatch(/0 dropped$/)
    Object.assign(given, { live: false, since: null })
    await expect.poll(measured).toBeNull()
    expect(page.getByText(/^FLV \d+\.\d s$/).query()).toBeNull()
  })

  it('states no delay while the encoder sends nothing, and says so once the picture stands', async () => {
    const { samples, tell } = await show()
    Object.defineProperty(video(), 'buffered', { value: { length: 1, start: () => 0, end: () => 0.7 } })
    await plays()
    await expect.element(page.getByText(/^FLV \d+\.\d s$/)).toBeVisible()
    await tell(figures(on, { kbps: 0 }))
    await expect.element(page.getByText(/^FLV \d+\.\d s$/)).not.toBeInTheDocument()
    await expect.element(cover()).toMatchTextContent(words.silent)
    expect(samples.length).toBeGreaterThan(0)
  })

  it('plays what is buffered to the end, though the encoder sends nothing', async () => {
    const { samples, tell } = await show()
    let time = 0
    Object.defineProperty(video(), 'currentTime', { get: () => (time += 0.1), set: (_time: number): void => {} })
    await plays()
    await tell(figures(on, { kbps: 0 }))
    await expect.poll(() => samples.length).toBeGreaterThan(1)
    expect(cover().query()).toBeNull()
  })

  it('stays over the picture with the time at which it stopped, and connects again', async () => {
    const { pass } = await show()
    hasPicture()
    await plays()
    await expect.element(cover()).not.toBeInTheDocument()
    expect(still().checkVisibility()).toBe(false)
    await pass(60_000)
    players[0]!.end()
    await expect.element(cover()).toMatchTextContent(/Picture stopped at \d\d:01:00/)
    await expect.element(cover()).toMatchTextContent(words.stoppedNext)
    expect([still().width, still().height, still().checkVisibility()]).toEqual([320, 180, true])
    await expect.poll(() => players.length).toBe(2)
    await plays()
    await expect.element(cover()).not.toBeInTheDocument()
    expect(still().checkVisibility()).toBe(false)
  })

  it('says when the picture stood still, which was before the stream ended', async () => {
    const { samples } = await show()
    await plays()
    await expect.poll(() => samples.at(-1)?.figures.standing).toBeGreaterThan(1)
    players[0]!.end()
    await expect.element(cover()).toMatchTextContent(/Picture stopped at \d\d:59:5\d/)
  })

  it('says of a picture that was held to the end when the encoder was lost', async () => {
    const { given, pass } = await show()
    hasPicture()
    await plays()
    await pass(60_000)
    players[0]!.end()
    await expect.element(cover()).toMatchTextContent(/Picture stopped at \d\d:01:00/)
    Object.assign(given, { live: false, since: null, lostAt: began + 30_000 })
    await expect.element(cover()).toMatchTextContent(/Picture stopped at \d\d:00:30/)
  })

  it('keeps no still of a picture that never came', async () => {
    const { given } = await show()
    await plays()
    Object.assign(given, { live: false, since: null })
    await expect.element(cover()).toMatchTextContent(words.idle)
    expect(still().checkVisibility()).toBe(false)
  })

  it('says that the broadcast ended where it ended regularly, and shows its last picture for a minute', async () => {
    const timers = vi.spyOn(window, 'setTimeout')
    const { given } = await show()
    hasPicture()
    await plays()
    Object.assign(given, { live: false, since: null, ended: true })
    await expect.element(cover()).toMatchTextContent(/The broadcast ended at/)
    expect(still().checkVisibility()).toBe(true)
    const last = timers.mock.calls.find(([, ms]) => ms === 60_000)?.[0] as () => void
    last()
    await expect.element(cover()).toMatchTextContent(words.idle)
    expect(still().checkVisibility()).toBe(false)
  })

  it('keeps the last picture beyond a minute where the push is on air again', async () => {
    const timers = vi.spyOn(window, 'setTimeout')
    const { given } = await show()
    hasPicture()
    await plays()
    Object.assign(given, { live: false, since: null })
    await expect.poll(() => timers.mock.calls.some(([, ms]) => ms === 60_000)).toBe(true)
    Object.assign(given, { live: true, since: began })
    await expect.poll(() => players.length).toBe(2)
    const last = timers.mock.calls.find(([, ms]) => ms === 60_000)?.[0] as () => void
    last()
    await expect.element(cover()).toMatchTextContent(/Picture stopped at/)
    expect(still().checkVisibility()).toBe(true)
  })

  it('says that the profile has no such address, and plays by the other way that is chosen', async () => {
    const { kind, told } = await show()
    await plays()
    await page.getByRole('radio', { name: words.hls }).click()
    await expect.element(cover()).toBeVisible()
    await expect.poll(() => told).toEqual([['played', began, 'flv'], 'absent'])
    expect([kind.value, players[0]!.isDestroyed]).toEqual(['hls', true])
    await page.getByRole('radio', { name: words.flv }).click()
    await plays()
    await expect.element(cover()).not.toBeInTheDocument()
  })

  it('says which address is missing where it never played', async () => {
    await show({}, { answers: { 'preview.open': () => ({ flv: null, hls: '/media/one.m3u8' }) } })
    await expect.element(cover()).toMatchTextContent(words.absent.replace('{kind}', 'FLV'))
    await expect.element(cover()).toMatchTextContent(words.absentNext)
  })

  it('waits for the picture while it cannot be opened, and asks again once the line is back', async () => {
    let fails = true
    const { client, lose, pinia } = await show(
      {},
      {
        answers: {
          'preview.open': () => {
            if (fails) throw new Error('no line')
            return { flv: '/media/two.flv', hls: null }
          },
        },
      },
    )
    await expect.element(cover()).toMatchTextContent(words.waiting)
    await lose()
    // Its own attempts become rarer; the line is back before the next one.
    await expect.poll(() => client.inputs('preview.open').length).toBeGreaterThan(3)
    const asked = client.inputs('preview.open').length
    fails = false
    useCompanion(pinia).lineIs('open')
    await settled()
    expect(client.inputs('preview.open').length).toBe(asked + 1)
    await expect.poll(() => players.map(({ url }) => url)).toEqual(['/media/two.flv'])
  })

  it('says that the channel is disabled, whatever else there is', async () => {
    await show({ live: false, disabled: true })
    await expect.element(cover()).toMatchTextContent(words.disabled)
    await expect.element(cover()).toMatchTextContent(words.disabledNext)
  })

  it('says that the service restarts, and when the picture stopped where it played', async () => {
    const { tell, given } = await show({ live: false, since: null })
    await tell(service('restarting'))
    await expect.element(cover()).toMatchTextContent(en.service.restarting.slice(0, 12))
    expect(cover().element().textContent).not.toMatch(/stopped at/)
    given.faultSince = began - 60_000
    await expect.element(cover()).toMatchTextContent(/Picture stopped at \d\d:59:00/)
    await expect.element(cover()).toMatchTextContent(words.stoppedService)
  })

  it('fills the screen with the card, and leaves it again', async () => {
    const asked = vi.spyOn(HTMLElement.prototype, 'requestFullscreen').mockResolvedValue()
    const left = vi.spyOn(document, 'exitFullscreen').mockResolvedValue()
    await show()
    await button(words.fullscreen).click()
    await expect.poll(() => asked.mock.contexts).toEqual([page.getByRole('region', { name: words.label }).element()])
    expect(left).not.toHaveBeenCalled()
    vi.spyOn(document, 'fullscreenElement', 'get').mockReturnValue(document.body)
    await button(words.fullscreen).click()
    await expect.poll(() => left.mock.calls.length).toBe(1)
    expect(asked).toHaveBeenCalledTimes(1)
  })

  it('goes on after the window was hidden, where the browser paused it and nobody else', async () => {
    await show()
    await plays()
    const play = vi.spyOn(video(), 'play').mockResolvedValue()
    Object.defineProperty(video(), 'paused', { value: true })
    document.dispatchEvent(new Event('visibilitychange'))
    expect(play).toHaveBeenCalledTimes(1)
    await button(words.pause).click()
    document.dispatchEvent(new Event('visibilitychange'))
    expect(play).toHaveBeenCalledTimes(1)
  })

  it('closes its stream and its window of its own when it is taken away', async () => {
    const { isShown } = await show()
    await plays()
    const left = vi.spyOn(document, 'exitPictureInPicture').mockResolvedValue()
    vi.spyOn(document, 'pictureInPictureElement', 'get').mockReturnValue(video())
    const play = vi.spyOn(video(), 'play')
    isShown.value = false
    await expect.poll(() => players[0]!.isDestroyed).toBe(true)
    expect(left).toHaveBeenCalledTimes(1)
    document.dispatchEvent(new Event('visibilitychange'))
    expect(play).not.toHaveBeenCalled()
  })
})

describe('the small preview', () => {
  it('has no bar and no delay, and its sound only while it plays', async () => {
    const { samples } = await show({ small: true })
    Object.defineProperty(video(), 'buffered', { value: { length: 1, start: () => 0, end: () => 0.7 } })
    await expect.element(cover()).toBeVisible()
    expect(page.getByRole('button').elements()).toEqual([])
    await plays()
    await button(words.unmute).click()
    expect(video().muted).toBe(false)
    await expect.element(button(words.mute)).toBeVisible()
    await expect.poll(() => samples.length).toBeGreaterThan(0)
    expect(page.getByText(starting('FLV')).query()).toBeNull()
    expect(page.getByRole('radiogroup').query()).toBeNull()
  })
})
