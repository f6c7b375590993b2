import { describe, expect, it } from 'vitest'
import { h } from 'vue'
import { mounted } from '../testing/mounted.ts'
import TallyLamp from './tally-lamp.vue'
import TallyShape from './tally-shape.vue'

describe('the shape of a lamp', () => {
  it.each([
    ['live', ['circle']],
    ['recording', ['rect']],
    ['armed', ['rect']],
    ['fault', ['path']],
    ['idle', ['g', 'circle']],
    ['disabled', ['g', 'circle', 'path']],
  ] as const)('tells %s without its colour', async (shape, parts) => {
    await mounted({ render: () => h(TallyShape, { shape }) })
    const drawn = [...document.querySelectorAll('svg *')]
    expect(drawn.map(({ tagName }) => tagName)).toEqual(parts)
    const isFilled = drawn[0]?.getAttribute('fill') === 'currentColor'
    expect(isFilled).toBe(shape === 'live' || shape === 'recording' || shape === 'fault')
    expect(document.querySelector('svg')?.getAttribute('aria-hidden')).toBe('true')
  })
})

describe('a lamp', () => {
  const show = (props: InstanceType<typeof TallyLamp>['$props']) => mounted({ render: () => h(TallyLamp, props) })
  const clock = (name: string) => document.querySelector(`[data-figure="${name}"]`)?.textContent

  it('has no clocks where no times are known, and its state', async () => {
    await show({ state: 'recording', running: null })
    expect([clock('running'), clock('recordingClock')]).toEqual([undefined, undefined])
    expect(document.querySelector('[data-figure="lamp"]')?.getAttribute('data-state')).toBe('recording')
  })

  it('has clocks from the first moment on', async () => {
    await show({ state: 'recording', running: 0, recorded: 0 })
    expect([clock('running'), clock('recordingClock')]).toEqual(['00:00:00', '00:00:00'])
  })

  it('has the clock of the recording beside its word alone, also where the running time is not known', async () => {
    await show({ state: 'recording', recorded: 5_000 })
    expect([clock('running'), clock('recordingClock')]).toEqual([undefined, '00:00:05'])
    expect(
      document.querySelectorAll('.lamp')[1]?.contains(document.querySelector('[data-figure="recordingClock"]')),
    ).toBe(true)
  })

  it.each([
    ['idle', ['lamp-idle']],
    ['armed', ['lamp-idle', 'lamp-armed']],
    ['live', ['lamp-air']],
    ['recording', ['lamp-air', 'lamp-rec']],
    ['disabled', ['lamp-disabled']],
    ['fault', ['lamp-fault']],
  ] as const)('has the look of each state that holds: %s', async (state, looks) => {
    await show({ state })
    expect(
      [...document.querySelectorAll('.lamp')].map((each) => [...each.classList].find((one) => one !== 'lamp')),
    ).toEqual(looks)
  })

  it.each([true, false])('is large where that is asked for: %s', async (large) => {
    await show({ state: 'live', large })
    expect(document.querySelector('[data-figure="lamp"]')?.classList.contains('lamp-large')).toBe(large)
  })
})
