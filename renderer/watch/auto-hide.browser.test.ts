import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { createAutoHide } from './auto-hide.ts'
import { element } from './element.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
  document.body.replaceChildren()
})

function show(options: { readonly kept?: boolean; readonly reduced?: boolean } = {}) {
  const { matchMedia } = window
  vi.stubGlobal('matchMedia', () => ({ matches: options.reduced ?? false }))
  onTestFinished(() => {
    vi.stubGlobal('matchMedia', matchMedia)
  })
  const kept = { now: options.kept ?? false }
  const button = element('button', { type: 'button' }, 'Pause')
  const controls = element('div', {}, button)
  const video = element('div', {})
  const stage = element('div', {}, video, controls)
  document.body.append(stage)
  createAutoHide(stage, controls, () => kept.now)
  const point = (type: string, pointerType: string, target: HTMLElement = video): boolean =>
    target.dispatchEvent(new PointerEvent(type, { pointerType, bubbles: true }))
  return { stage, controls, button, kept, point, now: () => stage.dataset['controls'] }
}

it('takes the controls away 3 s after the last movement, and shows them at the next one', () => {
  const { now, point } = show()
  vi.advanceTimersByTime(2000)
  point('pointermove', 'mouse')
  vi.advanceTimersByTime(2999)
  expect(now()).toBe('shown')
  vi.advanceTimersByTime(1)
  expect(now()).toBe('away')
  point('pointermove', 'mouse')
  expect(now()).toBe('shown')
})

it('takes them away at once when the pointer leaves', () => {
  const { now, stage } = show()
  stage.dispatchEvent(new PointerEvent('pointerleave', { pointerType: 'mouse' }))
  expect(now()).toBe('away')
})

it('shows and hides them by taps on the picture, and keeps them for a tap on a button', () => {
  const { now, point, button } = show()
  vi.advanceTimersByTime(3000)
  point('pointermove', 'touch')
  expect(now()).toBe('away')
  point('pointerup', 'touch')
  expect(now()).toBe('shown')
  point('pointerup', 'touch', button)
  expect(now()).toBe('shown')
  point('pointerup', 'touch')
  expect(now()).toBe('away')
})

it('keeps them while something asks for that, and for those who want less movement', () => {
  const { now, kept } = show({ kept: true })
  vi.advanceTimersByTime(60_000)
  expect(now()).toBe('shown')
  kept.now = false
  vi.advanceTimersByTime(1000)
  expect(now()).toBe('away')
  const calm = show({ reduced: true })
  vi.advanceTimersByTime(60_000)
  expect(calm.now()).toBe('shown')
})

it('shows and keeps them while the keyboard is in them', () => {
  const { now, button, controls } = show()
  vi.advanceTimersByTime(3000)
  expect(now()).toBe('away')
  let isVisible = true
  controls.querySelector = () => (isVisible ? button : null)
  button.focus()
  expect(now()).toBe('shown')
  vi.advanceTimersByTime(10_000)
  expect(now()).toBe('shown')
  isVisible = false
  vi.advanceTimersByTime(1000)
  expect(now()).toBe('away')
})
