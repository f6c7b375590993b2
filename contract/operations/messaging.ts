import { text, type Fields } from '../field.ts'
import type { Code } from '../errors.ts'
import { operation, type Operation, type RateRule } from '../operation.ts'

/** Codes of every operation of the messaging documents (2-messaging Endpoints). */
export const messagingCodes = [200, 403, 414, 416, 431, 500] as const satisfies readonly Code[]
/** Format of an accid (2-messaging Account); compared and stored in lower case. */
export const accidPattern = '^[A-Za-z0-9_@.\\-]{1,32}$'
/** What it allows, in words. */
export const accidAllowed = '1 to 32 letters, digits and _ @ . -'

/** A required account parameter. */
export const accid = (summary: string) =>
  text({ summary, required: true, max: 32, pattern: accidPattern, allowed: accidAllowed, fold: true })
/** An account in an array. */
export const accidElement = text({ max: 32, pattern: accidPattern, allowed: accidAllowed, fold: true })

/** Seconds of a block after a 416 (behaviour.md#rate-limits). */
export const blockSeconds = 10
/** A rate per minute in document 2. */
export const perMinute = (per: RateRule['per'], calls: number, block = 0): RateRule => ({
  per,
  calls,
  seconds: 60,
  code: 416,
  block,
})

/** Defines a messaging operation, by default of document 2 (behaviour.md#codes-of-an-operation). */
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

/** Defines operations of document 3; 404 where that is listed (behaviour.md#codes-of-an-operation). */
export const roomOperationsOf =
  (group: string) =>
  <const P extends Fields, const A extends Fields>(
    path: string,
    summary: string,
    parameters: P,
    answer: A,
    more: Code[] = [],
  ): Operation<P, A> => {
    const codes = [...messagingCodes, ...more].sort((a, b) => a - b)
    const missing = more.includes(404) ? 404 : 414
    return messagingOperation(group, path, summary, parameters, answer, {
      document: 3,
      codes,
      unknown: missing,
      foreign: missing,
    })
  }
