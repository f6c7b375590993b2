import { afterEach, expect, it, vi } from 'vitest'
import { leftPath } from '../../contract/watch.ts'

let loads = 0
/** The modules as a load of the page reads them. */
const load = async () => {
  const at = `?load=${(loads += 1)}`
  return (await import(/* @vite-ignore */ `./page-id.ts${at}`)) as typeof import('./page-id.ts')
}
afterEach(() => sessionStorage.clear())

it('keeps the id for the next load alone, so that a copy of the tab has its own', async () => {
  const first = await load()
  const copy = await load()
  expect(copy.pageId).not.toBe(first.pageId)
  first.keepPageId()
  const again = await load()
  const later = await load()
  expect([again.pageId === first.pageId, later.pageId === first.pageId]).toEqual([true, false])
  // After "back" the same page goes on.
  again.keepPageId()
  again.forgetKeptPageId()
  expect((await load()).pageId).not.toBe(again.pageId)
})

it('has a new id at each load without storage', async () => {
  const refuse = (): never => {
    throw new DOMException('refused', 'SecurityError')
  }
  const stubs = [
    vi.spyOn(Storage.prototype, 'getItem').mockImplementation(refuse),
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(refuse),
    vi.spyOn(Storage.prototype, 'removeItem').mockImplementation(refuse),
  ]
  try {
    const first = await load()
    first.keepPageId()
    first.forgetKeptPageId()
    expect((await load()).pageId).not.toBe(first.pageId)
  } finally {
    for (const stub of stubs) stub.mockRestore()
  }
})

it('tells the service as the page is left, with the id that its next load has', async () => {
  const said = vi.spyOn(navigator, 'sendBeacon').mockReturnValue(true)
  try {
    const { sayGoodbye } = await import('./goodbye.ts')
    const { pageId } = await import('./page-id.ts')
    sayGoodbye()
    dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))
    expect(said).toHaveBeenCalledWith(expect.stringContaining(`${leftPath}?page=${pageId}`))
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
    expect((await load()).pageId).not.toBe(pageId)
    dispatchEvent(new PageTransitionEvent('pagehide'))
    expect((await load()).pageId).toBe(pageId)
  } finally {
    said.mockRestore()
  }
})
