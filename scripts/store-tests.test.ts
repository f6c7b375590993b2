import { expect, it } from 'vitest'
import { storeTests } from './store-tests.ts'

it('chooses tests that open a store themselves or by a rig, not those of whole services alone or without one', () => {
  const chosen = storeTests()
  for (const file of [
    'service/storage/store-postgres.test.ts',
    'service/recording/files-store.test.ts',
    // By `testing/rig.ts`, and by `beside.ts`.
    'service/recording/recorder.test.ts',
    'service/channels/live-operations.test.ts',
  ])
    expect(chosen).toContain(file)
  for (const file of ['service/rooms/extension-operations.test.ts', 'service/media/amf0.test.ts'])
    expect(chosen).not.toContain(file)
})
