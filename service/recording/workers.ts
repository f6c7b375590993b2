import { Worker } from 'node:worker_threads'
import type { Work, WorkMessage, WorkResult } from './work.ts'
import { createSerial } from '../../platform/serial.ts'
import { workerProgram } from '../worker-program.ts'

/** Failed work: the system's code, or `BROKEN` for a damaged file. */
export class WorkFault extends Error {
  readonly code: string
  constructor(code: string, reason: string) {
    super(reason)
    this.code = code
  }
}

/** Runs bulk work in threads. */
export type Workers = ReturnType<typeof createWorkers>

/** Heap of a thread in MB, old and young; sample tables lie outside. */
const heap = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 } as const

/** Bytes that are given away rather than copied; a file that is a source twice has them once. */
const buffersOf = (work: Work): ArrayBuffer[] =>
  work.kind === 'plan'
    ? [...new Set(work.sources.flatMap(({ pieces }) => pieces.map(({ bytes }) => bytes.buffer)))]
    : []

/** Makes the starter of threads. */
export function createWorkers() {
  const running = new Set<Worker>()
  const inTurn = createSerial()
  let closed = false

  const start = (
    work: Work,
    { progress, signal }: { readonly progress?: (done: number) => void; readonly signal?: AbortSignal },
  ): Promise<WorkResult> =>
    new Promise((resolve, reject) => {
      if (closed || signal?.aborted) {
        reject(new WorkFault('ABORT_ERR', 'stopped'))
        return
      }
      const worker = new Worker(workerProgram(import.meta.url, 'worker.ts', 'recording-worker.js'), {
        workerData: work,
        transferList: buffersOf(work),
        resourceLimits: heap,
        execArgv: [],
        stderr: false,
      })
      running.add(worker)
      const stop = (): void => {
        worker.terminate().catch(reject)
      }
      signal?.addEventListener('abort', stop, { once: true })
      let outcome: (() => void) | undefined
      worker.on('message', (message: WorkMessage) => {
        if (message.type === 'progress') progress?.(message.done)
        else if (message.type === 'done') outcome = () => resolve(message.result)
        else outcome = () => reject(new WorkFault(message.code, message.reason))
      })
      worker.on('error', (error) => {
        outcome ??= () => reject(new WorkFault('BROKEN', error instanceof Error ? error.message : 'the thread failed'))
      })
      // Settled at exit, when its file is closed and its memory freed.
      worker.on('exit', () => {
        running.delete(worker)
        signal?.removeEventListener('abort', stop)
        if (outcome) outcome()
        else reject(new WorkFault('ABORT_ERR', 'stopped'))
      })
    })

  return {
    /** Rejects with `WorkFault` (`ABORT_ERR` when stopped). Files are finished one at a time. */
    run(
      work: Work,
      options: { readonly progress?: (done: number) => void; readonly signal?: AbortSignal } = {},
    ): Promise<WorkResult> {
      return work.kind === 'mp4' || work.kind === 'flv' ? inTurn(() => start(work, options)) : start(work, options)
    },
    /** Stops running work; the next start completes it. */
    async close() {
      closed = true
      await Promise.all([...running].map((worker) => worker.terminate()))
    },
  }
}
