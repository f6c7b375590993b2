import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { began, mounted, type MountOptions } from '../../testing/mounted.ts'
import type { LogLine } from '../channels/live.ts'
import BroadcastLog from './broadcast-log.vue'
import { spoken } from '../../format/languages.ts'
import { studioWords } from './words.ts'

const studioEn = spoken(studioWords, 'en')

const { log: words } = studioEn
const line = (kind: LogLine['kind'], change: Partial<LogLine> = {}): LogLine => ({
  at: began,
  kind,
  detail: null,
  remedy: null,
  ...change,
})
const show = (lines: readonly LogLine[], live = true, options: MountOptions = {}) =>
  mounted(BroadcastLog, { props: { lines, live }, ...options })
const rows = () => [...document.querySelectorAll<HTMLElement>('[data-figure=logLine]')]

describe('the log of a broadcast', () => {
  it('says what is listed here while there is nothing', async () => {
    await show([], false)
    await expect.element(page.getByText(words.empty)).toBeVisible()
    await expect.element(page.getByRole('heading')).toHaveTextContent(words.title)
  })

  it('says that a hosted service tells nothing', async () => {
    await show([], false, { profile: 'hosted-1' })
    await expect.element(page.getByText(words.hosted)).toBeVisible()
  })

  it('is that of this broadcast while on air, and of the last one after it', async () => {
    await show([line('started')])
    await expect.element(page.getByRole('heading')).toHaveTextContent(words.title)
  })

  it('is that of the last broadcast after it', async () => {
    await show([line('started')], false)
    await expect.element(page.getByRole('heading')).toHaveTextContent(words.last)
  })

  it('leads to all broadcasts while nothing is on air', async () => {
    await show([line('started')], false)
    await expect.element(page.getByRole('link')).toHaveAttribute('href', '/broadcasts')
  })

  it('and leads nowhere while something is', async () => {
    await show([line('started')])
    expect(page.getByRole('link').query()).toBeNull()
  })

  it('has time, sentence, reason and remedy of each line, in the time zone of the service', async () => {
    await show([
      line('refused', { at: began + 2_000, detail: 'wsSecret did not match', remedy: 'key' }),
      line('ended', { at: began + 1_000, detail: 'silent' }),
      line('started'),
    ])
    expect(rows().map(({ textContent }) => textContent)).toEqual([
      `16:00:02${words.refused} · ${words.remedy.key}`,
      `16:00:01${words.lost} · ${words.end.silent}`,
      `16:00:00${words.started}`,
    ])
  })

  it('leaves out what belongs to the broadcast before', async () => {
    await show([
      line('started', { at: began }),
      line('ended', { at: began - 60_000 }),
      line('started', { at: began - 90_000 }),
    ])
    expect(rows().map(({ dataset }) => dataset['of'])).toEqual(['started'])
  })

  it.each([
    [undefined, ''],
    [{ now: 30_000, growing: null }, 'viewers are 30.0 s behind'],
    [{ now: 4_000, growing: 30 }, 'the delay grows to 30 s'],
  ])('has the delay of viewers at its head while there is one', async (delay, text) => {
    await mounted(BroadcastLog, { props: { lines: [line('started')], live: true, delay } })
    await expect.element(page.getByRole('heading')).toBeVisible()
    expect(page.getByRole('status').query()?.textContent ?? '').toBe(text)
  })

  it('says of a push that ended with its hold that the hold is over', async () => {
    await show([
      line('ended', { at: began + 30_000, detail: 'lost' }),
      line('held', { at: began }),
      line('started', { at: began - 5_000 }),
    ])
    expect(rows()[0]?.textContent).toContain('The hold is over, the broadcast has ended')
  })

  it('marks what needs a look, and a lost encoder as such', async () => {
    await show([
      line('stalled', { at: began + 3_000, detail: '2000' }),
      line('ended', { at: began + 2_000, detail: 'stopped' }),
      line('started'),
    ])
    const isMarked = (row: HTMLElement) => row.querySelector('.text-armt') !== null
    expect(rows().map((row) => [row.dataset['of'], isMarked(row)])).toEqual([
      ['stalled', true],
      ['ended', false],
      ['started', false],
    ])
  })
})
