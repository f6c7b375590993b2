import { describe, expect, it } from 'vitest'
import { h, nextTick, ref } from 'vue'
import { mounted } from '../../testing/mounted.ts'
import type { LampState } from '../../ui/tally.ts'
import TallyBar from './tally-bar.vue'

const states = ['idle', 'armed', 'live', 'recording', 'disabled', 'fault'] as const
const bar = () => document.querySelector<HTMLElement>('.bar')!
const fill = () => bar().firstElementChild as HTMLElement
/** What is seen of the bar: its colours and stripes, those of its parts too. */
const look = () =>
  [fill(), ...fill().children].map((each) => {
    const { backgroundColor, backgroundImage } = getComputedStyle(each)
    return `${backgroundColor} ${backgroundImage}`
  })

describe('the bar along the top edge', () => {
  it('has a look for each state that somebody must see, which is that of no other one', async () => {
    const state = ref<LampState>('idle')
    await mounted({ render: () => h(TallyBar, { state: state.value }) })
    const looks = new Map<LampState, string>()
    for (const each of states) {
      state.value = each
      await nextTick()
      looks.set(each, look().join('; '))
    }
    // Who is armed is not on the air.
    expect(looks.get('armed')).toBe(looks.get('idle'))
    expect(new Set(looks.values()).size).toBe(states.length - 1)
  })

  it('has the colour of the air while live, and that of a recording beside it while recorded', async () => {
    const state = ref<LampState>('live')
    await mounted({ render: () => h(TallyBar, { state: state.value }) })
    const [air] = look()
    state.value = 'recording'
    await nextTick()
    const [ground, first, second] = look()
    expect(first).toBe(air)
    expect(second).not.toBe(air)
    expect(ground).not.toBe(air)
    const [left, right] = [...fill().children].map((each) => each.getBoundingClientRect().width)
    expect(left! / right!).toBeCloseTo(3, 0)
  })

  it('is as wide as the window, and not read out, as it never tells alone', async () => {
    await mounted(TallyBar, { props: { state: 'live' } })
    expect(bar().getAttribute('aria-hidden')).toBe('true')
    expect(fill().getBoundingClientRect().width).toBe(bar().getBoundingClientRect().width)
    expect(bar().getBoundingClientRect().height).toBe(4)
  })
})
