import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h, ref } from 'vue'
import { mounted, settled } from '../../testing/mounted.ts'
import PeriodChart from './period-chart.vue'

const show = async (first: readonly (number | null)[], chosen = 0) => {
  const values = ref(first)
  const at = ref(chosen)
  const captions = first.map((_, index) => `p${index}`)
  const told: unknown[] = []
  await mounted({
    render: () =>
      h('div', { style: 'width: 400px' }, [
        h(PeriodChart, {
          values: values.value,
          captions,
          chosen: at.value,
          height: 120,
          onChoose: (index: number) => told.push(['choose', index]),
          onHover: (index: number | null) => told.push(['hover', index]),
        }),
      ]),
  })
  await expect.poll(() => document.querySelector('.u-over')).not.toBeNull()
  const canvas = () => document.querySelector('canvas')!
  /** Which colours stand in the columns of the plot, from its left. */
  const columns = (): string[] => {
    const over = document.querySelector<HTMLElement>('.u-over')!
    const scale = canvas().width / canvas().clientWidth
    const context = canvas().getContext('2d')!
    const [left, top] = [over.offsetLeft, over.offsetTop + over.offsetHeight - 3]
    return values.value.map((_, index) => {
      const x = left + ((index + 0.5) / values.value.length) * over.offsetWidth
      const [red, green, blue, opacity] = context.getImageData(x * scale, top * scale, 1, 1).data
      return opacity === 0 ? 'none' : `${red} ${green} ${blue}`
    })
  }
  return { values, at, told, columns }
}

describe('the bars of periods', () => {
  it('are hidden from screen readers, which have the table', async () => {
    await show([1, 2])
    expect(document.querySelector('.chart')?.getAttribute('aria-hidden')).toBe('true')
  })

  it('have a gap where nothing is known, and another colour for the chosen one, as it is chosen', async () => {
    const { at, columns } = await show([5, null, 5, 5], 3)
    await expect.poll(() => columns()[0]).not.toBe('none')
    const [first, gap, third, chosen] = columns()
    expect([gap, third]).toEqual(['none', first])
    expect(chosen).not.toBe(first)
    at.value = 0
    await expect.poll(() => columns()).toEqual([chosen, 'none', first, first])
  })

  it('are drawn again with other values', async () => {
    const { values, columns } = await show([5, null], 0)
    await expect.poll(() => columns()[1]).toBe('none')
    values.value = [5, 5]
    await expect.poll(() => columns()[1]).not.toBe('none')
  })

  it('are pointed at and chosen, the last one too, and are left', async () => {
    const { told } = await show([5, 5, 5, 5])
    const over = page.elementLocator(document.querySelector('.u-over')!)
    const { width } = document.querySelector('.u-over')!.getBoundingClientRect()
    await over.click({ position: { x: width * 0.9, y: 20 } })
    await settled()
    expect(told).toContainEqual(['hover', 3])
    expect(told.at(-1)).toEqual(['choose', 3])
    document.querySelector('.u-over')!.dispatchEvent(new MouseEvent('mouseleave'))
    await expect.poll(() => told.at(-1)).toEqual(['hover', null])
  })
})
