import { afterEach, beforeEach, expect, it } from 'vitest'
import { resendAfter } from '../../contract/callbacks/recording.ts'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import { createLines } from './lines.ts'
import { startReceiver, type Receiver } from './testing/receiver.ts'
import { startRig, type Rig } from './testing/rig.ts'
import { waitFor } from './testing/wait.ts'

/** The clock is set while messages wait. */
const hour = 3_600_000
let rig: Rig
let receiver: Receiver
let time: ManualClock
let set = 0

beforeEach(async () => {
  time = manualClock()
  set = 0
  receiver = await startReceiver(time)
  rig = await startRig({ clock: { ...time, now: () => time.now() + set } })
})
afterEach(async () => {
  await rig.close()
  await receiver.close()
})

it.each([
  ['back', -hour],
  ['forward', hour],
])('a resend waits no minute longer when the clock is set %s by an hour', async (_way, by) => {
  await rig.callbacks.setAddress(rig.uid, receiver.url)
  receiver.answer = (_request, response) => void response.writeHead(500).end()
  const { nId } = await rig.enqueue()
  await waitFor('the first attempt', async () => (await rig.entry(nId)).attempts === 1)
  receiver.answer = (_request, response) => void response.end()
  set = by
  time.advance(60_000)
  // An attempt that runs already would be late after a further advance.
  let waits = false
  await waitFor('the resend, or its due time', async () => {
    const { state, due } = await rig.entry(nId)
    const left = due - time.now() - set
    waits = state === 'waiting' && left > 0 && left <= resendAfter[0]!
    return waits || state === 'delivered'
  })
  if (waits) time.advance(resendAfter[0]!)
  await waitFor('the resend', async () => (await rig.entry(nId)).state === 'delivered')
  expect((await rig.entry(nId)).attempts).toBe(2)
})

it('a callback that is made while the clock is ahead is sent at once', async () => {
  await rig.callbacks.setAddress(rig.uid, receiver.url)
  receiver.answer = (_request, response) => void response.end()
  const first = await rig.enqueue()
  await waitFor('an idle outbox', async () => (await rig.entry(first.nId)).state === 'delivered')
  set = 2 * hour
  const { nId } = await rig.enqueue()
  await waitFor('the attempt', async () => (await rig.entry(nId)).state === 'delivered')
})

it('a callback of a clock that was ahead waits no longer than its schedule after a restart', async () => {
  await rig.callbacks.setAddress(rig.uid, receiver.url)
  receiver.answer = (_request, response) => void response.writeHead(500).end()
  set = 2 * hour
  const { nId } = await rig.enqueue()
  await waitFor('the first attempt', async () => (await rig.entry(nId)).attempts === 1)
  await rig.stop()
  set = 0
  receiver.answer = (_request, response) => void response.end()
  rig = await startRig({ dataDir: rig.dataDir, clock: { ...time, now: () => time.now() + set } })
  await waitFor('the due time of the schedule', async () => (await rig.entry(nId)).due <= time.now() + resendAfter[0]!)
  time.advance(resendAfter[0]!)
  await waitFor('the resend', async () => (await rig.entry(nId)).state === 'delivered')
})

it('a line that waits for its first goes on after its patience when the clock is set back, and not before', () => {
  const lines = createLines({ clock: { ...time, now: () => time.now() + set }, patience: 60_000 })
  lines.touched('conversation', 'target')
  lines.take('target', 1)
  lines.block('conversation', 'n', 'target')
  time.advance(59_999)
  lines.release()
  expect([...lines.targets()]).toEqual([])
  set = -hour
  lines.release()
  expect([...lines.targets()]).toEqual(['target'])
})
