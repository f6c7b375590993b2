import { object, text } from '../field.ts'

/** A code with params. Texts are made where they are shown, and never parsed. */
export interface Reason<C extends string = string> {
  readonly code: C
  readonly params: Readonly<Record<string, string>>
}

/** Params with another program's own words, which are shown as they are. */
export const foreignParams: readonly string[] = ['system', 'answer', 'text']

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
    certificate: ['system'],
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
  /** Why the embedded service is not running. */
  service: {
    exited: ['status'],
    killed: ['signal'],
    silent: [],
    notReady: ['seconds'],
    moving: [],
    folderGone: ['folder'],
    full: ['folder', 'system'],
    readOnly: ['folder', 'system'],
    denied: ['folder', 'system'],
    broken: ['folder', 'system'],
    notAFolder: ['folder', 'system'],
    absent: ['folder', 'system'],
    database: [],
    keychain: ['system'],
    notStarted: ['system'],
    failed: ['system'],
  },
  /** Why an account is not on the link, or not in its room (docs/link.md). */
  link: {
    closed: [],
    blacklisted: [],
    blocked: [],
    elsewhere: [],
    ended: [],
    closing: [],
    refused: [],
    credentials: [],
    answered: ['code', 'answer'],
    failed: ['system'],
  },
  /** Why a part of a revocation is left. */
  revocation: {
    full: [],
    readOnly: [],
    broken: [],
    away: ['system'],
    answered: ['code', 'answer'],
    failed: ['system'],
  },
  /** Why the data folder was not moved. */
  move: {
    space: [],
    refused: [],
    gone: [],
    differs: ['name'],
    tooLarge: [],
    strange: ['name'],
    noDatabase: [],
    unusable: [],
    other: ['system'],
  },
  /** Why the app does not update itself, or could not. */
  update: {
    development: [],
    unsigned: [],
    feed: [],
    publisher: [],
    signature: ['system'],
    digest: ['system'],
    full: [],
    failed: ['system'],
  },
  /** Why the binary of the desktop window was not downloaded. */
  download: { early: [], silent: ['host'], full: [], notUnpacked: [], failed: ['system'] },
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

/** A reason for logs, in no language. */
export const plainReason = ({ code, params }: Reason): string => [code, ...Object.values(params)].join(': ')

/** An error that has a reason of the catalogue. */
export class ReasonedError<T extends Topic> extends Error {
  readonly topic: T
  readonly reason: ReasonOf<T>

  constructor(topic: T, reason: ReasonOf<T>) {
    super(plainReason(reason))
    this.topic = topic
    this.reason = reason
  }
}

/** The reason of a topic that an error has; undefined for none. */
export const reasonIn = <T extends Topic>(topic: T, error: unknown): ReasonOf<T> | undefined =>
  error instanceof ReasonedError && error.topic === topic ? (error.reason as ReasonOf<T>) : undefined

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
