import { createPinia, setActivePinia } from 'pinia'
import { createApp } from 'vue'
import { beforeEach, expect, it, vi } from 'vitest'
import { hearPageFaults, hearRouteFaults } from './fault-handlers.ts'
import { useFaults } from './features/frame/faults.ts'

beforeEach(() => {
  setActivePinia(createPinia())
})

/** A page that hears faults, and what it is told of. */
function stage() {
  const faults = useFaults()
  const page = new EventTarget()
  hearPageFaults(createApp({}), page as Window, faults.heard)
  const tell = (type: string, told: object): boolean => page.dispatchEvent(Object.assign(new Event(type), told))
  return { faults, tell }
}

it.each([
  'Failed to fetch dynamically imported module: http://127.0.0.1/assets/room-view.js',
  'error loading dynamically imported module: http://127.0.0.1/assets/room-view.js',
  'Importing a module script failed.',
  'Unable to preload CSS for /assets/room-view.css',
])('tells a part that could not be fetched from other faults: %s', (message) => {
  const { faults, tell } = stage()
  tell('error', { message: 'x is undefined', error: new TypeError('x is undefined') })
  expect([faults.count, faults.isPartMissing]).toEqual([1, false])
  tell('unhandledrejection', { reason: new TypeError(message) })
  expect([faults.count, faults.isPartMissing]).toEqual([2, true])
  faults.putAway()
  expect([faults.count, faults.isPartMissing]).toEqual([0, false])
  tell('error', { message, error: new TypeError(message) })
  expect(faults.isPartMissing).toBe(true)
})

it('does not count a size that is told late, nor what has no error of its own as a missing part', () => {
  const { faults, tell } = stage()
  tell('error', { message: 'ResizeObserver loop completed with undelivered notifications.', error: null })
  expect(faults.count).toBe(0)
  tell('unhandledrejection', { reason: 'dynamically imported module' })
  expect([faults.count, faults.isPartMissing]).toEqual([1, false])
})

it('knows the screen that could not be opened, and reports why', () => {
  const report = vi.fn()
  vi.stubGlobal('reportError', report)
  const faults = useFaults()
  const heard: ((error: unknown, to: { fullPath: string }) => void)[] = []
  hearRouteFaults(
    { onError: (handler) => (heard.push(handler as (typeof heard)[number]), () => undefined) },
    faults.miss,
  )
  const error = new TypeError('Failed to fetch dynamically imported module: x')
  heard[0]?.(error, { fullPath: '/room?tab=1' })
  expect(faults.missed).toBe('/room?tab=1')
  expect(report).toHaveBeenCalledWith(error)
  faults.putAway()
  expect(faults.missed).toBeNull()
  vi.unstubAllGlobals()
})

it('reports what a component throws, as other faults of the page', () => {
  const report = vi.fn()
  vi.stubGlobal('reportError', report)
  const app = createApp({})
  hearPageFaults(app, new EventTarget() as Window, () => undefined)
  const error = new Error('it cannot be drawn')
  app.config.errorHandler?.(error, null, '')
  expect(report.mock.calls).toEqual([[error]])
  vi.unstubAllGlobals()
})

it('tells of each fault once, with its kind', () => {
  const heard: string[] = []
  const page = new EventTarget()
  hearPageFaults(createApp({}), page as Window, (fault) => heard.push(fault))
  page.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason: new Error('x') }))
  page.dispatchEvent(
    Object.assign(new Event('error'), { message: 'x', error: new Error('Importing a module script failed.') }),
  )
  expect(heard).toEqual(['thrown', 'notLoaded'])
})
