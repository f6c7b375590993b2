import type { ShownFigure } from './figures.ts'

/** One answer of the service, read by its names. */
export type Answer = Readonly<Record<string, unknown>>

/** What is asked elsewhere than the screens are: of the service by signed calls, of the disk, of the encoder, of the picture. */
export interface Facts {
  readonly now: number
  /** Begin of the test, in ms. */
  readonly began: number
  readonly timeZone: string
  /** Whether a hosted profile is chosen, and whether the service that is chosen cannot be asked. */
  readonly hostedChosen: boolean
  readonly isDown: boolean
  /** The lamp of the window, by what the test did. */
  readonly windowLamp: string
  /** The channel that the Studio shows; empty elsewhere. */
  readonly cid: string
  /** Addresses of the embedded service. */
  readonly addresses: Readonly<Record<string, string>>
  /** By the id of the channel: what the lists of the service that is chosen say. */
  readonly channels: ReadonlyMap<string, Answer>
  /** By the id of the channel, of the embedded service. */
  readonly details: ReadonlyMap<string, Answer>
  /** By the id of the channel: what is being recorded. */
  readonly recordings: ReadonlyMap<string, Answer>
  /** By their vid. */
  readonly files: ReadonlyMap<string, Answer>
  /** Bytes of the files that are being written now, as the file system says. */
  readonly written: number
  /** Bytes free on the disk, as the file system says. */
  readonly free: number
  /** Bytes that recording leaves free. */
  readonly reserve: number
  /** Rate of the push as it was measured from a pull or by ffprobe; kbit/s. */
  readonly kbps: number | undefined
  /** Age of the preview's picture by the clock burnt into it; ms. */
  readonly delay: number | undefined
  /** Frames that the browser's decoder dropped. */
  readonly dropped: number | undefined
  /** Everything that the screen shows. */
  readonly shown: readonly ShownFigure[]
}

const number = (text: string): number => Number(/-?[\d,]+(?:\.\d+)?/.exec(text)?.[0].replaceAll(',', '') ?? Number.NaN)
const within = (value: number, expected: number, by: number): boolean => Math.abs(value - expected) <= by
/** "01:42:08" in ms. */
const span = (text: string): number => {
  const [, hours, minutes, seconds] = /(\d+):(\d\d):(\d\d)/.exec(text) ?? []
  return (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
}
/** "4.55 GB" in bytes. */
const size = (text: string): number => {
  const [, amount, unit = ''] = /([\d.]+) ([kMGTP]?B)/.exec(text) ?? []
  return Number(amount) * 1000 ** ['B', 'kB', 'MB', 'GB', 'TB'].indexOf(unit)
}
const isSize = (text: string, bytes: number, share: number): boolean => within(size(text), bytes, bytes * share + 1000)
/** A dash where a figure is not known. */
const isDash = (text: string): boolean => text === '–' || text === ''
const isAir = (status: unknown): boolean => status === 1 || status === 3
/** Whether a channel is on air, and its figures are known here: a hosted service tells none. */
const isLive = (facts: Facts, cid: string): boolean => isAir(facts.channels.get(cid)?.['status']) && !facts.hostedChosen
/** What the screens call a status of the service. */
const lampOf = (channel: Answer | undefined): string => {
  const status = channel?.['status']
  return status === 1 ? 'live' : status === 3 ? 'recording' : status === 2 ? 'disabled' : channel?.['needRecord'] === 1 ? 'armed' : 'idle'
}
const countOf = (facts: Facts, ...lamps: readonly string[]): number => [...facts.channels.values()].filter((one) => lamps.includes(lampOf(one))).length
const sumOf = (all: Iterable<Answer>, name: string): number => [...all].reduce((sum, one) => sum + Number(one[name]), 0)
const clockAt = (at: number, { timeZone }: Facts): string => new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', timeStyle: 'medium' }).format(at)
const dateAt = (at: number, { timeZone }: Facts): string => new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(at)
const dayAt = (at: number, { timeZone }: Facts): string => new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short', day: 'numeric' }).format(at)
/** "UTC", "UTC+8" or "UTC+5:30". */
const offsetAt = (at: number, { timeZone }: Facts): string => {
  const said = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' }).format(at)
  const [, sign = '', hours = '', minutes = ''] = /([+-])(\d\d):(\d\d)/.exec(said) ?? []
  const isUtc = Number(hours) === 0 && Number(minutes) === 0
  return isUtc ? 'UTC' : `UTC${sign}${Number(hours)}${minutes === '00' ? '' : `:${minutes}`}`
}
const dayLength = 86_400_000

/** What each figure is compared with: true when it says the same. */
export const sources: Readonly<Record<string, (shown: ShownFigure, facts: Facts) => boolean>> = {
  lamp: ({ of, state }, facts) => {
    if (of === 'window') return state === facts.windowLamp
    return (facts.windowLamp === 'fault' && state === 'fault') || state === lampOf(facts.channels.get(of))
  },
  running: ({ text }, facts) =>
    facts.windowLamp === 'fault' || [...facts.details.values()].some((one) => within(span(text), facts.now - Number(one['since'] ?? 0), 3000)),
  recordingClock: ({ text }, facts) =>
    facts.windowLamp === 'recording' && [...facts.recordings.values()].some((one) => within(span(text), facts.now - Number(one['since'] ?? 0), 3000)),
  service: ({ text }, facts) => /restarting|not answer|Not connected|stopped/i.test(text) === facts.isDown,
  address: ({ of, text }, facts) => text === `${of} ${new URL(facts.addresses[of] ?? '').host}`,
  tallyAge: ({ text }, facts) => facts.hostedChosen && number(text) < 30,
  hostedNote: ({ text }, facts) => facts.hostedChosen && (Number.isNaN(number(text)) || number(text) < 60),
  onAir: ({ text }, facts) => {
    const air = [...facts.details.values()].filter((one) => isAir(one['status'])).length
    return air === 0 ? /None on air|No channels/.test(text) || facts.isDown : number(text) === air
  },
  recorded: ({ text }, facts) => number(text) === [...facts.recordings.values()].filter((one) => one['state'] === 'recording').length,
  // No application of this test has a callback address.
  callbacks: () => false,
  disk: ({ text }, facts) => isSize(text, facts.free, 0.02),
  clock: ({ text }, facts) => [-1, 0, 1, 2, 3].some((back) => text.includes(clockAt(facts.now - back * 1000, facts))),
  zone: ({ text }, facts) => text === offsetAt(facts.now, facts),
  since: ({ of, text }, facts) => (isLive(facts, of) ? within(span(text), facts.now - Number(facts.details.get(of)?.['since']), 3000) : isDash(text)),
  kbps: ({ of, text }, facts) => {
    if (!isLive(facts, of === '' ? facts.cid : of)) return isDash(text)
    return facts.kbps === undefined ? number(text) > 0 : within(number(text), facts.kbps, facts.kbps * 0.3)
  },
  viewers: ({ of, text }, facts) => {
    const cid = of === '' ? facts.cid : of
    return isLive(facts, cid) ? number(text) === Number(facts.details.get(cid)?.['viewers']) : isDash(text)
  },
  // The encoder of the test sends 30 frames a second and a key frame every 2 s.
  fps: ({ text }, facts) => (isLive(facts, facts.cid) ? within(number(text), 30, 3) : isDash(text)),
  keyFrameGap: ({ text }, facts) => (isLive(facts, facts.cid) ? within(number(text), 2, 0.3) : isDash(text)),
  delay: ({ text }, facts) => (isLive(facts, facts.cid) ? facts.delay === undefined || within(number(text), facts.delay / 1000, 2) : isDash(text)),
  dropped: ({ text }, facts) => (isLive(facts, facts.cid) ? facts.dropped === undefined || within(number(text), facts.dropped, 60) : isDash(text)),
  // What it was before nobody could tell, or before the push ended.
  last({ of, text }, facts) {
    const before = { kbps: [facts.kbps ?? 0, (facts.kbps ?? 0) * 0.3], fps: [30, 3], keyFrameGap: [2, 0.3], viewers: [1, 1] }[of]
    return !isLive(facts, facts.cid) && before !== undefined && within(number(text), before[0]!, before[1]!)
  },
  // "The key frames are 2.0 s apart." and the like: a figure in it is one of those that the service tells, all of which are looked at above.
  why: ({ text }, facts) => (isLive(facts, facts.cid) ? text !== '' : !/\d/.test(text)),
  delayBadge: ({ text }, facts) => facts.delay === undefined || within(number(text.replace(/^\D+/, '')), facts.delay / 1000, 2),
  // "1,400 kbps · 30.0 fps · 30 dropped", as the player measures it.
  previewFigures: ({ text }, facts) => {
    const [kbps = Number.NaN, fps = Number.NaN, dropped = Number.NaN] = text.split(' · ').map(number)
    const isRate = facts.kbps === undefined ? kbps > 0 : within(kbps, facts.kbps, facts.kbps)
    return isRate && within(fps, 30, 8) && (facts.dropped === undefined || within(dropped, facts.dropped, 60))
  },
  count({ of, text }, facts) {
    const wanted = {
      all: facts.channels.size,
      onAir: countOf(facts, 'live', 'recording'),
      armed: countOf(facts, 'armed'),
      disabled: countOf(facts, 'disabled'),
    }
    // Nobody knows a tally while the service cannot be asked.
    return isDash(text) ? facts.isDown : number(text) === wanted[of as keyof typeof wanted]
  },
  rows: ({ text }, facts) => text === `1–${facts.channels.size} of ${facts.channels.size}`,
  created: ({ of, text }, facts) => text === dateAt(Number(facts.channels.get(of)?.['ctime']), facts),
  keyLeft({ of, text }, facts) {
    const expires = Number(facts.details.get(of)?.['keyExpires'] ?? Number.NaN)
    if (Number.isNaN(expires)) return isDash(text) || facts.hostedChosen
    return number(text) === Math.floor((expires - facts.now) / dayLength)
  },
  recordingSetting({ of, text }, facts) {
    const one = facts.channels.get(of)
    const format = one?.['format'] === 1 ? 'FLV' : 'MP4'
    return one?.['needRecord'] === 1 ? text.includes(format) && text.includes(String(one['duration'])) : text === 'Off' || text.includes(format)
  },
  recordingTime: ({ text }, facts) => within(span(text), facts.now - Number(facts.recordings.get(facts.cid)?.['since']), 3000),
  // The file grows by a second at a time, and the screen is told once a second.
  recordingBytes: ({ text }, facts) => within(size(text), facts.written, (((facts.kbps ?? 4000) * 1000) / 8) * 3),
  recordingCut({ text }, facts) {
    const left = Number(facts.recordings.get(facts.cid)?.['cut']) - facts.now
    return left <= 2000 ? span(text) <= 3000 || Number.isNaN(span(text)) : within(span(text), left, 3000)
  },
  diskRoom({ text }, facts) {
    if (/[kMGT]B/.test(text)) return isSize(text, facts.free - facts.reserve, 0.02)
    if (facts.kbps === undefined) return number(text) > 0
    const hours = ((facts.free - facts.reserve) * 8) / (facts.kbps * 1000) / 3600
    return within(number(text), hours, hours * 0.4)
  },
  readyFile: ({ of, text }, facts) => isSize(text, Number(facts.files.get(of)?.['bytes']), 0.01),
  logLine: ({ at, text }, facts) => at > facts.began - 60_000 && at <= facts.now + 1000 && text.startsWith(clockAt(at, facts)),
  checks({ text }, { shown }) {
    const checks = shown.filter(({ figure }) => figure === 'check')
    const faults = checks.filter(({ state }) => state === 'fault').length
    return number(text) === (faults || checks.filter(({ state }) => state === 'ok').length)
  },
  check({ of, state }, facts) {
    const isOk = { accepted: isAir(facts.channels.get(facts.cid)?.['status']), service: !facts.isDown }[of]
    return isOk === undefined || (state === 'ok') === isOk
  },
  begin: ({ of, text }, facts) => text === dateAt(Number(facts.files.get(of)?.['begin']), facts),
  duration: ({ of, text }, facts) => within(span(text), Number(facts.files.get(of)?.['duration']), 1000),
  bytes: ({ of, text }, facts) => isSize(text, Number(facts.files.get(of)?.['bytes']), 0.01),
  format: ({ of, text }, facts) => text === (facts.files.get(of)?.['format'] === 1 ? 'FLV' : 'MP4'),
  sum: ({ text }, { files }) =>
    number(text) === files.size &&
    isSize(text, sumOf(files.values(), 'bytes'), 0.01) &&
    within(span(text), sumOf(files.values(), 'duration'), files.size * 1000),
  page: ({ of, text }) => text === `1 / ${of}`,
  range: ({ text }, facts) => text.includes(dateAt(facts.now, facts).slice(0, 10)),
  // A head of each of the seven days that end today, or of every third hour.
  tick: ({ text }, facts) =>
    /^(00|03|06|09|12|15|18|21):00$/.test(text) || [0, 1, 2, 3, 4, 5, 6].some((back) => text === dayAt(facts.now - back * dayLength, facts)),
}

/** Digits on the screens that are no figures. */
const unlisted: readonly RegExp[] = [
  // How long the panel reaches back that this button opens.
  /^Stream health: Last 10 minutes…$/,
]

/** What a screen says that is not so, and what on it has no source to compare it with. */
export const untruths = (facts: Facts, loose: readonly string[]): string[] => [
  ...facts.shown.flatMap((one) => {
    const source = sources[one.figure]
    if (!source) return [`${one.figure} has no source`]
    return source(one, facts) ? [] : [`${one.figure} of ${one.of} says ${JSON.stringify(one.text)} ${one.state}`]
  }),
  ...loose.filter((text) => !unlisted.some((listed) => listed.test(text))).map((text) => `no source: ${text}`),
]
