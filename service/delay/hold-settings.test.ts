import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../hub/testing/fixture.ts'
import { createMemoryJournal } from '../journal/memory-journal.ts'
import { madeAgain } from '../journal/testing/made-again.ts'
import { openStore } from '../storage/testing/open-store.ts'
import { createHoldSettings } from './hold-settings.ts'

const cid = 'a'.repeat(32)

test('hold and delay that are set at once are both kept, and are the same in another service', async () => {
  const folder = temporaryFolder()
  const store = await openStore(folder.path)
  onTestFinished(async () => {
    await store.close()
    folder.remove()
  })
  const start = async () => {
    const journal = madeAgain(createMemoryJournal(store))
    return { journal, settings: await createHoldSettings({ db: store.db, journal }) }
  }
  const { settings } = await start()
  await Promise.all([settings.update(cid, { holdSeconds: 30 }), settings.update(cid, { delaySeconds: 5 })])
  const both = { holdSeconds: 30, delaySeconds: 5 }
  const other = await start()
  expect([settings.of(cid), other.settings.of(cid)]).toEqual([both, both])

  const told: unknown[] = []
  other.settings.on((of, isDelayGiven) => told.push([of, isDelayGiven, other.settings.of(of)]))
  await settings.update(cid, { delaySeconds: 9 })
  other.journal.byAnother('channelHold', { cid, setting: settings.of(cid), isDelayGiven: true })
  expect(told).toEqual([[cid, true, { holdSeconds: 30, delaySeconds: 9 }]])

  await settings.forget(cid)
  other.journal.byAnother('channelHold', { cid, setting: null, isDelayGiven: false })
  expect(other.settings.of(cid)).toEqual({ holdSeconds: 0, delaySeconds: 0 })
  expect(await store.db.selectFrom('channelHold').selectAll().execute()).toEqual([])
})
