import { describe, expect, it } from 'vitest'
import { mounted } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { channelsWords } from '../channels/words.ts'
import { studioWords } from './words.ts'
import type { HealthCell } from './health.ts'
import HealthStrip from './health-strip.vue'

const channelsEn = spoken(channelsWords, 'en')
const studioEn = spoken(studioWords, 'en')

const { health: words } = studioEn
const cell = (name: HealthCell['name'], change: Partial<HealthCell> = {}): HealthCell => ({
  name,
  from: 'ingest',
  value: 1_234.56,
  last: null,
  verdict: 'none',
  points: [],
  unavailable: false,
  ...change,
})
const show = (cells: readonly HealthCell[], faulty = false) =>
  mounted(HealthStrip, { props: { cells, starts: [], faulty } })
const figure = (name: string) => document.querySelector(`[data-figure=${name}]`)?.textContent?.trim()
const box = (index = 0) => document.querySelectorAll<HTMLElement>('dl > div')[index]!

describe('the strip of figures', () => {
  it('has each figure with its digits and its unit', async () => {
    await show([
      cell('kbps'),
      cell('fps', { value: 59.94 }),
      cell('keyFrameGap', { value: 2 }),
      cell('delay', { value: 0.84 }),
      cell('viewers', { value: 1_284 }),
      cell('dropped', { value: 0 }),
    ])
    expect(['kbps', 'fps', 'keyFrameGap', 'delay', 'viewers', 'dropped'].map(figure)).toEqual([
      '1,235 kbps',
      '59.9 fps',
      '2.00 s',
      '0.8 s',
      '1,284',
      '0 frames',
    ])
    expect([...document.querySelectorAll('dt')].map(({ textContent }) => textContent)).toEqual([
      words.kbps,
      words.fps,
      words.keyFrameGap,
      `${words.delay}${words.delayWhy}`,
      words.viewers,
      words.dropped,
    ])
  })

  it('marks what is inside its range, and says what to do of what is outside', async () => {
    await show([cell('kbps', { verdict: 'good' }), cell('fps', { verdict: 'poor' })])
    expect(box(0).querySelector('[role=img]')?.getAttribute('aria-label')).toBe(words.good)
    expect(box(0).textContent).toContain(words.from.ingest)
    expect(box(1).querySelector('[role=img]')?.getAttribute('aria-label')).toBe(words.poor)
    expect(box(1).textContent).toContain(words.fix.fps)
    expect(box(1).textContent).not.toContain(words.from.ingest)
  })

  it('marks nothing where there is no figure', async () => {
    await show([cell('kbps', { verdict: 'good', value: null })])
    expect(box().querySelector('[role=img]')).toBeNull()
    expect(figure('kbps')).toBe('–')
  })

  it('says that a figure is of this preview only', async () => {
    await show([cell('dropped', { verdict: 'aside', from: 'preview' })])
    expect(box().textContent).toContain(words.aside)
    expect(box().textContent).toContain(words.asideWhy)
  })

  it('says of the delay from when it counts', async () => {
    await show([cell('delay', { from: 'preview' }), cell('viewers', { from: 'service' })])
    expect(box(0).textContent).toContain(words.from.arrival)
    expect(box(1).textContent).toContain(words.from.service)
  })

  it('has the last figure while nothing is known now, and not otherwise', async () => {
    await show([cell('kbps', { value: null, last: 5_500 })], true)
    expect(figure('last')).toBe(words.last.replace('{value}', '5,500 kbps'))
  })

  it('has no last figure of a push that is over', async () => {
    await show([cell('kbps', { value: null, last: 5_500 })], false)
    expect(figure('last')).toBeUndefined()
  })

  it('says what a hosted service does not give, and shows it where it is there after all', async () => {
    await show([cell('kbps', { value: null, unavailable: true }), cell('fps', { value: 30, unavailable: true })])
    expect(box(0).textContent).toContain(channelsEn.channels.notGiven)
    expect(box(0).textContent).toContain(words.unavailableNext)
    expect(figure('fps')).toBe('30.0 fps')
  })

  it('draws the last two minutes, and a dashed line where there are none', async () => {
    const points = [
      { at: 0, value: 1 },
      { at: 1_000, value: 2 },
    ]
    await show([cell('kbps', { points }), cell('fps'), cell('viewers', { points, value: null })])
    const [drawn, ...flat] = [...document.querySelectorAll('path.fill-none')].map((path) => path.getAttribute('d'))
    expect(drawn).not.toBe('M0 10H120')
    expect(flat).toEqual(['M0 10H120', 'M0 10H120'])
  })
})
