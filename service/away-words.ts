import { diskRefusalOf, type DiskRefusal } from '../platform/full-disk.ts'
import { BlobFault } from './blobs/blobs.ts'
import { diskWords } from './disk-words.ts'
import { wordsOf } from './place-fault.ts'
import { hasStored, isUnchanged } from './storage/unchanged.ts'

/** Of the system and of PostgreSQL, while a connection is opened: no statement was sent. */
const unasked: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '53300',
  '57P03',
])
const unaskedWords = [
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error',
] as const
/** A connection that ended under a statement, which may have been its commit. */
const broken: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', '57P01', '57P02'])
const brokenWords = /^Connection terminated/

/** What callers are told while an engine of the service is away: what happened, and what follows for the call. */
export const awayWords = {
  unasked: 'the database of the service does not answer; nothing was changed: call again',
  partly: 'the database of the service went away; a part of the change may have been made: look, then call again',
  broken: 'the database of the service went away; whether a change was made is not known: look, then call again',
  unreachable: 'the object store of the service does not answer; nothing was stored: call again',
  refused: 'the object store of the service refuses it; nothing was stored: the log of the service says why',
} as const
/** In s, for Retry-After. */
export const awayRetry = '1'

/** An earlier transaction of the same call may have been stored. */
const unaskedNow = () => (hasStored() ? 'partly' : 'unasked')

function kindOf(error: Error): keyof typeof awayWords | undefined {
  if (error instanceof BlobFault) return error.kind === 'missing' ? undefined : error.kind
  const { code, message, syscall } = error as { code?: unknown; message: string; syscall?: unknown }
  if (
    unasked.has(code) ||
    unaskedWords.some((words) => message.startsWith(words)) ||
    (code === 'ETIMEDOUT' && syscall === 'connect')
  )
    return unaskedNow()
  if (!broken.has(code) && !brokenWords.test(message)) return undefined
  return isUnchanged(error) ? unaskedNow() : 'broken'
}

/** What is known of an error by which the service fails a call. */
interface Fault {
  /** For callers; undefined where nothing more is known than that it is a fault of the service. */
  readonly sentence?: string
  readonly refusal?: DiskRefusal
  /** The database or the object store is away: every call fails so. */
  readonly isAway: boolean
  /** For the log: without a stack where that says nothing more. */
  readonly about: { readonly err: unknown } | { readonly reason: string }
}

/** What an error of the present call, or a cause of it, tells: a refusing disk, an engine that is away, or nothing. */
export function faultOf(error: unknown): Fault {
  const refusal = diskRefusalOf(error)
  if (refusal) return { sentence: diskWords[refusal], refusal, isAway: false, about: { err: error } }
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth++) {
    const kind = kindOf(each)
    if (kind) return { sentence: awayWords[kind], isAway: true, about: { reason: wordsOf(each) } }
  }
  return { isAway: false, about: { err: error } }
}
