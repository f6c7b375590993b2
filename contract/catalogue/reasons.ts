import { object, text } from '../field.ts'

/**
 * Why something came out as it did: a code with what varies. The words for a person are made where they are shown, those of an answer's
 * `msg` and of logs at the service's edge; nobody reads a code back from words.
 */
export interface Reason<C extends string = string> {
  readonly code: C
  readonly params: Readonly<Record<string, string>>
}

/** Codes of reasons by what they are about, with the names of their params. */
export const reasons = {
  /** What one attempt at a delivery came to (behaviour.md#recording-callbacks), or why an address is not delivered to. */
  delivery: {
    status: ['status'],
    redirect: ['status'],
    late: [],
    unresolved: [],
    refused: [],
    ended: [],
    hostUnreachable: [],
    networkUnreachable: [],
    timedOut: [],
    headers: [],
    notHttp: [],
    failed: [],
    failedWith: ['system'],
    whiteSpace: [],
    notUrl: [],
    credentials: [],
    fragment: [],
    badPort: [],
    ipv4: [],
    nowhere: ['host'],
    metadata: ['host'],
    mapped: ['host'],
    reserved: ['host'],
    ownPort: ['host'],
    thisComputer: ['host'],
    localNetwork: ['host'],
    unset: [],
    kind: [],
    fault: [],
  },
  /** Why a merge ended without a file (behaviour.md#merging). */
  merge: {
    attempts: [],
    room: [],
    readonly: [],
    source: [],
    damaged: [],
    disk: ['system'],
    fault: [],
    cancelled: [],
  },
  /** Why a receiver turned a callback away (1-live Events, Rules 1). */
  callback: { body: [], unsigned: [], sign: [], signature: [], id: [] },
  /** What is wrong with a message copy. */
  copy: { digest: [], time: [], checkSum: [], body: [], kind: [] },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

/** What a reason is about. */
export type Topic = keyof typeof reasons
type Codes<T extends Topic> = (typeof reasons)[T]
type ParamsOf<T extends Topic, C extends keyof Codes<T>> = Codes<T>[C] extends readonly (infer P extends string)[]
  ? Readonly<Record<P, string>>
  : never
/** Code of a reason; `unknown` for one that another version wrote, whose param `text` is what it wrote. */
export type ReasonCode<T extends Topic> = (keyof Codes<T> & string) | 'unknown'
/** A reason of a topic. */
export type ReasonOf<T extends Topic> = Reason<ReasonCode<T>>

/** Longest param, in characters, so that a reason fits into its column. */
const maxParam = 192

/** Makes a reason; what its code takes as params is checked by its type. */
export const reasonOf = <T extends Topic, C extends keyof Codes<T> & string>(
  _topic: T,
  code: C,
  ...params: keyof ParamsOf<T, C> extends never ? [] : [ParamsOf<T, C>]
): ReasonOf<T> => ({
  code,
  params: Object.fromEntries(
    Object.entries<string>(params[0] ?? {}).map(([name, value]) => [name, value.slice(0, maxParam)]),
  ),
})

/** What no code of a topic stands for. */
const unknown = (text: string): Reason<'unknown'> => ({ code: 'unknown', params: { text } })

/** A reason from elsewhere: what is none of the topic, as another version may send it, becomes `unknown` and is told by its code. */
export const receivedReason = <T extends Topic>(
  topic: T,
  { code, params }: { readonly code: string; readonly params: Readonly<Record<string, string | undefined>> },
): ReasonOf<T> =>
  code === 'unknown' || Object.hasOwn(reasons[topic], code)
    ? {
        code: code as ReasonCode<T>,
        params: Object.fromEntries(
          Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
        ),
      }
    : unknown(code)

/** How a reason is kept in one column of a database. */
export const writeReason = ({ code, params }: Reason): string => JSON.stringify({ code, params })

/** Reads what is kept; a sentence, which earlier versions kept, is `unknown` with its words. Undefined for an empty one. */
export function readReason<T extends Topic>(topic: T, kept: string | null): ReasonOf<T> | undefined {
  if (kept === null || kept === '') return undefined
  if (!kept.startsWith('{"code":')) return unknown(kept)
  const { code, params } = JSON.parse(kept) as Reason
  return receivedReason(topic, { code, params })
}

/** A reason as a member of an operation's answer. */
export const reasonField = (topic: Topic, summary: string) => {
  const codes = [...Object.keys(reasons[topic]), 'unknown']
  const names = [...new Set(Object.values<readonly string[]>(reasons[topic]).flat()), 'text']
  return object(
    {
      code: text({ summary: `One of ${codes.join(', ')}.` }),
      params: object(Object.fromEntries(names.map((name) => [name, text({ optional: true })]))),
    },
    { summary, optional: true },
  )
}
