import type { Target } from '../../../contract/rpc/targets.ts'
import type { Say } from '../../ui/service-sentence.ts'
import type { LampState } from '../../ui/tally.ts'

/** Shape and colour of a state; `dot` is that of something that runs well. */
interface StateLook {
  readonly shape: LampState | 'dot'
  readonly tone: string
}

const fault: StateLook = { shape: 'fault', tone: 'text-armt' }
const ring: StateLook = { shape: 'idle', tone: 'text-t2' }
const looks: Readonly<Record<Target['state'], StateLook>> = {
  off: ring,
  connecting: ring,
  waiting: ring,
  sending: { shape: 'dot', tone: 'text-ok' },
  stalled: fault,
  retrying: fault,
  refused: fault,
  noKey: fault,
  stopped: ring,
}

/** What is around a target. */
export interface Around {
  readonly t: Say
  /** Time of day as text. */
  readonly clock: (at: number) => string
  readonly now: number
  readonly live: boolean
  /** The push is held by hand, and targets are sent no picture. */
  readonly noPicture: boolean
  readonly hasKeychain: boolean
}

/** Whether a server that refused named the key; a key that is in use already is not wrong. */
const namesKey = ({ answer }: Pick<Target, 'answer'>): boolean =>
  /\bkeys?\b|BadName|stream ?name/i.test(answer ?? '') && !/already|in use/i.test(answer ?? '')

/** Whether what helps a target is its key. */
export const isKeyAsked = (target: Target): boolean =>
  !target.hasKey || (target.state === 'refused' && (!target.answer || namesKey(target)))

/** The state as it is told: also before a push it is the key that is missing. */
export const toldState = ({ state, hasKey }: Pick<Target, 'state' | 'hasKey'>): Target['state'] =>
  state === 'off' && !hasKey ? 'noKey' : state

/** Starts with the next push. */
const isReady = (target: Target, live: boolean): boolean =>
  target.state === 'off' && target.start === 'push' && target.hasKey && !live

/** The state of a target in a word, with its look and what is to be said of it. */
export function targetWords(target: Target, { t, clock, now, live, noPicture, hasKeychain }: Around) {
  const state = toldState(target)
  const { since, nextTry, tries, reason, answer } = target
  const ready = isReady(target, live)
  const time = clock(since)
  const said = answer === null || answer === '' ? '' : t('targets.said', { answer })
  const next = t(
    said === '' ? 'targets.refusedUnsaid' : namesKey(target) ? 'targets.refusedNext' : 'targets.refusedSaid',
  )
  const fails = (): string => {
    // `now` is up to a second behind: rounded up, the longest wait would be told a second longer.
    const s = nextTry === null ? 0 : Math.floor((nextTry - now) / 1_000)
    const facts = { reason: t(`targets.reason.${reason ?? 'fault'}`), time, n: tries, s }
    // The connection that was lost is no try.
    if (tries === 0) return t(s > 0 ? 'targets.lostSoon' : 'targets.lost', facts)
    return t(s > 0 ? 'targets.triesSoon' : 'targets.tries', facts)
  }
  const why = (): string => {
    switch (state) {
      case 'waiting':
        return noPicture ? t('targets.noPicture') : t('targets.since', { time })
      case 'sending':
        return t('targets.since', { time })
      case 'retrying':
        return fails()
      case 'refused':
        return said === '' ? next : said
      case 'noKey':
        if (target.keyForgotten) return t('targets.keyForgotten')
        if (target.keyGone) return t(hasKeychain ? 'targets.keyGone' : 'targets.keyGoneSession')
        return t('targets.noKeyNext')
      case 'stalled':
        return target.kbps === 0 ? t('targets.stalledSince', { time }) : t('targets.stalledNext')
      case 'stopped':
        return t('targets.since', { time })
      case 'connecting':
        return reason === null ? t('targets.since', { time }) : fails()
      case 'off':
        return target.start === 'hand' ? t('targets.byHand') : ready ? t('targets.readyNext') : ''
    }
  }
  return {
    word: t(`targets.state.${ready ? 'ready' : state}`),
    look: looks[state],
    why: why(),
    /** The server's own words, where they do not stand alone. */
    more: state === 'retrying' ? said : state === 'refused' && said !== '' ? next : '',
  }
}

/** The same of a target of which nothing is heard. */
export const unknownWords = (t: Say) => ({ word: t('tally.unknown'), look: ring, why: '', more: '' })

/** kbit/s as Mbit/s. */
export const megabits = (kbps: number): string => (kbps / 1_000).toFixed(1)

/** How near targets come to the upload limit. */
export const loadOf = (needs: number, budget: number): 'none' | 'fine' | 'near' | 'over' =>
  budget === 0 ? 'none' : needs > budget ? 'over' : needs > budget * 0.9 ? 'near' : 'fine'
