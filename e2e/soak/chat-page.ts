import type { CDPSession, Page } from 'playwright'

/** What the page of a room is like now. */
export interface PageState {
  /** Row nodes of the log. */
  readonly rows: number
  /** Lines that the page keeps. */
  readonly lines: number
  /** Live JavaScript heap in MB, after a collection, and nodes of the document. */
  readonly heap: number
  readonly nodes: number
}

/** Notes every task of the page above 50 ms from now on, and the most row nodes of any moment. */
export const watchTasks = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const kept = globalThis as unknown as { longTasks: number[]; maxRows: number }
    kept.longTasks = []
    kept.maxRows = 0
    new PerformanceObserver((list) =>
      kept.longTasks.push(...list.getEntries().map(({ duration }) => duration)),
    ).observe({ entryTypes: ['longtask'] })
    const count = (): void => {
      kept.maxRows = Math.max(kept.maxRows, document.querySelectorAll('[role="log"] [data-id]').length)
      requestAnimationFrame(count)
    }
    count()
  })

/** What was noted since the last time: durations of tasks above 50 ms in ms, and the most row nodes at once. */
export const takeTasks = (page: Page): Promise<{ readonly tasks: number[]; readonly rows: number }> =>
  page.evaluate(() => {
    const kept = globalThis as unknown as { longTasks: number[]; maxRows: number }
    const taken = { tasks: kept.longTasks, rows: kept.maxRows }
    kept.longTasks = []
    kept.maxRows = 0
    return taken
  })

/** Reads the state of the page. */
export async function pageState(page: Page, session: CDPSession): Promise<PageState> {
  await session.send('HeapProfiler.collectGarbage')
  const { metrics } = await session.send('Performance.getMetrics')
  const metric = (name: string): number => metrics.find((one) => one.name === name)?.value ?? NaN
  const shown = await page.evaluate(() => {
    type Root = {
      __vue_app__?: { config: { globalProperties: { $pinia: { _s: Map<string, { log?: readonly unknown[] }> } } } }
    }
    const root = [...document.querySelectorAll('*')]
      .map((node) => (node as unknown as Root)['__vue_app__'])
      .find((found) => found !== undefined)
    return {
      rows: document.querySelectorAll('[role="log"] [data-id]').length,
      lines: root?.config.globalProperties.$pinia['_s'].get('room')?.log?.length ?? -1,
    }
  })
  return { ...shown, heap: metric('JSHeapUsedSize') / 1e6, nodes: metric('Nodes') }
}

/** Scrolls the log up and down for so many seconds while lines come, and counts the frames of each whole second. */
export const scrollFrames = (page: Page, seconds: number): Promise<number[]> =>
  page.evaluate(
    (duration) =>
      new Promise<number[]>((resolve) => {
        const log = document.querySelector('[role="log"]')!
        const begun = performance.now()
        const frames = Array.from({ length: duration }, () => 0)
        const step = (now: number): void => {
          const second = Math.floor((now - begun) / 1000)
          if (second >= duration) return resolve(frames)
          if (second >= 0) frames[second]! += 1
          // Up for a second, then down for one.
          log.scrollTop += second % 2 === 0 ? -40 : 40
          requestAnimationFrame(step)
        }
        requestAnimationFrame(step)
      }),
    seconds,
  )

/** Follows the newest lines again. */
export async function followNewest(page: Page): Promise<void> {
  const fresh = page.locator('button.fresh')
  if (await fresh.isVisible()) await fresh.click()
  // A pointer that rests on the log holds it.
  await page.mouse.move(1, 1)
}
