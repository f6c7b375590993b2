/** Faults of a value that the service finds, behind the name of its parameter in `msg`. */
export const foundFaults = {
  past: 'must be a time to come, in ms since 1970',
  ownAddress: 'is an address of this service, which sends no push to itself',
  targetAddress: 'must be an address such as rtmp://live.example.com/app, without the key',
  publicAddress: 'must be an address such as https://live.example.com',
  spaces: 'must have no spaces and no control characters',
  pair: 'is missing: a certificate and its private key are given together',
} as const
/** Kind of such a fault; `other` where the words are of another one. */
export type FoundFault = keyof typeof foundFaults | 'other'

const kinds = Object.keys(foundFaults) as (keyof typeof foundFaults)[]

/** Which of these parameters a refusal (`path: code words`) names, and why; undefined when it names none. */
export function readFoundFault<N extends string>(
  detail: string,
  parameters: readonly N[],
): { readonly parameter: N; readonly kind: FoundFault } | undefined {
  const [, name, words = ''] = /^\S+: \d+ (\w+):? (.*)$/s.exec(detail) ?? []
  const parameter = parameters.find((one) => one === name)
  if (parameter === undefined) return undefined
  return { parameter, kind: kinds.find((one) => words.startsWith(foundFaults[one])) ?? 'other' }
}
