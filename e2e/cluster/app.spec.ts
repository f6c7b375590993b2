import { expect, test, type Page } from 'playwright/test'
import { accounts, live, local } from '../../contract/operations/index.ts'
import type { AppEvent } from '../../contract/rpc/index.ts'
import { missingPackages } from '../../scripts/cluster/engines.ts'
import { startFaultyServer, type FaultyServer } from '../../service/targets/testing/faulty-server.ts'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { signInPerson, type LinkPerson } from '../link-person.ts'
import { expectWithin } from '../pace.ts'
import { addTarget, copyPushUrl, createChannel, endWithEncoder, expectFresh, openPage } from '../page.ts'
import { askForRecording, playAndSeek, recordingCard } from '../recording.ts'
import { pushingNode, streamingNode } from './app-nodes.ts'
import { clusterFolder, keepAway, startCluster, type RunningCluster, type RunningNode } from './running-cluster.ts'

/** The app with a profile of a whole cluster: what `/local/` offers, and that it goes on when a node or engine ends. */
test.skip(missingPackages(false).length > 0, `not installed: ${missingPackages(false).join(', ')}`)
test.describe.configure({ mode: 'serial' })
test.use({ permissions: ['clipboard-read', 'clipboard-write'], viewport: { width: 1440, height: 900 } })

/** How soon the app has its events again after a node ended, and the true state of a push that ended with it; ms. */
const back = { events: 3000, state: 6000 } as const
let folder: ReturnType<typeof clusterFolder>
let cluster: RunningCluster
let app: RunningApp
let companion: CompanionClient
let server: FaultyServer
let encoder: Encoder | undefined
let ana: LinkPerson | undefined
let [cid, pushUrl, profileId] = ['', '', '']
const heard: AppEvent[] = []

test.beforeAll(async () => {
  folder = clusterFolder()
  ;[cluster, app, server] = await Promise.all([
    startCluster(folder.path, 3, ['--without-s3']),
    startApp(),
    startFaultyServer(),
  ])
  companion = await openCompanion(app)
  const { baseUrl: liveUrl, imBaseUrl: messagingUrl } = cluster.ready
  ;({ id: profileId } = await companion.rpc.profiles.add({
    name: 'Cluster',
    liveUrl,
    messagingUrl,
    ...cluster.credentials,
  }))
  const events = await companion.rpc.app.events()
  const hear = async (): Promise<void> => {
    for await (const event of events) heard.push(event)
  }
  // It ends with the app.
  hear().catch(() => undefined)
  const ofAna = { accid: 'ana', name: 'Ana', token: 'token-of-ana' }
  expect((await cluster.client.call(accounts.create, ofAna)).code).toBe(200)
})
test.afterAll(async () => {
  ana?.close()
  await encoder?.stop('SIGKILL')
  companion?.close()
  await app?.dispose()
  await server?.close()
  await cluster?.command.stop()
  folder?.remove()
})

const screen = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name, exact: true })
async function openCluster(page: Page): Promise<void> {
  await openPage(page, app)
  await page.getByRole('button', { name: /Profile/ }).click()
  await page.locator('[role^=menuitem]', { hasText: 'Cluster' }).click()
  await expect(page.getByRole('banner')).toContainText('Cluster')
}
async function openStudio(page: Page): Promise<void> {
  await openCluster(page)
  await page.goto(page.url().replace(/#.*/, `#/studio/${cid}`))
  await expect(page.locator('[data-part="goLive"]')).toBeVisible()
}
const hls = async (): Promise<string> => (await cluster.client.call(live.address, { cid })).ret!.hlsPullUrl
const owner = async (): Promise<string | undefined> => pushingNode(cluster.ready.nodes, await hls())
async function known(which: () => string | undefined | Promise<string | undefined>): Promise<RunningNode> {
  let name: string | undefined
  await expect.poll(async () => (name = await which()), { intervals: [100] }).toBeDefined()
  return cluster.nodes.find((node) => node.name === name)!
}
const log = (page: Page) => page.locator('[data-part="log"]')
const hold = (page: Page) => page.locator('[data-figure="hold"]')
/** The newest tallies that the app has of the cluster. */
const tallies = () => heard.findLast((event) => event.type === 'tallies' && event.profileId === profileId)
const isFollowing = (): boolean => {
  const newest = tallies()
  return newest?.type === 'tallies' && newest.source === 'event' && newest.fault === null
}
const status = (): number | undefined => {
  const newest = tallies()
  return newest?.type === 'tallies' ? newest.tallies.find((one) => one.cid === cid)?.status : undefined
}
/** The address of a push at a node itself. */
const pushAt = (node: RunningNode): string => {
  const url = new URL(pushUrl.replace(/^rtmp:/, 'http:'))
  url.port = String(cluster.ready.nodes.find(({ name }) => name === node.name)!.own.rtmp)
  return url.href.replace(/^http:/, 'rtmp:')
}

test('a push has its picture, health, hold, target and who can watch, whichever node has it', async ({ page }) => {
  await openCluster(page)
  cid = await createChannel(page, 'Cluster_show')
  await endWithEncoder(page)
  await askForRecording(page, { format: 'MP4', filename: 'cluster' })
  pushUrl = await copyPushUrl(page)
  expect(pushUrl.startsWith(`${cluster.ready.rtmpUrl}/`)).toBe(true)
  await addTarget(page, server.url, 'key-of-the-campus-1234')

  encoder = startEncoder(pushUrl, { gopSeconds: 1 })
  await expectFresh(page, encoder.origin, 4_000)
  await expect(page.getByRole('banner')).toContainText(/Rec/i)
  await expect(page.locator('[data-health]').first()).not.toHaveAttribute('data-health', 'unknown')
  await expect(log(page)).toContainText('Push started')
  await expect(page.getByText('1 of 1 sending')).toBeVisible()
  // The other way to the picture, whichever node answers it; no preview is a viewer.
  await page.getByText('HLS, compatible').click()
  await expectFresh(page, encoder.origin, 20_000)
  expect((await cluster.client.call(local.channelDetails, { cidList: [cid] })).ret!.list[0]).toMatchObject({
    viewers: 0,
  })

  await hold(page).getByRole('button', { name: 'Hold now' }).click()
  await expect(log(page)).toContainText('Picture held by hand')
  await hold(page).getByRole('button', { name: 'Back to live' }).click()
  await expect(hold(page).getByRole('button', { name: 'Hold now' })).toBeVisible()

  await page.getByRole('button', { name: 'Who can watch' }).click()
  const sheet = page.getByRole('dialog', { name: 'Who can watch' })
  await sheet.getByRole('button', { name: 'With passphrase' }).click()
  await sheet.getByLabel('Passphrase').fill('lamp and harbour')
  await sheet.getByRole('button', { name: 'Set passphrase' }).click()
  await expect(sheet.getByText(/^With passphrase/).first()).toBeVisible()
  for (const { client } of cluster.nodes)
    await expect
      .poll(async () => (await client.call(local.access, { cid })).ret?.mode, { intervals: [100] })
      .toBe('passphrase')
  await page.keyboard.press('Escape')
  await expect(sheet).toHaveCount(0)
  // The app still sees it.
  await page.getByText('FLV, low delay').click()
  await expectFresh(page, encoder.origin, 4_000)
})

test('its room has lines from another node; a mute holds there, and a line is deleted', async ({ page }) => {
  await openStudio(page)
  const dock = page.getByRole('complementary', { name: 'Chat of the channel' })
  await dock.getByRole('button', { name: 'Use another room' }).click()
  await dock.getByRole('button', { name: 'New room…' }).click()
  await page.getByLabel('Host account (accid)').fill('host')
  await page.getByLabel('Name', { exact: true }).fill('cluster room')
  await page.getByRole('button', { name: 'Create room' }).click()
  await expect(dock.getByRole('log')).toContainText('host entered')
  const { roomid } = (await cluster.client.call(local.linkedRoom, { cid })).ret as { readonly roomid: number }
  await screen(page, 'Room').click()
  const lines = page.getByRole('log')
  // At each node once, so that one of them is not that of the app's session.
  for (const node of cluster.nodes) {
    ana?.close()
    ana = signInPerson({ ...cluster.ready, linkUrl: node.linkUrl }, 'ana', 'token-of-ana')
    const person = ana
    await expect.poll(() => person.online()).toBe(true)
    await person.request('roomEnter', { roomid })
    await person.request('roomSend', { roomid, type: 0, attach: `from ${node.name}`, clientId: node.name })
    await expect(lines).toContainText(`from ${node.name}`)
  }
  await lines.getByText('from node-1').click()
  await page
    .getByRole('button', { name: /^Mute \d/ })
    .first()
    .click()
  await expect(lines).toContainText('Ana muted for')
  await expect(ana!.request('roomSend', { roomid, type: 0, attach: 'still here', clientId: 'still' })).rejects.toThrow()
  await lines.getByText('from node-2').click()
  await page.getByRole('button', { name: 'Delete line' }).click()
  await expect(lines).toContainText(/Removed/)
})

test('recordings of a node are listed, played and merged here', async ({ page }) => {
  await openStudio(page)
  const first = await known(owner)
  const files = (): number => heard.filter((event) => event.type === 'recorded' && event.cid === cid).length
  await expect
    .poll(async () => (await cluster.client.call(local.recordingState, { cid })).ret)
    .toMatchObject({ state: 'recording', recorded: expect.any(Number) as unknown })
  await encoder?.stop()
  await expect.poll(files).toBe(1)
  await expect(page.getByRole('banner')).toContainText(/Armed/i)
  // Files that are on the disks of two nodes cannot be merged without an object store.
  encoder = startEncoder(pushAt(first), { gopSeconds: 1 })
  await expect(recordingCard(page).locator('[data-figure="recordingTime"]')).toContainText(/0:0\d:0[2-9]/)
  await encoder.stop()
  await expect.poll(files).toBe(2)
  // Off: the next push is not recorded.
  await recordingCard(page).getByRole('switch').click()
  await expect(recordingCard(page)).toContainText('Pushes are not recorded.')

  await screen(page, 'Recordings').click()
  const rows = page.getByRole('row').filter({ hasText: /cluster_\d{8}/ })
  await expect(rows).toHaveCount(2)
  for (const row of await rows.all()) expect(await playAndSeek(page, row)).toBeGreaterThan(1)
  for (const row of await rows.all()) await row.getByRole('checkbox').click()
  await page.getByRole('button', { name: 'Merge…' }).click()
  const tray = page.getByRole('complementary', { name: 'Merge' })
  await tray.getByLabel('Output name').fill('Both_parts')
  await tray.getByRole('button', { name: 'Merge 2 files' }).click()
  const result = page.getByRole('row').filter({ hasText: 'Both_parts' })
  await expect(result).toBeVisible()
  expect(await playAndSeek(page, result)).toBeGreaterThan(2)
})

test('the node that answers its events is killed: they go on at another one, and nothing wrong is shown', async ({
  page,
}) => {
  await openStudio(page)
  const look = streamingNode(cluster.ready.nodes)
  const streaming = await known(look.look)
  // Its push is at another node.
  encoder = startEncoder(pushAt(cluster.nodes.find(({ name }) => name !== streaming.name)!), { gopSeconds: 1 })
  await expect.poll(status).toBe(1)
  await hold(page).getByRole('button', { name: 'Hold now' }).click()
  await expect(hold(page).getByRole('button', { name: 'Back to live' })).toBeVisible()
  await expect(page.getByText('1 of 1 sending')).toBeVisible()
  const from = heard.length
  const at = performance.now()
  const replaced = streaming.replace('SIGKILL')
  const isLost = (event: AppEvent): boolean =>
    event.type === 'tallies' && event.profileId === profileId && event.fault === 'lost'
  await expect.poll(() => heard.slice(from).some(isLost) && isFollowing(), { intervals: [20] }).toBe(true)
  expectWithin(performance.now() - at, back.events)
  // The hold is told again, by the node that has it.
  const isHeld = (event: AppEvent): boolean => event.type === 'hold' && event.cid === cid && event.hold?.byHand === true
  await expect.poll(() => heard.slice(from).some(isHeld), { intervals: [20] }).toBe(true)
  expectWithin(performance.now() - at, back.state)
  await expect(hold(page).getByRole('button', { name: 'Back to live' })).toBeVisible()
  await expect(page.getByText('1 of 1 sending')).toBeVisible()
  const told = heard.slice(from).flatMap((event) => (event.type === 'tallies' ? event.tallies : []))
  expect(told.filter((one) => one.cid === cid && one.status !== 1)).toEqual([])
  expect(heard.slice(from).filter((event) => event.type === 'push' && event.kind === 'ended')).toEqual([])
  await hold(page).getByRole('button', { name: 'Back to live' }).click()
  await expect(hold(page).getByRole('button', { name: 'Hold now' })).toBeVisible()
  await replaced
})

test('the node that has the push is killed: its end is told with the reason, and the next push is live', async ({
  page,
}) => {
  await openStudio(page)
  const pushed = await known(owner)
  await expect.poll(status).toBe(1)
  const from = heard.length
  const at = performance.now()
  const replaced = pushed.replace('SIGKILL')
  await expect.poll(() => isFollowing() && status(), { intervals: [20] }).toBe(0)
  expectWithin(performance.now() - at, back.state)
  const ends = () =>
    heard.slice(from).flatMap((event) => (event.type === 'push' && event.kind === 'ended' ? [event.detail] : []))
  await expect.poll(ends, { intervals: [20] }).toEqual(['node'])
  await expect(log(page)).toContainText('the node of the service that had it was lost')
  await expect(page.getByRole('banner')).not.toContainText(/On air/i)
  await encoder!.exited
  await replaced
  encoder = startEncoder(pushUrl, { gopSeconds: 1 })
  await expectFresh(page, encoder.origin, 4_000)
  await expect.poll(status).toBe(1)
  expect(ends()).toEqual(['node'])
})

test('while PostgreSQL is away the push is shown as it is, and what cannot be done says so', async ({ page }) => {
  await openStudio(page)
  await expectFresh(page, encoder!.origin, 4_000)
  const away = keepAway(cluster.ready.engines.postgres.pidFile, 8000)
  for (const { readiness } of cluster.nodes) await expect.poll(readiness, { intervals: [50] }).toBe(503)
  const from = heard.length
  await page.getByRole('button', { name: 'Hold and delay settings' }).click()
  const form = page.getByRole('dialog', { name: 'Hold and delay' })
  await form.getByLabel('Hold the picture when the encoder is lost').selectOption('30')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form.getByRole('alert')).toContainText('its service is not available at the moment')
  expect(status()).toBe(1)
  await expect.poll(() => heard.slice(from).filter((event) => event.type === 'figures').length).toBeGreaterThan(1)
  await away
  // The proxy looks twice before it passes calls on again.
  const isBack = (): Promise<boolean> =>
    cluster.client.call(live.state, { cid }).then(
      ({ code }) => code === 200,
      () => false,
    )
  await expect.poll(isBack, { intervals: [50] }).toBe(true)
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form).toHaveCount(0)
  expect(heard.slice(from).some((event) => event.type === 'push' && event.kind === 'ended')).toBe(false)
  expect(isFollowing()).toBe(true)
})
