import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { page } from 'vitest/browser'
import { h, reactive, shallowRef } from 'vue'
import { spoken } from '../../format/languages.ts'
import type { SoundLevels } from '../../player/sound-levels.ts'
import { mounted } from '../../testing/mounted.ts'
import { studioWords } from '../studio/words.ts'
import SoundMeter from './sound-meter.vue'

const { preview: words } = spoken(studioWords, 'en')

/** A file of 60 s: a tone of 1 kHz in 16 bits, with its level in dB for each channel. */
const tone = (levels: readonly number[], rate = 48_000): string => {
  const [frames, bytes] = [60 * rate, 2 * levels.length]
  const file = new DataView(new ArrayBuffer(44 + frames * bytes))
  const text = (at: number, word: string): void => {
    for (const [index, letter] of [...word].entries()) file.setUint8(at + index, letter.codePointAt(0)!)
  }
  text(0, 'RIFF')
  file.setUint32(4, 36 + frames * bytes, true)
  text(8, 'WAVEfmt ')
  file.setUint32(16, 16, true)
  file.setUint16(20, 1, true)
  file.setUint16(22, levels.length, true)
  file.setUint32(24, rate, true)
  file.setUint32(28, rate * bytes, true)
  file.setUint16(32, bytes, true)
  file.setUint16(34, 16, true)
  text(36, 'data')
  file.setUint32(40, frames * bytes, true)
  for (let at = 0; at < frames; at++)
    for (const [index, level] of levels.entries())
      file.setInt16(
        44 + at * bytes + 2 * index,
        Math.round(32_767 * 10 ** (level / 20) * Math.sin((2_000 * Math.PI * at) / rate)),
        true,
      )
  const url = URL.createObjectURL(new Blob([file.buffer], { type: 'audio/wav' }))
  urls.push(url)
  return url
}
const urls: string[] = []
/** Sources that go into a meter now, and contexts that are open. */
const sources = new Set<AudioNode>()
const contexts = new Set<AudioContext>()
beforeEach(() => {
  sources.clear()
  contexts.clear()
  const { connect, disconnect } = AudioNode.prototype
  const { close } = AudioContext.prototype
  vi.spyOn(AudioNode.prototype, 'connect').mockImplementation(function (this: AudioNode, ...to: unknown[]) {
    sources.add(this)
    return Reflect.apply(connect, this, to) as AudioNode
  } as never)
  vi.spyOn(AudioNode.prototype, 'disconnect').mockImplementation(function (this: AudioNode, ...from: unknown[]) {
    sources.delete(this)
    Reflect.apply(disconnect, this, from)
  } as never)
  vi.spyOn(AudioContext.prototype, 'close').mockImplementation(function (this: AudioContext) {
    contexts.delete(this)
    return close.call(this)
  })
  const { createMediaStreamSource } = AudioContext.prototype
  vi.spyOn(AudioContext.prototype, 'createMediaStreamSource').mockImplementation(function (this: AudioContext, stream) {
    contexts.add(this)
    return createMediaStreamSource.call(this, stream)
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  for (const url of urls.splice(0)) URL.revokeObjectURL(url)
})

/** The meter of a muted element that plays a file. */
const show = async (source: string) => {
  const video = document.createElement('video')
  video.muted = true
  const given = reactive({ playing: false, paused: false, isShown: true })
  const told = shallowRef<SoundLevels | null>(null)
  const shown = await mounted(
    {
      render: () =>
        given.isShown
          ? h(SoundMeter, {
              video,
              playing: given.playing,
              paused: given.paused,
              onLevels: (levels: SoundLevels | null) => (told.value = levels),
            })
          : null,
    },
    {},
  )
  const play = async (url: string): Promise<void> => {
    given.playing = false
    video.src = url
    await video.play()
    given.playing = true
  }
  await play(source)
  return { ...shown, video, given, told, play }
}
const meter = () => page.getByRole('meter', { name: words.sound.label })
const level = (): number =>
  Number(/^−?\d+\.\d/.exec(meter().element().textContent.trim())?.[0].replace('−', '-') ?? Number.NaN)
const near = (value: number): Promise<unknown> =>
  expect.poll(() => Math.abs(level() - value)).toBeLessThanOrEqual(0.2) as Promise<unknown>

describe('the meter of sound', () => {
  it('measures a muted element: each bar, the louder one in figures, and loudness', async () => {
    const { told, video } = await show(tone([-20, -30]))
    await near(-20)
    expect(video.muted).toBe(true)
    await expect.poll(() => told.value?.loudness).toBeCloseTo(-22.6, 1)
    const { bars, peak } = told.value!
    expect(bars[0].mean).toBeCloseTo(-20, 1)
    expect(bars[1].mean).toBeCloseTo(-30, 1)
    expect(peak).toBeCloseTo(-20, 1)
    await expect
      .element(meter())
      .toHaveAttribute('aria-valuetext', '−20.0 dB, Peak −20.0 dB, held 2 s, loudness −22.6 LUFS')
    expect(Number(meter().element().getAttribute('aria-valuenow'))).toBeCloseTo(-20, 1)
  })

  it.each([
    ['one channel', [-18], 44_100],
    ['a low rate', [-18, -18], 22_050],
    ['a high rate', [-18, -18], 96_000],
  ] as const)('shows the level of %s', async (_name, levels, rate) => {
    const { told } = await show(tone(levels, rate))
    await near(-18)
    expect(told.value!.bars[1].mean).toBeCloseTo(-18, 0)
  })

  it('follows the element through its sources, and keeps no node of the one before', async () => {
    const { play, given } = await show(tone([-20, -20]))
    await near(-20)
    for (const each of [-30, -12, -40, -20]) {
      await play(tone([each, each]))
      await near(each)
      expect(sources.size).toBe(1)
      expect(contexts.size).toBe(1)
    }
    given.isShown = false
    await expect.poll(() => [sources.size, contexts.size]).toEqual([0, 0])
  })

  it('says that it is paused and that nothing plays, and shows no level of before', async () => {
    const { given, told } = await show(tone([-20, -20]))
    await near(-20)
    given.paused = true
    await expect.element(meter()).toHaveTextContent(words.paused)
    expect(told.value).toBeNull()
    await expect.element(meter()).toHaveAttribute('aria-valuenow', '-60')
    given.paused = false
    await near(-20)
    given.playing = false
    await expect.element(meter()).toHaveTextContent('–')
    expect(told.value).toBeNull()
  })

  it('says silence and clipping in words, with what to do', async () => {
    const { play } = await show(tone([-90, -90]))
    await expect.element(meter()).toHaveTextContent(words.sound.silent)
    await expect.element(meter()).toHaveAttribute('title', words.sound.silentNext)
    await play(tone([-40, 0]))
    await expect.element(meter()).toHaveTextContent(words.sound.clipping)
    await expect.element(meter()).toHaveAttribute('title', words.sound.clippingNext)
  })

  it('measures nothing while the page is hidden, and goes on when it is seen', async () => {
    await show(tone([-20, -20]))
    await near(-20)
    const [context] = contexts
    const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
    document.dispatchEvent(new Event('visibilitychange'))
    await expect.poll(() => context!.state).toBe('suspended')
    hidden.mockReturnValue(false)
    document.dispatchEvent(new Event('visibilitychange'))
    await expect.poll(() => context!.state).toBe('running')
    await near(-20)
  })

  it('asks for a click where the browser runs no audio before one, and measures from then on', async () => {
    const { resume } = AudioContext.prototype
    const refused = vi.spyOn(AudioContext.prototype, 'resume').mockResolvedValue()
    await show(tone([-20, -20]))
    await near(-20)
    const [context] = contexts
    await context!.suspend()
    await expect.element(meter()).toHaveTextContent(words.sound.asleep)
    await expect.element(meter()).toHaveAttribute('title', words.sound.asleepNext)
    refused.mockImplementation(resume)
    document.dispatchEvent(new Event('pointerdown'))
    await near(-20)
  })

  it('says so where the browser gives the sound to nobody', async () => {
    const without = document.createElement('video')
    Object.defineProperty(without, 'captureStream', { value: undefined })
    await mounted({ render: () => h(SoundMeter, { video: without, playing: true, paused: false }) }, {})
    await expect.element(meter()).toHaveTextContent('–')
    await expect.element(meter()).toHaveAttribute('title', words.sound.unmeasuredNext)
  })

  it('tries again with the next picture where its module could not be fetched', async () => {
    vi.spyOn(Worklet.prototype, 'addModule').mockRejectedValueOnce(new DOMException('away', 'AbortError'))
    const { play } = await show(tone([-20, -20]))
    await expect.element(meter()).toHaveTextContent('–')
    await play(tone([-30, -30]))
    await near(-30)
  })
})
