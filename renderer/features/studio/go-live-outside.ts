import { reaches } from '../../../contract/operations/reach.ts'
import type { Target } from '../../../contract/rpc/targets.ts'
import { isGoing } from '../channels/targets.ts'
import { missingOf } from '../share/reach-reasons.ts'
import { loadOf, megabits } from '../targets/target-words.ts'
import type { GoLiveFacts, GoLiveLine } from './go-live-facts.ts'
import { failed, fixOf, line, waiting } from './go-live-line.ts'

/** A certificate is told to end soon from here on; ms. */
const day = 86_400_000
const certificateSoon = 14 * day

/** Who can watch: whether anybody gets in, and whether the chosen reach works. */
export function shareLine({ share, local, extended, now }: GoLiveFacts): GoLiveLine {
  if (!extended) return line('share', { state: 'none', says: 'share.none' })
  if (share === null) return waiting('share')
  if ('failure' in share) return failed('share', share.failure, fixOf(share.failure, local))
  if (share.value === null) return line('share', { state: 'none', says: 'share.none' })
  const { access, reach } = share.value
  const way = reaches.find((one) => one === reach.reach) ?? 'computer'
  /** Which words there are of a way that names a computer: this one, or that of the service. */
  const at = local || (way !== 'computer' && way !== 'port') ? way : `${way}There`
  const told = (state: 'warn' | 'fault', says: string, more: Partial<GoLiveLine> = {}): GoLiveLine =>
    line('share', { state, says: `share.${says}`, fix: 'share', ...more })
  if (access.closed) return told('fault', 'closed')
  const missing = missingOf(reach)
  if (missing === 'measuring') return told('warn', 'measuring')
  if (missing !== null)
    return told('fault', `fault_${at}`, {
      cause: missing === 'other' ? 'goLive.share.unsaid' : `share.why.${missing}`,
    })
  const { certificate } = reach
  if (way === 'port' && certificate) {
    const left = certificate.expires - now
    if (left <= 0) return told('fault', 'expired')
    if (reach.certificateFault !== undefined) return told('warn', 'certificate')
    const days = Math.ceil(left / day)
    if (left < certificateSoon) return told('warn', 'expires', { named: { n: days }, count: days })
  }
  const isGood = ({ revoked, expires }: (typeof access.links)[number]): boolean =>
    revoked === undefined && (expires === undefined || expires > now)
  if (access.mode === 'links' && !access.links.some(isGood)) return told('warn', 'nobody')
  if ((way === 'port' || way === 'proxy') && reach.encryption === 'none') return told('warn', 'plain')
  if (reach.results.find((one) => one.reach === way)?.state === 'unchecked') return told('warn', 'unchecked')
  return line('share', { state: 'ok', says: `share.ok_${at}` })
}

/** Where else the push goes: a line for each target that somebody should see to, and one for their load. */
export function targetsLines({ targets, local, extended }: GoLiveFacts): GoLiveLine[] {
  if (!extended) return [line('targets', { state: 'none', says: 'targets.none' })]
  if (targets === null) return [waiting('targets')]
  if ('failure' in targets) return [failed('targets', targets.failure, fixOf(targets.failure, local))]
  if (targets.value === null) return [line('targets', { state: 'none', says: 'targets.none' })]
  const { targets: all, needs, budget } = targets.value
  const told = (state: 'warn' | 'fault', saysOf: (target: Target) => string, those: readonly Target[]): GoLiveLine[] =>
    those.map((target) =>
      line('targets', {
        state,
        says: `targets.${saysOf(target)}`,
        named: { name: target.name, ...(target.answer && { answer: target.answer }) },
        fix: 'target',
        targetId: target.targetId,
      }),
    )
  // Off air a target without a key has no state of its own.
  const isKeyless = ({ state, start, hasKey }: Target): boolean =>
    state === 'noKey' || (state !== 'refused' && start === 'push' && !hasKey)
  const load = loadOf(needs, budget)
  const found = [
    ...told(
      'fault',
      ({ answer }) => (answer ? 'refusedSays' : 'refused'),
      all.filter(({ state }) => state === 'refused'),
    ),
    ...told('warn', () => 'noKey', all.filter(isKeyless)),
    ...told(
      'warn',
      () => 'troubled',
      all.filter((one) => (one.state === 'retrying' || one.state === 'stalled') && !isKeyless(one)),
    ),
    ...(load === 'over' || load === 'near'
      ? [
          line('targets', {
            state: load === 'over' ? 'fault' : 'warn',
            says: `targets.${load}`,
            named: { needs: megabits(needs), budget: megabits(budget) },
            fix: 'share',
          }),
        ]
      : []),
  ]
  if (found.length > 0) return found
  const going = all.filter(({ start, state }) => start === 'push' || isGoing(state)).length
  return [
    going === 0
      ? line('targets', { state: 'ok', says: 'targets.nowhere' })
      : line('targets', { state: 'ok', says: 'targets.ok', named: { n: going }, count: going }),
  ]
}
