import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref, type Component } from 'vue'
import type { RecordedFile } from '../../../contract/rpc/index.ts'
import { times } from '../../format/times.ts'
import { spoken } from '../../format/languages.ts'
import { began, channel, mounted, settled } from '../../testing/mounted.ts'
import { recordedFile } from '../../testing/recorded-values.ts'
import TimeLine from './time-line.vue'
import { rangeOf, type Span } from './time-line.ts'
import { recordingsWords } from './words.ts'

const { files: words, groups } = spoken(recordingsWords, 'en')
const zone = times('Asia/Shanghai')
const hour = 3_600_000
const two = recordedFile(2, { begin: began - 2 * hour, end: began - hour, duration: hour })
const clip = recordedFile(9, {
  name: 'Lighthouse horn',
  merged: true,
  begin: began,
  duration: 60_000,
  clip: { vids: [], from: 0, to: 0, early: 0, begin: began - 1.5 * hour },
})

async function show(files: readonly RecordedFile[] = [two, clip], first: Span = 'hours') {
  const told: unknown[] = []
  const span = ref<Span>(first)
  const part: Component = {
    render: () =>
      h('div', { style: 'width: 1000px' }, [
        h(TimeLine, {
          lanes: [channel(1)],
          files,
          markers: [],
          range: rangeOf(span.value, began, zone),
          span: span.value,
          chosen: [],
          ordered: false,
          names: new Map([[2, 'Part 1']]),
          onPlay: (file: RecordedFile, from: number) => told.push(['play', file.vid, Math.round(from)]),
        }),
      ]),
  }
  return { ...(await mounted(part, { channels: [channel(1)] })), told, span }
}
const line = () => page.getByRole('region', { name: words.timeLine })
const bar = () => line().getByRole('img', { name: /^file-2/ })
const widthOf = (): number => bar().element().getBoundingClientRect().width
const boxOf = (): DOMRect => bar().element().getBoundingClientRect()
const lane = (): Element => bar().element().parentElement!
const wheel = async (change: WheelEventInit): Promise<boolean> => {
  const event = new WheelEvent('wheel', { bubbles: true, cancelable: true, ...change })
  lane().dispatchEvent(event)
  await settled()
  return event.defaultPrevented
}

describe('the hours of the time line', () => {
  it('are the last six, with names in the bars of parts and clips below them', async () => {
    const { told } = await show()
    await expect.element(bar()).toMatchTextContent('Part 1')
    expect(widthOf() / lane().getBoundingClientRect().width).toBeCloseTo(1 / 6, 2)
    const horn = line().getByRole('img', { name: /^Lighthouse horn/ })
    expect(horn.element().getBoundingClientRect().top).toBeGreaterThanOrEqual(boxOf().bottom)
    await horn.click()
    expect(told).toEqual([['play', 9, 0]])
  })

  it('are left for the week and come anew', async () => {
    const { span } = await show()
    await userEvent.keyboard('+')
    span.value = 'week'
    await expect.poll(() => widthOf()).toBeLessThan(10)
    span.value = 'hours'
    await expect.poll(() => widthOf() / lane().getBoundingClientRect().width).toBeCloseTo(1 / 6, 2)
  })
})

describe('the zoom', () => {
  it('by the wheel keeps the moment under the pointer', async () => {
    await show()
    const before = boxOf()
    expect(await wheel({ deltaY: -100, clientX: before.left })).toBe(true)
    expect(boxOf().left).toBeCloseTo(before.left, 0)
    expect(boxOf().width).toBeCloseTo(before.width * 1.25, 0)
  })

  it('leaves the wheel with Ctrl to the window', async () => {
    await show()
    const before = widthOf()
    expect(await wheel({ deltaY: -100, ctrlKey: true })).toBe(false)
    expect(widthOf()).toBe(before)
  })

  it('by + and −, and by buttons, up to all of the range', async () => {
    await show()
    const before = widthOf()
    await userEvent.keyboard('+')
    await expect.poll(widthOf).toBeGreaterThan(before)
    await userEvent.keyboard('-')
    await expect.poll(widthOf).toBeCloseTo(before, 0)
    await line().getByRole('button', { name: groups.zoomIn }).click()
    await expect.poll(widthOf).toBeGreaterThan(before)
    for (let press = 0; press < 20; press++) await userEvent.keyboard('-')
    const out = line().getByRole('button', { name: groups.zoomOut })
    await expect.element(out).toHaveAttribute('aria-disabled', 'true')
  })
})

describe('the drag', () => {
  const point = (type: string, clientX: number): PointerEvent =>
    new PointerEvent(type, { bubbles: true, button: 0, clientX, clientY: boxOf().top + 4 })

  it('moves the view, and does not play what it ends on', async () => {
    const { told } = await show()
    const { left } = boxOf()
    bar()
      .element()
      .dispatchEvent(point('pointerdown', left + 20))
    window.dispatchEvent(point('pointermove', left + 120))
    window.dispatchEvent(point('pointerup', left + 120))
    // As a browser does, before anything else.
    bar()
      .element()
      .dispatchEvent(new MouseEvent('click', { bubbles: true, clientX: left + 120 }))
    expect(told).toEqual([])
    await settled()
    expect(boxOf().left).toBeCloseTo(left + 100, 0)
    bar()
      .element()
      .dispatchEvent(new MouseEvent('click', { bubbles: true, clientX: boxOf().left }))
    expect(told).toEqual([['play', 2, 0]])
  })
})
