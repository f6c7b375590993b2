import { afterEach, beforeEach, expect, it } from 'vitest'
import { rigCid as cid, startBroadcasts } from './testing/rig.ts'

let rig: Awaited<ReturnType<typeof startBroadcasts>>
beforeEach(async () => {
  rig = await startBroadcasts()
})
afterEach(() => rig.close())

const titles = async () => (await rig.rows()).map(({ title }) => title)

it('a broadcast takes the next title as its push begins, whatever becomes of that before it is stored', async () => {
  const one = await rig.start()
  rig.next.title = 'Requests'
  rig.fault.now = new Error('away')
  await one.push('started')
  // As where it was announced, which ends with the begin.
  rig.next.title = ''
  rig.fault.now = undefined
  await rig.pass(5, one)
  expect(await titles()).toEqual(['Requests'])
  expect(one.onAir()).toMatchObject({ title: 'Requests' })
})

it('takes it again where that failed, and not for a push that comes back', async () => {
  const one = await rig.start()
  rig.next.title = 'Requests'
  rig.fault.taken = new Error('away')
  await one.push('started')
  expect([await titles(), rig.next.title]).toEqual([['Requests'], 'Requests'])
  rig.fault.taken = undefined
  await rig.pass(5, one)
  expect([await titles(), rig.next.title]).toEqual([['Requests'], ''])
  await one.push('ended', 'lost')
  await rig.pass(10, one)
  rig.next.title = 'Covers'
  // The second time it is stored already.
  rig.fault.after = new Error('away')
  await one.push('started')
  rig.fault.after = undefined
  await rig.pass(5, one)
  expect([await titles(), rig.next.title]).toEqual([['Requests'], 'Covers'])
  expect(one.onAir()).toMatchObject({ title: 'Requests' })
})

it('is called so at every service, also after it was named otherwise on air', async () => {
  const one = await rig.start()
  rig.next.title = 'Requests'
  await one.push('started')
  const [row] = await rig.rows()
  await one.broadcasts.setTitle(row!, 'Covers')
  expect([await titles(), one.onAir()?.title]).toEqual([['Covers'], 'Covers'])
  expect((await rig.start('two')).onAir()).toMatchObject({ title: 'Covers' })
  await one.push('ended', 'stopped')
  await one.broadcasts.setTitle(row!, 'Late covers')
  expect([await titles(), one.onAir()]).toEqual([['Late covers'], undefined])
  expect(rig.told.map(({ change }) => change)).toEqual(['began', 'changed', 'ended', 'changed'])
})

it('does not bring back on air what was cut off by a kill', async () => {
  const one = await rig.start()
  await one.push('started')
  await one.kill()
  const again = await rig.start()
  const [row] = await rig.rows()
  await again.broadcasts.setTitle(row!, 'Covers')
  expect([await titles(), again.onAir()]).toEqual([['Covers'], undefined])
})

it('has none that goes on at a service of the release before', async () => {
  const one = await rig.start()
  const broadcastId = 'b'.repeat(24)
  one.byAnother({ kind: 'goOn', broadcastId, cid, at: rig.clock.now(), node: 'two', before: undefined })
  expect(one.onAir()).toMatchObject({ broadcastId, title: '' })
})
