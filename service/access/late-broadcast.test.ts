import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import type { WatchState } from '../../contract/watch.ts'
import { systemClock } from '../../platform/clock.ts'
import { RtmpTestClient } from '../ingest/testing/rtmp-test-client.ts'
import { encodeFixture, temporaryFolder } from '../hub/testing/fixture.ts'
import { startPublisher } from '../testing/publisher.ts'
import { eventually } from '../testing/eventually.ts'
import { killedService } from '../testing/killed-service.ts'
import { startService, type TestService } from '../testing/start-service.ts'

const hour = 3_600_000
let service: TestService
/** By how much the clock of the service is ahead, in ms; it only grows. */
let ahead = 0
const now = (): number => systemClock.now() + ahead
beforeAll(async () => {
  service = await startService({ clock: { ...systemClock, now } })
})
afterAll(() => service.close())

const ask = (path: string): Promise<Response> => fetch(service.service.ready.mediaUrl + path)
const told = async (cid: string): Promise<WatchState> =>
  (await ask(`/watch/${cid}/state`)).json() as Promise<WatchState>
const scheduleOf = async (cid: string) => (await service.call(local.schedule, { cid })).ret
/** Puts a channel on air, and off again in order. */
async function broadcast(cid: string, pushUrl: string, meanwhile?: () => Promise<void>): Promise<void> {
  const { port, pathname, search } = new URL(pushUrl)
  const client = await RtmpTestClient.open(Number(port))
  await client.connect()
  expect(await client.ask('publish', `${pathname.replace('/live/', '')}${search}`)).toBe('NetStream.Publish.Start')
  await eventually(async () => expect((await told(cid)).live).toBe(true))
  await meanwhile?.()
  client.close()
  await eventually(async () => expect((await told(cid)).live).toBe(false))
}

it('a broadcast that does not begin at its time is told for 2 h, without a calendar file', async () => {
  const { cid } = (await service.call(live.create, { name: 'late' })).ret!
  const announced = { next: now() + hour, title: 'Requests' }
  await service.call(local.setSchedule, { cid, ...announced })
  expect((await ask(`/watch/${cid}/next.ics`)).status).toBe(200)
  ahead += 3 * hour - 60_000
  expect(await told(cid)).toMatchObject({ live: false, next: announced.next, nextTitle: 'Requests' })
  expect((await ask(`/watch/${cid}/next.ics`)).status).toBe(404)
  // A channel that was disabled and enabled has still not begun.
  await service.call(live.pause, { cid })
  await service.call(live.resume, { cid })
  expect(await told(cid)).toMatchObject({ next: announced.next })
  ahead += 60_000
  expect(await told(cid)).not.toHaveProperty('next')
})

it('a broadcast is announced until it was on air after its time, which a push before is not', async () => {
  const { cid, pushUrl } = (await service.call(live.create, { name: 'begun' })).ret!
  const announced = { next: now() + hour, title: 'Requests' }
  await service.call(local.setSchedule, { cid, ...announced })
  await broadcast(cid, pushUrl)
  expect(await told(cid)).toMatchObject({ next: announced.next })
  ahead += hour + 60_000
  expect(await told(cid)).toMatchObject({ next: announced.next })
  expect(await scheduleOf(cid)).toEqual(announced)
  await broadcast(cid, pushUrl)
  await eventually(async () => expect(await scheduleOf(cid)).toEqual({}))
  expect(await told(cid)).not.toHaveProperty('next')
})

it('a broadcast that begins before its time and goes on past it is announced no more', async () => {
  const { cid, pushUrl } = (await service.call(live.create, { name: 'early' })).ret!
  const announced = { next: now() + hour, title: 'Requests' }
  await service.call(local.setSchedule, { cid, ...announced })
  await broadcast(cid, pushUrl, async () => {
    expect(await scheduleOf(cid)).toEqual(announced)
    ahead += hour + 1000
  })
  await eventually(async () => expect(await scheduleOf(cid)).toEqual({}))
  expect(await told(cid)).not.toHaveProperty('next')
})

it('a broadcast whose time came while it was on air is announced no more after the service was killed', async () => {
  const killed = killedService()
  onTestFinished(() => killed.remove())
  const first = await killed.start()
  const { cid, pushUrl } = (await first.client.call(live.create, { name: 'killed' })).ret!
  const next = systemClock.now() + 8_000
  await first.client.call(local.setSchedule, { cid, next, title: 'Requests' })
  const folder = temporaryFolder()
  onTestFinished(() => folder.remove())
  const publisher = startPublisher(
    pushUrl,
    await encodeFixture(folder.path, 'push', { duration: 2, gop: 30, bFrames: 0 }),
  )
  onTestFinished(() => publisher.stop())
  const stateFrom = async (root: string) => (await fetch(`${root}/watch/${cid}/state`)).json() as Promise<WatchState>
  await eventually(async () => expect((await stateFrom(first.ready.mediaUrl)).live).toBe(true))
  expect((await first.client.call(local.schedule, { cid })).ret).toMatchObject({ next })
  await eventually(async () => expect((await first.client.call(local.schedule, { cid })).ret).toEqual({}))
  expect(systemClock.now()).toBeGreaterThanOrEqual(next)
  expect((await stateFrom(first.ready.mediaUrl)).live).toBe(true)
  await killed.kill()
  const again = await killed.start()
  expect((await again.client.call(local.schedule, { cid })).ret).toEqual({})
  expect(await stateFrom(again.ready.mediaUrl)).not.toHaveProperty('next')
}, 60_000)
