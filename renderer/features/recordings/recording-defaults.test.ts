import { createPinia, setActivePinia } from 'pinia'
import { createApp, effectScope, nextTick } from 'vue'
import { expect, it } from 'vitest'
import type { AppEvent, RecordingDefaults, Settings } from '../../../contract/rpc/index.ts'
import { firstRecordingDefaults } from '../../../contract/switched-recording.ts'
import type { RpcClient } from '../../data/client.ts'
import { useCompanion } from '../../data/companion.ts'
import { readRecordingDefaults, useRecordingDefaults } from './recording-defaults.ts'
import { servicesKey } from '../../data/services.ts'

const fields = { everyPush: true, format: 'mp4', minutes: '30', named: false } as const

it.each(['5', ' 120 '])('takes %j as minutes of a slice', (minutes) => {
  expect(readRecordingDefaults({ ...fields, minutes })).toEqual({ ...fields, minutes: Number(minutes) })
})

it.each(['', '4', '121', '-5', '5.5', '1e2', 'x', '<b>', '五', '9'.repeat(70_000)])(
  'takes no other text as minutes',
  (minutes) => {
    expect(readRecordingDefaults({ ...fields, minutes })).toBeNull()
  },
)

it('keeps what is entered with the settings of the app, and says why not', async () => {
  const asked: (RecordingDefaults | undefined)[] = []
  let refuses = false
  const rpc = {
    app: {
      changeSettings: (change: Partial<Settings>) => {
        asked.push(change.recording)
        return refuses ? Promise.reject(new Error('refused')) : Promise.resolve(change as Settings)
      },
    },
  } as unknown as RpcClient
  const app = createApp({})
  const pinia = createPinia()
  app.provide(servicesKey, { rpc, now: () => 0, memory: { read: () => null, write: () => undefined } })
  app.use(pinia)
  setActivePinia(pinia)
  const companion = useCompanion()
  const scope = effectScope()
  const form = app.runWithContext(() => scope.run(() => useRecordingDefaults()))!
  expect(form.entered.value).toEqual({ ...firstRecordingDefaults, minutes: '60' })
  await form.save()
  expect(asked).toEqual([])
  form.entered.value.minutes = '3'
  await form.save()
  expect([form.wanted.value, form.changed.value, asked.length]).toEqual([null, true, 0])
  form.entered.value = { ...fields }
  await form.save()
  expect(asked).toEqual([{ ...fields, minutes: 30 }])
  expect([form.saved.value, form.changed.value, companion.recordingDefaults.minutes]).toEqual([true, false, 30])
  refuses = true
  form.entered.value.format = 'flv'
  await form.save()
  expect([form.saved.value, form.failure.value !== null]).toEqual([false, true])
  // What was set elsewhere, by an import for instance, is shown.
  companion.apply({ type: 'settings', settings: { recording: firstRecordingDefaults } } as AppEvent)
  await nextTick()
  expect(form.entered.value).toEqual({ ...firstRecordingDefaults, minutes: '60' })
  scope.stop()
})
