import { afterEach, beforeEach, expect, it, vi } from 'vitest'

class Script extends EventTarget {}
class Link extends EventTarget {
  readonly rel: string
  constructor(rel: string) {
    super()
    this.rel = rel
  }
}
class Navigation {
  readonly type: string
  constructor(type: string) {
    this.type = type
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.resetModules()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.resetModules()
})

/** A page that begins to load, as it was opened. */
async function start(navigation: object | undefined) {
  const listeners = new Map<string, Set<(event: object) => void>>()
  const captured: unknown[] = []
  let reloads = 0
  vi.stubGlobal('HTMLScriptElement', Script)
  vi.stubGlobal('HTMLLinkElement', Link)
  vi.stubGlobal('PerformanceNavigationTiming', Navigation)
  vi.stubGlobal('window', {
    addEventListener: (type: string, listener: (event: object) => void, capture?: boolean) => {
      if (type === 'error') captured.push(capture)
      listeners.set(type, (listeners.get(type) ?? new Set()).add(listener))
    },
    removeEventListener: (type: string, listener: (event: object) => void) => listeners.get(type)?.delete(listener),
    performance: { getEntriesByType: () => (navigation === undefined ? [] : [navigation]) },
    location: { reload: () => (reloads += 1) },
  })
  // A script of its own, not a module.
  const script = './page-start.ts'
  await import(/* @vite-ignore */ script)
  return {
    captured,
    tell: (type: string, target: object): void => {
      for (const listener of listeners.get(type) ?? []) listener({ target })
    },
    reloads: () => reloads,
  }
}

it.each([
  ['the first time', new Navigation('navigate'), 100],
  ['where the browser does not say how it was opened', undefined, 100],
  ['after it was loaded again', new Navigation('reload'), 2000],
])('loads the page again where a script did not come: %s', async (_case, navigation, ms) => {
  const { tell, reloads, captured } = await start(navigation)
  // Errors of elements do not rise.
  expect(captured).toEqual([true])
  tell('error', new Script())
  vi.advanceTimersByTime(ms - 1)
  expect(reloads()).toBe(0)
  vi.advanceTimersByTime(1)
  expect(reloads()).toBe(1)
})

it('loads the page again once, however many parts did not come', async () => {
  const { tell, reloads } = await start(new Navigation('navigate'))
  tell('error', new Link('stylesheet'))
  tell('error', new Script())
  vi.advanceTimersByTime(5000)
  expect(reloads()).toBe(1)
})

it('does without an icon or a picture that did not come', async () => {
  const { tell, reloads } = await start(new Navigation('navigate'))
  tell('error', new Link('icon'))
  tell('error', new EventTarget())
  vi.advanceTimersByTime(5000)
  expect(reloads()).toBe(0)
})

it('is left as it is once it was loaded whole', async () => {
  const { tell, reloads } = await start(new Navigation('navigate'))
  tell('load', {})
  tell('error', new Script())
  vi.advanceTimersByTime(5000)
  expect(reloads()).toBe(0)
})
