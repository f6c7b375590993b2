import { isPushEnd, type PushEnd as PushEndCode } from '../../../contract/push-ends.ts'
import type { HealthSample, PushTurn } from '../../../contract/rpc/index.ts'
import { gapAfter } from './health.ts'
import { refusalOf } from '../channels/push-refusals.ts'

/** A drop of a push. */
export interface Drop {
  readonly at: number
  /** Which sentence of the locale it has: `streamHealth.dropIs.<says>`. */
  readonly says: string
  /** What the service said, for what has no sentence of its own. */
  readonly detail: string
  /** Where a refused push came from; empty where that is not told. */
  readonly from: string
  /** For how many ms viewers had nothing; null while that goes on; undefined where nothing had to come back. */
  readonly without: number | null | undefined
}

/** Why a push ended, by the code in its event. `service` is what the app says where the service went. */
export const endOf = (detail: string | null): PushEndCode | 'service' | 'other' =>
  detail === 'service' || (detail !== null && isPushEnd(detail)) ? detail : 'other'
const saysOf = (turn: PushTurn): string => {
  const { kind, detail } = turn
  if (kind === 'replaced') return 'replaced'
  if (kind === 'refused') return `refused_${refusalOf(turn).why}`
  return endOf(detail)
}
/** A push ends so long after the last that came of it, in ms. */
const silenceOf = (says: string): number => (says === 'silent' ? 10_000 : 0)

/** How the last push ended. */
export interface PushEnd {
  /** When the last of it came, in ms. */
  readonly at: number
  /** Nobody ended it: the connection to the encoder was lost. */
  readonly lost: boolean
  /** The encoder said that it stops. */
  readonly stopped: boolean
}

/** How the last push ended; lines are newest first. Null while one runs or none is known. */
export function lastEnd(
  lines: readonly { readonly at: number; readonly kind: string; readonly detail: string | null }[],
): PushEnd | null {
  const newest = lines.find(({ kind }) => kind === 'started' || kind === 'ended' || kind === 'serviceLost')
  if (newest?.kind !== 'ended') return null
  const says = endOf(newest.detail)
  return { at: newest.at - silenceOf(says), lost: says === 'lost' || says === 'silent', stopped: says === 'stopped' }
}

/** How pushes ended, were refused or replaced, newest first, and how long viewers had nothing. `turns` are oldest first. */
export function dropsOf(turns: readonly PushTurn[]): Drop[] {
  const drops: Drop[] = []
  let back: number | null = null
  for (const turn of [...turns].reverse()) {
    if (turn.kind === 'started') back = turn.at
    else {
      const says = saysOf(turn)
      drops.push({
        at: turn.at,
        says,
        detail: turn.detail ?? '',
        from: refusalOf(turn).from,
        without: turn.kind === 'refused' ? undefined : back === null ? null : back - turn.at + silenceOf(says),
      })
      // What ended before this end came back with its own begin.
      if (turn.kind !== 'refused') back = null
    }
  }
  return drops
}

const minute = 60_000
const known = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null)
const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
const least = (values: readonly number[]): number | null => (values.length === 0 ? null : Math.min(...values))

/** The minutes in which something was measured, newest first; figures without a sample are null. */
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

/** How far the graph reaches back, in ms. */
export const graphFor = 600_000

/** Times in s and one figure of each; gaps and the starts of pushes (ms) break the line with null. */
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
      // Between the two, where a graph takes times in ascending order only.
      times.push((last + Math.min(1_000, (sample.at - last) / 2)) / 1_000)
      values.push(null)
    }
    times.push(sample.at / 1_000)
    values.push(read(sample))
    before = sample.at
  }
  return [times, values]
}
