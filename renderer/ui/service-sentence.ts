import type { ServiceState } from '../../contract/rpc/state.ts'
import { sayReason } from './reasons.ts'

/** Translates a key to the page's language. */
export type Say = (key: string, named?: Readonly<Record<string, string | number>>, plural?: number) => string

/** How the service ended. */
export function serviceEnd(end: ServiceState['reason'], t: Say): string {
  return end === null ? t('service.noReason') : sayReason(t, 'service', end)
}

/** One sentence on why the service is down and what happens next. */
export function serviceSentence(
  fault: Pick<ServiceState, 'phase' | 'reason' | 'nextAttempt' | 'attempt' | 'attempts'>,
  now: number,
  t: Say,
  language: 'en' | 'zh',
): string {
  // A full-width stop includes its space.
  const stop = language === 'zh' ? '。' : '. '
  const reason = serviceEnd(fault.reason, t)
  const cause = `${reason.slice(0, 1).toUpperCase()}${reason.slice(1).replace(/[.!?。]$/, '')}${stop}`
  if (fault.phase === 'stopped') return cause + t('service.stoppedNext')
  const seconds = fault.nextAttempt === null ? 0 : Math.max(0, Math.ceil((fault.nextAttempt - now) / 1_000))
  if (seconds > 0) return cause + t('service.next', { seconds, n: Math.max(0, fault.attempts - fault.attempt + 1) })
  // A restart by hand is not counted.
  return (
    cause +
    (fault.attempt === 0
      ? t('service.nowByHand')
      : t('service.now', { attempt: fault.attempt, attempts: fault.attempts }))
  )
}
