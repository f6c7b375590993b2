import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'playwright/test'
import { local } from '../../contract/operations/index.ts'
import { selfSigned } from '../../service/reach/testing/certificates.ts'
import { createHostView, type HostView } from './host-view.ts'
import { addresses, createNetwork, networkFault, type Network } from './hosts.ts'
import { resolveByMulticast } from './local-name.ts'
import {
  startHomeEncoder,
  startHomeService,
  type HomeService,
  type ReachFacts,
  type VisitFacts,
} from './home-service.ts'

const fault = networkFault()
test.skip(fault !== undefined, fault)
test.describe.configure({ mode: 'serial' })

let network: Network
let home: HomeService
let view: HostView
let endMapper: () => Promise<void>
const folder = mkdtempSync(join(tmpdir(), 'sidestage-reach-'))
const files = { certificateFile: join(folder, 'chain.pem'), keyFile: join(folder, 'key.pem') }
const proxyPort = 8443

test.beforeAll(async () => {
  network = createNetwork()
  endMapper = await network.startPortMapper()
  const made = await selfSigned([addresses.routerOutside, addresses.proxy, addresses.home])
  writeFileSync(files.certificateFile, made.cert)
  writeFileSync(files.keyFile, made.key, { mode: 0o600 })
  home = await startHomeService(network)
  view = createHostView(network, home)
  await startHomeEncoder(network, home)
})
test.afterAll(async () => {
  await view?.close()
  home?.close()
  network?.close()
  rmSync(folder, { recursive: true, force: true })
})

const update = (changes: object): ReachFacts => {
  const { code, ret, msg } = home.call(local.updateReach, changes)
  expect(code, msg).toBe(200)
  return ret
}
const resultOf = ({ results }: ReachFacts, reach: string) => results.find((one) => one.reach === reach)
const check = (): ReachFacts => home.call(local.checkReach, {}).ret

/** What the router forwards, as its tables have it. */
const forwarded = (): string =>
  network.run('router', ['nft', 'list', 'chain', 'inet', 'nat', 'prerouting_miniupnpd']).match(/dnat.*/)?.[0] ?? ''

const visitNow = (id: string): VisitFacts => home.call(local.visits, {}).ret.list.find(({ visitId }) => visitId === id)!
const startVisit = (): VisitFacts & { url: string } => home.call(local.startVisit, { cid: home.cid }).ret

test('nothing answers to others before the reach is chosen', () => {
  expect(network.openPorts('phone', addresses.home)).toEqual([])
  expect(network.openPorts('stranger', addresses.routerOutside)).toEqual([])
})

test('the home network sees picture and chat, and loses them within a second', async () => {
  const root = `http://${addresses.home}:8711`
  expect(update({ reach: 'home', rtmp: true })).toMatchObject({ url: root, encryption: 'none' })
  expect(network.openPorts('phone', addresses.home)).toEqual([1935, 8711])
  expect(view.stateOf('phone', root)).toContain('"live":true')
  expect(view.flvBytes('phone', root)).toBeGreaterThan(20_000)
  expect(view.playlist('phone', root)).toContain('#EXTM3U')
  expect(view.upgrade('phone', root)).toBe('101')
  await view.watch('phone', root)
  expect(resultOf(check(), 'home')).toMatchObject({ state: 'works', url: root })
  // The name, as a phone asks for it.
  await expect.poll(() => home.call(local.reach, {}).ret.localName).toBe('sidestage.local')
  expect(
    view.get('phone', 'http://sidestage.local:8711/watch/none/state', [
      '--resolve',
      `sidestage.local:8711:${addresses.home}`,
    ]),
  ).toContain('404')

  const player = network.start('phone', ['curl', '-sN', '-o', '/dev/null', `${root}/live/${home.cid}.flv`])
  await expect.poll(() => network.run('home', ['ss', '-Htn', 'state', 'established', 'sport', '= :8711'])).not.toBe('')
  const ended = new Promise<number>((resolve) => player.once('close', () => resolve(Date.now())))
  const before = Date.now()
  expect(update({ reach: 'computer', rtmp: false })).toMatchObject({ doors: [] })
  expect((await ended) - before).toBeLessThan(1000)
  expect(network.openPorts('phone', addresses.home)).toEqual([])
})

test('the name of the home network is found by multicast while it is open, and taken back', async () => {
  update({ reach: 'home' })
  const first = resolveByMulticast(network, 'phone', 'sidestage.local')
  await expect.poll(first.heard).toContainEqual({ address: addresses.home, ttl: 120 })
  update({ reach: 'computer' })
  await expect.poll(first.heard).toContainEqual({ address: addresses.home, ttl: 0 })
  first.end()
  const second = resolveByMulticast(network, 'phone', 'sidestage.local')
  await expect.poll(second.asked).toBeGreaterThan(first.asked())
  expect(second.heard()).toEqual([])
  second.end()
})

test('the internet comes by a port that the router forwards, and a visit proves it', async () => {
  update({ reach: 'port', port: proxyPort, forward: true, ...files })
  const root = `https://${addresses.routerOutside}:${proxyPort}`
  const read = (): ReachFacts => home.call(local.reach, {}).ret
  await expect.poll(() => read().mapping?.state, { timeout: 30_000 }).toBe('open')
  expect(read()).toMatchObject({ url: root, encryption: 'unvouched', mapping: { address: addresses.routerOutside } })
  expect(network.openPorts('stranger', addresses.routerOutside)).toEqual([proxyPort])
  expect(view.flvBytes('stranger', root)).toBeGreaterThan(20_000)
  await view.watch('stranger', root)

  const started = startVisit()
  expect(started.url.startsWith(`${root}/check/`)).toBe(true)
  // What only looks at a link, as messengers do, does not use it up.
  expect(view.get('stranger', started.url)).toContain('Sidestage')
  const { page, status } = await view.browse('stranger', started.url)
  expect(status).toBe(200)
  await expect.poll(() => visitNow(started.visitId).state).toBe('running')
  expect(page.url()).toBe(`${root}/check/`)
  expect((await view.browse('stranger', started.url)).status).toBe(404)
  await expect.poll(() => visitNow(started.visitId).state, { timeout: 120_000 }).toBe('done')
  const seen = visitNow(started.visitId)
  expect(seen).toMatchObject({ outside: true, by: 'computer' })
  expect(seen.steps.map(({ name, state, reason = '' }) => `${name} ${state} ${reason}`.trim())).toEqual(
    ['address', 'page', 'chat', 'hls', 'flv'].map((name) => `${name} passed`),
  )
  expect(resultOf(check(), 'port')).toMatchObject({ state: 'works', url: root })
  expect(home.log()).not.toContain(started.url.split('/').at(-1))

  const player = network.start('stranger', ['curl', '-skN', '-o', '/dev/null', `${root}/live/${home.cid}.flv`])
  await expect
    .poll(() => network.run('home', ['ss', '-Htn', 'state', 'established', 'sport', `= :${proxyPort}`]))
    .not.toBe('')
  const ended = new Promise<number>((resolve) => player.once('close', () => resolve(Date.now())))
  const before = Date.now()
  update({ reach: 'computer' })
  expect((await ended) - before).toBeLessThan(1000)
  // The router gives the port back too, and would tell by refusing rather than by silence.
  await expect.poll(forwarded).toBe('')
  expect(network.openPorts('stranger', addresses.routerOutside)).toEqual([])
})

for (const protocol of ['natpmp', 'upnp'] as const)
  test(`a router that knows ${protocol} alone forwards a port until it is closed`, async () => {
    await endMapper()
    endMapper = await network.startPortMapper([protocol])
    const read = (): ReachFacts => home.call(local.reach, {}).ret
    update({ reach: 'port', port: proxyPort, forward: true, ...files })
    await expect.poll(() => read().mapping?.state, { timeout: 30_000 }).toBe('open')
    expect(read().mapping).toMatchObject({ protocol, address: addresses.routerOutside, port: proxyPort })
    expect(forwarded()).toContain(`${addresses.home}:${proxyPort}`)
    const root = `https://${addresses.routerOutside}:${proxyPort}`
    expect(view.stateOf('stranger', root)).toContain('"live":true')
    update({ reach: 'computer' })
    await expect.poll(forwarded).toBe('')
    expect(view.stateOf('stranger', root)).toMatch(/^failed/)
  })

for (const server of ['nginx', 'caddy'] as const)
  test(`the internet comes by ${server} with the configuration as it is written`, async () => {
    const root = `https://${addresses.proxy}:${proxyPort}`
    const proxies = [`${addresses.proxyInside}/32`]
    update({ reach: 'proxy', publicUrl: root, proxies, ...files })
    const { ret: snippet } = home.call(local.proxySnippet, { server })
    const file = join(folder, `${server}.conf`)
    const main = `pid ${folder}/nginx.pid;\nerror_log stderr;\ndaemon off;\nevents {}\nhttp {\naccess_log off;\n${snippet.text}}\n`
    writeFileSync(file, server === 'nginx' ? main : snippet.text)
    const program =
      server === 'nginx'
        ? ['nginx', '-p', folder, '-c', file]
        : ['env', `HOME=${folder}`, 'caddy', 'run', '--adapter', 'caddyfile', '--config', file]
    const proxy = network.start('proxy', program)
    let said = ''
    proxy.stderr?.on('data', (part: Buffer) => (said += part.toString()))
    await expect.poll(() => view.stateOf('stranger', root), { message: said, timeout: 30_000 }).toContain('"live":true')
    // The home network reaches only what the proxy may.
    expect(
      network.run('proxy', [
        'curl',
        '-s',
        '-o',
        '/dev/null',
        '-w',
        '%{http_code}',
        `http://${addresses.home}:8711/watch/x/state`,
      ]),
    ).toBe('404')
    expect(view.get('phone', `http://${addresses.home}:8711/watch/${home.cid}/state`)).toMatch(/^failed/)
    const asked = ['curl', '-skD-', '-o/dev/null', '-HX-Request-Id: chosen', `${root}/watch/${home.cid}/state`]
    expect(network.run('stranger', asked)).toMatch(/^x-request-id: (?!chosen)[\w-]{20,}/im)
    expect(view.flvBytes('stranger', root)).toBeGreaterThan(20_000)
    expect(view.playlist('stranger', root)).toContain('#EXTM3U')
    expect(view.upgrade('stranger', root)).toBe('101')
    await view.watch('stranger', root)

    const started = startVisit()
    await view.browse('stranger', started.url)
    await expect.poll(() => visitNow(started.visitId).state).toBe('running')
    expect(visitNow(started.visitId)).toMatchObject({ outside: true })
    await expect.poll(() => visitNow(started.visitId).steps.find(({ name }) => name === 'hls')?.state).toBe('passed')
    expect(resultOf(home.call(local.reach, {}).ret, 'proxy')).toMatchObject({ state: 'works' })
    proxy.kill('SIGKILL')
    update({ reach: 'computer' })
    expect(network.openPorts('phone', addresses.home)).toEqual([])
  })

test('a service that is ended gives the port back that the router forwards', async () => {
  update({ reach: 'port', port: proxyPort, forward: true, ...files })
  await expect.poll(forwarded, { timeout: 30_000 }).toContain(`${addresses.home}:${proxyPort}`)
  await home.stop()
  expect(forwarded()).toBe('')
})
