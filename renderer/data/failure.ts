import { ORPCError } from '@orpc/client'
import { errorTable, isCode } from '../../contract/errors.ts'
import type { FailureData } from '../../contract/rpc/index.ts'

/** Those of the contract; `input`: the companion did not accept it; `offline`: the companion could not be asked. */
export type FailureKind = FailureData['kind'] | 'input' | 'offline'

/** Why something that a person asked for did not happen. */
export interface Failure {
  readonly kind: FailureKind
  /** The service's result code, where it answered one. */
  readonly code: number | null
  /** Seconds by which this computer's clock is off, for `clock`. */
  readonly skewSeconds: number | null
  /** Seconds that a longer mute runs for, for `outlasted`. */
  readonly leftSeconds?: number | undefined
  /** For "Details": never a secret. */
  readonly detail: string
  /** What is wrong with a certificate of this app, for "Details" instead. */
  readonly reason?: FailureData['reason']
}

const isFailureData = (value: unknown): value is FailureData =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as FailureData).kind === 'string' &&
  typeof (value as FailureData).detail === 'string'

/** Where in a call the companion found something to refuse, and what; the values themselves are not repeated. */
function issuesOf(error: ORPCError<string, unknown>): string {
  const { issues } = (error.data ?? {}) as { readonly issues?: unknown }
  if (!Array.isArray(issues)) return error.message
  return (issues as readonly { readonly path?: readonly (string | number)[]; readonly message?: string }[])
    .slice(0, 5)
    .map(({ path, message }) => `${(path ?? []).map(String).join('.')}: ${message ?? ''}`)
    .join('; ')
}

/** Reads a rejected call as a failure. Whatever is not declared becomes `internal`, a lost line `offline`. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ORPCError) {
    if (isFailureData(error.data)) {
      const { kind, code, skewSeconds, leftSeconds, detail, reason } = error.data
      return { kind, code, skewSeconds, leftSeconds, detail, ...(reason && { reason }) }
    }
    if (error.code === 'BAD_REQUEST') return { kind: 'input', code: null, skewSeconds: null, detail: issuesOf(error) }
    return { kind: 'internal', code: null, skewSeconds: null, detail: `${error.code}: ${error.message}` }
  }
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return { kind: 'offline', code: null, skewSeconds: null, detail: text }
}

/** A sentence and the next step, in the interface's language. */
export interface Sentence {
  readonly sentence: string
  readonly next: string
}

type Say = (key: string, named?: Record<string, unknown>) => string

/** Kinds whose cause is at the computer of the companion, which is not that of who moderates from a seat. */
const ofTheComputer: ReadonlySet<FailureKind> = new Set([
  ...([
    'code',
    'unreachable',
    'refused',
    'certificate',
    'clock',
    'signature',
    'secret',
    'down',
    'late',
    'notOurs',
  ] as const),
  ...(['folder', 'readOnly', 'broken', 'full', 'unlogged', 'keychain', 'internal'] as const),
])

/** What a person reads about a failure: from the table of codes where a code is known, else from the locale. */
export function sentenceOf(failure: Failure, language: 'en' | 'zh', say: Say, atSeat = false): Sentence {
  if (failure.kind === 'code' && failure.code !== null && isCode(failure.code)) {
    const entry = errorTable[failure.code]
    return { sentence: entry.sentence[language], next: entry.next[language] }
  }
  const { kind } = failure
  const isTheirs = atSeat && ofTheComputer.has(kind)
  return {
    sentence: say(isTheirs ? `seatFailure.${kind}.sentence` : `failure.${kind}.sentence`, {
      code: failure.code ?? '',
      seconds: Math.abs(Math.round(failure.skewSeconds ?? 0)),
    }),
    next: say(isTheirs ? `seatFailure.${kind}.next` : `failure.${kind}.next`),
  }
}
