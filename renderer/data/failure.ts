import { ORPCError } from '@orpc/client'
import { errorTable, isCode } from '../../contract/errors.ts'
import type { FailureData } from '../../contract/rpc/index.ts'

/** `input`: rejected by the companion; `offline`: the companion was not reached. */
export type FailureKind = FailureData['kind'] | 'input' | 'offline'

/** Why a request failed. */
export interface Failure {
  readonly kind: FailureKind
  readonly code: number | null
  /** For `clock`: how far this computer's clock is off. */
  readonly skewSeconds: number | null
  /** For `outlasted`, of a longer mute. */
  readonly leftSeconds?: number | undefined
  /** For "Details"; never a secret. */
  readonly detail: string
  /** Shown instead of `detail`. */
  readonly reason?: FailureData['reason']
}

const isFailureData = (value: unknown): value is FailureData =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as FailureData).kind === 'string' &&
  typeof (value as FailureData).detail === 'string'

function issuesOf(error: ORPCError<string, unknown>): string {
  const { issues } = (error.data ?? {}) as { readonly issues?: unknown }
  if (!Array.isArray(issues)) return error.message
  return (issues as readonly { readonly path?: readonly (string | number)[]; readonly message?: string }[])
    .slice(0, 5)
    .map(({ path, message }) => `${(path ?? []).map(String).join('.')}: ${message ?? ''}`)
    .join('; ')
}

/** Undeclared errors become `internal`, a lost connection `offline`. */
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

/** In the interface's language. */
export interface Sentence {
  readonly sentence: string
  readonly next: string
}

type Say = (key: string, named?: Record<string, unknown>) => string

/** Caused at the companion's computer, which a moderator with a seat cannot reach. */
const ofTheComputer: ReadonlySet<FailureKind> = new Set([
  ...([
    'code',
    'unreachable',
    'refused',
    'away',
    'certificate',
    'plain',
    'clock',
    'signature',
    'secret',
    'down',
    'late',
    'notOurs',
  ] as const),
  ...(['folder', 'readOnly', 'broken', 'full', 'unlogged', 'keychain', 'internal'] as const),
])

/** Told of the disk that refused; with a code it is that of the service that answered. */
const ofDisks: ReadonlySet<FailureKind> = new Set(['full', 'readOnly', 'broken'] as const)

/**
 * From the table of codes if the code is known, otherwise from the locale. `atSeat`: for a moderator's page.
 * `elsewhere`: the service of the profile runs on another computer.
 */
export function sentenceOf(
  failure: Failure,
  language: 'en' | 'zh',
  say: Say,
  { atSeat = false, elsewhere = false } = {},
): Sentence {
  if (failure.kind === 'code' && failure.code !== null && isCode(failure.code)) {
    const entry = errorTable[failure.code]
    return { sentence: entry.sentence[language], next: entry.next[language] }
  }
  const { kind } = failure
  const isTheirs = atSeat && ofTheComputer.has(kind)
  const isThere = elsewhere && failure.code !== null && ofDisks.has(kind)
  return {
    sentence: say(
      isTheirs
        ? `seatFailure.${kind}.sentence`
        : isThere
          ? `failureThere.${kind}.sentence`
          : `failure.${kind}.sentence`,
      {
        code: failure.code ?? '',
        seconds: Math.abs(Math.round(failure.skewSeconds ?? 0)),
      },
    ),
    next: say(isTheirs ? `seatFailure.${kind}.next` : `failure.${kind}.next`),
  }
}
