import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { expect, test, type Page } from 'playwright/test'
import type { ServiceReady } from '../../contract/service-process.ts'
import { makeCertificate } from '../../companion/moderators/certificate.ts'
import { startObsDouble, type ObsDouble } from '../../companion/obs/testing/obs-double.ts'
import { startApp, type RunningApp } from '../app.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { inEveryLook } from '../looks.ts'
import { createChannel, keepLinesOpen, openPage } from '../page.ts'
import { filesOf, processesOf, searchFor } from '../secret-places.ts'

const canary = (what: string): string => `canary-${what}-${randomBytes(12).toString('hex')}`
const password = canary('obs')
const token = canary('token')
const typed = canary('typed')
const wrong = canary('wrong')
const signKey = canary('sign')
let hostedData = ''
let app: RunningApp
let hosted: ReadyCommand<ServiceReady>
let companion: CompanionClient
let obs: ObsDouble
let encoder: Encoder | undefined
test.beforeAll(async () => {
  hostedData = mkdtempSync(join(tmpdir(), 'sidestage-hosted-'))
  ;[app, hosted, obs] = await Promise.all([
    startApp(),
    startCommand<ServiceReady>([
      'service/main.ts',
      '--data',
      hostedData,
      '--api-port',
      '0',
      '--media-port',
      '0',
      '--rtmp-port',
      '0',
    ]),
    startObsDouble({ password }),
  ])
  companion = await openCompanion(app)
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  companion?.close()
  await app?.dispose()
  await hosted?.stop()
  await obs?.close()
  rmSync(hostedData, { recursive: true, force: true })
})

/** What a listener says to somebody who knows nothing: all of it, of a stream its beginning. */
const asked = (url: URL, what: string): Promise<readonly [string, string]> =>
  new Promise((resolve) => {
    let said = ''
    const socket = net.connect(Number(url.port), url.hostname, () => socket.write(what))
    const end = (): void => {
      socket.destroy()
      resolve([`${url.host} asked ${JSON.stringify(what.slice(0, 40))}`, said])
    }
    socket.setTimeout(2_000, end)
    socket.on('data', (chunk: Buffer) => {
      if ((said += chunk.toString('utf8')).length > 100_000) end()
    })
    socket.on('error', end)
    socket.on('close', end)
  })

/** Every text in the memory of the page, as V8 writes them down: the last part of its snapshot. */
async function heapOf(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page)
  const chunks: string[] = []
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk))
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false, captureNumericValue: false })
  await session.detach()
  const snapshot = chunks.join('')
  const texts = snapshot.slice(snapshot.lastIndexOf('"strings":['))
  expect(texts.length).toBeGreaterThan(100_000)
  return texts
}

test('a support bundle is looked at and saved, and no secret of a working day is in it, in the page, its memory, files, processes, logs, playlists or what a stranger is told', async ({
  page,
}) => {
  const { rpc } = companion
  const profileId = 'local'
  const answers: unknown[] = []
  const told = async <T>(call: Promise<T>): Promise<T> => {
    const answer = await call
    answers.push(answer)
    return answer
  }
  const refused = async (call: Promise<unknown>): Promise<void> => {
    const error = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toBeDefined()
    answers.push(String(error), error)
  }
  const reading = (async () => {
    for await (const event of await rpc.app.events()) answers.push(event)
  })()
  // The stream ends with the companion.
  reading.catch(() => undefined)

  // A working day: a hosted service, accounts, OBS, a moderator, pushes with the right key and with a wrong one.
  const { appKey, appSecret } = JSON.parse(readFileSync(join(hostedData, 'credentials.json'), 'utf8')) as {
    appKey: string
    appSecret: string
  }
  const entry = { liveUrl: hosted.ready.baseUrl, messagingUrl: hosted.ready.imBaseUrl, appKey, appSecret }
  await refused(rpc.profiles.check({ ...entry, appSecret: wrong }))
  const far = await told(rpc.profiles.add({ name: 'Far', ...entry }))
  await rpc.messaging.createAccount({ profileId, call: { accid: 'ana', token }, keep: true })
  await refused(rpc.messaging.createAccount({ profileId, call: { accid: 'ana', token: typed }, keep: true }))
  await told(rpc.messaging.signIn({ profileId, accid: 'ana', keep: true }))
  await told(rpc.messaging.signIn({ profileId, accid: 'bo', token: typed, keep: false }))
  await told(rpc.receivers.setSignKey({ profileId, signKey, atService: true }))
  await told(rpc.obs.configure({ host: '127.0.0.1', port: obs.port, enabled: true, password: wrong }))
  await told(rpc.obs.configure({ host: '127.0.0.1', port: obs.port, enabled: true, password }))
  const certificate = await makeCertificate(['localhost'], Date.now())
  await told(rpc.seats.useCertificate(certificate))
  const { roomid } = await told(rpc.rooms.create({ profileId, accid: 'host', name: 'night room', announcement: '' }))
  const invitation = await rpc.seats.invite({ profileId, roomid, accid: 'mei', name: 'Mei' })
  const seats = await told(rpc.seats.listen({ on: true, open: false, port: 0 }))
  await told(rpc.channels.create({ profileId: far.id, name: 'Far_Away' }))

  await keepLinesOpen(page)
  await openPage(page, app)
  const origin = page.url().replace(/#.*/, '')
  const cid = await createChannel(page, 'Night')
  const { key } = await rpc.push.reveal({ profileId, cid })
  const { server } = await told(rpc.push.card({ profileId, cid }))
  await startEncoder(`${server}/${cid}?wsSecret=${wrong}&wsTime=4102444800`, { seconds: 2 }).exited
  encoder = startEncoder(`${server}/${key}`)
  await expect(page.getByText('On air', { exact: true }).first()).toBeVisible()

  const keyLines = certificate.key.split('\n').filter((line) => line.length > 32)
  const secrets: readonly (readonly [string, string])[] = [
    ['hosted AppSecret', appSecret],
    ['token', token],
    ['typed token', typed],
    ['what was typed wrongly', wrong],
    ['signing key', signKey],
    ['OBS password', password],
    ['code', invitation.code],
    ['seat token', invitation.token],
    ['wsSecret', /wsSecret=([0-9a-f]+)/.exec(key)?.[1] ?? ''],
    ...keyLines.map((line, n) => [`line ${n} of the TLS key`, line] as const),
  ]
  for (const [name, secret] of secrets) expect(secret.length, name).toBeGreaterThanOrEqual(24)
  const search = searchFor(secrets)

  // The page: what it shows on the screens that know of secrets, its title, and its memory.
  const shown: (readonly [string, string])[] = []
  for (const route of [
    `studio/${cid}`,
    'settings/profiles',
    'settings/receivers',
    'settings/moderators',
    'messaging',
    'settings/support',
  ]) {
    await page.goto(`${origin}#/${route}`)
    await expect(page.getByRole('heading').first()).toBeVisible()
    if (route.startsWith('studio'))
      await expect(page.getByRole('button', { name: /^Show the key/ })).toHaveAttribute('aria-disabled', 'true')
    if (route === 'settings/receivers')
      await expect(page.getByText('You are on air: what is secret stays covered', { exact: false })).toBeVisible()
    shown.push([`the text of ${route}`, await page.innerText('body')], [`the title of ${route}`, await page.title()])
  }
  expect(search(shown)).toEqual([])
  expect(search([['the memory of the page', await heapOf(page)]])).toEqual([])

  // The bundle: looked at, then saved.
  const parts = page.getByRole('region', { name: 'Parts of the bundle' })
  await page.getByRole('button', { name: 'Gather the parts' }).click()
  await expect(parts.getByRole('listitem')).toHaveCount(11)
  await parts.getByRole('button', { name: /^health\.json/ }).click()
  await expect(parts.locator('pre')).toContainText(`"channel": "${cid}"`)
  await parts.getByRole('button', { name: /^service-log\.txt/ }).click()
  await expect(parts.locator('pre')).toContainText('refused')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    parts.getByRole('button', { name: 'Save ZIP' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^sidestage-support-\d{8}-\d{6}\.zip$/)
  const zip = readFileSync(await download.path())
  const files = Object.fromEntries(Object.entries(unzipSync(zip)).map(([name, bytes]) => [name, strFromU8(bytes)]))
  expect(Object.keys(files)).toHaveLength(12)
  expect(files['README.txt']).toContain('What never goes in')
  expect(files['app.json']).toContain(`"node": "${process.versions.node}"`)
  expect(search([...Object.entries(files), ['the ZIP itself', zip.toString('latin1')]])).toEqual([])

  // What a stranger is told, and the playlists of the running push.
  const { mediaUrl, rtmpUrl, baseUrl } = app.ready.service
  await told(rpc.preview.open({ profileId, cid }))
  const playlists: (readonly [string, string])[] = []
  await expect
    .poll(async () => {
      const text = await (await fetch(`${mediaUrl}/live/${cid}/playlist.m3u8`)).text()
      playlists.push(['playlist', text])
      return text
    })
    .toContain('#EXTINF')
  const get = (path: string, { host }: URL): string =>
    `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`
  const doors = [origin, baseUrl, mediaUrl, seats.urls[0] ?? ''].map((url) => new URL(url))
  const rtmp = new URL(rtmpUrl.replace(/^rtmp/, 'http'))
  const strangers = await Promise.all([
    ...doors.flatMap((url) =>
      ['/', '/rpc', '/session', '/app/channellist', `/live/${cid}.flv`].map((path) => asked(url, get(path, url))),
    ),
    asked(rtmp, '\u0003'.padEnd(1537, 'x')),
    asked(rtmp, get('/', rtmp)),
  ])
  expect(strangers.filter(([, said]) => said.startsWith('HTTP/1.1')).length).toBeGreaterThanOrEqual(15)
  expect(search([...playlists, ...strangers])).toEqual([])

  // Files, logs, processes and what the RPC told.
  const everywhere = search([
    ...filesOf('app', app.dataDir),
    ...filesOf('hosted', hostedData),
    ['the log of the app', app.log()],
    ['the log of the hosted service', hosted.log()],
    ['the ready lines', JSON.stringify([app.ready.service, hosted.ready])],
    ['answers and events', JSON.stringify(answers)],
    ...processesOf(app.process.pid ?? 0),
    ...processesOf(hosted.process.pid ?? 0),
  ])
  // A service that stands alone has its pair in this file; each service has the key that it signs callbacks with, and so have its daily copies.
  const exempt =
    /^(hosted AppSecret in hosted\/credentials\.json|signing key in app\/service\/(sidestage\.db(-wal)?|copies\/sidestage-[^/]*\.db))$/
  expect(everywhere.filter((each) => !exempt.test(each))).toEqual([])
  expect(everywhere).toContain('hosted AppSecret in hosted/credentials.json')

  // What the page has is found: the search can find.
  await page.evaluate((text) => Object.assign(globalThis, { kept: `${text} of a test` }), key)
  expect(search([['the memory of the page', await heapOf(page)]])).toEqual(['wsSecret in the memory of the page'])

  await page.goto(`${origin}#/settings/support`)
  await inEveryLook(page, 'settings-support', async (language) => {
    await page.getByRole('button', { name: language === 'en' ? 'Gather the parts' : '收集各部分' }).click()
    await page.getByRole('button', { name: /^keychain\.json/ }).click()
    await expect(page.locator('pre')).toContainText('session')
  })
})
