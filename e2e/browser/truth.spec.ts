// Long because it is one walk through the states of the app, each of which begins where the one before ended.
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test, type Page } from 'playwright/test'
import { processFamily } from '../../bench/measurement.ts'
import { live as liveOperations, local } from '../../contract/operations/index.ts'
import type { ServiceReady } from '../../contract/service-process.ts'
import { createAir } from '../../electron/air.ts'
import { startApp, type RunningApp } from '../app.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { shownFigures } from '../figures.ts'
import { copyPushUrl, openPage, pictureAge } from '../page.ts'
import { recordingCard } from '../recording.ts'
import { signedCall } from '../signed-call.ts'
import { untruths, type Answer, type Facts } from '../truth.ts'

/**
 * The truth of the screens: in every state of the app each figure and each lamp is compared with what the service, the files and ffprobe
 * say. A digit on these screens without a named source fails, and so does a source that is not listed in `e2e/truth.ts`.
 */
test.describe.configure({ mode: 'serial' })
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

const hostedKey = { appKey: 'hosted-app', appSecret: 'hosted-secret' }
const began = Date.now()
const encoders: Encoder[] = []
const asleep: number[] = []
let app: RunningApp
let companion: CompanionClient
let hosted: ReadyCommand<ServiceReady> | undefined
let hostedData = ''
let page: Page
let air: ReturnType<typeof createAir>
/** Channels by their names; of the local profile. */
const ids = new Map<string, string>()
const idOf = (name: string): string => ids.get(name) ?? name

test.beforeAll(async ({ browser }) => {
  app = await startApp()
  companion = await openCompanion(app)
  air = createAir({ now: () => Date.now() })
  void (async () => {
    for await (const event of await companion.rpc.app.events()) air.take(event)
  })().catch(() => undefined)
  const answers = (): Promise<boolean> =>
    companion.rpc.channels.list({ profileId: 'local' }).then(
      () => true,
      () => false,
    )
  await expect.poll(answers).toBe(true)
  for (const name of ['Alpha', 'Beta']) ids.set(name, (await companion.rpc.channels.create({ profileId: 'local', name })).cid)
  page = await browser.newPage({ permissions: ['clipboard-read', 'clipboard-write'] })
  await openPage(page, app)
})
test.afterAll(async () => {
  for (const pid of asleep.splice(0)) process.kill(pid, 'SIGCONT')
  for (const encoder of encoders) await encoder.stop('SIGKILL')
  companion?.close()
  await page?.close()
  await app?.dispose()
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
const byName = (all: readonly Answer[], name: string): Map<string, Answer> => new Map(all.map((one) => [String(one[name]), one]))
const answerOf = async (companionsAnswer: Promise<{ ret?: Answer }>): Promise<readonly Answer[]> =>
  ((await companionsAnswer).ret?.['list'] ?? []) as readonly Answer[]

/** Bytes of the files below a folder that carry one of these names. */
function sizeOf(folder: string, names: readonly string[]): number {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((one) => names.some((name) => one.endsWith(name)))
  return found.reduce((sum, one) => sum + (statSync(join(folder, one), { throwIfNoEntry: false })?.size ?? 0), 0)
}

/** What the test did, which the screens must say. */
let state: { readonly windowLamp: string; readonly hosted?: boolean; readonly isDown?: boolean }
/** Rate of the push, once it was measured; kbit/s. */
let kbps: number | undefined
let timeZone = 'UTC'
let folder = ''
const shownAddress = (): string => decodeURI(new URL(page.url()).hash)

async function factsNow(): Promise<Omit<Facts, 'shown'>> {
  const { hosted: hostedChosen = false, isDown = false, windowLamp } = state
  const own = isDown ? [] : await listed(liveOperations.list.path, { records: 100 })
  const details = isDown ? [] : await listed(local.channelDetails.path, { cidList: own.map((one) => one['cid']) })
  const files = isDown ? [] : await listed(local.allRecordedFiles.path)
  const recordings = new Map<string, Answer>()
  if (!isDown) for (const { cid } of own) recordings.set(String(cid), await ask(local.recordingState.path, { cid }))
  const far = hostedChosen && hosted ? await answerOf(signedCall(hosted.ready.baseUrl, hostedKey, liveOperations.list.path, { records: 100 })) : []
  const known = new Set(files.map((one) => String(one['key']).split('/').at(-1)))
  const media = readdirSync(join(folder, 'recordings'), { recursive: true, encoding: 'utf8' }).map((one) => one.split('/').at(-1) ?? '')
  const beingWritten = media.filter((one) => /\.(mp4|flv)$/.test(one) && !known.has(one) && !files.some((file) => one.startsWith(`${String(file['vid'])}.`)))
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
    recordings,
    files: byName(files, 'vid'),
    written: sizeOf(join(folder, 'recordings'), beingWritten),
    free: disk.bavail * disk.bsize,
    reserve: 512 * 1024 ** 2,
    kbps,
    delay: encoders[0] && (await pictureAge(page, encoders[0].origin)),
    dropped: await page.evaluate(() => document.querySelector('video')?.getVideoPlaybackQuality().droppedVideoFrames),
  }
}

/** Compares everything that the screens show with the facts, until all of it agrees or the patience is over. Gives the figures that were there. */
async function expectTruth(screens: readonly ('channels' | 'studio' | 'recordings')[]): Promise<readonly string[]> {
  const seen = new Set<string>()
  for (const screen of screens) {
    const to = screen === 'studio' ? `#/studio/${idOf('Alpha')}` : `#/${screen}`
    if (shownAddress() !== to) await page.evaluate((hash) => void (location.hash = hash), to)
    await expect
      .poll(
        async () => {
          const { figures: shown, loose } = await shownFigures(page)
          for (const { figure } of shown) seen.add(figure)
          return untruths({ ...(await factsNow()), shown }, loose)
        },
        { message: `${screen}, ${JSON.stringify(state)}`, intervals: [250, 500, 1000], timeout: 40_000 },
      )
      .toEqual([])
  }
  await expect.poll(() => air.now().lamp, { message: 'the tray' }).toBe(state.windowLamp)
  return [...seen]
}
const goTo = (address: string): Promise<void> => page.evaluate((hash) => void (location.hash = hash), address)
const push = async (name: string): Promise<Encoder> => {
  await goTo(`#/studio/${idOf(name)}`)
  await expect(page.getByRole('heading', { name, exact: true })).toBeVisible()
  const encoder = startEncoder(await copyPushUrl(page))
  encoders.push(encoder)
  return encoder
}
const all = ['channels', 'studio', 'recordings'] as const

/** The rate at which a channel is pulled over some seconds; kbit/s. */
async function pulledRate(cid: string, seconds: number): Promise<number> {
  const answer = await fetch(`${app.ready.service.mediaUrl}/live/${cid}.flv`)
  // What is kept for a new player comes at once and does not count.
  let begun = 0
  let bytes = 0
  for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>) {
    if (begun === 0) begun = performance.now()
    else if (performance.now() - begun > 1000) bytes += part.length
    if (performance.now() - begun > (seconds + 1) * 1000) break
  }
  return (bytes * 8) / seconds / 1000
}

test('idle', async () => {
  const info = (await ask(local.info.path)) as { timeZone: string; dataDir: string }
  timeZone = info.timeZone
  folder = info.dataDir
  state = { windowLamp: 'idle' }
  await expectTruth(all)
})

test('on air, also by the rate at which a viewer gets it', async () => {
  await push('Alpha')
  state = { windowLamp: 'live' }
  const seen = await expectTruth(all)
  // Each figure that the health strip promises was there to be compared.
  for (const figure of ['running', 'kbps', 'fps', 'keyFrameGap', 'delay', 'viewers', 'dropped', 'keyLeft', 'disk', 'clock', 'address'])
    expect(seen).toContain(figure)
  kbps = await pulledRate(idOf('Alpha'), 6)
  await expectTruth(['channels', 'studio'])
})

const titled = (name: string): Promise<void> => expect(page.getByRole('banner').getByRole('button', { name: new RegExp(name) })).toBeVisible()

test('on air and recorded with one click: MP4 under the name of the channel, as ffprobe reads it', async () => {
  await goTo(`#/studio/${idOf('Alpha')}`)
  await recordingCard(page).getByRole('switch').click()
  await expect.poll(() => air.now().lamp).toBe('recording')
  state = { windowLamp: 'recording' }
  const seen = await expectTruth(all)
  for (const figure of ['recordingTime', 'recordingClock', 'recordingBytes', 'recordingCut', 'diskRoom', 'recorded']) expect(seen).toContain(figure)
  await goTo(`#/studio/${idOf('Alpha')}`)
  await recordingCard(page).getByRole('switch').click()
  await expect.poll(() => air.now().lamp).toBe('live')
  state = { windowLamp: 'live' }
  await expect.poll(async () => (await listed(local.allRecordedFiles.path)).length).toBe(1)
  const [file] = await listed(local.allRecordedFiles.path)
  expect(file).toMatchObject({ format: 0, channel: 'Alpha' })
  expect(String(file?.['name'])).toMatch(/^Alpha_\d{8}-\d{6}_/)
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((one) => one.endsWith(`${String(file?.['vid'])}.mp4`))
  const { stdout } = await promisify(execFile)('ffprobe', ['-v', 'error', '-show_format', '-of', 'json', join(folder, found ?? 'nothing')])
  const probed = JSON.parse(stdout) as { format: { duration: string; size: string; bit_rate: string; format_name: string } }
  expect(probed.format.format_name).toContain('mp4')
  expect(Number(probed.format.size)).toBe(file?.['bytes'])
  expect(Math.abs(Number(probed.format.duration) * 1000 - Number(file?.['duration']))).toBeLessThan(100)
  kbps = Number(probed.format.bit_rate) / 1000
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
  await encoders.pop()?.stop()
  await titled('Alpha')
  await expectTruth(all)
})

const choose = async (name: string): Promise<void> => {
  await page.getByRole('button', { name: /^Profile/ }).click()
  await page.getByRole('menuitemcheckbox', { name }).click()
}

test('a hosted profile is chosen: what is on air here stays in the title', async () => {
  hostedData = mkdtempSync(join(tmpdir(), 'sidestage-truth-'))
  hosted = await startCommand<ServiceReady>(['service/main.ts', '--data', hostedData, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'], {
    ...process.env,
    SIDESTAGE_APP_KEY: hostedKey.appKey,
    SIDESTAGE_APP_SECRET: hostedKey.appSecret,
  })
  const { baseUrl: liveUrl, imBaseUrl: messagingUrl } = hosted.ready
  const twin = await companion.rpc.profiles.add({ name: 'Twin', liveUrl, messagingUrl, ...hostedKey })
  await companion.rpc.channels.create({ profileId: twin.id, name: 'Far_show' })
  await choose('Twin')
  state = { ...state, hosted: true }
  await titled('Alpha')
  await expectTruth(['channels', 'recordings'])
})

test('a hosted profile that does not answer: words with a next step, no age of what never came', async () => {
  await hosted?.stop()
  hosted = undefined
  await goTo('#/channels')
  const main = page.getByRole('main')
  await expect(main.getByText('The host did not answer.').first()).toBeVisible()
  await titled('Alpha')
  await companion.rpc.profiles.add({ name: 'Nobody', liveUrl: 'http://127.0.0.1:9', messagingUrl: 'http://127.0.0.1:9', ...hostedKey })
  await choose('Nobody')
  await expect(main.getByText('No tally has come from it yet.', { exact: false })).toBeVisible()
  expect(await main.locator('[data-figure="count"]').allTextContents()).toEqual(['–', '–', '–', '–'])
  await goTo('#/recordings')
  await expect(main.getByText('The host did not answer.').first()).toBeVisible()
  await expect(main.locator('.skeleton')).toHaveCount(0)
  for (const screen of ['channels', 'recordings', 'studio']) {
    await goTo(`#/${screen}`)
    await expect(main.getByText('The host did not answer.').first()).toBeVisible()
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
  const phases = page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        const seen: string[] = []
        const note = (): void => {
          const lamp = document.querySelector<HTMLElement>('[data-of="window"]')?.dataset['state'] ?? ''
          if (seen.at(-1) !== lamp) seen.push(lamp)
          if (lamp === 'idle') resolve(seen)
        }
        note()
        new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributes: true })
      }),
  )
  const killed = service.at(-1)
  expect(killed).toBeDefined()
  process.kill(killed!, 'SIGKILL')
  expect(await phases).toEqual(['live', 'fault', 'idle'])
  state = { windowLamp: 'idle' }
  await expectTruth(all)
})

test('after a sleep nothing is on air that is not', async () => {
  const encoder = await push('Alpha')
  state = { windowLamp: 'live' }
  await expectTruth(['channels'])
  asleep.push(...processFamily(app.process.pid!))
  for (const pid of asleep) process.kill(pid, 'SIGSTOP')
  await expect(page.locator('[data-of="window"]')).toHaveAttribute('data-state', 'fault')
  await encoder.stop('SIGKILL')
  for (const pid of asleep.splice(0)) process.kill(pid, 'SIGCONT')
  state = { windowLamp: 'idle' }
  await expectTruth(all)
})

test('recordings of a deleted channel are counted in the question, listed, played and deleted', async () => {
  await goTo('#/channels')
  const row = page.getByRole('row').filter({ hasText: 'Alpha' })
  await row.getByRole('button', { name: 'Actions for Alpha' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Its 1 recording stays on this computer')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(dialog).toHaveCount(0)
  await goTo('#/recordings')
  const file = page.getByRole('row').filter({ hasText: 'Deleted: Alpha' })
  await expect(file).toHaveCount(1)
  await expectTruth(['recordings'])
  await file.getByRole('button', { name: /^Play/ }).click()
  await expect.poll(() => page.evaluate(() => document.querySelector<HTMLVideoElement>('[role="dialog"] video')?.currentTime ?? 0)).toBeGreaterThan(0.3)
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
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(file).toHaveCount(0)
  await expect.poll(async () => (await listed(local.allRecordedFiles.path)).length).toBe(0)
})
