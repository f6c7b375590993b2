import { afterAll, beforeAll, expect, it } from 'vitest'
import { maxBroadcastTitle, sameBroadcastWithin } from '../../contract/operations/broadcasts.ts'
import { live, local } from '../../contract/operations/index.ts'
import type { WatchState } from '../../contract/watch.ts'
import { systemClock } from '../../platform/clock.ts'
import { push } from '../onair/testing/nodes.ts'
import { eventually } from '../testing/eventually.ts'
import { startService, type TestService } from '../testing/start-service.ts'

const hour = 3_600_000
const title = 'Requests until one, <b>with Ana</b> & 安娜'
let service: TestService
/** By how much the clock of the service is ahead, in ms; it only grows. */
let ahead = 0
const now = (): number => systemClock.now() + ahead
beforeAll(async () => {
  service = await startService({ clock: { ...systemClock, now }, faults: true })
})
afterAll(() => service.close())

let count = 0
async function channel(): Promise<{ cid: string; name: string; pushUrl: string }> {
  const name = `show${++count}`
  const { cid, pushUrl } = (await service.call(live.create, { name })).ret!
  return { cid, name, pushUrl }
}
const setNext = async (cid: string, next?: string): Promise<number> =>
  (await service.call(local.setNextTitle, { cid, ...(next !== undefined && { title: next }) })).code
const details = async (cid: string) => (await service.call(local.channelDetails, { cidList: [cid] })).ret!.list[0]!
const schedule = async (cid: string) => (await service.call(local.schedule, { cid })).ret!
const titles = async (cid: string) =>
  (await service.call(local.broadcasts, { cid })).ret!.list.map((broadcast) => broadcast.title)
const watched = async (cid: string): Promise<WatchState> =>
  (await fetch(`${service.service.ready.mediaUrl}/watch/${cid}/state`)).json() as Promise<WatchState>
/** Puts a channel on air, and off again. */
async function broadcast({ cid, pushUrl }: { cid: string; pushUrl: string }, meanwhile?: () => Promise<void>) {
  const { encoder } = await push(service.service.listening.rtmp, pushUrl)
  await eventually(async () => expect(await details(cid)).toHaveProperty('broadcastId'))
  await meanwhile?.()
  encoder.close()
  await eventually(async () => expect(await details(cid)).not.toHaveProperty('broadcastId'))
}

it('is kept as it was written, and told in the details and the tally of its channel', async () => {
  const { cid } = await channel()
  const heard = await service.events()
  expect(await setNext(cid, title)).toBe(200)
  expect(await heard.next('tally', (event) => event.cid === cid)).toMatchObject({ nextTitle: title })
  expect(await details(cid)).toMatchObject({ nextTitle: title })
  expect(await schedule(cid)).toEqual({ title })
  expect(await setNext(cid, 'x'.repeat(maxBroadcastTitle + 1))).toBe(631)
  expect(await details(cid)).toMatchObject({ nextTitle: title })
  expect(await setNext(cid)).toBe(200)
  expect(await details(cid)).not.toHaveProperty('nextTitle')
  await heard.next('tally', (event) => event.cid === cid && event.nextTitle === undefined)
  heard.close()
})

it('becomes that of the broadcast that begins, which viewers read, and not of the one after', async () => {
  const made = await channel()
  const { cid } = made
  await setNext(cid, title)
  // Before it is on air viewers are told nothing that was not announced.
  expect(JSON.stringify(await watched(cid))).not.toContain('Requests')
  await broadcast(made, async () => {
    expect(await details(cid)).toMatchObject({ broadcastTitle: title })
    await eventually(async () => expect(await details(cid)).not.toHaveProperty('nextTitle'))
    expect(await watched(cid)).toMatchObject({ title: made.name, broadcastTitle: title })
    expect(await titles(cid)).toEqual([title])
    // Of this one again, and none.
    const { broadcastId = '' } = await details(cid)
    await service.call(local.setBroadcastTitle, { broadcastId, title: 'Covers' })
    expect(await watched(cid)).toMatchObject({ broadcastTitle: 'Covers' })
    expect(await details(cid)).toMatchObject({ broadcastTitle: 'Covers' })
    await service.call(local.setBroadcastTitle, { broadcastId })
    expect(await watched(cid)).not.toHaveProperty('broadcastTitle')
    await service.call(local.setBroadcastTitle, { broadcastId, title: 'Covers' })
  })
  expect(await watched(cid)).not.toHaveProperty('broadcastTitle')
  // What comes back within 2 min is the same one.
  await setNext(cid, 'Late show')
  await broadcast(made, async () => {
    expect(await watched(cid)).toMatchObject({ broadcastTitle: 'Covers' })
    expect(await titles(cid)).toEqual(['Covers'])
  })
  expect(await details(cid)).toMatchObject({ nextTitle: 'Late show' })
  ahead += sameBroadcastWithin + 10_000
  await broadcast(made)
  ahead += sameBroadcastWithin + 10_000
  await broadcast(made, async () => expect(await watched(cid)).not.toHaveProperty('broadcastTitle'))
  expect(await titles(cid)).toEqual([made.name, 'Late show', 'Covers'])
})

it('is that of the announcement, which keeps it through a trial until its time', async () => {
  const made = await channel()
  const { cid } = made
  const next = now() + hour
  await service.call(local.setSchedule, { cid, next, title: 'Requests' })
  expect(await details(cid)).toMatchObject({ nextTitle: 'Requests' })
  await setNext(cid, 'Covers')
  expect(await schedule(cid)).toEqual({ next, title: 'Covers' })
  expect(await watched(cid)).toMatchObject({ next, nextTitle: 'Covers' })
  await broadcast(made)
  expect(await schedule(cid)).toEqual({ next, title: 'Covers' })
  ahead += hour + 60_000
  await broadcast(made)
  await eventually(async () => expect(await schedule(cid)).toEqual({}))
  expect(await titles(cid)).toEqual(['Covers', 'Covers'])
  await service.call(local.setSchedule, { cid, next: now() + hour, title: 'Requests' })
  await service.call(local.setSchedule, { cid, title: 'Requests' })
  expect(await schedule(cid)).toEqual({ title: 'Requests' })
  await service.call(local.setSchedule, { cid })
  expect(await schedule(cid)).toEqual({})
})

it('says when it could not be stored, and is what it was', async () => {
  const { cid } = await channel()
  await setNext(cid, title)
  await service.call(local.faults, { path: local.setNextTitle.path, code: 501, times: 1 })
  expect(await setNext(cid, 'Covers')).toBe(501)
  expect(await details(cid)).toMatchObject({ nextTitle: title })
})

it('goes with its channel', async () => {
  const { cid } = await channel()
  await setNext(cid, title)
  await service.call(live.remove, { cid })
  expect(await setNext(cid, title)).toBe(618)
  expect(await details(cid)).toBeUndefined()
})
