import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { computed, h, ref, type Component } from 'vue'
import { began, channel, mounted, starting, type MountOptions } from '../../testing/mounted.ts'
import { times } from '../../format/times.ts'
import RecordingsHead from './recordings-head.vue'
import { rangeOf, type Span } from './time-line.ts'
import { spoken } from '../../format/languages.ts'
import { channelsWords } from '../channels/words.ts'
import { recordingsWords } from './words.ts'

const channelsEn = spoken(channelsWords, 'en')
const recordingsEn = spoken(recordingsWords, 'en')
const recordingsZh = spoken(recordingsWords, 'zh')

const { files: words, callbacks } = recordingsEn
const zone = times('Asia/Shanghai')
const today = rangeOf('day', began, zone).begin
const channels = [channel(1), channel(2), channel(3)]

/** The head with what it chooses. */
async function show(options: MountOptions & { readonly none?: boolean } = {}) {
  const chosen = ref<string | null>(null)
  const span = ref<Span>('week')
  const day = ref<number | null>(null)
  const logs = ref(0)
  const all = options.none === true ? [] : channels
  const lanes = computed(() => all.filter(({ cid }) => chosen.value === null || cid === chosen.value))
  const part: Component = {
    render: () =>
      h(RecordingsHead, {
        channel: chosen.value,
        'onUpdate:channel': (next: string | null) => (chosen.value = next),
        span: span.value,
        'onUpdate:span': (next: Span) => (span.value = next),
        day: day.value,
        'onUpdate:day': (next: number | null) => (day.value = next),
        channels: all,
        lanes: lanes.value,
        range: rangeOf(span.value, day.value ?? today, zone),
        today,
        onLog: () => (logs.value += 1),
      }),
  }
  return { ...(await mounted(part, options)), chosen, span, day, logs }
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const spanOf = (name: string) => page.getByRole('radio', { name, exact: true })
const range = () => page.getByRole('status')

describe('the head of the recordings', () => {
  it('shows the week that ends today, in the time zone of the service', async () => {
    await show()
    await expect.element(range()).toHaveTextContent('2026-11-20 – 2026-11-26')
  })

  it('goes a week back and forth, and no further than today', async () => {
    const { day } = await show()
    await button(words.earlier).click()
    await expect.element(range()).toHaveTextContent('2026-11-13 – 2026-11-19')
    await button(words.later).click()
    await expect.element(range()).toHaveTextContent('2026-11-20 – 2026-11-26')
    expect(day.value).toBe(null)
    await expect.element(button(words.later)).toHaveAttribute('aria-disabled', 'true')
    await button(words.later).click({ force: true })
    expect(day.value).toBe(null)
  })

  it('goes a day at a time where a day is shown', async () => {
    await show()
    await spanOf(words.spans.day).click()
    await expect.element(range()).toHaveTextContent('2026-11-26')
    await button(words.earlier).click()
    await button(words.earlier).click()
    await expect.element(range()).toHaveTextContent('2026-11-24')
    await button(words.later).click()
    await expect.element(range()).toHaveTextContent('2026-11-25')
  })

  it('chooses the shown time with the arrows, and keeps the focus on what is chosen', async () => {
    const { span } = await show()
    ;(spanOf(words.spans.week).element() as HTMLElement).focus()
    await userEvent.keyboard('{ArrowRight}')
    expect(span.value).toBe('day')
    await expect.element(spanOf(words.spans.day)).toHaveFocus()
    await expect.element(spanOf(words.spans.day)).toBeChecked()
    await expect.element(spanOf(words.spans.week)).not.toBeChecked()
    await userEvent.keyboard('{ArrowLeft}')
    expect(span.value).toBe('week')
  })

  it('shows one channel, found by its name, or all of them again', async () => {
    const { chosen } = await show()
    const choice = (name: string) => page.getByRole('button', { name: words.whichChannel.replace('{name}', name) })
    await choice(words.allChannels).click()
    await page.getByPlaceholder(channelsEn.channels.search).fill('channel 2')
    await expect.poll(() => page.getByRole('option').elements().length).toBe(1)
    await page.getByRole('option', { name: 'Channel 2' }).click()
    expect(chosen.value).toBe(channels[1]?.cid)
    await choice('Channel 2').click()
    await page.getByRole('option', { name: words.allChannels }).click()
    expect(chosen.value).toBe(null)
  })

  it('does not offer all channels of a hosted service, which lists files by channel', async () => {
    await show({ profile: 'hosted-1' })
    await page.getByRole('button', { name: starting(words.whichChannel.split(':')[0]!) }).click()
    await expect.element(page.getByRole('option', { name: 'Channel 1' })).toBeVisible()
    expect(page.getByRole('option', { name: words.allChannels }).query()).toBeNull()
  })

  it('has no choice of a channel while there is none', async () => {
    await show({ none: true })
    await expect.element(range()).toBeVisible()
    expect(page.getByRole('button', { name: starting('Channel') }).query()).toBeNull()
  })

  it('opens the delivery log', async () => {
    const { logs } = await show()
    await button(callbacks.title).click()
    expect(logs.value).toBe(1)
  })

  it('speaks Chinese', async () => {
    await show({ language: 'zh' })
    await expect.element(spanOf(recordingsZh.files.spans.day)).toBeVisible()
    await expect.element(button(recordingsZh.files.earlier)).toBeVisible()
    await expect.element(button(recordingsZh.callbacks.title)).toBeVisible()
  })
})
