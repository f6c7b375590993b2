import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

it.each([
  ['/watch/abc/', '', 'abc'],
  ['/watch/abc', '', 'abc'],
  ['/watch/abc/index.html', '', 'abc'],
  ['/studio/watch/abc/', '/studio', 'abc'],
  ['/watch/live/watch/abc/', '/watch/live', 'abc'],
])('reads the channel of %s, and what a proxy puts before it', async (pathname, root, channel) => {
  vi.stubGlobal('location', { pathname })
  vi.resetModules()
  expect({ ...(await import('./place.ts')) }).toEqual({ root, channel })
})
