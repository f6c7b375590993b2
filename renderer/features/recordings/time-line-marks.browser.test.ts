import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { Marker } from '../../../contract/rpc/index.ts'
import { spoken } from '../../format/languages.ts'
import { mounted } from '../../testing/mounted.ts'
import { marker } from '../../testing/recorded-values.ts'
import TimeLineMarks from './time-line-marks.vue'
import { recordingsWords } from './words.ts'

const { files: words } = spoken(recordingsWords, 'en')
const show = async (...marks: readonly { readonly markers: readonly Marker[]; readonly place: number }[]) => {
  const told: number[] = []
  await mounted(TimeLineMarks, { props: { marks, onMark: (each: Marker) => told.push(each.markerId) } })
  return told
}
const named = (time: string, label: string): string =>
  words.marker.replace('{time}', time).replace('{label}', label).trim()
const button = (name: string) => page.getByRole('button', { name, exact: true })
const [, several] = words.markersAt.split(' | ') as [string, string]

describe('markers of a lane', () => {
  it('have their place, their time and their name', async () => {
    await show({ markers: [marker(1, 60, 'Goal')], place: 0.25 }, { markers: [marker(2, 30)], place: 1 })
    const goal = button(named('15:00:00', 'Goal'))
    await expect.element(goal).toHaveAttribute('title', named('15:00:00', 'Goal'))
    expect((goal.element() as HTMLElement).style.left).toBe('25%')
    expect((button(named('15:30:00', '')).element() as HTMLElement).style.left).toBe('100%')
  })

  it('are each opened by their own button', async () => {
    const told = await show(
      { markers: [marker(1, 60, 'One')], place: 0.1 },
      { markers: [marker(2, 30, 'Two')], place: 0.9 },
    )
    await button(named('15:30:00', 'Two')).click()
    await button(named('15:00:00', 'One')).click()
    expect(told).toEqual([2, 1])
  })

  it('that lie together are told by their number and the time of the first, and listed in their order', async () => {
    const told = await show(
      { markers: [marker(9, 90, 'Alone')], place: 0.1 },
      { markers: [marker(1, 60, 'One'), marker(2, 59), marker(3, 58, 'Three')], place: 0.5 },
    )
    const together = several.replace('{n}', '3').replace('{time}', '15:00:00')
    await expect.element(button(together)).toHaveAttribute('title', together)
    expect((button(together).element() as HTMLElement).style.left).toBe('50%')
    await button(together).click()
    const items = page.getByRole('menuitem')
    await expect
      .poll(() => items.elements().map(({ textContent }) => textContent))
      .toEqual([
        '15:00:00 One',
        // One without a name has no space behind its time.
        '15:01:00',
        '15:02:00 Three',
      ])
    await items.nth(2).click()
    await expect.poll(() => told).toEqual([3])
  })
})
