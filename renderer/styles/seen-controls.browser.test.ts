import USwitch from '@nuxt/ui/components/Switch.vue'
import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, type Component, type VNode } from 'vue'
import { mounted } from '../testing/mounted.ts'
import ChoiceGroup from '../ui/choice-group.vue'
import SegmentsChoice from '../ui/segments-choice.vue'
import RowFilter from '../features/channels/row-filter.vue'

const show = (part: () => VNode) => mounted({ render: () => h('div', { class: 'p-8 bg-e1' }, [part()]) })
const inTheme = (theme: string): void => {
  document.documentElement.classList.toggle('dark', theme === 'dark')
  document.documentElement.classList.toggle('light', theme === 'light')
}

/** Relative luminance of a CSS colour, as WCAG 2 defines it. */
const luminance = (colour: string): number => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!
  canvas.fillStyle = colour
  canvas.fillRect(0, 0, 1, 1)
  const [r = 0, g = 0, b = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) =>
    value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
const contrast = (one: string, other: string): number => {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

describe.each(['dark', 'light'])('a switch, %s', (theme) => {
  it.each(['--e0', '--e1', '--e2', '--icebg'])('that is off has 3:1 and more on %s', async (surface) => {
    await show(() =>
      h('div', { style: `background: var(${surface})`, 'data-surface': '' }, [
        h(USwitch, { modelValue: false, 'aria-label': 'off' }),
      ]),
    )
    inTheme(theme)
    const track = page.getByRole('switch', { name: 'off' }).element()
    for (const animation of track.getAnimations()) animation.finish()
    const under = getComputedStyle(document.querySelector('[data-surface]')!).backgroundColor
    expect(contrast(getComputedStyle(track).backgroundColor, under)).toBeGreaterThanOrEqual(3)
  })
})

/** What makes segments, each with the second or third part chosen. */
const places: readonly [string, () => VNode][] = [
  ['segments', () => h(SegmentsChoice as Component, { label: 'l', choices: ['a', 'b'], chosen: 'b', nameOf: String })],
  [
    'a setting',
    () =>
      h(ChoiceGroup as Component, {
        label: 'l',
        text: 't',
        choices: ['a', 'b'].map((value) => ({ value, label: value })),
        modelValue: 'b',
      }),
  ],
  [
    'the filter of channels',
    () => h(RowFilter, { modelValue: 'armed', counts: { all: 1, onAir: 0, armed: 1, disabled: 0 } }),
  ],
]

describe.each(places)('the chosen part of %s', (_name, part) => {
  it('has the icebg surface, weight 500 and an ice foot of 2 px, the others have none of it', async () => {
    await show(part)
    const probe = document.createElement('p')
    probe.style.cssText = 'background: var(--icebg); color: var(--ice)'
    document.body.append(probe)
    const { backgroundColor: icebg, color: ice } = getComputedStyle(probe)
    probe.remove()
    const buttons = [...document.querySelectorAll('.segments-choice > button')]
    const isChosen = (each: Element): boolean =>
      (each.getAttribute('aria-checked') ?? each.getAttribute('aria-pressed')) === 'true'
    const [chosen, ...more] = buttons.filter(isChosen)
    expect(more).toEqual([])
    const { backgroundColor, fontWeight, boxShadow } = getComputedStyle(chosen!)
    expect([backgroundColor, fontWeight, boxShadow]).toEqual([icebg, '500', `${ice} 0px -2px 0px 0px inset`])
    for (const each of buttons.filter((one) => !isChosen(one))) {
      const style = getComputedStyle(each)
      expect([style.backgroundColor, style.fontWeight, style.boxShadow]).toEqual(['rgba(0, 0, 0, 0)', '400', 'none'])
    }
  })

  it('shows the focus inside its own edge', async () => {
    await show(part)
    await userEvent.keyboard('{Tab}')
    const { outlineStyle, outlineOffset } = getComputedStyle(document.activeElement!)
    expect(document.activeElement?.closest('.segments-choice')).not.toBeNull()
    expect([outlineStyle, outlineOffset]).toEqual(['solid', '-2px'])
  })
})
