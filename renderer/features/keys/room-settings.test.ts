import { createPinia, setActivePinia } from 'pinia'
import { createApp } from 'vue'
import { beforeEach, expect, it } from 'vitest'
import type { Settings } from '../../../contract/rpc/state.ts'
import { firstRecordingDefaults } from '../../../contract/switched-recording.ts'
import type { RpcClient } from '../../data/client.ts'
import { useCompanion } from '../../data/companion.ts'
import { usualKeys } from './room-commands.ts'
import { usualPresets } from './room-presets.ts'
import { useRoomSettings } from './room-settings.ts'
import { servicesKey } from '../../data/services.ts'

let kept: Settings
let refuses: boolean
beforeEach(() => {
  kept = {
    theme: 'dark',
    language: 'en',
    mutePresets: null,
    roomKeys: {},
    recording: firstRecordingDefaults,
    globalKeys: {},
    notices: [],
    startAtLogin: false,
    closeToTray: false,
  }
  refuses = false
})
const stage = () => {
  const app = createApp({})
  const rpc = {
    app: {
      changeSettings: (change: Partial<Settings>) =>
        refuses ? Promise.reject(new Error('the disk is full')) : Promise.resolve((kept = { ...kept, ...change })),
    },
  } as unknown as RpcClient
  app.provide(servicesKey, { rpc, now: () => 0, memory: { read: () => null, write: () => undefined } })
  const pinia = createPinia()
  app.use(pinia)
  setActivePinia(pinia)
  return { settings: useRoomSettings(), companion: useCompanion() }
}

it('begins with the usual ones before the settings are there', () => {
  const { settings } = stage()
  expect(settings.presets).toEqual(usualPresets)
  expect(settings.keys).toEqual(usualKeys)
  expect(settings.cap('popOut')).toBe('Ctrl Shift P')
})

it('keeps only what differs, and gives a usual key back once nobody has it', async () => {
  const { settings } = stage()
  await settings.bind('mute', 0, 'b')
  await settings.bind('up', 1, 'w')
  await settings.bind('take', 0, 'm')
  expect(kept.roomKeys).toEqual({ up: ['ArrowUp', 'w'], mute: ['b'], take: ['m'] })
  expect([settings.cap('mute'), settings.bindings.get('b'), settings.bindings.get('m')]).toEqual([
    'B',
    { do: 'mute' },
    { do: 'take' },
  ])
  expect(await settings.reset('mute')).toBe('take')
  expect(settings.cap('mute')).toBe('B')
  expect(await settings.reset('take')).toBeNull()
  expect(await settings.reset('mute')).toBeNull()
  expect(kept.roomKeys).toEqual({ up: ['ArrowUp', 'w'] })
  await settings.resetAll()
  expect(kept.roomKeys).toEqual({})
})

it('follows what another window set', () => {
  const { settings, companion } = stage()
  companion.apply({ type: 'settings', settings: { ...kept, mutePresets: [45, 0], roomKeys: { panic: ['F2'] } } })
  expect(settings.presets).toEqual([45, 0])
  expect(settings.bindings.get('F2')).toEqual({ do: 'panic', on: true })
  expect(settings.bindings.get('F9')).toBeUndefined()
})

it('says when something could not be kept, and goes on with what stands', async () => {
  const { settings } = stage()
  refuses = true
  expect(await settings.setPresets([60])).toBe(false)
  expect(settings.failure).not.toBeNull()
  expect(settings.presets).toEqual(usualPresets)
  refuses = false
  expect(await settings.setPresets([60])).toBe(true)
  expect([settings.failure, settings.presets]).toEqual([null, [60]])
})
