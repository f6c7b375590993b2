import { beforeEach, expect, it, vi } from 'vitest'
import { manualClock } from '../platform/testing/manual-clock.ts'
import { reloadAfterCrash, reloadLimit } from './reload-after-crash.ts'

vi.mock('electron', () => import('./testing/electron-double.ts'))
const { BrowserWindow } = await import('./testing/electron-double.ts')

let window: InstanceType<typeof BrowserWindow>
let clock: ReturnType<typeof manualClock>
let logged: string[]
const crash = (reason = 'crashed'): void => {
  window.webContents.emit('render-process-gone', {}, { reason })
}

beforeEach(() => {
  BrowserWindow.all.length = 0
  window = new BrowserWindow({})
  clock = manualClock()
  logged = []
  reloadAfterCrash(window as never, clock, (line) => logged.push(line))
})

it('loads the page again after a crash, and not when it ended as it should', () => {
  crash('clean-exit')
  expect(window.webContents.reloads).toBe(0)
  for (const reason of ['crashed', 'oom']) crash(reason)
  expect(window.webContents.reloads).toBe(2)
  expect(logged).toHaveLength(2)
})

it('leaves off when it crashes again and again, and takes it up when it was well for a while', () => {
  for (let n = 0; n < reloadLimit.most + 4; n++) crash()
  expect(window.webContents.reloads).toBe(reloadLimit.most)
  clock.advance(reloadLimit.within)
  crash()
  expect(window.webContents.reloads).toBe(reloadLimit.most + 1)
})

it('leaves a window alone that is gone', () => {
  window.isGone = true
  crash()
  expect(window.webContents.reloads).toBe(0)
})

it('loads a page again three times within a minute', () => {
  expect(reloadLimit).toEqual({ most: 3, within: 60_000 })
  for (let n = 0; n < 3; n++) crash()
  clock.advance(59_999)
  crash()
  expect(window.webContents.reloads).toBe(3)
  clock.advance(60_000)
  crash()
  expect(window.webContents.reloads).toBe(4)
})
