import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { eventually } from '../testing/eventually.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { NoPublicAddress, type AskRouter, type Forwarded } from './port-mapping.ts'
import { certificateFiles, selfSigned } from './testing/certificates.ts'

const certificate = certificateFiles()
const { certificateFile, keyFile } = certificate
let running: TestService
beforeAll(async () => certificate.write(await selfSigned(['203.0.113.7'])))
afterEach(() => running.close())
afterAll(() => certificate.remove())

/** A service that a router forwards a port to, once the answer is there. */
async function reached(ask: AskRouter) {
  running = await startService({ reach: { askRouter: ask }, httpsPort: 0, tls: { certificateFile, keyFile } })
  await running.call(local.updateReach, { reach: 'port', forward: true })
  await eventually(async () => {
    const { ret } = await running.call(local.reach, {})
    expect(['open', 'failed']).toContain(ret!.mapping?.state)
  })
  return (await running.call(local.checkReach, {})).ret!
}
const place = { protocol: 'natpmp', address: '203.0.113.7', port: 40_444 } as const
const forwarded = (more: Partial<Forwarded> = {}): AskRouter => {
  return () => Promise.resolve({ ...place, renew: async () => place, remove: async () => undefined, ...more })
}

describe('a port that the router forwards', () => {
  it('is told with the port that the router chose, everywhere', async () => {
    const facts = await reached(forwarded())
    const root = 'https://203.0.113.7:40444'
    expect(facts).toMatchObject({ url: root, mapping: { state: 'open', address: '203.0.113.7', port: 40_444 } })
    expect(facts.doors[0]!.port).not.toBe(40_444)
    expect(facts.results.find(({ reach }) => reach === 'port')).toMatchObject({ url: root })
    const { cid } = (await running.call(live.create, { name: 'harbour' })).ret!
    const { linkId, url } = (await running.call(local.addNamedLink, { cid, name: 'Anna' })).ret!
    const links = (await running.call(local.namedLinkAddress, { cid, linkId })).ret!
    const visit = (await running.call(local.startVisit, { cid })).ret!
    for (const address of [url, links.flv, links.hls, visit.url])
      expect(address.startsWith(`${root}/`), address).toBe(true)
  })

  it('by another device than the default router is told as such, and no link has its address', async () => {
    const facts = await reached(forwarded({ address: '198.41.0.99', otherDevice: '192.168.1.77' }))
    expect(facts.mapping).toEqual({
      state: 'open',
      protocol: 'natpmp',
      address: '198.41.0.99',
      port: 40_444,
      otherDevice: '192.168.1.77',
    })
    const { cid } = (await running.call(live.create, { name: 'harbour' })).ret!
    const { url } = (await running.call(local.addNamedLink, { cid, name: 'Anna' })).ret!
    const visit = (await running.call(local.startVisit, { cid })).ret!
    for (const address of [url, visit.url, facts.url]) {
      const { hostname, port } = new URL(address)
      expect([hostname === '198.41.0.99', Number(port)]).toEqual([false, facts.doors[0]!.port])
    }
    // An address of this computer or its network is none for the internet.
    expect(facts.results.find(({ reach }) => reach === 'port')).toMatchObject({ state: 'fault', reason: 'noPublicUrl' })
  })

  it('is none when the router has no public address itself, which is told', async () => {
    const facts = await reached(() =>
      Promise.reject(new NoPublicAddress('the router names no public address: 100.64.3.4')),
    )
    expect(facts.results.find(({ reach }) => reach === 'port')).toMatchObject({
      state: 'fault',
      reason: 'noPublicAddress',
      detail: 'the router names no public address: 100.64.3.4',
    })
    expect(facts.mapping).toMatchObject({ state: 'failed' })
  })
})
