import { Worker } from 'node:worker_threads'
import type { CompiledQuery, DatabaseConnection, Dialect, QueryResult } from 'kysely'
import { Refused } from '../refusal.ts'
import { workerProgram } from '../worker-program.ts'
import type { DatabaseCounts } from './database-counts.ts'
import { sqliteDialect } from './node-sqlite-dialect.ts'

/** To the thread. */
export interface ReadRequest {
  readonly id: number
  readonly sql: string
  readonly parameters: readonly unknown[]
}
/** From the thread; `took` in ms. */
export type ReadAnswer =
  | { readonly id: number; readonly rows: readonly unknown[]; readonly took: number }
  | { readonly id: number; readonly failure: string; readonly errcode?: number | undefined }

/** Limits of reads. */
export interface ReaderLimits {
  /** Longest statement in ms; then its thread is abandoned and a new one started. */
  readonly time: number
  /** Statements queued, separately for strangers and others; further ones are refused with 416. */
  readonly waiting: number
}
/** Default limits. */
export const readerLimits: ReaderLimits = { time: 5000, waiting: 256 }

/** Abandoned threads still running before a new one is started. */
const maxLeaving = 2

/** Statements of others after which a waiting stranger gets a turn. */
const othersFirst = 4

/** What a reader knows of its callers. */
export interface ReadCallers {
  /** Duration of a read, in ms. */
  readonly spent: (ms: number) => void
  /** Strangers have lower priority. */
  readonly isStranger: () => boolean
  /** Called with SQLite's message when the database is damaged. */
  readonly damaged?: (found: string) => void
}

/** Reads of the service itself. */
export const noCallers: ReadCallers = { spent: () => undefined, isStranger: () => false }

/** Whether an SQLite code means a damaged file: SQLITE_CORRUPT or SQLITE_NOTADB, in the low byte. */
export const isDamage = (errcode: unknown): boolean => typeof errcode === 'number' && [11, 26].includes(errcode & 0xff)

/** Heap of the thread in MB: the largest answers have some thousand rows. */
const heap = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 } as const

interface Read extends ReadRequest {
  readonly done: (answer: ReadAnswer) => void
  readonly failed: (error: unknown) => void
}

/** The thread and its queue: one statement at a time, strangers mostly after others. */
class ReadThread {
  readonly #path: string
  readonly #limits: ReaderLimits
  readonly #waiting: Read[] = []
  readonly #strangers: Read[] = []
  /** Statements of others in a row while strangers waited. */
  #inRow = 0
  #worker: Worker | undefined
  #isReady = false
  /** Abandoned threads still running. */
  #leaving = 0
  #running: Read | undefined
  #timer: NodeJS.Timeout | undefined
  #count = 0
  #closed = false
  readonly #counts: Pick<DatabaseCounts, 'readsWaiting'> | undefined

  constructor(path: string, limits: ReaderLimits, counts: Pick<DatabaseCounts, 'readsWaiting'> | undefined) {
    this.#path = path
    this.#limits = limits
    this.#counts = counts
  }

  read(sql: string, parameters: readonly unknown[], isStranger: boolean): Promise<ReadAnswer> {
    return new Promise((done, failed) => {
      if (this.#closed) return failed(new Error('the database is closed'))
      const queue = isStranger ? this.#strangers : this.#waiting
      if (queue.length >= this.#limits.waiting) return failed(new Refused(416, 'too many long reads wait'))
      queue.push({ id: ++this.#count, sql, parameters, done, failed })
      this.#next()
    })
  }
  #next(): void {
    this.#take()
    if (this.#counts) this.#counts.readsWaiting = this.#waiting.length + this.#strangers.length
  }
  #take(): void {
    if (this.#running || (!this.#worker && this.#leaving >= maxLeaving)) return
    const isTheirs = this.#strangers.length > 0 && (this.#waiting.length === 0 || this.#inRow >= othersFirst)
    this.#inRow = isTheirs || this.#strangers.length === 0 ? 0 : this.#inRow + 1
    const read = (isTheirs ? this.#strangers : this.#waiting).shift()
    if (!read) return
    this.#running = read
    this.#worker ??= this.#start()
    this.#worker.ref()
    if (this.#isReady) this.#limit()
    this.#worker.postMessage({ id: read.id, sql: read.sql, parameters: read.parameters } satisfies ReadRequest)
  }
  /** Counts from when the thread is ready: its start is not charged. */
  #limit(): void {
    this.#timer = setTimeout(() => this.#giveUp(new Refused(416, 'the read took too long')), this.#limits.time)
  }
  #start(): Worker {
    this.#isReady = false
    const worker = new Worker(workerProgram(import.meta.url, 'read-worker.ts', 'read-worker.js'), {
      workerData: this.#path,
      resourceLimits: heap,
      execArgv: [],
      stderr: false,
    })
    worker.on('message', (answer: ReadAnswer | 'ready') => {
      if (this.#worker !== worker) return
      if (answer !== 'ready') return this.#end((read) => read.done(answer))
      this.#isReady = true
      this.#limit()
    })
    const gone = (error: unknown): void => {
      if (this.#worker !== worker) return
      this.#worker = undefined
      this.#end((read) => read.failed(error))
    }
    worker.on('error', gone)
    worker.on('exit', () => gone(new Error('the thread of long reads has ended')))
    return worker
  }
  #end(settle: (read: Read) => void): void {
    clearTimeout(this.#timer)
    const read = this.#running
    this.#running = undefined
    // An idle thread must not keep the process alive.
    this.#worker?.unref()
    if (read) settle(read)
    this.#next()
  }
  /** SQLite cannot be interrupted within a statement: its thread ends later, unobserved. */
  #giveUp(error: Error): void {
    const worker = this.#worker!
    this.#worker = undefined
    this.#leaving++
    worker.once('exit', () => {
      this.#leaving--
      this.#next()
    })
    worker.terminate().catch(() => undefined)
    this.#end((read) => read.failed(error))
  }
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    const worker = this.#worker
    this.#worker = undefined
    for (const read of [this.#running, ...this.#waiting.splice(0), ...this.#strangers.splice(0)])
      read?.failed(new Error('the database is closed'))
    this.#running = undefined
    await worker?.terminate()
  }
}

function readerConnection(thread: ReadThread, callers: ReadCallers): DatabaseConnection {
  return {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const answer = await thread.read(sql, parameters, callers.isStranger())
      if ('failure' in answer && isDamage(answer.errcode)) callers.damaged?.(answer.failure)
      if ('failure' in answer) throw Object.assign(new Error(answer.failure), { errcode: answer.errcode })
      callers.spent(answer.took)
      return { rows: answer.rows as R[] }
    },
    streamQuery() {
      throw new Error('long reads are not streamed')
    },
  }
}

const noTransactions = (): Promise<void> => Promise.reject(new Error('long reads have no transactions'))

/**
 * Kysely over the database at `path` in a thread, for long reads: they block neither the event loop nor, beyond the
 * limits, each other. Started by the first read.
 */
export function readerDialect(
  path: string,
  callers: ReadCallers,
  limits: ReaderLimits = readerLimits,
  counts?: Pick<DatabaseCounts, 'readsWaiting'>,
): Dialect {
  const thread = new ReadThread(path, limits, counts)
  const connection = readerConnection(thread, callers)
  return sqliteDialect(() => ({
    async init() {},
    acquireConnection: () => Promise.resolve(connection),
    beginTransaction: noTransactions,
    commitTransaction: noTransactions,
    rollbackTransaction: noTransactions,
    async releaseConnection() {},
    destroy: () => thread.close(),
  }))
}
