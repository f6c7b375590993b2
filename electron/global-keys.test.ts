import { beforeEach, expect, it, vi } from 'vitest'
import { type DesktopState, GlobalKey } from '../contract/rpc/index.ts'
import { createGlobalKeys } from './global-keys.ts'

vi.mock('electron', () => import('./testing/electron-double.ts'))
const { desk, globalShortcut } = await import('./testing/electron-double.ts')

let ran: string[]
let told: DesktopState['keys'][]
let now: number
const make = () =>
  createGlobalKeys({
    shortcuts: globalShortcut as never,
    clock: { now: () => now },
    run: (command) => ran.push(command),
    changed: (keys) => told.push(keys),
  })

beforeEach(() => {
  desk.keys.clear()
  desk.takenKeys.clear()
  ran = []
  told = []
  now = 0
})

it('asks the system for the chosen keys, gives back what is no longer chosen, and all at the end', () => {
  const keys = make()
  keys.apply({})
  expect([...desk.keys.keys()]).toEqual([])
  keys.apply({ panic: 'F9', show: 'CommandOrControl+Shift+S' })
  expect([...desk.keys.keys()]).toEqual(['F9', 'CommandOrControl+Shift+S'])
  desk.keys.get('F9')?.()
  keys.apply({ record: 'F9' })
  expect([...desk.keys.keys()]).toEqual(['F9'])
  now = 1_000
  desk.keys.get('F9')?.()
  expect(ran).toEqual(['panic', 'record'])
  keys.close()
  expect(desk.keys.size).toBe(0)
})

it('says which key another program has, or this system does not know, and takes nothing away from that program', () => {
  desk.takenKeys.add('F9')
  const keys = make()
  keys.apply({ panic: 'F9', show: 'F10', record: 'Broken' as never })
  expect(told.at(-1)).toEqual([
    { command: 'panic', key: 'F9', state: 'taken' },
    { command: 'show', key: 'F10', state: 'registered' },
    { command: 'record', key: 'Broken', state: 'taken' },
  ])
  const unregister = vi.spyOn(globalShortcut, 'unregister')
  keys.close()
  expect(unregister.mock.calls).toEqual([['F10']])
  unregister.mockRestore()
})

it('takes a key that is held for one press', () => {
  make().apply({ panic: 'F9' })
  for (; now < 3_000; now += 50) desk.keys.get('F9')?.()
  expect(ran).toEqual(['panic'])
  now += 1_000
  desk.keys.get('F9')?.()
  expect(ran).toEqual(['panic', 'panic'])
})

it('may be a function key alone, and nothing else without Ctrl, Alt or ⌘', () => {
  for (const key of ['F9', 'Shift+F24', 'CommandOrControl+M', 'CommandOrControl+Alt+Shift+0', 'Alt+F4', 'Super+PageUp'])
    expect(GlobalKey.safeParse(key).success, key).toBe(true)
  for (const key of [
    '',
    'A',
    '7',
    'Space',
    'Shift+A',
    'F25',
    'F0',
    'f9',
    'CommandOrControl',
    'CommandOrControl+',
    'Ctrl+M',
    'CommandOrControl+MediaPlayPause',
    'A+B',
    ' F9',
    `Alt+${'Shift+'.repeat(20)}A`,
  ])
    expect(GlobalKey.safeParse(key).success, key).toBe(false)
})
