// Long because it is the one table of what every figure of the screens is compared with, and one walk through the states of the app.
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
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
import { shownFigures, type ShownFigure } from '../figures.ts'
import { copyPushUrl, openPage, pictureAge } from '../page.ts'
import { recordingCard } from '../recording.ts'
import { signedCall } from '../signed-call.ts'

/**
 * The truth of the screens: in every state of the app each figure and each lamp is compared with what the service, the files and ffprobe
 * say. A digit on these screens without a named source fails, and so does a source that is not listed here.
 */
test.describe.configure({ mode: 'serial' })
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

const hostedKey = { appKey: 'hosted-app', appSecret: 'hosted-secret' }
const began = Date.now()
const encoders: Encoder[] = []
const stopped: number[] = []
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
  for (const pid of stopped.splice(0)) process.kill(pid, 'SIGCONT')
  for (const encoder of encoders) await encoder.stop('SIGKILL')
  companion?.close()
  await page?.close()
  await app?.dispose()
  await hosted?.stop()
  if (hostedData !== '') rmSync(hostedData, { recursive: true, force: true })
})

type Answer = Readonly<Record<string, unknown>>
/** The service's own answer to a signed call. */
async function ask(path: string, parameters: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
  const { answer } = await companion.rpc.console.call({ profileId: 'local', path, parameters: parameters as never })
  return (JSON.parse(answer) as { ret?: Answer }).ret ?? {}
}
const listed = async (path: string, parameters?: Readonly<Record<string, unknown>>): Promise<readonly Answer[]> =>
  ((await ask(path, parameters))['list'] ?? []) as readonly Answer[]

/** What the service and the disk say at one moment. */
interface Facts {
  readonly now: number
  readonly hostedChosen: boolean
  /** By the id of the channel: what the lists of the service that is chosen say. */
  readonly channels: ReadonlyMap<string, Answer>
  /** By the id of the channel, of the embedded service. */
  readonly details: ReadonlyMap<string, Answer>
  /** By their vid. */
  readonly files: ReadonlyMap<string, Answer>
  readonly free: number
  readonly kbps: number | undefined
  readonly delay: number | undefined
  readonly dropped: number | undefined
}
let state: { readonly hosted: boolean; readonly isDown: boolean; readonly rate?: number }
async function factsNow(): Promise<Facts> {
  const channels = new Map<string, Answer>()
  const details = new Map<string, Answer>()
  const files = new Map<string, Answer>()
  if (!state.isDown) {
    const list = await listed(liveOperations.list.path, { records: 100 })
    for (const one of list) channels.set(String(one['cid']), one)
    for (const one of await listed(local.channelDetails.path, { cidList: [...channels.keys()] })) details.set(String(one['cid']), one)
    for (const one of await listed(local.allRecordedFiles.path)) files.set(String(one['vid']), one)
  }
  if (state.hosted) {
    channels.clear()
    const { ret } = hosted
      ? await signedCall(hosted.ready.baseUrl, hostedKey, liveOperations.list.path, { records: 100 }).catch(() => ({ ret: {} }))
      : { ret: {} }
    for (const one of ((ret as Answer | undefined)?.['list'] ?? []) as readonly Answer[]) channels.set(String(one['cid']), one)
  }
  const disk = statfsSync(app.dataDir)
  const picture = encoders.length > 0 ? await pictureAge(page, encoders[0]?.origin ?? 0) : undefined
  const dropped = await page.evaluate(() => document.querySelector('video')?.getVideoPlaybackQuality().droppedVideoFrames)
  return {
    now: Date.now(),
    hostedChosen: state.hosted,
    channels,
    details,
    files,
    free: disk.bavail * disk.bsize,
    kbps: state.rate,
    delay: picture,
    dropped,
  }
}

const number = (text: string): number => Number(/-?[\d,]+(?:\.\d+)?/.exec(text)?.[0].replaceAll(',', '') ?? Number.NaN)
const within = (value: number, expected: number, by: number): boolean => Math.abs(value - expected) <= by
/** "01:42:08" in ms. */
const span = (text: string): number => {
  const [, hours, minutes, seconds] = /(\d+):(\d\d):(\d\d)/.exec(text) ?? []
  return (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000
}
/** "4.55 GB" in bytes. */
const size = (text: string): number => {
  const [, amount, unit = ''] = /([\d.]+) ([kMGTP]?B)/.exec(text) ?? []
  return Number(amount) * 1_000 ** ['B', 'kB', 'MB', 'GB', 'TB'].indexOf(unit)
}
const isSize = (text: string, bytes: number, share: number): boolean => within(size(text), bytes, bytes * share + 1_000)
const statusOf = (facts: Facts, cid: string): number => Number(facts.channels.get(cid)?.['status'] ?? -1)
/** What the screens call a status of 1-live. */
const lampFor = (channel: Answer | undefined): string => {
  const status = Number(channel?.['status'] ?? -1)
  return status === 1 ? 'live' : status === 3 ? 'recording' : status === 2 ? 'disabled' : channel?.['needRecord'] === 1 ? 'armed' : 'idle'
}
const clockOf = (at: number): string => new Intl.DateTimeFormat('en-GB', { timeZone: zone(), hourCycle: 'h23', timeStyle: 'medium' }).format(at)
const dateOf = (at: number): string => {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone: zone(), dateStyle: 'short', timeStyle: 'short' }).format(at)
  return parts
}
let timeZone = 'UTC'
const zone = (): string => timeZone
/** Whether one of these times is what is shown, which is some seconds old. */
const isOneOf = (text: string, say: (at: number) => string, now: number, back = 3): boolean =>
  Array.from({ length: back + 2 }, (_, second) => say(now + 1_000 - second * 1_000)).some((said) => text.includes(said))
const shown = async (): Promise<string> => decodeURI(new URL(page.url()).hash)
const studioCid = async (): Promise<string> => /studio\/(\w+)/.exec(await shown())?.[1] ?? ''
/** A dash where a figure is not known. */
const isDash = (text: string): boolean => text === '–' || text === ''
const isAir = (status: number): boolean => status === 1 || status === 3

/** The lamp that the window must show now. */
let windowLamp = 'idle'
/** What each figure is compared with: true when it says the same. */
const sources: Readonly<Record<string, (shown: ShownFigure, facts: Facts, cid: string) => boolean>> = {
  lamp: ({ of, state: lamp }, facts) =>
    of === 'window' ? lamp === windowLamp : windowLamp === 'fault' && lamp === 'fault' ? true : lamp === lampFor(facts.channels.get(of)),
  running: ({ text }, facts) =>
    windowLamp === 'fault' || [...facts.details.values()].some((one) => within(span(text), facts.now - Number(one['since'] ?? 0), 3_000)),
  service: ({ text }) => (state.isDown ? /restarting|not answer|Not connected|stopped/i.test(text) : text !== ''),
  address: ({ of, text }) => {
    const { baseUrl, mediaUrl, rtmpUrl } = app.ready.service
    return text === `${of} ${new URL({ api: baseUrl, media: mediaUrl, rtmp: rtmpUrl }[of] ?? '').host}`
  },
  tallyAge: ({ text }) => number(text) < 30,
  hostedNote: ({ text }) => Number.isNaN(number(text)) || number(text) < 60,
  onAir: ({ text }, facts) => {
    const n = [...facts.details.values()].filter((one) => isAir(Number(one['status']))).length
    return n === 0 ? /None on air|No channels/.test(text) || state.isDown : number(text) === n
  },
  callbacks: () => false,
  disk: ({ text }, facts) => isSize(text, facts.free, 0.02),
  clock: ({ text }, facts) => isOneOf(text, clockOf, facts.now),
  zone: ({ text }) => text.startsWith('UTC'),
  since: ({ of, text }, facts) =>
    isAir(statusOf(facts, of)) && !facts.hostedChosen ? within(span(text), facts.now - Number(facts.details.get(of)?.['since']), 3_000) : isDash(text),
  kbps: ({ of, text }, facts, cid) => {
    const isLive = isAir(statusOf(facts, of === '' ? cid : of)) && !facts.hostedChosen
    if (!isLive) return isDash(text)
    return facts.kbps === undefined ? number(text) > 300 : within(number(text), facts.kbps, facts.kbps * 0.4)
  },
  viewers: ({ of, text }, facts, cid) => {
    const one = of === '' ? cid : of
    return isAir(statusOf(facts, one)) && !facts.hostedChosen ? number(text) === Number(facts.details.get(one)?.['viewers']) : isDash(text)
  },
  fps: ({ text }, facts, cid) => (isAir(statusOf(facts, cid)) ? within(number(text), 30, 3) : isDash(text)),
  keyFrameGap: ({ text }, facts, cid) => (isAir(statusOf(facts, cid)) ? within(number(text), 2, 0.3) : isDash(text)),
  delay: ({ text }, facts, cid) => (!isAir(statusOf(facts, cid)) ? isDash(text) : facts.delay === undefined || within(number(text), facts.delay / 1_000, 2)),
  dropped: ({ text }, facts, cid) => (!isAir(statusOf(facts, cid)) ? isDash(text) : facts.dropped === undefined || within(number(text), facts.dropped, 60)),
  last: () => state.isDown,
  why: ({ text }) => text !== '',
  delayBadge: ({ text }, facts) => facts.delay === undefined || within(number(text.replace(/^\D+/, '')), facts.delay / 1_000, 2),
  // "1,400 kbps · 30.0 fps · 30 dropped", as the player measures it.
  previewFigures: ({ text }, facts) => {
    const [kbps = Number.NaN, fps = Number.NaN, dropped = Number.NaN] = text.split(' · ').map(number)
    const isRate = facts.kbps === undefined ? kbps > 300 : within(kbps, facts.kbps, facts.kbps)
    return isRate && within(fps, 30, 8) && (facts.dropped === undefined || within(dropped, facts.dropped, 60))
  },
  count: ({ of, text }, facts) => {
    const lamps = [...facts.channels.values()].map(lampFor)
    const wanted = {
      all: lamps.length,
      onAir: lamps.filter((lamp) => lamp === 'live' || lamp === 'recording').length,
      armed: lamps.filter((lamp) => lamp === 'armed').length,
      disabled: lamps.filter((lamp) => lamp === 'disabled').length,
    }
    return number(text) === wanted[of as keyof typeof wanted]
  },
  rows: ({ text }, facts) => text === `1–${facts.channels.size} of ${facts.channels.size}`,
  created: ({ of, text }, facts) => text === dateOf(Number(facts.channels.get(of)?.['ctime'])),
  keyLeft: ({ of, text }, facts) => {
    const expires = Number(facts.details.get(of)?.['keyExpires'] ?? Number.NaN)
    if (Number.isNaN(expires)) return isDash(text) || facts.hostedChosen
    return number(text) === Math.floor((expires - facts.now) / 86_400_000)
  },
  recordingSetting: ({ of, text }, facts) => {
    const one = facts.channels.get(of)
    const format = one?.['format'] === 1 ? 'FLV' : 'MP4'
    return one?.['needRecord'] === 1 ? text.includes(format) && text.includes(String(one['duration'])) : text === 'Off' || text.includes(format)
  },
  recordingTime: ({ text }, facts, cid) => within(span(text), facts.now - Number(facts.details.get(cid)?.['since']), 5_000),
  recordingBytes: ({ text }, facts) => facts.kbps === undefined || isSize(text, ((facts.kbps * 1_000) / 8) * 12, 1.2),
  recordingCut: ({ text }) => span(text) > 0 || text !== '',
  diskRoom: ({ text }, facts) =>
    /[kMGT]B/.test(text)
      ? isSize(text, facts.free, 0.02)
      : facts.kbps === undefined ||
        within(number(text), (facts.free * 8) / (facts.kbps * 1_000) / 3_600, ((facts.free * 8) / (facts.kbps * 1_000) / 3_600) * 0.5),
  readyFile: ({ of, text }, facts) => isSize(text, Number(facts.files.get(of)?.['bytes']), 0.01),
  logLine: ({ at }, facts) => at > began - 60_000 && at <= facts.now + 1_000,
  checks: ({ text }) => /\d/.test(text),
  check: ({ of, state: said }, facts, cid) => of !== 'ingest' || (said === 'ok') === isAir(statusOf(facts, cid)),
  begin: ({ of, text }, facts) => text === dateOf(Number(facts.files.get(of)?.['begin'])),
  duration: ({ of, text }, facts) => within(span(text), Number(facts.files.get(of)?.['duration']), 1_000),
  bytes: ({ of, text }, facts) => isSize(text, Number(facts.files.get(of)?.['bytes']), 0.01),
  format: ({ of, text }, facts) => text === (facts.files.get(of)?.['format'] === 1 ? 'FLV' : 'MP4'),
  sum: ({ text }, facts) => {
    const files = [...facts.files.values()]
    const total = files.reduce((sum, one) => sum + Number(one['bytes']), 0)
    return (
      number(text) === files.length &&
      isSize(text, total, 0.01) &&
      within(
        span(text),
        files.reduce((sum, one) => sum + Number(one['duration']), 0),
        files.length * 1_000,
      )
    )
  },
  page: ({ of, text }) => text === `1 / ${of}`,
  range: ({ text }, facts) => text.includes(dateOf(facts.now).slice(0, 10)),
  tick: ({ text }) => /^[A-Z][a-z]{2}|\d/.test(text),
}

/** Screens and what of them may have digits that are no figures, with the reason. */
const unlisted: readonly RegExp[] = [
  // How long the panel reaches back that this button opens.
  /^Stream health: Last 10 minutes…$/,
]

/** Compares everything that the screens show with the facts, until all of it agrees or the patience is over. */
async function expectTruth(screens: readonly ('channels' | 'studio' | 'recordings')[]): Promise<Set<string>> {
  const seen = new Set<string>()
  for (const screen of screens) {
    const to = screen === 'studio' ? `#/studio/${idOf('Alpha')}` : `#/${screen}`
    if ((await shown()) !== to) await page.evaluate((hash) => void (location.hash = hash), to)
    await expect
      .poll(
        async () => {
          const before = await shownFigures(page)
          const facts = await factsNow()
          const cid = await studioCid()
          const wrong = before.figures.flatMap((one) => {
            seen.add(one.figure)
            const source = sources[one.figure]
            if (!source) return [`${one.figure} has no source`]
            return source(one, facts, cid) ? [] : [`${one.figure} of ${one.of} says ${JSON.stringify(one.text)} ${one.state}`]
          })
          return [...wrong, ...before.loose.filter((text) => !unlisted.some((listed) => listed.test(text))).map((text) => `no source: ${text}`)]
        },
        { message: `${screen}, ${JSON.stringify(state)}`, intervals: [250, 500, 1_000], timeout: 40_000 },
      )
      .toEqual([])
  }
  await expect.poll(() => air.now().lamp, { message: 'the tray' }).toBe(windowLamp === 'armed' ? 'idle' : windowLamp)
  return seen
}
const push = async (name: string): Promise<Encoder> => {
  await page.evaluate((hash) => void (location.hash = hash), `#/studio/${idOf(name)}`)
  await expect(page.getByRole('heading', { name, exact: true })).toBeVisible()
  const encoder = startEncoder(await copyPushUrl(page))
  encoders.push(encoder)
  return encoder
}
const all = ['channels', 'studio', 'recordings'] as const

test('idle', async () => {
  timeZone = ((await ask(local.info.path)) as { timeZone: string }).timeZone
  state = { hosted: false, isDown: false }
  windowLamp = 'idle'
  await expectTruth(all)
})

const titled = (name: string): Promise<void> => expect(page.getByRole('banner').getByRole('button', { name: new RegExp(name) })).toBeVisible()

test('on air', async () => {
  await push('Alpha')
  windowLamp = 'live'
  const seen = await expectTruth(all)
  // Each figure that the health strip promises was there to be compared.
  for (const figure of ['running', 'kbps', 'fps', 'keyFrameGap', 'delay', 'viewers', 'dropped', 'keyLeft', 'disk', 'clock', 'address'])
    expect([...seen]).toContain(figure)
})

test('on air and recorded with one click: MP4 under the name of the channel, as ffprobe reads it', async () => {
  await page.evaluate((hash) => void (location.hash = hash), `#/studio/${idOf('Alpha')}`)
  await recordingCard(page).getByRole('switch').click()
  await expect.poll(() => air.now().lamp).toBe('recording')
  windowLamp = 'recording'
  const from = Date.now()
  await expectTruth(all)
  await expect.poll(() => Date.now() - from, { intervals: [250] }).toBeGreaterThan(4_000)
  await page.evaluate((hash) => void (location.hash = hash), `#/studio/${idOf('Alpha')}`)
  await recordingCard(page).getByRole('switch').click()
  await expect.poll(() => air.now().lamp).toBe('live')
  windowLamp = 'live'
  await expect.poll(async () => (await listed(local.allRecordedFiles.path)).length).toBe(1)
  const [file] = await listed(local.allRecordedFiles.path)
  expect(file).toMatchObject({ format: 0, channel: 'Alpha' })
  expect(String(file?.['name'])).toMatch(/^Alpha_\d{8}-\d{6}_/)
  const { dataDir } = (await ask(local.info.path)) as { dataDir: string }
  const found = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).find((one) => one.endsWith(String(file?.['key'])))
  const { stdout } = await promisify(execFile)('ffprobe', ['-v', 'error', '-show_format', '-show_streams', '-of', 'json', join(dataDir, found ?? 'nothing')])
  const probed = JSON.parse(stdout) as { format: { duration: string; size: string; bit_rate: string; format_name: string } }
  expect(probed.format.format_name).toContain('mp4')
  expect(Number(probed.format.size)).toBe(file?.['bytes'])
  expect(Math.abs(Number(probed.format.duration) * 1_000 - Number(file?.['duration']))).toBeLessThan(100)
  state = { hosted: false, isDown: false, rate: Number(probed.format.bit_rate) / 1_000 }
  await expectTruth(all)
})

test('two on air: the one opened last has the title, an idle one never', async () => {
  await push('Beta')
  await titled('Beta')
  await expectTruth(['channels'])
  await page.evaluate((hash) => void (location.hash = hash), `#/studio/${idOf('Alpha')}`)
  await titled('Alpha')
  await expect.poll(() => air.now().channels.map(({ name: _name, cid }) => cid)).toEqual([idOf('Alpha'), idOf('Beta')])
  ids.set('Gamma', (await companion.rpc.channels.create({ profileId: 'local', name: 'Gamma' })).cid)
  await page.evaluate((hash) => void (location.hash = hash), `#/studio/${idOf('Gamma')}`)
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
  await page.evaluate(() => void (location.hash = '#/channels'))
  const main = page.getByRole('main')
  await expect(main.getByText('The host did not answer.').first()).toBeVisible()
  await titled('Alpha')
  await companion.rpc.profiles.add({ name: 'Nobody', liveUrl: 'http://127.0.0.1:9', messagingUrl: 'http://127.0.0.1:9', ...hostedKey })
  await choose('Nobody')
  await expect(main.getByText('No tally has come from it yet.', { exact: false })).toBeVisible()
  await page.evaluate(() => void (location.hash = '#/recordings'))
  await expect(main.getByText('The host did not answer.').first()).toBeVisible()
  await expect(main.locator('.skeleton')).toHaveCount(0)
  for (const screen of ['channels', 'recordings', 'studio']) {
    await page.evaluate((hash) => void (location.hash = hash), `#/${screen}`)
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
  windowLamp = 'idle'
  await expectTruth(all)
})

test('after a sleep nothing is on air that is not', async () => {
  const encoder = await push('Alpha')
  windowLamp = 'live'
  await expectTruth(['channels'])
  stopped.push(...processFamily(app.process.pid!))
  for (const pid of stopped) process.kill(pid, 'SIGSTOP')
  await expect(page.locator('[data-of="window"]')).toHaveAttribute('data-state', 'fault')
  await encoder.stop('SIGKILL')
  for (const pid of stopped.splice(0)) process.kill(pid, 'SIGCONT')
  windowLamp = 'idle'
  await expectTruth(all)
})

test('recordings of a deleted channel are counted in the question, listed, played and deleted', async () => {
  await page.evaluate(() => void (location.hash = '#/channels'))
  const row = page.getByRole('row').filter({ hasText: 'Alpha' })
  await row.getByRole('button', { name: 'Actions for Alpha' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Its 1 recording stays on this computer')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(dialog).toHaveCount(0)
  await page.evaluate(() => void (location.hash = '#/recordings'))
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
