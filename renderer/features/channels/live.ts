import { defineStore } from 'pinia'
import { reactive, ref, shallowReactive } from 'vue'
import { holdTurns, type HoldReasons } from '../../../contract/hold-turns.ts'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { PushTurn } from '../../../contract/rpc/health.ts'
import type { Figures, Tally } from '../../../contract/rpc/state.ts'
import type { Failure } from '../../data/failure.ts'
import type { LogLine } from './log-line.ts'
import { isOfHold, recalledLines } from './recalled-lines.ts'
import { maxRefusals } from './push-refusals.ts'
import { createTargetLines } from './target-lines.ts'

export type { LogLine } from './log-line.ts'

/** The last tallies of a profile. */
export interface TallySlice {
  /** By the companion's clock, in ms; null before the first answer. */
  readonly at: number | null
  readonly source: 'event' | 'poll'
  readonly fault: string | null
  readonly failure: Failure | null
  /** Time of the last tallies without a fault, by the page's clock. */
  readonly heard: number
  readonly byCid: ReadonlyMap<string, Tally>
}

/** Figures and two minutes of history. */
export interface FigureSlice {
  readonly at: number
  readonly figures: Figures | null
  readonly last: Figures | null
  readonly history: readonly { readonly at: number; readonly figures: Figures }[]
}

/** Only pushes with media have these; files may become ready after the next push began. */
const ofMedia = new Set<LogLine['kind']>(['firstKeyFrame', 'codecs', 'recordingStarted'])
const ends = new Set<LogLine['kind']>(['ended', 'serviceLost'])
/** Index of the start of the newest push that has media or may get it; -1 for none. */
function beginOf(lines: readonly LogLine[]): number {
  let newer = 0
  for (const [index, { kind, at }] of lines.entries()) {
    if (kind !== 'started') continue
    const own = lines.slice(newer, index)
    const isOver = own.some((line) => ends.has(line.kind))
    if (
      !isOver ||
      own.some((line) => ofMedia.has(line.kind)) ||
      lines.slice(index).some((line) => ofMedia.has(line.kind) && line.at >= at - startSpread)
    )
      return index
    newer = index + 1
  }
  return lines.findIndex(({ kind }) => kind === 'started')
}
/** Lines of the newest push with media, without later attempts. */
export function pushOf(lines: readonly LogLine[]): readonly LogLine[] {
  const begin = beginOf(lines)
  const next = lines.slice(0, Math.max(begin, 0)).findLastIndex(({ kind }) => kind === 'started')
  return begin < 0 ? lines : lines.slice(next + 1, begin + 1)
}
/** As `pushOf`, with later attempts. */
export function broadcastOf(lines: readonly LogLine[]): readonly LogLine[] {
  const newest = beginOf(lines)
  return newest < 0
    ? lines
    : lines.filter((line, index) => index <= newest || line.at >= (lines[newest]?.at ?? 0) - startSpread)
}

/** Lines of a push may be this much older than its start, in ms. */
const startSpread = 1_000
const historyFor = 120_000
/** Window of the mean, in ms. */
const rateOver = 60_000
const maxLog = 200

/** Tallies, figures and logs, by profile and channel. */
export const useLive = defineStore('live', () => {
  const tallies = shallowReactive(new Map<string, TallySlice>())
  const figures = shallowReactive(new Map<string, FigureSlice>())
  const logs = reactive(new Map<string, LogLine[]>())
  const recordings = new Map<string, string>()
  /** Why pictures are held. */
  const holds = new Map<string, HoldReasons>()
  /** Channels of whose hold something was told. */
  const heldBefore = new Set<string>()
  const servicePhase = ref<string | null>(null)
  /** The service ended, or was not running when the page started. */
  let wasAway = false
  const key = (profileId: string, cid: string): string => `${profileId}/${cid}`

  const write = (profileId: string, cid: string, written: Pick<LogLine, 'at' | 'kind'> & Partial<LogLine>): void => {
    const line: LogLine = { detail: null, remedy: null, ...written }
    const lines = logs.get(key(profileId, cid)) ?? []
    // A new subscription repeats the last events; the reason of a target's state may be another one by then.
    const isKnown = (each: LogLine): boolean =>
      each.at === line.at &&
      each.kind === line.kind &&
      (line.kind.startsWith('target') ? each.detail === line.detail : each.remedy === line.remedy)
    if (lines.some(isKnown)) return
    let refusals = 0
    // The newest first, and of two of the same moment the one that came later.
    const bounded = [line, ...lines]
      .sort((a, b) => b.at - a.at)
      .filter(({ kind }) => kind !== 'refused' || ++refusals <= maxRefusals)
    logs.set(key(profileId, cid), bounded.slice(0, maxLog))
  }
  const targets = createTargetLines(write, (profileId, cid) =>
    [1, 3].includes(tallies.get(profileId)?.byCid.get(cid)?.status ?? 0),
  )
  /** Two seconds without data, dated by their start. */
  const watchSilence = (
    { profileId, cid }: { readonly profileId: string; readonly cid: string },
    history: FigureSlice['history'],
  ): void => {
    const [heard, first, second] = history.slice(-3)
    if (
      heard &&
      heard.figures.kbps !== null &&
      heard.figures.kbps > 0 &&
      first?.figures.kbps === 0 &&
      second?.figures.kbps === 0
    )
      write(profileId, cid, { at: heard.at, kind: 'silent' })
  }
  const measure = (event: Extract<AppEvent, { type: 'figures' }>): void => {
    const at = key(event.profileId, event.cid)
    const old = figures.get(at)
    const history = (old?.history ?? []).filter((sample) => sample.at > event.at - historyFor && sample.at !== event.at)
    const grown = event.figures ? [...history, { at: event.at, figures: event.figures }] : history
    figures.set(at, { at: event.at, figures: event.figures, last: event.figures ?? old?.last ?? null, history: grown })
    if (event.figures) watchSilence(event, grown)
  }
  const watchRecording = ({ profileId, cid, at, recording }: Extract<AppEvent, { type: 'recording' }>): void => {
    // A stale state says nothing about the recording.
    if (tallies.get(profileId)?.fault != null) return
    const before = recordings.get(key(profileId, cid))
    recordings.set(key(profileId, cid), recording.state)
    if (before === recording.state) return
    if (recording.state === 'recording')
      write(profileId, cid, { at: before === undefined ? (recording.since ?? at) : at, kind: 'recordingStarted' })
    else if (recording.state === 'stopped')
      write(profileId, cid, { at, kind: 'recordingStopped', remedy: `recording_${recording.reason ?? 'error'}` })
    else if (before === 'recording') write(profileId, cid, { at, kind: 'recordingEnded' })
  }
  const watchHold = ({ profileId, cid, at, hold }: Extract<AppEvent, { type: 'hold' }>): void => {
    const { now, turns } = holdTurns(holds.get(key(profileId, cid)), hold, at)
    if (now) holds.set(key(profileId, cid), now)
    // Null is not known for now: what becomes of it is told after the gap.
    else if (hold) holds.delete(key(profileId, cid))
    const isFirst = !heldBefore.has(key(profileId, cid))
    heldBefore.add(key(profileId, cid))
    // What the companion kept is better known.
    if (isFirst && logs.get(key(profileId, cid))?.some(isOfHold)) return
    for (const turn of turns) write(profileId, cid, { ...turn, ...(isFirst && { isGuess: true }) })
  }
  const cidsOf = (profileId: string): { readonly cid: string; readonly status: number }[] => [
    ...(tallies.get(profileId)?.byCid.values() ?? []),
  ]
  /** For recordings that end without an event: while the state is stale, or with the service. */
  const endRecording = (profileId: string, cid: string, at: number): void => {
    if (recordings.get(key(profileId, cid)) !== 'recording') return
    recordings.set(key(profileId, cid), 'off')
    write(profileId, cid, { at, kind: 'recordingEnded' })
  }
  /** A service that ended sends no events. */
  const endAll = (at: number): void => {
    for (const of of holds.keys()) if (of.startsWith('local/')) holds.delete(of)
    for (const { cid, status } of cidsOf('local')) {
      endRecording('local', cid, at)
      if (status === 1 || status === 3) write('local', cid, { at, kind: 'ended', detail: 'service' })
    }
  }
  const takeTallies = (event: Extract<AppEvent, { type: 'tallies' }>, at: number): void => {
    const before = tallies.get(event.profileId)
    const isBack = before !== undefined && before.fault !== null && event.fault === null
    tallies.set(event.profileId, {
      at: event.at,
      source: event.source,
      fault: event.fault,
      failure: event.failure ?? null,
      heard: event.fault === null ? at : (before?.heard ?? Number.NEGATIVE_INFINITY),
      byCid: new Map(event.tallies.map((tally) => [tally.cid, tally])),
    })
    if (isBack)
      for (const { cid, status } of cidsOf(event.profileId))
        if (status !== 3) endRecording(event.profileId, cid, event.at ?? at)
  }
  const watchService = (event: Extract<AppEvent, { type: 'service' }>, at: number, cids: readonly string[]): void => {
    const { phase, attempt, reason } = event.service
    const stamp = `${phase}/${attempt}`
    const before = servicePhase.value
    servicePhase.value = stamp
    const wentAway = wasAway
    wasAway = phase === 'running' ? false : wasAway || phase !== 'starting' || before?.startsWith('running') === true
    if (before === null || before === stamp) return
    const wasUp = before.startsWith('running')
    // Further attempts to start are no events.
    if (phase === 'starting' || (phase === 'running' && !wentAway)) return
    const kind = phase === 'running' ? 'serviceBack' : wasUp || phase === 'stopped' ? 'serviceLost' : 'serviceRestart'
    if (kind === 'serviceLost') endAll(event.service.since ?? at)
    for (const cid of cids)
      write('local', cid, {
        at: kind === 'serviceLost' ? (event.service.since ?? at) : at,
        kind,
        detail: kind === 'serviceRestart' && attempt > 0 ? String(attempt) : null,
        ...(kind === 'serviceLost' && { end: reason }),
      })
  }

  return {
    tallies,
    markStale: (): void => {
      for (const [profileId, slice] of tallies) tallies.set(profileId, { ...slice, fault: slice.fault ?? 'lost' })
    },
    figuresOf: (profileId: string, cid: string): FigureSlice | undefined => figures.get(key(profileId, cid)),
    /** Of all recordings, over the last minute with data; null if unknown. */
    recordedKbps: (profileId: string, cid: string): number | null => {
      const kbpsOf = (each: string): number | null => {
        const slice = figures.get(key(profileId, each))
        if (!slice?.figures) return null
        const rates = slice.history.flatMap(({ at, figures: { kbps } }) =>
          at > slice.at - rateOver && kbps ? kbps : [],
        )
        return rates.length === 0 ? null : rates.reduce((sum, kbps) => sum + kbps, 0) / rates.length
      }
      const own = kbpsOf(cid)
      if (own === null) return null
      const others = [...(tallies.get(profileId)?.byCid.values() ?? [])].filter(
        (one) => one.status === 3 && one.cid !== cid,
      )
      return others.reduce((sum, one) => sum + (kbpsOf(one.cid) ?? 0), own)
    },
    logOf: (profileId: string, cid: string): readonly LogLine[] => logs.get(key(profileId, cid)) ?? [],
    marked: (profileId: string, cid: string, at: number): void => write(profileId, cid, { at, kind: 'marked' }),
    /** Adds what the companion kept of pushes, holds and targets, as after a page was loaded again. Oldest first. */
    recall: (profileId: string, cid: string, turns: readonly PushTurn[]): void => {
      const at = key(profileId, cid)
      const lines = logs.get(at) ?? []
      const kept = turns.some(isOfHold) ? lines.filter(({ isGuess }) => !isGuess) : lines
      if (kept.length < lines.length) logs.set(at, kept)
      for (const line of recalledLines(profileId, cid, turns, kept)) write(profileId, cid, line)
    },
    /** What was done here about who watches and how late. */
    done: (
      { profileId, cid }: { readonly profileId: string; readonly cid: string },
      line: { readonly at: number; readonly kind: 'turnedOff' | 'turnedOn' | 'delaySet' | 'dumped'; count?: number },
    ): void => write(profileId, cid, line),
    /** `watched`: channels whose logs get faults of the embedded service. */
    apply: (event: AppEvent, at: number, watched: readonly string[]): void => {
      if (event.type === 'tallies') takeTallies(event, at)
      else if (event.type === 'figures') measure(event)
      else if (event.type === 'push') {
        if (event.kind === 'started') targets.begin(event.profileId, event.cid)
        // No hold lasts over it.
        if (event.kind === 'started' || event.kind === 'ended') holds.delete(key(event.profileId, event.cid))
        write(event.profileId, event.cid, {
          at: event.at,
          kind: event.kind,
          detail: event.detail,
          remedy: event.remedy,
          from: event.from,
        })
      } else if (event.type === 'recording') watchRecording(event)
      else if (event.type === 'target') targets.watch(event)
      else if (event.type === 'hold') watchHold(event)
      else if (event.type === 'recorded')
        write(event.profileId, event.cid, {
          at: event.at,
          kind: event.clip ? 'clipped' : event.merged ? 'merged' : 'fileReady',
          detail: event.name,
        })
      else if (event.type === 'service') watchService(event, at, watched)
    },
  }
})
