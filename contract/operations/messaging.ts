import { text, type Fields } from '../field.ts'
import type { Code } from '../errors.ts'
import { operation, type Operation, type RateRule } from '../operation.ts'

/** Codes listed for every operation of the messaging documents (2-messaging Endpoints). */
export const messagingCodes = [200, 403, 414, 416, 431, 500] as const satisfies readonly Code[]
/** Shape of an accid (2-messaging Account); it is compared and stored in lower case. */
export const accidPattern = '^[A-Za-z0-9_@.\\-]{1,32}$'

/** An account as a parameter that must be present. */
export const accid = (summary: string) => text({ summary, required: true, max: 32, pattern: accidPattern, fold: true })
/** An account inside an array. */
export const accidElement = text({ max: 32, pattern: accidPattern, fold: true })

/** Seconds for which a caller is refused after a 416 with a stated block (behaviour.md#rate-limits). */
export const blockSeconds = 10
/** A rate of document 2 over a minute. */
export const perMinute = (per: RateRule['per'], calls: number, block = 0): RateRule => ({
  per,
  calls,
  seconds: 60,
  code: 416,
  block,
})

/** Defines an operation of the messaging documents, of document 2 where none is given: a form with the listed codes, where everything wrong with a parameter is a 414 (behaviour.md#codes-of-an-operation). */
export const messagingOperation = <const P extends Fields, const A extends Fields>(
  group: string,
  path: string,
  summary: string,
  parameters: P,
  answer: A,
  more: Partial<Pick<Operation, 'codes' | 'document' | 'encoding' | 'foreign' | 'pending' | 'rates' | 'unknown'>> = {},
): Operation<P, A> =>
  operation<P, A>({
    path: `${path}.action`,
    document: 2,
    group,
    encoding: 'form',
    summary,
    parameters,
    answer,
    codes: messagingCodes,
    invalid: 414,
    unknown: 414,
    foreign: 414,
    fault: 500,
    ...more,
  })
