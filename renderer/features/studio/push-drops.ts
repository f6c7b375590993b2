import { isPushEnd, type PushEnd as PushEndCode } from '../../../contract/push-ends.ts'
import type { HealthSample, PushTurn } from '../../../contract/rpc/index.ts'
import { gapAfter } from './health.ts'
import { refusalOf } from '../channels/push-refusals.ts'

/** An end, refusal or replacement of a push, or a loss of its encoder that a hold covered. */
export interface Drop {
  readonly at: number
  /** Of the locale: `streamHealth.dropIs.<says>`. */
  readonly says: string
  /** The service's text, for drops without a sentence. */
  readonly detail: string
  readonly from: string
  /** In ms without data of an encoder; null while that lasts, undefined for refusals. */
  readonly without: number | null | undefined
}

/** `service`: the service ended. */
export const endOf = (detail: string | null): PushEndCode | 'service' | 'other' =>
  detail === 'service' || (detail !== null && isPushEnd(detail)) ? detail : 'other'
const saysOf = (turn: PushTurn): string => {
  const { kind, detail } = turn
  if (kind === 'replaced') return 'replaced'
  if (kind === 'refused') return `refused_${refusalOf(turn).why}`
  return endOf(detail)
}
/** In ms from the last packet to the end of a push. */
const silenceOf = (says: string): number => (says === 'silent' ? 10_000 : 0)

/** How a push ended. */
export interface PushEnd {
  /** Time of the last packet, in ms. */
  readonly at: number
  readonly lost: boolean
  /** As its node of the service is gone. */
  readonly ofNode: boolean
  readonly stopped: boolean
  /** The picture was held from then until the end. */
  readonly held: boolean
}

const ofHold = new Set(['held', 'returned', 'holdEnded', 'started'])
/** Lines are newest first. Null during a push or if unknown. */
export function lastEnd(
  lines: readonly { readonly at: number; readonly kind: string; readonly detail: string | null }[],
): PushEnd | null {
  const newest = lines.find(({ kind }) => kind === 'started' || kind === 'ended' || kind === 'serviceLost')
  if (newest?.kind !== 'ended') return null
  const says = endOf(newest.detail)
  // A picture that was held until the end was lost when that began.
  const before = lines.find(({ at, kind }) => at <= newest.at && ofHold.has(kind))
  const held = before?.kind === 'held'
  const at = held ? before.at : newest.at - silenceOf(says)
  const ofNode = says === 'node'
  return { at, lost: says === 'lost' || says === 'silent' || ofNode, ofNode, stopped: says === 'stopped', held }
}

/** Drops, newest first, from `turns`, oldest first. */
export function dropsOf(turns: readonly PushTurn[]): Drop[] {
  const drops: Drop[] = []
  let back: number | null = null
  /** When the encoder returned of a hold, and the end of the push during one. */
  let returned: number | null = null
  let end: number | undefined
  for (const turn of [...turns].reverse()) {
    if (turn.kind === 'holdEnded' || turn.kind === 'returned') returned = turn.at
    else if (turn.kind === 'heldByHand' || turn.kind === 'heldWithoutPicture') returned = null
    else if (turn.kind === 'held') {
      const over = returned === null && end !== undefined ? drops[end] : undefined
      // A hold that ran out, or was ended, is one loss with the end of its push.
      if (over && end !== undefined && (over.says === 'lost' || over.says === 'silent'))
        drops[end] = { ...over, at: turn.at, without: over.without == null ? null : over.without + over.at - turn.at }
      else {
        const until = returned ?? over?.at ?? null
        drops.push({
          at: turn.at,
          says: 'held',
          detail: '',
          from: '',
          without: until === null ? null : until - turn.at,
        })
      }
      returned = null
    } else if (turn.kind === 'started') {
      back = turn.at
      returned = null
      end = undefined
    } else if (turn.kind === 'ended' || turn.kind === 'refused' || turn.kind === 'replaced') {
      const says = saysOf(turn)
      drops.push({
        at: turn.at,
        says,
        detail: turn.detail ?? '',
        from: refusalOf(turn).from,
        without: turn.kind === 'refused' ? undefined : back === null ? null : back - turn.at + silenceOf(says),
      })
      if (turn.kind === 'refused') continue
      // Earlier drops ended with their own start.
      back = null
      returned = null
      end = drops.length - 1
    }
  }
  return drops
}

const minute = 60_000
const known = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null)
const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
const least = (values: readonly number[]): number | null => (values.length === 0 ? null : Math.min(...values))

/** Newest first; figures without a sample are null. */
export function minutesOf(samples: readonly HealthSample[]) {
  return [...Map.groupBy(samples, ({ at }) => Math.floor(at / minute) * minute)]
    .sort(([a], [b]) => b - a)
    .map(([at, within]) => {
      const kbps = known(within.map((each) => each.kbps))
      const fps = known(within.map((each) => each.fps))
      const drift = known(within.map((each) => each.drift))
      return {
        at,
        kbpsLeast: least(kbps),
        kbpsMean: mean(kbps),
        fpsLeast: least(fps),
        fpsMean: mean(fps),
        maxDrift: drift.length === 0 ? null : Math.max(...drift),
      }
    })
}

/** Range of the chart, in ms. */
export const graphFor = 600_000

/** Times in s and values; null at gaps and starts of pushes (ms). */
export function lineOf(
  samples: readonly HealthSample[],
  starts: readonly number[],
  now: number,
  read: (sample: HealthSample) => number | null,
): [number[], (number | null)[]] {
  const times: number[] = []
  const values: (number | null)[] = []
  let before: number | null = null
  for (const sample of samples) {
    if (sample.at < now - graphFor) continue
    const last = before
    if (last !== null && (sample.at - last > gapAfter || starts.some((start) => start > last && start <= sample.at))) {
      // Between the two, as times must be ascending.
      times.push((last + Math.min(1_000, (sample.at - last) / 2)) / 1_000)
      values.push(null)
    }
    times.push(sample.at / 1_000)
    values.push(read(sample))
    before = sample.at
  }
  return [times, values]
}
