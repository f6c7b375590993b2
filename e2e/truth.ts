/** A figure or a lamp as it stands on a screen. */
export interface ShownFigure {
  /** Name of its source, from `data-figure`. */
  readonly figure: string
  /** Whose it is, from `data-of`: an id, a name of a cell; empty where there is one only. */
  readonly of: string
  readonly text: string
  /** State of a lamp or of a check, from `data-state`. */
  readonly state: string
  /** Time that it is about, from `data-at`, in ms; NaN without one. */
  readonly at: number
}

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
  /** By their vid. */
  readonly files: ReadonlyMap<string, Answer>
  /** By their id. */
  readonly broadcasts: ReadonlyMap<string, Answer>
  /** Bytes of the files that are being written now, as the file system says. */
  readonly written: number
  /** Bytes free on the disk, as the file system says. */
  readonly free: number
  /** Bytes that recording leaves free. */
  readonly reserve: number
  /** What the encoders of the test say of themselves, by the id of their channel. */
  readonly pushes: ReadonlyMap<string, PushFacts>
  /** Players of the test that are open, by the id of their channel. */
  readonly watching: ReadonlyMap<string, number>
  /** How many recorded files the test deleted with its last confirmation. */
  readonly removed: number
  /** Finished files as ffprobe reads them, by their vid. */
  readonly probed: ReadonlyMap<string, ProbedFile>
  /** The file that is being written, by the id of its channel: when it was made, in ms. */
  readonly growing: ReadonlyMap<string, number>
  /** End of the push address that the test copied, in ms, by the id of the channel. */
  readonly keyEnds: ReadonlyMap<string, number>
  /** Last time at which the host that is chosen could answer, in ms; the same as `now` while it can. */
  readonly answered: number
  /** Age of the preview's picture by the clock burnt into it; ms. */
  readonly delay: number | undefined
  /** Frames that the browser's decoder dropped. */
  readonly dropped: number | undefined
  /** Everything that the screen shows. */
  readonly shown: readonly ShownFigure[]
}

/** What an encoder of the test says of its push. */
export interface PushFacts {
  /** When it was started, and when it first said that it had sent something; in ms. */
  readonly started: number
  readonly sending: number
  /** kbit/s and frames a second of its last seconds. */
  readonly kbps: number
  readonly fps: number
  /** Its longest silence, and how far its frames are behind the clock; in s. */
  readonly pause: number
  readonly behind: number
}

/** A finished file on the disk. */
export interface ProbedFile {
  readonly bytes: number
  /** In ms. */
  readonly duration: number
  readonly format: 'FLV' | 'MP4'
  /** When the file was made, in ms. */
  readonly made: number
}

const number = (text: string): number => Number(/-?[\d,]+(?:\.\d+)?/.exec(text)?.[0].replaceAll(',', '') ?? Number.NaN)
const within = (value: number, expected: number, by: number): boolean => Math.abs(value - expected) <= by
/** The level of the tone of the encoders of tests, in dB; what a player makes of its one channel is as loud in both. */
const isTone = (text: string): boolean => within(number(text.replaceAll('−', '-')), -18.06, 1)
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
  return status === 1
    ? 'live'
    : status === 3
      ? 'recording'
      : status === 2
        ? 'disabled'
        : channel?.['needRecord'] === 1
          ? 'armed'
          : 'idle'
}
const countOf = (facts: Facts, ...lamps: readonly string[]): number =>
  [...facts.channels.values()].filter((one) => lamps.includes(lampOf(one))).length
/** Whether a value lies between two others. */
const between = (value: number, least: number, most: number): boolean => value >= least && value <= most
/** Whether the seconds since the host's last tallies are those that can be: it is asked every 5 s while it answers. */
const isAge = (seconds: number, { now, answered }: Facts): boolean =>
  between(seconds, (now - answered) / 1000 - 1, (now - answered) / 1000 + 7)
/** The decoder goes on to drop between what the screen says and what is read of it afterwards. */
const isDropped = (said: number, { dropped = Number.NaN }: Facts): boolean => between(said, dropped - 10, dropped)
const sumOf = (all: Iterable<ProbedFile>, name: 'bytes' | 'duration'): number =>
  [...all].reduce((sum, one) => sum + one[name], 0)
/** Files that were recorded while a broadcast was on air, by their vid. */
const filesOf = ({ files, broadcasts }: Facts, broadcastId: string): readonly string[] => {
  const { cid, began, ended = Number.MAX_SAFE_INTEGER } = broadcasts.get(broadcastId) ?? {}
  return [...files].flatMap(([vid, file]) =>
    file['cid'] === cid && Number(file['end']) >= Number(began) && Number(file['begin']) <= Number(ended) ? [vid] : [],
  )
}
const clockAt = (at: number, { timeZone }: Facts): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', timeStyle: 'medium' }).format(at)
const dateAt = (at: number, { timeZone }: Facts): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(at)
const secondAt = (at: number, { timeZone }: Facts): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(at)
const dayAt = (at: number, { timeZone }: Facts): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short', day: 'numeric' }).format(at)
/** "UTC", "UTC+8" or "UTC+5:30". */
const offsetAt = (at: number, { timeZone }: Facts): string => {
  const said = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' }).format(at)
  const [, sign = '', hours = '', minutes = ''] = /([+-])(\d\d):(\d\d)/.exec(said) ?? []
  const isUtc = Number(hours) === 0 && Number(minutes) === 0
  return isUtc ? 'UTC' : `UTC${sign}${Number(hours)}${minutes === '00' ? '' : `:${minutes}`}`
}
const dayLength = 86_400_000
/** What the test's encoder says of the channel that the Studio shows, or of another. */
const pushOf = (facts: Facts, cid = ''): PushFacts | undefined => facts.pushes.get(cid === '' ? facts.cid : cid)
/** Whether a span reaches back to the begin of a push, which lies between the start of its encoder and its first bytes. */
const isSince = (text: string, push: PushFacts | undefined, facts: Facts): boolean =>
  push !== undefined && between(span(text), facts.now - push.sending - 2500, facts.now - push.started)
/** How long a file is written, as a span of whole seconds that the screen is told once a second. */
const isWritten = (text: string, made: number | undefined, { now }: Facts): boolean =>
  made !== undefined && between(span(text), now - made - 3000, now - made)
/** What the rows of the go-live check must say; those of a file depend on whether one is written or finished. */
function checksOf(facts: Facts): ReadonlyMap<string, boolean> {
  const on = isLive(facts, facts.cid)
  const recorded = facts.growing.has(facts.cid) || [...facts.files.values()].some((one) => one['cid'] === facts.cid)
  return new Map([
    ...['accepted', 'keyFrame', 'codecs', 'gap', 'preview'].map((name) => [name, on] as const),
    ['service', !facts.isDown],
    ['slice', on && recorded],
  ])
}

/** Whether what a line of the log tells was so at its time, and whether the figures in it are true. */
function isLogged({ of, at, text }: ShownFigure, facts: Facts): boolean {
  const push = isLive(facts, facts.cid) ? pushOf(facts) : undefined
  const begins = [...facts.growing.values(), ...[...facts.probed.values()].map(({ made }) => made)]
  const ends = [...facts.probed.values()].map(({ made, duration }) => made + duration)
  if (of === 'codecs' && !['H.264', '640x360', 'AAC', '48 kHz'].every((part) => text.includes(part))) return false
  if (of === 'fileReady' && ![...facts.files.values()].some(({ name }) => text.endsWith(`File ready: ${String(name)}`)))
    return false
  if (of === 'stalled') return push !== undefined && within(number(/[\d.]+ s/.exec(text)?.[0] ?? ''), push.pause, 1.5)
  if (['started', 'firstKeyFrame', 'codecs'].includes(of))
    return push === undefined || between(at, push.started, push.sending + 1500)
  if (of === 'recordingStarted') return begins.some((made) => within(at, made, 2500))
  return !['recordingEnded', 'fileReady'].includes(of) || ends.some((end) => between(at, end - 1000, end + 6000))
}

/** What each figure is compared with: true when it says the same. */
export const sources: Readonly<Record<string, (shown: ShownFigure, facts: Facts) => boolean>> = {
  lamp: ({ of, state }, facts) => {
    if (of === 'window') return state === facts.windowLamp
    return state === lampOf(facts.channels.get(of))
  },
  running: ({ text }, facts) => [...facts.pushes.values()].some((push) => isSince(text, push, facts)),
  recordingClock: ({ text }, facts) =>
    facts.windowLamp === 'recording' && [...facts.growing.values()].some((made) => isWritten(text, made, facts)),
  service: ({ text }, facts) =>
    facts.isDown || facts.hostedChosen
      ? /restarting|not answer|Not connected|stopped/i.test(text) === facts.isDown
      : text === 'Service running',
  address: ({ of, text }, facts) => text === `${of} ${new URL(facts.addresses[of] ?? '').host}`,
  // Asked every 5 s while the host answers; afterwards its last answer grows old.
  tallyAge: ({ text }, facts) => facts.hostedChosen && isAge(number(text), facts),
  hostedNote: ({ text }, facts) => facts.hostedChosen && isAge(number(text), facts),
  onAir: ({ text }, facts) => {
    const air = [...facts.details.values()].filter((one) => isAir(one['status'])).length
    return air === 0 ? text === (facts.details.size === 0 ? 'No channels' : 'None on air') : number(text) === air
  },
  recorded: ({ text }, facts) => number(text) === facts.growing.size,
  // No application of this test has a callback address.
  callbacks: () => false,
  disk: ({ text }, facts) => isSize(text, facts.free, 0.02),
  clock: ({ text }, facts) => [0, 1, 2, 3].some((back) => text.includes(clockAt(facts.now - back * 1000, facts))),
  zone: ({ text }, facts) => text === offsetAt(facts.now, facts),
  since: ({ of, text }, facts) => (isLive(facts, of) ? isSince(text, pushOf(facts, of), facts) : isDash(text)),
  kbps: ({ of, text }, facts) => {
    if (!isLive(facts, of === '' ? facts.cid : of)) return isDash(text)
    const push = pushOf(facts, of)
    return push !== undefined && within(number(text), push.kbps, push.kbps * 0.15)
  },
  filesRemoved: ({ text }, { removed }) => text === (removed === 0 ? '' : `${removed} deleted`),
  viewers: ({ of, text }, facts) => {
    const cid = of === '' ? facts.cid : of
    return isLive(facts, cid) ? number(text) === (facts.watching.get(cid) ?? 0) : isDash(text)
  },
  fps: ({ text }, facts) =>
    isLive(facts, facts.cid) ? within(number(text), pushOf(facts)?.fps ?? Number.NaN, 1.5) : isDash(text),
  // The encoder of the test is told to make a key frame every 2 s.
  keyFrameGap: ({ text }, facts) => (isLive(facts, facts.cid) ? within(number(text), 2, 0.1) : isDash(text)),
  delay: ({ text }, facts) =>
    isLive(facts, facts.cid) ? within(number(text), (facts.delay ?? Number.NaN) / 1000, 0.6) : isDash(text),
  dropped: ({ text }, facts) => (isLive(facts, facts.cid) ? isDropped(number(text), facts) : isDash(text)),
  // What it was in the last second before nobody could tell, or before the push ended: it is not measured again.
  last({ of, text }, facts) {
    const before = { kbps: [1300, 400], fps: [30, 3], keyFrameGap: [2, 0.3], viewers: [0, 0] }[of]
    return !isLive(facts, facts.cid) && before !== undefined && within(number(text), before[0]!, before[1]!)
  },
  // "Bitrate, frames, sound and clock are in their ranges.", or a cause with the figure that is out of its range.
  why({ text }, facts) {
    if (!isLive(facts, facts.cid)) return !/\d/.test(text)
    const push = pushOf(facts)
    if (!push) return false
    if (text.startsWith('Bitrate, frames, sound')) return push.kbps > 300 && push.fps > 25.5
    if (text.startsWith('Measured from the 5th second')) return facts.now - push.sending < 7000
    const said = number(text)
    if (text.includes('behind the clock')) return within(said, push.behind, 1)
    if (text.includes('ahead of the clock')) return within(said, -push.behind, 1)
    if (text.includes('frames a second arrive')) return within(said, push.fps, 1.5)
    // The sound and the interval of key frames are even, and so is the rate: any other sentence is untrue.
    return text.startsWith('The bitrate is') && within(said, push.kbps, push.kbps * 0.15)
  },
  delayBadge: ({ text }, facts) => within(number(text.replace(/^\D+/, '')), (facts.delay ?? Number.NaN) / 1000, 0.6),
  // "1,400 kbps · 30.0 fps · 30 dropped", as the player measures it.
  previewFigures: ({ text }, facts) => {
    const [kbps = Number.NaN, fps = Number.NaN, dropped = Number.NaN] = text.split(' · ').map(number)
    const push = pushOf(facts)
    return (
      push !== undefined &&
      within(kbps, push.kbps, push.kbps * 0.15) &&
      within(fps, push.fps, 2.5) &&
      isDropped(dropped, facts)
    )
  },
  // "−18.1 dB" of the encoder's tone, whose samples reach 1/8; a dash for the first 400 ms,
  // and words where nothing is measured.
  sound: ({ text }, facts) =>
    isDash(text) || ['Paused', 'Click once'].includes(text) || (isLive(facts, facts.cid) && isTone(text)),
  soundPeak: ({ text }, facts) => isLive(facts, facts.cid) && isTone(text),
  loudness: ({ text }, facts) => isLive(facts, facts.cid) && isTone(text),
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
    if (Number.isNaN(expires)) return isDash(text)
    const [, days, hours = 0, minutes = 0] = /(\d+) ?d(?: (\d\d):(\d\d))?/.exec(text) ?? []
    const left = (facts.keyEnds.get(of) ?? expires) - facts.now
    return within(
      Number(days) * dayLength + Number(hours) * 3_600_000 + Number(minutes) * 60_000,
      left,
      text.includes(':') ? 70_000 : dayLength,
    )
  },
  recordingSetting({ of, text }, facts) {
    const one = facts.channels.get(of)
    const format = one?.['format'] === 1 ? 'FLV' : 'MP4'
    // "MP4, 60 min slices", "MP4 · 60 min"
    const isSetting = text.startsWith(format) && Number(/\d+(?= min)/.exec(text)?.[0]) === one?.['duration']
    return one?.['needRecord'] === 1 ? isSetting : text === 'Off' || isSetting
  },
  recordingTime: ({ text }, facts) => isWritten(text, facts.growing.get(facts.cid), facts),
  // The file grows by a second at a time, and the screen is told once a second.
  recordingBytes: ({ text }, facts) =>
    within(size(text), facts.written, (((pushOf(facts)?.kbps ?? Number.NaN) * 1000) / 8) * 2),
  recordingCut({ text }, facts) {
    const slice = Number(facts.channels.get(facts.cid)?.['duration']) * 60_000
    const left = (facts.growing.get(facts.cid) ?? Number.NaN) + slice - facts.now
    return between(span(text), left - 500, left + 2500)
  },
  diskRoom({ text }, facts) {
    if (/[kMGT]B/.test(text)) return isSize(text, facts.free - facts.reserve, 0.02)
    const hours = ((facts.free - facts.reserve) * 8) / ((pushOf(facts)?.kbps ?? Number.NaN) * 1000) / 3600
    return within(number(text) / (text.endsWith('min') ? 60 : 1), hours, hours * 0.16)
  },
  // Of the title that is being entered.
  titleCount: ({ of, text }) => text === `${[...of].length} / 128`,
  // It is ready when its last second is written, some seconds after its begin and its length.
  readyFile({ of, text }, facts) {
    const file = facts.probed.get(of)
    if (!file) return false
    const isThen = [0, 1, 2, 3, 4, 5, 6].some((more) =>
      text.startsWith(clockAt(file.made + file.duration + more * 1000, facts)),
    )
    return isThen && isSize(text, file.bytes, 0.01)
  },
  logLine: (line, facts) =>
    line.at > facts.began &&
    line.at <= facts.now &&
    line.text.startsWith(clockAt(line.at, facts)) &&
    isLogged(line, facts),
  checks({ text }, { shown, ...facts }) {
    const wanted = checksOf({ ...facts, shown })
    const there = shown.filter(({ figure }) => figure === 'check')
    const ok = there.filter(({ of }) => wanted.get(of)).length
    return text === `${ok} of ${there.length}`
  },
  check({ of, state, text }, facts) {
    // No application of this test has a callback address.
    if (of === 'callback') return state !== 'ok'
    if ((state === 'ok') !== checksOf(facts).get(of)) return false
    if (state !== 'ok') return true
    if (of === 'service') return text.endsWith(new URL(facts.addresses['rtmp'] ?? '').host)
    if (of === 'codecs')
      return text.includes('H.264') && text.includes('360p30') && text.includes('AAC') && text.includes('48 kHz')
    return of !== 'gap' || within(number(/[\d.]+ s/.exec(text)?.[0] ?? ''), 2, 0.1)
  },
  begin: ({ of, text }, facts) =>
    [-1500, -1000, -500, 0].some((by) => {
      const at = (facts.probed.get(of)?.made ?? 0) + by
      // A part of a broadcast has its day in the row of that.
      return text === secondAt(at, facts) || text === clockAt(at, facts)
    }),
  broadcastBegan: ({ of, text }, facts) => text === dateAt(Number(facts.broadcasts.get(of)?.['began']), facts),
  broadcastLength({ of, text }, facts) {
    const { began, ended = facts.now } = facts.broadcasts.get(of) ?? {}
    return within(span(text), Number(ended) - Number(began), 3000)
  },
  broadcastBytes: ({ of, text }, facts) =>
    isSize(
      text,
      filesOf(facts, of).reduce((sum, vid) => sum + (facts.probed.get(vid)?.bytes ?? Number.NaN), 0),
      0.01,
    ),
  broadcastFiles({ of, text }, facts) {
    const count = filesOf(facts, of).length
    // Before the count may stand that it is on air.
    return count === 0 ? text.endsWith('not recorded') : Number(/\d+/.exec(text)?.[0]) === count
  },
  broadcastPeak: ({ of, text }, facts) => number(text) === facts.broadcasts.get(of)?.['peak'],
  // Of a run that the test is not told: what is in order and what is to be seen to are no more than all, and only off air.
  readyChecks({ text }, facts) {
    const [ready = 0, all = 0, rest = 0] = (text.match(/\d+/g) ?? []).map(Number)
    if (isAir(facts.channels.get(facts.cid)?.['status'])) return false
    return /^All good · [1-9]/.test(text) || (all > 0 && ready + rest <= all)
  },
  readyLine: ({ of, text }, facts) =>
    of === 'disk' ? isSize(text, facts.free, 0.05) : of === 'key' || !/\d/.test(text),
  part: ({ of, text }, facts) =>
    [...facts.broadcasts.keys()].some((id) => filesOf(facts, id).indexOf(of) + 1 === number(text)),
  duration: ({ of, text }, facts) => within(span(text), facts.probed.get(of)?.duration ?? Number.NaN, 1000),
  bytes: ({ of, text }, facts) => isSize(text, facts.probed.get(of)?.bytes ?? Number.NaN, 0.01),
  format: ({ of, text }, facts) => text === facts.probed.get(of)?.format,
  sum: ({ text }, { probed }) =>
    number(text) === probed.size &&
    isSize(text, sumOf(probed.values(), 'bytes'), 0.01) &&
    within(span(text), sumOf(probed.values(), 'duration'), probed.size * 1000),
  // Everything that the test makes stands on one page, in the week that ends today.
  page: ({ text }) => text === '1 / 1',
  range: ({ text }, facts) =>
    text === [6, 0].map((back) => dateAt(facts.now - back * dayLength, facts).slice(0, 10)).join(' – '),
  // The channels of this test hold nothing, have no delay and no targets.
  hold: ({ text }) => /\bOff\b/.test(text) && !/holding|growing|reached|see the rest|\d:\d/i.test(text),
  targets: ({ text }) => !/\d/.test(text),
  tick: ({ text }, facts) => [0, 1, 2, 3, 4, 5, 6].some((back) => text === dayAt(facts.now - back * dayLength, facts)),
}

/** Figures that a screen must show in a state, those of a channel or a file with whose they are: one that still loads has none of them. */
export function wantedFigures(screen: 'channels' | 'studio' | 'recordings', facts: Facts): readonly string[] {
  const each = (names: readonly string[], ids: Iterable<string>): string[] =>
    [...ids].flatMap((of) => names.map((name) => `${name} ${of}`))
  const frame = ['lamp window', 'service', 'clock', 'zone', 'onAir']
  if (facts.hostedChosen) frame.push('tallyAge')
  else frame.push('disk', ...each(['address'], ['api', 'media', 'rtmp']))
  if (facts.windowLamp !== 'idle') frame.push('running')
  if (facts.windowLamp === 'recording') frame.push('recordingClock', 'recorded')
  if (screen === 'channels') {
    const columns = [
      'lamp',
      'created',
      'recordingSetting',
      ...(facts.hostedChosen ? [] : ['since', 'kbps', 'viewers', 'keyLeft']),
    ]
    return [
      ...frame,
      ...each(['count'], ['all', 'onAir', 'armed', 'disabled']),
      ...(facts.hostedChosen ? ['hostedNote'] : []),
      'rows',
      ...each(columns, facts.channels.keys()),
    ]
  }
  if (screen === 'recordings') {
    const files = facts.hostedChosen ? [] : [...facts.probed.keys()]
    return [
      ...frame,
      'tick',
      'range',
      ...each(['begin', 'duration', 'bytes', 'format'], files),
      ...(files.length > 0 ? ['sum'] : []),
    ]
  }
  // Before a broadcast there is nothing else to measure.
  if (facts.shown.some(({ figure }) => figure === 'readyChecks')) return [...frame, `lamp ${facts.cid}`, 'keyLeft']
  const health = ['kbps', 'fps', 'keyFrameGap', 'delay', 'viewers', 'dropped', 'why', 'checks', 'keyLeft']
  return [
    ...frame,
    `lamp ${facts.cid}`,
    ...health,
    ...each(['check'], ['service', 'accepted', 'keyFrame', 'codecs', 'gap', 'preview']),
    ...(isLive(facts, facts.cid) ? ['previewFigures', 'delayBadge', 'logLine'] : []),
    ...(facts.channels.get(facts.cid)?.['needRecord'] === 1 ? ['recordingSetting'] : []),
    ...(facts.growing.has(facts.cid) ? ['recordingTime', 'recordingBytes', 'recordingCut', 'diskRoom'] : []),
  ]
}

/** Digits on the screens that are no figures. */
const unlisted: readonly RegExp[] = [
  // How long the panel reaches back that this button opens.
  /^Stream health: Last 10 minutes…$/,
  // How much is saved by this one.
  /^Recording: Clip last 60 s$/,
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
