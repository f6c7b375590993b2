import type { CDPSession, Page } from 'playwright'

/** What lives in a page after a collection: counted objects, of which a player that was taken down may leave none. */
export interface Living {
  readonly MediaSource: number
  readonly SourceBuffer: number
  readonly HTMLVideoElement: number
  readonly XMLHttpRequest: number
  readonly ReadableStreamDefaultReader: number
  /** Addresses of objects that were made and not given back. */
  readonly objectUrls: number
  /** Nodes of the page, those out of the document among them, and listeners. */
  readonly nodes: number
  readonly listeners: number
  /** MB. */
  readonly heap: number
}

const kinds = [
  'MediaSource',
  'SourceBuffer',
  'HTMLVideoElement',
  'XMLHttpRequest',
  'ReadableStreamDefaultReader',
] as const

/** Counts addresses of objects from the begin of a page on; before it is opened. */
export const countObjectUrls = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    const open = new Set<string>()
    ;(globalThis as unknown as { openUrls: Set<string> }).openUrls = open
    const [make, revoke] = [URL.createObjectURL.bind(URL), URL.revokeObjectURL.bind(URL)]
    URL.createObjectURL = (of) => {
      const url = make(of)
      open.add(url)
      return url
    }
    URL.revokeObjectURL = (url) => {
      open.delete(url)
      revoke(url)
    }
  })
}

/** Counts what lives in the page now; its session has `Performance` enabled. */
export async function living(page: Page, session: CDPSession): Promise<Living> {
  const count = async (kind: string): Promise<number> => {
    const { result: prototype } = await session.send('Runtime.evaluate', {
      expression: `${kind}.prototype`,
      objectGroup: 'living',
    })
    const { objects } = await session.send('Runtime.queryObjects', {
      prototypeObjectId: prototype.objectId!,
      objectGroup: 'living',
    })
    const { result } = await session.send('Runtime.callFunctionOn', {
      objectId: objects.objectId!,
      functionDeclaration: 'function () { return this.length }',
      returnByValue: true,
    })
    await session.send('Runtime.releaseObjectGroup', { objectGroup: 'living' })
    return result.value as number
  }
  await session.send('HeapProfiler.collectGarbage')
  const counts = Object.fromEntries(
    await Promise.all(kinds.map(async (kind) => [kind, await count(kind)] as const)),
  ) as Record<(typeof kinds)[number], number>
  const { metrics } = await session.send('Performance.getMetrics')
  const metric = (name: string): number => metrics.find((one) => one.name === name)?.value ?? NaN
  const objectUrls = await page.evaluate(() => (globalThis as unknown as { openUrls: Set<string> }).openUrls.size)
  return {
    ...counts,
    objectUrls,
    nodes: metric('Nodes'),
    listeners: metric('JSEventListeners'),
    heap: metric('JSHeapUsedSize') / 1e6,
  }
}

const moves = async (page: Page): Promise<void> => {
  await page.waitForFunction(
    () => (document.querySelector('video')?.readyState ?? 0) > 2 && document.querySelector('video')!.currentTime > 0,
  )
}

/**
 * One life of each player, from the Studio of a channel on air and back to it: HTTP-FLV plays, HLS takes its place, and the screen is left
 * and opened again, which takes HLS down with all around it.
 */
export async function onePlayerLife(page: Page, channel: string): Promise<void> {
  await moves(page)
  await page.getByText('HLS, compatible').click()
  await moves(page)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Channels' }).click()
  await page.getByRole('region', { name: 'Channels' }).getByRole('link', { name: channel, exact: true }).click()
  await moves(page)
}
