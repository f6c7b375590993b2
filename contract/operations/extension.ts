import type { Fields } from '../field.ts'
import { operation, type Operation } from '../operation.ts'
import { liveCodesWith } from './live.ts'

/** An operation of the embedded service beyond the three documents, under `/local/`. */
export const extension = <const P extends Fields, const A extends Fields>(
  path: string,
  group: string,
  summary: string,
  parameters: P,
  answer: A,
  more: Partial<Pick<Operation, 'codes' | 'unknown' | 'foreign' | 'pending' | 'startFlag' | 'stream'>> = {},
): Operation<P, A> =>
  operation<P, A>({
    path: `/local/${path}`,
    document: 'local',
    group,
    encoding: 'json',
    summary,
    parameters,
    answer,
    codes: liveCodesWith(501, 617, 618, 631),
    invalid: 631,
    unknown: 618,
    foreign: 617,
    fault: 501,
    ...more,
  })
/** For operations without a target, which cannot be unknown or foreign. */
export const general = { codes: liveCodesWith(501, 631), unknown: 631, foreign: 631 } as const
