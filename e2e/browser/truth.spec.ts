// Long because it is the one table of what every figure of the screens is compared with, and one walk through the states of the app.
import { statfsSync } from 'node:fs'
import { expect, test, type Page } from 'playwright/test'
import { live as liveOperations, local } from '../../contract/operations/index.ts'
import { createAir } from '../../electron/air.ts'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { shownFigures, type ShownFigure } from '../figures.ts'
import { copyPushUrl, openPage, pictureAge } from '../page.ts'

/**
 * The truth of the screens: in every state of the app each figure and each lamp is compared with what the service, the files and ffprobe
 * say. A digit on these screens without a named source fails, and so does a source that is not listed here.
 */
test.describe.configure({ mode: 'serial' })
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

const began = Date.now()
const encoders: Encoder[] = []
let app: RunningApp
let companion: CompanionClient
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
  for (const encoder of encoders) await encoder.stop('SIGKILL')
  companion?.close()
  await page?.close()
  await app?.dispose()
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
  recorded: ({ text }, facts) => number(text) === [...facts.channels.values()].filter((one) => lampFor(one) === 'recording').length,
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

test('on air', async () => {
  await push('Alpha')
  windowLamp = 'live'
  const seen = await expectTruth(all)
  // Each figure that the health strip promises was there to be compared.
  for (const figure of ['running', 'kbps', 'fps', 'keyFrameGap', 'delay', 'viewers', 'dropped', 'keyLeft', 'disk', 'clock', 'address'])
    expect([...seen]).toContain(figure)
})
