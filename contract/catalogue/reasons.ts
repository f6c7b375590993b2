import { object, text } from '../field.ts'

/** A code with params. Texts are made where they are shown, and never parsed. */
export interface Reason<C extends string = string> {
  readonly code: C
  readonly params: Readonly<Record<string, string>>
}

/** Codes by topic, with the names of their params. */
export const reasons = {
  /** Result of a delivery attempt (behaviour.md#recording-callbacks), or why a target is refused. */
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
  /** Why a merge failed (behaviour.md#merging). */
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
  /** Why a receiver refused a callback (1-live Events, Rules 1). */
  callback: { body: [], unsigned: [], sign: [], signature: [], id: [] },
  /** What is wrong with a message copy. */
  copy: { digest: [], time: [], checkSum: [], body: [], kind: [] },
  /** Why a listener of the app does not listen. */
  listener: {
    taken: ['port'],
    denied: ['port'],
    address: ['host'],
    notStarted: [],
    noPage: [],
    noCertificate: [],
    noKey: [],
    otherKey: [],
    ended: [],
    badCertificate: ['system'],
    failed: ['system'],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

/** Topic of a reason. */
export type Topic = keyof typeof reasons
type Codes<T extends Topic> = (typeof reasons)[T]
type ParamsOf<T extends Topic, C extends keyof Codes<T>> = Codes<T>[C] extends readonly (infer P extends string)[]
  ? Readonly<Record<P, string>>
  : never
/** Code of a reason; `unknown` for one of another version, with its text in the param `text`. */
export type ReasonCode<T extends Topic> = (keyof Codes<T> & string) | 'unknown'
/** A reason of a topic. */
export type ReasonOf<T extends Topic> = Reason<ReasonCode<T>>

/** Longest param in characters, so that a reason fits into its column. */
const maxParam = 192

/** Makes a reason; params are typed by its code. */
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

/** A reason outside of the topic. */
const unknown = (text: string): Reason<'unknown'> => ({ code: 'unknown', params: { text } })

/** Validates a received reason: one outside of the topic becomes `unknown` with its code. */
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

/** A reason as a database column. */
export const writeReason = ({ code, params }: Reason): string => JSON.stringify({ code, params })

/** Reads a column; a sentence of an earlier version is `unknown` with its text. Undefined if empty. */
export function readReason<T extends Topic>(topic: T, kept: string | null): ReasonOf<T> | undefined {
  if (kept === null || kept === '') return undefined
  if (!kept.startsWith('{"code":')) return unknown(kept)
  const { code, params } = JSON.parse(kept) as Reason
  return receivedReason(topic, { code, params })
}

/** A reason in an operation's answer. */
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
