import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref, type Component } from 'vue'
import type { TransportKind } from '../../player/transport.ts'
import { mounted } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { studioWords } from '../studio/words.ts'
import PreviewControls from './preview-controls.vue'

const studioEn = spoken(studioWords, 'en')

const show = async (props: { live?: boolean; playing?: boolean; paused?: boolean; muted?: boolean } = {}) => {
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
  await mounted(part)
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
  })

  it('has no window of its own for a picture that does not play', async () => {
    await show({ playing: false })
    await expect.element(button(words.pip)).toHaveAttribute('aria-disabled', 'true')
  })
})
