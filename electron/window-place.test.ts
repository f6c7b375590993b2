import { beforeEach, expect, it, vi } from 'vitest'

vi.mock('electron', () => import('./testing/electron-double.ts'))
const { BrowserWindow, screen } = await import('./testing/electron-double.ts')
const { openWindowPlace } = await import('./window-place.ts')

type Kept = { readonly bounds: { x: number; y: number; width: number; height: number }; readonly maximized: boolean }
const bounds = { x: 10, y: 20, width: 1_200, height: 750 }
beforeEach(() => {
  BrowserWindow.all.length = 0
  screen.removeAllListeners()
})
async function stage(kept?: Kept | Error) {
  const saved: Kept[] = []
  const log: string[] = []
  let refuses = false
  const place = await openWindowPlace(
    {
      load: () => (kept instanceof Error ? Promise.reject(kept) : Promise.resolve(kept)),
      save: (value) => {
        if (refuses) return Promise.reject(new Error('full'))
        saved.push(value)
        return Promise.resolve()
      },
    },
    (line) => void log.push(line),
  )
  const window = new BrowserWindow({ width: 1_440, height: 900 })
  place.follow(window as never)
  return { place, window, saved, log, refuse: () => (refuses = true) }
}

it('puts a window where it was, and maximizes it where it was maximized', async () => {
  const { window } = await stage({ bounds, maximized: false })
  expect([window.bounds, window.done]).toEqual([bounds, []])
  const other = await stage({ bounds, maximized: true })
  expect([other.window.bounds, other.window.done]).toEqual([bounds, ['maximize']])
})

it('leaves a window as it was made where no place is kept, or that cannot be read', async () => {
  for (const kept of [undefined, new Error('damaged')]) {
    const { window } = await stage(kept)
    expect([window.bounds, window.done]).toEqual([{ x: 0, y: 0, width: 1_440, height: 900 }, []])
  }
})

it('keeps the place of a window that is closed, with whether it is maximized', async () => {
  const { window, saved } = await stage()
  window.setBounds(bounds)
  window.close()
  expect(saved).toEqual([{ bounds, maximized: false }])
  const other = await stage()
  other.window.maximize()
  other.window.close()
  expect(other.saved).toMatchObject([{ maximized: true }])
})

it('keeps the place at the end too, of a window that is still there', async () => {
  const { place, window, saved } = await stage()
  window.setBounds(bounds)
  await place.saved()
  expect(saved).toEqual([{ bounds, maximized: false }])
  window.destroy()
  await place.saved()
  expect(saved).toHaveLength(1)
})

it('says in the log that a place could not be kept', async () => {
  const { place, refuse, log } = await stage()
  refuse()
  await place.saved()
  expect(log).toEqual(['the place of the window was not kept: Error: full'])
})

it.each(['display-removed', 'display-metrics-changed'])(
  'brings a window back that lies outside after %s',
  async (event) => {
    const { window } = await stage()
    window.setBounds({ ...bounds, x: 90_000 })
    screen.emit(event)
    expect(window.bounds.x).toBeLessThan(90_000)
    window.setBounds({ ...bounds, x: 90_000 })
    window.maximize()
    screen.emit(event)
    expect(window.bounds.x).toBe(90_000)
    window.destroy()
    screen.emit(event)
    expect(screen.listenerCount(event)).toBe(0)
  },
)
