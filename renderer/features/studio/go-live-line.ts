import type { Failure } from '../../data/failure.ts'
import type { Fix, GoLiveLine, LineName } from './go-live-facts.ts'

type Draft = Pick<GoLiveLine, 'state' | 'says'> & Partial<GoLiveLine>
/** A line, in its usual form but for what a draft says. */
export const line = (name: LineName, draft: Draft): GoLiveLine => ({
  name,
  named: {},
  count: null,
  failure: null,
  cause: null,
  from: name,
  fix: null,
  targetId: null,
  ...draft,
})
/** A line of which nothing is known yet. */
export const waiting = (name: LineName, says = 'wait'): GoLiveLine => line(name, { state: 'wait', says })

/** What helps when a call failed. */
export const fixOf = (failure: Failure, local: boolean): Fix =>
  failure.kind === 'down'
    ? 'restart'
    : !local &&
        ['unreachable', 'refused', 'plain', 'certificate', 'signature', 'secret', 'notOurs'].includes(failure.kind)
      ? 'profiles'
      : 'again'
/** A line whose call failed. */
export const failed = (name: LineName, failure: Failure, fix: Fix): GoLiveLine =>
  line(name, { state: 'fault', says: 'wait', failure, fix })
