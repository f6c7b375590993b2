import { afterAll, beforeAll, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { startService, type TestService } from '../testing/start-service.ts'

let service: TestService
let cid: string
beforeAll(async () => {
  service = await startService()
  cid = (await service.call(live.create, { name: 'harbour' })).ret!.cid
})
afterAll(() => service.close())

const target = { name: 'there', url: 'rtmp://live.example.com/app' }
/** Operations about a channel, with what they need besides. */
const operations = [
  [local.access, {}],
  [local.updateAccess, { closed: true }],
  [local.addNamedLink, { name: 'Robin' }],
  [local.namedLinkAddress, { linkId: 1 }],
  [local.revokeNamedLink, { linkId: 1 }],
  [local.restoreNamedLink, { linkId: 1 }],
  [local.removeNamedLink, { linkId: 1 }],
  [local.schedule, {}],
  [local.setSchedule, { next: 4_102_444_800_000 }],
  [local.setNextTitle, { title: 'Requests' }],
  [local.startVisit, {}],
  [local.targets, {}],
  [local.addTarget, target],
  [local.updateTarget, { targetId: 1, name: 'there' }],
  [local.removeTarget, { targetId: 1 }],
  [local.startTarget, { targetId: 1 }],
  [local.stopTarget, { targetId: 1 }],
  [local.hold, {}],
  [local.updateHold, { holdSeconds: 5 }],
  [local.holdNow, {}],
  [local.holdBack, {}],
  [local.dumpDelay, {}],
] as const

it.each(operations.map(([operation, more]) => [operation.path, operation, more] as const))(
  '%s refuses the channel of another application, and one that is not there',
  async (_path, operation, more) => {
    const call = (who: Pick<TestService, 'send'>, of: string) =>
      who.send(operation, JSON.stringify({ cid: of, ...more }))
    expect((await call(service.other, cid)).code).toBe(617)
    expect((await call(service, 'f'.repeat(32))).code).toBe(618)
  },
)

it('the reach has visits, and configurations of proxies', async () => {
  const { ret } = await service.call(local.startVisit, { cid })
  expect((await service.call(local.visits, {})).ret!.list).toMatchObject([{ visitId: ret!.visitId, state: 'waiting' }])
  for (const server of ['nginx', 'caddy'])
    expect(
      (await service.call(local.proxySnippet, { server, publicUrl: 'https://live.example.com' })).ret!.text,
    ).toContain('live.example.com')
})
