import type { LogLine } from '../channels/live.ts'
import { endOf, lastEnd } from './push-drops.ts'
import { refusalOf } from '../channels/push-refusals.ts'
import { serviceEnd, type Say } from '../../ui/service-sentence.ts'

/** `te`: whether a key exists. */
export interface Words {
  readonly t: Say
  readonly te: (key: string) => boolean
}

/** The encoder was lost. */
export const isLostEnd = (line: LogLine): boolean => lastEnd([line])?.lost === true

/** What happened, the service's reason and what to do. */
export function broadcastWords(
  line: LogLine,
  { t, te }: Words,
  /** The picture was held until this end. */
  held = false,
): { readonly said: string; readonly more: string; readonly remedy: string } {
  if (line.kind === 'targetDropped' || line.kind === 'delaySet' || line.kind === 'dumped') {
    const n = line.count ?? 0
    return { said: t(`log.${line.kind}`, { n, detail: line.detail ?? '' }, n), more: '', remedy: '' }
  }
  if (line.kind === 'holdEnded' && line.later !== undefined)
    return { said: t('log.holdEndedLater', { detail: line.detail ?? '', n: line.later }), more: '', remedy: '' }
  if (held && isLostEnd(line)) return { said: t('log.holdOver'), more: '', remedy: '' }
  if (line.kind === 'targetRetrying' || line.kind === 'targetRefused') {
    const why = `log.targetWhy.${line.remedy}`
    const reason = te(why) ? t(why) : t('log.targetWhy.fault')
    const more = line.answer ? t('log.targetSaid', { answer: line.answer }) : ''
    return { said: t(`log.${line.kind}`, { detail: line.detail ?? '', reason }), more, remedy: '' }
  }
  const refusal = line.kind === 'refused' ? refusalOf(line) : null
  const named = refusal && refusal.why !== 'other' ? refusal.why : line.remedy
  const remedy =
    named !== null && te(`log.remedy.${named}`) ? t(`log.remedy.${named}`, { from: refusal?.from ?? '' }) : ''
  const tells = (line.kind === 'refused' && remedy === '') || line.kind === 'ended' || line.kind === 'replaced'
  const isLost = isLostEnd(line)
  const key = isLost ? 'lost' : line.kind === 'serviceRestart' && line.detail === null ? 'serviceStart' : line.kind
  const detail = line.kind === 'stalled' ? (Number(line.detail) / 1_000).toFixed(1) : (line.detail ?? '')
  const why = endOf(line.detail)
  const end = `log.end.${why}`
  // A replaced or lost push has no reason besides the sentence.
  const more =
    (line.kind === 'ended' || line.kind === 'replaced') && why !== 'other'
      ? te(end)
        ? t(end)
        : ''
      : (line.detail ?? '')
  if (line.kind === 'serviceLost')
    return { said: t('log.serviceLost'), more: line.end ? serviceEnd(line.end, t) : '', remedy }
  return { said: t(`log.${key}`, { detail }), more: tells ? more : '', remedy }
}
