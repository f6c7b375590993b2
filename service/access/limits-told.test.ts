import { expect, it, onTestFinished } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import { pageHeader } from '../../contract/watch.ts'
import { httpRequest } from '../testing/http-request.ts'
import { readEvents } from '../testing/event-reader.ts'
import { until } from '../testing/condition.ts'
import { startProxiedChannel } from './testing/proxied-channel.ts'

it('a limit and who waits for a place are told by an event, and the list of targets has them', async () => {
  const channel = await startProxiedChannel()
  onTestFinished(() => channel.close())
  const { service, cid, media } = channel
  const events = await readEvents(service.service.ready.baseUrl, service.sign())
  onTestFinished(() => events.close())
  const watch = (from: string, pageId: string) =>
    httpRequest(`${media}/watch/${cid}/state`, {
      method: 'GET',
      headers: [
        ['x-forwarded-for', from],
        [pageHeader, pageId],
      ],
    })
  await until(
    'a playlist',
    async () => (await httpRequest(`${media}/live/${cid}/playlist.m3u8`, { method: 'GET' })).status === 200,
  )
  await service.call(local.updateWatchLimits, { maxViewers: 1, maxKbps: 300 })
  expect(await events.next('limits')).toMatchObject({ maxViewers: 1, maxKbps: 300, maxGigabytes: 0, waiting: 0 })
  expect((await service.call(local.targets, { cid })).ret).toMatchObject({ budget: 300, waiting: 0 })
  // With 1 kbit/s nobody has a place.
  await service.call(local.updateWatchLimits, { maxKbps: 1 })
  await events.next('limits', ({ maxKbps }) => maxKbps === 1)
  await until('a page waits', async () => {
    await watch('203.0.113.1', 'a'.repeat(22))
    return (await service.call(local.watchLimits, {})).ret!.waiting === 1
  })
  await events.next('limits', ({ waiting }) => waiting === 1)
  expect((await service.call(local.targets, { cid })).ret).toMatchObject({ budget: 1, waiting: 1 })
})
