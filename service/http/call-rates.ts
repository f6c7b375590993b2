import type { Operation, RateRule } from '../../contract/operation.ts'
import type { Application } from '../applications.ts'

/** Whether an operation is of the documents of messaging and rooms. */
export const isMessaging = ({ document }: Operation): boolean => document === 2 || document === 3

/** Rates of a call: the application's limit over messaging, then those of the contract (behaviour.md#rate-limits). */
export function ratesOf(
  operation: Operation,
  { callsPerMinute, blockSeconds }: Application['settings'],
): readonly RateRule[] {
  const rates = operation.rates ?? []
  if (!isMessaging(operation)) return rates
  const own = rates.some(({ block }) => block > 0 && block !== blockSeconds)
    ? rates.map((rule) => (rule.block > 0 ? { ...rule, block: blockSeconds } : rule))
    : rates
  if (callsPerMinute === 0) return own
  // The limit is part of the name, so that a changed one starts anew.
  return [
    {
      per: 'application',
      calls: callsPerMinute,
      seconds: 60,
      code: 416,
      block: 0,
      shared: `all of messaging, ${callsPerMinute}`,
    },
    ...own,
  ]
}
