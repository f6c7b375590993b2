import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'playwright/test'
import { local } from '../../contract/operations/index.ts'
import { selfSigned } from '../../service/reach/testing/certificates.ts'
import { createHostView, moves, type HostView } from './host-view.ts'
import { addresses, createNetwork, networkFault, type HostName, type Network } from './hosts.ts'
import { startHomeEncoder, startHomeService, type HomeService } from './home-service.ts'

/** Who may watch, as others in the home network meet it over every door. */
const fault = networkFault()
test.skip(fault !== undefined, fault)
test.describe.configure({ mode: 'serial' })

const root = `http://${addresses.home}:8711`
const rtmp = `rtmp://${addresses.home}:1935/live`
const passphrase = 'canary-lamp-and-harbour'
const codecs = ['aac', 'h264']
const folder = mkdtempSync(join(tmpdir(), 'sidestage-watching-'))
let network: Network
let home: HomeService
let view: HostView

test.beforeAll(async () => {
  network = createNetwork()
  home = await startHomeService(network)
  view = createHostView(network, home)
  await startHomeEncoder(network, home)
  expect(home.call(local.updateReach, { reach: 'home', rtmp: true }).ret.url).toBe(root)
})
test.afterAll(async () => {
  await view?.close()
  home?.close()
  network?.close()
  rmSync(folder, { recursive: true, force: true })
})

const access = (change: object): void =>
  expect(home.call(local.updateAccess, { cid: home.cid, ...change }).code).toBe(200)
/** What each door but the page gives to a phone, with something in the address or a passphrase beside it. */
const given = ({
  query = '',
  basic = '',
  rtmpQuery = query,
}: Readonly<Partial<Record<'query' | 'basic' | 'rtmpQuery', string>>> = {}) => {
  const user = basic === '' ? [] : ['-u', basic]
  return {
    flv: view.flvBytes('phone', root, { query, basic }) > 20_000,
    hls: view.playlist('phone', root, query, user).includes('#EXTM3U'),
    rtmp: view.rtmpCodecs('phone', rtmp, rtmpQuery),
  }
}
const all = { flv: true, hls: true, rtmp: codecs }
const nothing = { flv: false, hls: false, rtmp: [] }
/** Starts a player of each kind in the phone; `end` tells how long after a change was answered each was out, in ms. */
async function playAll(query: string, rtmpQuery = query): Promise<(change: () => void) => Promise<number[]>> {
  const flv = view.playFlv('phone', root, query)
  await view.connected(8711)
  const played = view.playRtmp('phone', rtmp, rtmpQuery)
  await view.connected(1935, 2)
  const ends = [flv, played].map(view.endOf)
  return async (change) => {
    // The call is a process of its own, whose start is not measured.
    change()
    const answered = Date.now()
    return (await Promise.all(ends)).map((at) => at - answered)
  }
}

test('everybody in the home network watches over page, HTTP-FLV, HLS and RTMP, until it is turned off', async () => {
  expect(given()).toEqual(all)
  const end = await playAll('')
  for (const ms of await end(() => access({ closed: true }))) expect(ms).toBeLessThan(1_000)
  expect(given()).toEqual(nothing)
  access({ closed: false })
  expect(given()).toEqual(all)
})

test('a passphrase is asked over every door, and a new one puts out who gave the old one', async () => {
  access({ mode: 'passphrase', passphrase })
  expect(given()).toEqual(nothing)
  expect(given({ basic: 'x:wrong', rtmpQuery: '?passphrase=wrong' })).toEqual(nothing)
  expect(given({ basic: `x:${passphrase}`, rtmpQuery: `?passphrase=${passphrase}` })).toEqual(all)
  const { page, context } = await view.browse('phone', `${root}/watch/${home.cid}`)
  const field = page.getByLabel('Passphrase', { exact: true })
  await field.fill(passphrase)
  await field.press('Enter')
  await moves(page.locator('video'))
  expect(page.url()).toBe(`${root}/watch/${home.cid}`)
  access({ mode: 'passphrase', passphrase: `${passphrase} again` })
  await expect(page.getByRole('heading', { name: 'A passphrase is needed' })).toBeVisible()
  await expect(page.locator('video')).toBeHidden()
  await context.close()
})

test('a named link opens every door until it is revoked, which puts its players out within a second', async () => {
  access({ mode: 'links' })
  expect(given()).toEqual(nothing)
  const { ret: link } = home.call(local.addNamedLink, { cid: home.cid, name: 'Robin' })
  const token = link.url.split('/').at(-1)!
  const query = `?link=${token}`
  expect(given({ query })).toEqual(all)
  const { page, context } = await view.browse('phone', link.url)
  expect(page.url()).toBe(`${root}/watch/${home.cid}`)
  await moves(page.locator('video'))
  const end = await playAll(query)
  const revoked = { cid: home.cid, linkId: link.linkId }
  for (const ms of await end(() => void home.call(local.revokeNamedLink, revoked))) expect(ms).toBeLessThan(1_000)
  await expect(page.getByText('The link that you came by was revoked')).toBeVisible()
  expect(given({ query })).toEqual(nothing)
  await context.close()
  for (const secret of [token, passphrase]) expect(home.log()).not.toContain(secret)
})

test('a frame plays on a page of an origin that is allowed, and shows nothing on another', async () => {
  const { cert, key } = await selfSigned([addresses.home, addresses.proxyInside, addresses.phone])
  const files = { certificateFile: join(folder, 'chain.pem'), keyFile: join(folder, 'key.pem') }
  writeFileSync(files.certificateFile, cert)
  writeFileSync(files.keyFile, key, { mode: 0o600 })
  const secure = `https://${addresses.home}:8443`
  access({ mode: 'everybody', embedOrigins: [`https://${addresses.proxyInside}:8000`] })
  home.call(local.updateReach, { reach: 'port', port: 8443, forward: false, ...files })
  await expect.poll(() => view.stateOf('phone', secure)).toContain('"live":true')
  const html = `<!doctype html><iframe src="${secure}/embed/${home.cid}" width="900" height="480"></iframe>`
  const pages = `require('https').createServer({ cert: process.env.CERT, key: process.env.KEY }, (_, answer) =>
    answer.setHeader('content-type', 'text/html').end(process.env.HTML)).listen(8000)`
  for (const host of ['proxy', 'phone'] as const satisfies readonly HostName[])
    network.start(host, ['env', `HTML=${html}`, `CERT=${cert}`, `KEY=${key}`, process.execPath, '-e', pages])
  for (const [address, isAllowed] of [
    [addresses.proxyInside, true],
    [addresses.phone, false],
  ] as const) {
    await expect.poll(() => view.status('phone', `https://${address}:8000/`)).toBe('200')
    const { page, context } = await view.browse('phone', `https://${address}:8000/`)
    const frame = page.frameLocator('iframe')
    if (isAllowed) await moves(frame.locator('video'))
    else {
      await expect.poll(() => page.frames().at(-1)?.url()).toContain('chrome-error:')
      await expect(frame.locator('video, .chat')).toHaveCount(0)
    }
    await context.close()
  }
})
