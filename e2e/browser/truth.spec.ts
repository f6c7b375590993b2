// Long because it is one walk through the states of the app, each of which begins where the one before ended.
import { isHeardBy } from '../../contract/rpc/events.ts'
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test, type Locator, type Page } from 'playwright/test'
import { processFamily } from '../../bench/measurement.ts'
import { live as liveOperations, local } from '../../contract/operations/index.ts'
import type { ServiceReady } from '../../contract/service-process.ts'
import { createOnAirBoard } from '../../electron/on-air-state.ts'
import { startApp, type RunningApp } from '../app.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { shownFigures } from '../figures.ts'
import { copyPushUrl, keepLinesOpen, openPage, pictureAge } from '../page.ts'
import { recordingCard } from '../recording.ts'
import { signedCall } from '../signed-call.ts'
import { untruths, wantedFigures, type Answer, type Facts, type ProbedFile, type PushFacts } from '../truth.ts'
import { startStockProxy, type StockProxy } from '../../service/testing/stock-proxy.ts'

/**
 * The truth of the screens: in every state of the app each figure and each lamp is compared with what the service, the files and ffprobe
 * say. A digit on these screens without a named source fails, and so does a source that is not listed in `e2e/truth.ts`.
 */
test.describe.configure({ mode: 'serial' })
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

const hostedKey = { appKey: 'hosted-app', appSecret: 'hosted-secret' }
const began = Date.now()
const timeZone = 'Asia/Kathmandu'
const encoders = new Map<string, Encoder>()
/** Players of the test that are open, by the id of their channel. */
const watching = new Map<string, number>()
/** Files that the test deleted. */
let removed = 0
const probed = new Map<string, ProbedFile>()
/** Ends of the push addresses that were copied. */
const keyEnds = new Map<string, number>()
const asleep: number[] = []
let app: RunningApp
let companion: CompanionClient
let hosted: ReadyCommand<ServiceReady> | undefined
let stock: StockProxy | undefined
let hostedData = ''
let page: Page
let air: ReturnType<typeof createOnAirBoard>
/** Channels by their names; of the local profile. */
const ids = new Map<string, string>()
const idOf = (name: string): string => ids.get(name) ?? name

test.beforeAll(async ({ browser }) => {
  // A zone that the browser has not, whose offset is no whole hour.
  app = await startApp({ env: { ...process.env, TZ: timeZone } })
  companion = await openCompanion(app)
  air = createOnAirBoard({ now: () => Date.now() })
  void (async () => {
    for await (const event of await companion.rpc.app.events()) if (isHeardBy('desktop', event)) air.take(event)
  })().catch(() => undefined)
  const answers = (): Promise<boolean> =>
    companion.rpc.channels.list({ profileId: 'local' }).then(
      () => true,
      () => false,
    )
  await expect.poll(answers).toBe(true)
  for (const name of ['Alpha', 'Beta'])
    ids.set(name, (await companion.rpc.channels.create({ profileId: 'local', name })).cid)
  // A push that is held is on air for 2 min more.
  for (const cid of ids.values()) await ask('/local/hold/update', { cid, holdSeconds: 0 })
  page = await browser.newPage({ permissions: ['clipboard-read', 'clipboard-write'] })
  await keepLinesOpen(page)
  await openPage(page, app)
})
test.afterAll(async () => {
  for (const pid of asleep.splice(0)) process.kill(pid, 'SIGCONT')
  for (const encoder of encoders.values()) await encoder.stop('SIGKILL')
  companion?.close()
  await page?.close()
  await app?.dispose()
  await stock?.close()
  await hosted?.stop()
  if (hostedData !== '') rmSync(hostedData, { recursive: true, force: true })
})

/** The service's own answer to a signed call. */
async function ask(path: string, parameters: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
  const { answer } = await companion.rpc.console.call({ profileId: 'local', path, parameters: parameters as never })
  return (JSON.parse(answer) as { ret?: Answer }).ret ?? {}
}
const listed = async (path: string, parameters?: Readonly<Record<string, unknown>>): Promise<readonly Answer[]> =>
  ((await ask(path, parameters))['list'] ?? []) as readonly Answer[]
const byName = (all: readonly Answer[], name: string): Map<string, Answer> =>
  new Map(all.map((one) => [String(one[name]), one]))
const answerOf = async (companionsAnswer: Promise<{ ret?: Answer }>): Promise<readonly Answer[]> =>
  ((await companionsAnswer).ret?.['list'] ?? []) as readonly Answer[]

/** What the test did, which the screens must say. */
let state: { readonly windowLamp: string; readonly hosted?: boolean; readonly isDown?: boolean }
let folder = ''
/** When the hosted service of the test was ended, in ms. */
let hostedEnded: number | undefined
const shownAddress = (): string => decodeURI(new URL(page.url()).hash)

/** A finished file as ffprobe reads it. */
async function probe(cid: string, vid: string): Promise<ProbedFile | undefined> {
  const known = probed.get(vid)
  if (known) return known
  const at = join(folder, 'recordings', cid)
  const name = readdirSync(at).find((one) => one === `${vid}.mp4` || one === `${vid}.flv`)
  if (name === undefined) return undefined
  const { stdout } = await promisify(execFile)('ffprobe', [
    '-v',
    'error',
    '-show_format',
    '-of',
    'json',
    join(at, name),
  ])
  const { format } = JSON.parse(stdout) as { format: { duration: string; format_name: string } }
  const { size, birthtimeMs } = statSync(join(at, name))
  const found: ProbedFile = {
    bytes: size,
    duration: Number(format.duration) * 1000,
    format: format.format_name.includes('mp4') ? 'MP4' : 'FLV',
    made: birthtimeMs,
  }
  probed.set(vid, found)
  return found
}

/** What each encoder said first. */
const begins = new WeakMap<Encoder, ReturnType<Encoder['progress']>[number]>()
/** What an encoder said of its last seconds; undefined before it has. */
function pushOf(encoder: Encoder): PushFacts | undefined {
  const { origin } = encoder
  const said = encoder.progress()
  // It keeps what it said of the last minute only.
  const begin = begins.get(encoder) ?? said[0]
  if (begin) begins.set(encoder, begin)
  const last = said.at(-1)
  const first = said.findLast(({ at }) => at <= (last?.at ?? 0) - 5000) ?? said[0]
  if (!last || !first || !begin || last.at === first.at) return undefined
  const seconds = (last.at - first.at) / 1000
  return {
    started: origin,
    sending: begin.at,
    kbps: ((last.bytes - first.bytes) * 8) / seconds / 1000,
    fps: (last.frames - first.frames) / seconds,
    pause: Math.max(...said.map(({ at }, index) => at - (said[index - 1]?.at ?? at))) / 1000,
    behind: (last.at - begin.at) / 1000 - (last.frames - begin.frames) / 30,
  }
}

/** Age of the picture that the Studio shows, in ms. */
async function delayNow(): Promise<number | undefined> {
  const encoder = encoders.get(/studio\/(\w+)/.exec(shownAddress())?.[1] ?? '')
  return encoder && (await pictureAge(page, encoder.origin))
}

async function factsNow(): Promise<Omit<Facts, 'shown'>> {
  const { hosted: hostedChosen = false, isDown = false, windowLamp } = state
  const own = isDown ? [] : await listed(liveOperations.list.path, { records: 100 })
  const details = isDown ? [] : await listed(local.channelDetails.path, { cidList: own.map((one) => one['cid']) })
  const files = isDown ? [] : await listed(local.allRecordedFiles.path)
  const broadcasts = isDown ? [] : await listed(local.broadcasts.path)
  const far =
    hostedChosen && hosted
      ? await answerOf(signedCall(hosted.ready.baseUrl, hostedKey, liveOperations.list.path, { records: 100 }))
      : []
  const known = new Set(files.map((one) => String(one['key']).split('/').at(-1)))
  const media = readdirSync(join(folder, 'recordings'), { recursive: true, encoding: 'utf8' }).filter((one) => {
    const name = one.split('/').at(-1) ?? ''
    return (
      /\.(mp4|flv)$/.test(name) && !known.has(name) && !files.some((file) => name.startsWith(`${String(file['vid'])}.`))
    )
  })
  const growing = new Map(
    media.map((one) => [one.split('/')[0] ?? '', statSync(join(folder, 'recordings', one)).birthtimeMs]),
  )
  const finished = new Map<string, ProbedFile>()
  for (const { cid, vid } of files) {
    const found = await probe(String(cid), String(vid))
    if (found) finished.set(String(vid), found)
  }
  const pushes = new Map(
    [...encoders].flatMap(([cid, encoder]) => {
      const said = pushOf(encoder)
      return said ? [[cid, said] as const] : []
    }),
  )
  const disk = statfsSync(app.dataDir)
  const { baseUrl, mediaUrl, rtmpUrl } = app.ready.service
  return {
    now: Date.now(),
    began,
    timeZone,
    hostedChosen,
    isDown,
    windowLamp,
    cid: /studio\/(\w+)/.exec(shownAddress())?.[1] ?? '',
    addresses: { api: baseUrl, media: mediaUrl, rtmp: rtmpUrl },
    channels: byName(hostedChosen ? far : own, 'cid'),
    details: byName(details, 'cid'),
    files: byName(files, 'vid'),
    broadcasts: byName(broadcasts, 'broadcastId'),
    probed: finished,
    pushes,
    watching,
    removed,
    growing,
    keyEnds,
    answered: hostedEnded ?? Date.now(),
    written: media.reduce(
      (sum, one) => sum + (statSync(join(folder, 'recordings', one), { throwIfNoEntry: false })?.size ?? 0),
      0,
    ),
    free: disk.bavail * disk.bsize,
    reserve: 512 * 1024 ** 2,
    delay: await delayNow(),
    dropped: await page.evaluate(() => document.querySelector('video')?.getVideoPlaybackQuality().droppedVideoFrames),
  }
}

/** Rows of broadcasts on the screen of recordings whose files are not shown. */
const closedGroups = (): Locator =>
  page.getByRole('region', { name: 'Recorded files' }).locator('[aria-expanded="false"]:not([aria-haspopup])')

/** Compares everything that the screens show with the facts, until all of it agrees and nothing is missing or the patience is over. */
async function expectTruth(screens: readonly ('channels' | 'studio' | 'recordings')[]): Promise<void> {
  for (const screen of screens) {
    const to = screen === 'studio' ? `#/studio/${idOf('Alpha')}` : `#/${screen}`
    if (shownAddress() !== to) await page.evaluate((hash) => void (location.hash = hash), to)
    await expect
      .poll(
        async () => {
          while ((await closedGroups().count()) > 0) await closedGroups().first().click()
          const { figures: shown, loose } = await shownFigures(page)
          const facts = { ...(await factsNow()), shown }
          const missing = wantedFigures(screen, facts).filter(
            (name) => !shown.some(({ figure, of }) => name === figure || name === `${figure} ${of}`),
          )
          return [...missing.map((name) => `${name} is missing`), ...untruths(facts, loose)]
        },
        { message: `${screen}, ${JSON.stringify(state)}`, intervals: [250, 500, 1000], timeout: 40_000 },
      )
      .toEqual([])
  }
  await expect.poll(() => air.now().lamp, { message: 'the tray' }).toBe(state.windowLamp)
}
/** The end of a push address, in ms. */
const endOf = (url: string): number => Number(new URL(url).searchParams.get('wsTime')) * 1000
const goTo = (address: string): Promise<void> => page.evaluate((hash) => void (location.hash = hash), address)
const push = async (name: string): Promise<Encoder> => {
  await goTo(`#/studio/${idOf(name)}`)
  await expect(page.getByRole('heading', { name, exact: true })).toBeVisible()
  const url = await copyPushUrl(page)
  keyEnds.set(idOf(name), endOf(url))
  const encoder = startEncoder(url)
  encoders.set(idOf(name), encoder)
  await expect.poll(() => encoder.progress().length).toBeGreaterThan(1)
  return encoder
}
const all = ['channels', 'studio', 'recordings'] as const

/** Opens a player of the test's own over HTTP-FLV; the result closes it. */
async function watch(cid: string): Promise<() => void> {
  const end = new AbortController()
  const { body } = await fetch(`${app.ready.service.mediaUrl}/live/${cid}.flv`, { signal: end.signal })
  const reader = body!.getReader()
  await reader.read()
  watching.set(cid, (watching.get(cid) ?? 0) + 1)
  const reading = async (): Promise<void> => {
    while (!(await reader.read()).done);
  }
  reading().catch(() => undefined)
  return () => {
    end.abort()
    watching.set(cid, (watching.get(cid) ?? 1) - 1)
  }
}

test('idle', async () => {
  folder = String((await ask(local.info.path))['dataDir'])
  state = { windowLamp: 'idle' }
  await expectTruth(all)
})

test('on air, watched by nobody, by two, by one', async () => {
  await push('Alpha')
  state = { windowLamp: 'live' }
  await expectTruth(all)
  const players = [await watch(idOf('Alpha')), await watch(idOf('Alpha'))]
  await expectTruth(['channels', 'studio'])
  players.pop()?.()
  await expectTruth(['studio'])
  players.pop()?.()
})

const titled = (name: string): Promise<void> =>
  expect(page.getByRole('banner').getByRole('button', { name: new RegExp(name) })).toBeVisible()

test('on air and recorded with one click: MP4 under the name of the channel, as ffprobe reads it', async () => {
  await goTo(`#/studio/${idOf('Alpha')}`)
  await recordingCard(page).getByRole('switch').click()
  await expect.poll(() => air.now().lamp).toBe('recording')
  state = { windowLamp: 'recording' }
  await expectTruth(all)
  await goTo(`#/studio/${idOf('Alpha')}`)
  await recordingCard(page).getByRole('switch').click()
  await expect.poll(() => air.now().lamp).toBe('live')
  state = { windowLamp: 'live' }
  await expect.poll(async () => (await listed(local.allRecordedFiles.path)).length).toBe(1)
  const [file] = await listed(local.allRecordedFiles.path)
  expect(file).toMatchObject({ format: 0, channel: 'Alpha' })
  expect(String(file?.['name'])).toMatch(/^Alpha_\d{8}-\d{6}_/)
  await expectTruth(all)
})

test('two on air: the one opened last has the title, an idle one never', async () => {
  await push('Beta')
  await titled('Beta')
  await expectTruth(['channels'])
  await goTo(`#/studio/${idOf('Alpha')}`)
  await titled('Alpha')
  await expect.poll(() => air.now().channels.map(({ name: _name, cid }) => cid)).toEqual([idOf('Alpha'), idOf('Beta')])
  ids.set('Gamma', (await companion.rpc.channels.create({ profileId: 'local', name: 'Gamma' })).cid)
  await goTo(`#/studio/${idOf('Gamma')}`)
  await expect(page.getByRole('heading', { name: 'Gamma', exact: true })).toBeVisible()
  await titled('Alpha')
  await expect(page).toHaveTitle('● Alpha – Sidestage')
  await expect(page.locator(`[data-figure="lamp"][data-of="${idOf('Gamma')}"]`)).toHaveAttribute('data-state', 'idle')
  await page.getByRole('contentinfo').getByRole('button', { name: '2 on air' }).click()
  await expect(page.getByRole('menuitem', { name: 'Alpha' })).toBeVisible()
  await page.getByRole('menuitem', { name: 'Beta' }).click()
  await titled('Beta')
  await expect(page).toHaveURL(new RegExp(`${idOf('Beta')}$`))
  await encoders.get(idOf('Beta'))?.stop()
  encoders.delete(idOf('Beta'))
  await titled('Alpha')
  await expectTruth(all)
})

const choose = async (name: string): Promise<void> => {
  await page.getByRole('button', { name: /^Profile/ }).click()
  await page.getByRole('menuitemcheckbox', { name }).click()
}

test('a hosted profile is chosen: what is on air here stays in the title', async () => {
  hostedData = mkdtempSync(join(tmpdir(), 'sidestage-truth-'))
  hosted = await startCommand<ServiceReady>(
    ['service/main.ts', '--data', hostedData, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'],
    {
      ...process.env,
      SIDESTAGE_APP_KEY: hostedKey.appKey,
      SIDESTAGE_APP_SECRET: hostedKey.appSecret,
    },
  )
  // Without the extension operations.
  stock = await startStockProxy(hosted.ready.baseUrl)
  const { imBaseUrl: messagingUrl } = hosted.ready
  const liveUrl = stock.url
  const twin = await companion.rpc.profiles.add({ name: 'Twin', liveUrl, messagingUrl, ...hostedKey })
  await companion.rpc.channels.create({ profileId: twin.id, name: 'Far_show' })
  await choose('Twin')
  state = { ...state, hosted: true }
  await titled('Alpha')
  await expectTruth(['channels', 'recordings'])
})

test('a hosted profile that does not answer: words with a next step, no age of what never came', async () => {
  await stock?.close()
  stock = undefined
  await hosted?.stop()
  hosted = undefined
  hostedEnded = Date.now()
  await goTo('#/channels')
  const main = page.getByRole('main')
  await expect(main.getByText('Nothing listens at this address: the connection was refused.').first()).toBeVisible()
  await titled('Alpha')
  await companion.rpc.profiles.add({
    name: 'Nobody',
    liveUrl: 'http://127.0.0.1:9',
    messagingUrl: 'http://127.0.0.1:9',
    ...hostedKey,
  })
  await choose('Nobody')
  await expect(main.getByText('Nothing listens at this address: the connection was refused.')).toHaveCount(1)
  await expect(main.getByText('does not give', { exact: false })).toHaveCount(0)
  expect(await main.locator('[data-figure="count"]').allTextContents()).toEqual(['–', '–', '–', '–'])
  await goTo('#/recordings')
  await expect(main.getByText('Nothing listens at this address: the connection was refused.').first()).toBeVisible()
  await expect(main.locator('.skeleton')).toHaveCount(0)
  for (const screen of ['channels', 'recordings', 'studio']) {
    await goTo(`#/${screen}`)
    await expect(main.getByText('Nothing listens at this address: the connection was refused.').first()).toBeVisible()
    const said = await page.locator('.window').innerText()
    expect(said).not.toMatch(/ECONN|\d{6,} s|No channel yet|No channels/)
  }
  await titled('Alpha')
  await choose('This computer')
  state = { ...state, hosted: false }
  await expectTruth(['channels'])
})

test('the service is killed and comes back: fault, then what it says anew', async () => {
  const service = processFamily(app.process.pid!).filter((pid) => pid !== app.process.pid)
  // Watched before the kill: what comes of it may be over before the page is asked.
  const phases = await page.evaluateHandle(() => {
    const seen: string[] = []
    return {
      idle: new Promise<string[]>((resolve) => {
        const note = (): void => {
          const lamp = document.querySelector<HTMLElement>('[data-of="window"]')?.dataset['state'] ?? ''
          if (seen.at(-1) !== lamp) seen.push(lamp)
          if (lamp === 'idle') resolve(seen)
        }
        note()
        new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributes: true })
      }),
    }
  })
  const killed = service.at(-1)
  expect(killed).toBeDefined()
  process.kill(killed!, 'SIGKILL')
  expect(await phases.evaluate(({ idle }) => idle)).toEqual(['live', 'fault', 'idle'])
  state = { windowLamp: 'idle' }
  encoders.delete(idOf('Alpha'))
  await expectTruth(all)
})

test('after a sleep nothing is on air that is not', async () => {
  const encoder = await push('Beta')
  await recordingCard(page).getByRole('switch').click()
  await expect.poll(() => air.now().lamp).toBe('recording')
  state = { windowLamp: 'recording' }
  await expectTruth(['channels'])
  await goTo(`#/studio/${idOf('Beta')}`)
  await expect(recordingCard(page).locator('.lamp')).toHaveText('Rec')
  asleep.push(...processFamily(app.process.pid!))
  for (const pid of asleep) process.kill(pid, 'SIGSTOP')
  await expect(page.locator('[data-of="window"]')).toHaveAttribute('data-state', 'fault')
  // Nobody knows whether it is still recorded: no lamp says so, and what was recorded is counted to the last word.
  await expect(recordingCard(page).locator('.lamp')).toHaveText('Fault')
  const figure = (name: string) => page.locator(`[data-figure="${name}"]`)
  const [time, cut, clock] = await Promise.all(
    ['recordingTime', 'recordingCut', 'clock'].map((name) => figure(name).innerText()),
  )
  await expect(figure('clock')).not.toHaveText(clock!)
  await expect(figure('recordingTime')).toHaveText(time!)
  await expect(figure('recordingCut')).toHaveText(cut!)
  await encoder.stop('SIGKILL')
  encoders.delete(idOf('Beta'))
  for (const pid of asleep.splice(0)) process.kill(pid, 'SIGCONT')
  await expect(page.locator('[data-of="window"]')).toHaveAttribute('data-state', 'armed')
  await recordingCard(page).getByRole('switch').click()
  state = { windowLamp: 'idle' }
  await expectTruth(all)
})

test('recordings of a deleted channel are counted in the question, listed, played and deleted', async () => {
  await goTo('#/channels')
  const row = page.getByRole('row').filter({ hasText: 'Alpha' })
  await row.getByRole('button', { name: 'Actions for Alpha' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Its 1 recording stays: it is listed in Recordings')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(dialog).toHaveCount(0)
  await goTo('#/recordings')
  const file = page.getByRole('row').filter({ hasText: 'Deleted: Alpha' })
  await page.getByRole('button', { name: 'Alpha', exact: true, expanded: false }).click()
  await expect(file).toHaveCount(1)
  await expectTruth(['recordings'])
  await file.getByRole('button', { name: /^Play/ }).click()
  await expect
    .poll(() =>
      page.evaluate(() => document.querySelector<HTMLVideoElement>('[role="dialog"] video')?.currentTime ?? 0),
    )
    .toBeGreaterThan(0.3)
  await dialog.getByRole('button', { name: 'Close' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    file
      .getByRole('button', { name: /^Actions/ })
      .click()
      .then(() => page.getByRole('menuitem', { name: 'Download' }).click()),
  ])
  expect((await download.path()).length).toBeGreaterThan(0)
  await file.getByRole('button', { name: /^Actions/ }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  removed = 1
  await dialog.getByRole('button', { name: 'Delete' }).click()
  // A dialog that is open hides the rows from what looks for them by their role.
  await expect(dialog).toHaveCount(0)
  await expect(file).toHaveCount(0)
  // That of Beta stays.
  await expect.poll(async () => (await listed(local.allRecordedFiles.path)).length).toBe(1)
  await expectTruth(['recordings'])
})
