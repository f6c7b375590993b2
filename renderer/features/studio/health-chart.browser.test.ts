import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { h, nextTick, shallowReactive } from 'vue'
import { mounted } from '../../testing/mounted.ts'
import HealthChart from './health-chart.vue'

interface Props {
  times: readonly number[]
  values: readonly (number | null)[]
  marks: readonly number[]
  from: number
  to: number
  atLeast: number
  height: number
  clock: (second: number) => string
}
const usual: Props = {
  times: [1_000, 1_300, 1_600],
  values: [10, 20, 30],
  marks: [],
  from: 1_000,
  to: 1_600,
  atLeast: 100,
  height: 160,
  clock: (second) => `at ${second}`,
}
/** What is drawn: texts, and the places of lines in the colour of marks. */
const drawn: { texts: string[]; marks: number[] } = { texts: [], marks: [] }
let markColour = ''
beforeEach(() => {
  const { prototype } = CanvasRenderingContext2D
  const { fillText, moveTo } = prototype
  const texts = vi.spyOn(prototype, 'fillText').mockImplementation(function (
    this: CanvasRenderingContext2D,
    ...given: Parameters<typeof fillText>
  ) {
    drawn.texts.push(given[0])
    fillText.apply(this, given)
  })
  const moves = vi.spyOn(prototype, 'moveTo').mockImplementation(function (
    this: CanvasRenderingContext2D,
    ...given: Parameters<typeof moveTo>
  ) {
    if (this.strokeStyle === markColour) drawn.marks.push(given[0])
    moveTo.apply(this, given)
  })
  onTestFinished(() => {
    texts.mockRestore()
    moves.mockRestore()
  })
})
const colourOf = (token: string): string => {
  const context = document.createElement('canvas').getContext('2d')!
  context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue(token).trim()
  return context.strokeStyle
}
const show = async (change: Partial<Props> = {}) => {
  document.documentElement.classList.add('dark')
  markColour = colourOf('--armt')
  const props = shallowReactive({ ...usual, ...change })
  forget()
  await mounted({ render: () => h('div', { style: 'width: 640px' }, [h(HealthChart, { ...props })]) })
  await expect.poll(canvas).not.toBeNull()
  await expect.poll(() => drawn.texts.length).toBeGreaterThan(0)
  return props
}
const forget = (): void => {
  drawn.texts.length = 0
  drawn.marks.length = 0
}
const canvas = () => document.querySelector('canvas')
/** Places of marks as shares of the plot. */
const places = (): number[] => {
  const over = document.querySelector('.u-over')!.getBoundingClientRect()
  const left = over.left - canvas()!.getBoundingClientRect().left
  return [...new Set(drawn.marks)].map((x) => Math.round(((x / devicePixelRatio - left) / over.width) * 100) / 100)
}

describe('the chart of the health', () => {
  it('is not read out, as a table has the same', async () => {
    await show()
    expect(canvas()?.closest('[aria-hidden=true]')).not.toBeNull()
  })

  it('is as wide as its place and as high as it is told', async () => {
    await show({ height: 200 })
    const { width, height } = document.querySelector('.uplot')!.getBoundingClientRect()
    expect(width).toBe(640)
    expect(height).toBe(200)
  })

  it('has its times by the clock that it is given', async () => {
    await show()
    const times = drawn.texts.filter((text) => text.startsWith('at '))
    expect(times.length).toBeGreaterThan(1)
    for (const text of times) expect(Number(text.slice(3)) % 60).toBe(0)
  })

  it('reaches at least as high as it is told, and from nothing', async () => {
    await show({ values: [1, 2, 3] })
    const numbers = drawn.texts.map(Number).filter((number) => !Number.isNaN(number))
    expect([Math.min(...numbers), Math.max(...numbers)]).toEqual([0, 100])
  })

  it('reaches above the highest value', async () => {
    await show({ values: [100, 500, 1_000] })
    const numbers = drawn.texts.map((text) => Number(text.replace(',', ''))).filter((number) => !Number.isNaN(number))
    expect(Math.max(...numbers)).toBeGreaterThanOrEqual(1_000)
  })

  it('leaves a tenth free above the highest value', async () => {
    await show({ values: [100, 500, 950] })
    const numbers = drawn.texts.map((text) => Number(text.replace(',', ''))).filter((number) => !Number.isNaN(number))
    expect(Math.max(...numbers)).toBe(1_000)
  })

  it('reaches below nothing where a value does', async () => {
    await show({ values: [-50, 0, 50] })
    const numbers = drawn.texts.map((text) => Number(text.replace('−', '-'))).filter((one) => !Number.isNaN(one))
    expect(Math.min(...numbers)).toBeLessThan(0)
  })

  it('has a mark at its time, also at both ends, and none outside', async () => {
    await show({ marks: [999, 1_000, 1_150, 1_600, 1_601] })
    expect(places()).toEqual([0, 0.25, 1])
  })

  it('draws new values and marks', async () => {
    const props = await show()
    expect(places()).toEqual([])
    forget()
    Object.assign(props, { values: [10, 20, 3_000], marks: [1_300] })
    await nextTick()
    await expect.poll(places).toEqual([0.5])
    const numbers = drawn.texts.map((text) => Number(text.replace(',', ''))).filter((number) => !Number.isNaN(number))
    expect(Math.max(...numbers)).toBeGreaterThanOrEqual(3_000)
  })
})
