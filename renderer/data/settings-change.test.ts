import { createPinia, setActivePinia } from 'pinia'
import { createApp } from 'vue'
import { expect, it } from 'vitest'
import type { Settings } from '../../contract/rpc/state.ts'
import type { RpcClient } from './client.ts'
import { useCompanion } from './companion.ts'
import { servicesKey } from './services.ts'
import { useSettingsChange } from './settings-change.ts'

function stage() {
  const asked: unknown[] = []
  const gates: PromiseWithResolvers<Settings>[] = []
  const rpc = {
    app: {
      changeSettings: (change: Partial<Settings>) => {
        asked.push(change)
        const gate = Promise.withResolvers<Settings>()
        gates.push(gate)
        return gate.promise
      },
    },
  } as unknown as RpcClient
  const app = createApp({})
  app.provide(servicesKey, { rpc, now: () => 0, memory: { read: () => null, write: () => undefined } })
  const pinia = createPinia()
  app.use(pinia)
  setActivePinia(pinia)
  return { asked, gates, companion: useCompanion(), settings: app.runWithContext(() => useSettingsChange()) }
}

it('shows what was stored, one change at a time', async () => {
  const { asked, gates, companion, settings } = stage()
  const first = settings.change({ theme: 'light' })
  expect(settings.busy.value).toBe(true)
  expect(await settings.change({ theme: 'dark' })).toBe(false)
  gates[0]?.resolve({ theme: 'light', language: 'zh' } as Settings)
  expect(await first).toBe(true)
  expect(asked).toEqual([{ theme: 'light' }])
  expect(companion.settings).toEqual({ theme: 'light', language: 'zh' })
  expect([settings.busy.value, settings.failure.value]).toEqual([false, null])
})

it('keeps the settings and says why where they were not stored', async () => {
  const { gates, companion, settings } = stage()
  const change = settings.change({ theme: 'light' })
  gates[0]?.reject(new Error('refused'))
  expect(await change).toBe(false)
  expect([companion.settings, settings.failure.value?.detail]).toEqual([null, 'Error: refused'])
})
