import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref, type Component } from 'vue'
import type { SoundLevels } from '../../player/sound-levels.ts'
import type { PlaybackFigures, PreviewSample, TransportKind } from '../../player/transport.ts'
import { mounted } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { studioWords } from '../studio/words.ts'
import PreviewControls from './preview-controls.vue'

const studioEn = spoken(studioWords, 'en')

interface Given {
  live?: boolean
  video?: HTMLVideoElement
  playing?: boolean
  paused?: boolean
  muted?: boolean
  sample?: PreviewSample | null
  levels?: SoundLevels
}
const show = async (props: Given = {}, language: 'en' | 'zh' = 'en') => {
  const kind = ref<TransportKind>('flv')
  const told: string[] = []
  const part: Component = {
    render: () =>
      h(PreviewControls, {
        live: true,
        video: null,
        playing: true,
        paused: false,
        muted: true,
        sample: null,
        ...props,
        kind: kind.value,
        'onUpdate:kind': (next: TransportKind) => (kind.value = next),
        onPlay: () => told.push('play'),
        onMute: () => told.push('mute'),
        onFull: () => told.push('full'),
      }),
  }
  await mounted(part, { language })
  return { kind, told }
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const { preview: words } = studioEn

describe('the bar below a picture', () => {
  it('pauses and plays a channel that is on air', async () => {
    const { told } = await show()
    await button(words.pause).click()
    expect(told).toEqual(['play'])
  })

  it('plays nothing while the channel is off air', async () => {
    const { told } = await show({ live: false, paused: true })
    await button(words.play).click({ force: true })
    expect(told).toEqual([])
  })

  it('changes the way of transport by a press, and by the arrows', async () => {
    const { kind } = await show()
    await page.getByRole('radio', { name: words.hls }).click()
    expect(kind.value).toBe('hls')
    await userEvent.keyboard('{ArrowLeft}')
    await expect.poll(() => kind.value).toBe('flv')
    await expect.element(page.getByRole('radio', { name: words.flv })).toHaveFocus()
  })

  it('switches the sound and the full screen', async () => {
    const { told } = await show()
    await button(words.fullscreen).click()
    expect(told).toEqual(['full'])
    await button(words.unmute).click()
    expect(told).toEqual(['full', 'mute'])
  })

  it('names the button of the sound by what it does', async () => {
    await show({ muted: false })
    await expect.element(button(words.mute)).toHaveAttribute('title', words.mute)
    expect(button(words.unmute).query()).toBeNull()
  })

  it('names the button of the picture by what it does, and shows that it does nothing off air', async () => {
    await show({ live: false, paused: true })
    await expect.element(button(words.play)).toHaveAttribute('aria-disabled', 'true')
    expect(button(words.pause).query()).toBeNull()
  })

  it('can be pressed while on air', async () => {
    await show()
    await expect.element(button(words.pause)).toHaveAttribute('aria-disabled', 'false')
  })

  it('has no window of its own for a picture that does not play', async () => {
    await show({ playing: false })
    await expect.element(button(words.pip)).toHaveAttribute('aria-disabled', 'true')
  })

  it('has only the chosen way of transport in the order of Tab', async () => {
    await show()
    const [flv, hls] = [page.getByRole('radio', { name: words.flv }), page.getByRole('radio', { name: words.hls })]
    await expect.element(flv).toBeChecked()
    await expect.element(flv).toHaveAttribute('tabindex', '0')
    await expect.element(hls).not.toBeChecked()
    await expect.element(hls).toHaveAttribute('tabindex', '-1')
  })

  const measured = (change: Partial<PlaybackFigures> = {}): PreviewSample => ({
    at: 0,
    figures: { delay: 1, kbps: 6_012, fps: 59.94, dropped: 1_204, decoded: 1, standing: 0, ...change },
  })
  const shown = () => document.querySelector('[data-figure=previewFigures]')?.textContent

  const shownLine = () => document.querySelector('[data-figure=previewFigures]')!.parentElement!

  it('shows what the preview measures', async () => {
    await show({ sample: measured() })
    expect(shown()).toBe('6,012 kbps · 59.9 fps · 1,204 dropped')
  })

  it('shows a dash for what the preview does not know', async () => {
    await show({ sample: measured({ kbps: null, fps: null, dropped: null }) })
    expect(shown()).toBe('– kbps · – fps · – dropped')
  })

  const bar = { mean: -17.2, peak: -9.44 }
  const levels: SoundLevels = { bars: [bar, bar], ...bar, loudness: -16, isSilent: false, isClipping: false }

  it('shows peak and loudness of the sound before them', async () => {
    await show({ sample: measured(), levels })
    expect(shownLine().title).toBe(
      'Peak −9.4 dB, held 2 s · loudness −16.0 LUFS · 6,012 kbps · 59.9 fps · 1,204 dropped',
    )
    expect(shown()).toBe('6,012 kbps · 59.9 fps · 1,204 dropped')
  })

  it('shows no loudness before there is one', async () => {
    await show({ levels: { ...levels, peak: -0.04, loudness: null } })
    expect(document.querySelector('.caption')?.textContent.trim()).toBe('Peak 0.0 dB, held 2 s')
  })

  it('shows no figures of a picture that does not play', async () => {
    await show({ sample: measured(), playing: false })
    await expect.element(button(words.pip)).toBeVisible()
    expect(shown()).toBeUndefined()
  })

  it.each(['en', 'zh'] as const)(
    'leaves out whole parts from the end where there is little room: %s',
    async (language) => {
      await show({ sample: measured() }, language)
      await document.fonts.ready
      const counts: number[] = []
      for (const width of [900, 640, 560, 480, 440, 400, 380, 330]) {
        const line = shownLine()
        line.parentElement!.style.width = `${width}px`
        const box = line.getBoundingClientRect()
        const stands = [...line.querySelectorAll('[data-part]')].map((part) => {
          const { top, right } = part.getBoundingClientRect()
          // In the line as a whole, or below it.
          expect(top >= box.bottom - 1 || right <= box.right + 1, `${part.textContent} at ${width}`).toBe(true)
          return top < box.bottom - 1
        })
        counts.push(stands.lastIndexOf(true) + 1)
        expect(stands.indexOf(false) === -1 || stands.indexOf(false) > stands.lastIndexOf(true)).toBe(true)
      }
      expect(counts[0]).toBe(4)
      expect(Math.min(...counts.slice(0, 5))).toBeGreaterThan(0)
      expect(counts[4]).toBeLessThan(4)
      expect(counts.at(-1)).toBe(0)
    },
  )

  describe('with a browser that shows a picture in its own window', () => {
    const picture = (inWindow: Element | null = null) => {
      const asked = vi.spyOn(HTMLVideoElement.prototype, 'requestPictureInPicture').mockResolvedValue({} as never)
      const left = vi.spyOn(document, 'exitPictureInPicture').mockResolvedValue()
      vi.spyOn(document, 'pictureInPictureEnabled', 'get').mockReturnValue(true)
      vi.spyOn(document, 'pictureInPictureElement', 'get').mockReturnValue(inWindow)
      onTestFinished(() => void vi.restoreAllMocks())
      return { asked, left, video: document.createElement('video') }
    }

    it('opens the window while the picture plays', async () => {
      const { asked, left, video } = picture()
      await show({ video })
      await expect.element(button(words.pip)).toHaveAttribute('aria-disabled', 'false')
      await button(words.pip).click()
      await expect.poll(() => asked.mock.contexts).toEqual([video])
      expect(left).not.toHaveBeenCalled()
    })

    it('closes the window that is open', async () => {
      const { asked, left, video } = picture(document.body)
      await show({ video })
      await button(words.pip).click()
      await expect.poll(() => left.mock.calls.length).toBe(1)
      expect(asked).not.toHaveBeenCalled()
    })

    it('opens no window while the picture does not play', async () => {
      const { asked, video } = picture()
      await show({ video, playing: false })
      await button(words.pip).click({ force: true })
      expect(asked).not.toHaveBeenCalled()
    })

    it('takes a refusal of the browser', async () => {
      const { asked, video } = picture()
      asked.mockRejectedValue(new DOMException('no gesture', 'NotAllowedError'))
      await show({ video })
      await button(words.pip).click()
      await expect.poll(() => asked.mock.calls.length).toBe(1)
    })
  })

  it('says that the browser has no window for a picture, where it has none', async () => {
    vi.spyOn(document, 'pictureInPictureEnabled', 'get').mockReturnValue(false)
    onTestFinished(() => void vi.restoreAllMocks())
    await show()
    await expect.element(button(words.pip)).toHaveAttribute('title', words.noPip)
    await expect.element(button(words.pip)).toHaveAttribute('aria-disabled', 'true')
  })
})
