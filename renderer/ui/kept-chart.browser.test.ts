import type UPlot from 'uplot'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { defineComponent, h, onMounted, ref, useTemplateRef } from 'vue'
import { mounted, settled } from '../testing/mounted.ts'
import { keepChart } from './kept-chart.ts'

let sizes: { readonly width: number; readonly height: number }[]
let redraws: unknown[]
let ended: number
beforeEach(() => {
  sizes = []
  redraws = []
  ended = 0
})
const chart = {
  setSize: (size: { width: number; height: number }) => sizes.push(size),
  redraw: (...how: unknown[]) => redraws.push(how),
  destroy: () => (ended += 1),
} as unknown as UPlot

/** A chart in a box that may be narrower, or be hidden. */
async function show() {
  const style = ref('width: 300px')
  const isThere = ref(true)
  const Chart = defineComponent({
    setup() {
      const box = useTemplateRef<HTMLElement>('box')
      onMounted(() => keepChart(chart, box.value!, () => 80))
      return () => h('div', { ref: 'box', style: style.value }, 'chart')
    },
  })
  await mounted({ render: () => (isThere.value ? h(Chart) : null) })
  await expect.poll(() => sizes).toEqual([{ width: 300, height: 80 }])
  return { style, isThere }
}

it('a chart is as wide as its place and as high as told, and keeps its size while that is hidden', async () => {
  const { style } = await show()
  style.value = 'width: 200px'
  await expect.poll(() => sizes.at(-1)).toEqual({ width: 200, height: 80 })
  style.value = 'width: 200px; display: none'
  await settled()
  await new Promise(requestAnimationFrame)
  await settled()
  expect(sizes).toHaveLength(2)
})

it('a chart is drawn again in the colours of another theme, without being measured again', async () => {
  await show()
  const page = document.documentElement
  onTestFinished(() => page.classList.remove('another'))
  page.classList.add('another')
  await expect.poll(() => redraws).toEqual([[false]])
  page.setAttribute('data-other', '')
  page.removeAttribute('data-other')
  await settled()
  expect(redraws).toHaveLength(1)
})

it('a chart that is left is ended, and follows neither its place nor the theme', async () => {
  const { isThere } = await show()
  isThere.value = false
  await expect.poll(() => ended).toBe(1)
  const page = document.documentElement
  onTestFinished(() => page.classList.remove('another'))
  page.classList.add('another')
  await settled()
  expect([redraws, sizes.length]).toEqual([[], 1])
})
