import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Work, WorkMessage, WorkResult } from './work.ts'

/** Work that failed: the system's code, or `BROKEN` for a file that is not as it should be. */
export class WorkFault extends Error {
  readonly code: string
  constructor(code: string, reason: string) {
    super(reason)
    this.code = code
  }
}

/** Runs bulk work in threads of its own. */
export interface Workers {
  /** Rejects with `WorkFault`, with code `ABORT_ERR` when it was stopped. Finishing is done one file at a time; merges are bounded by who asks for them. */
  run(
    work: Work,
    options?: { readonly progress?: (done: number) => void; readonly signal?: AbortSignal },
  ): Promise<WorkResult>
  /** Stops what runs; nothing is left half done that a start does not finish. */
  close(): Promise<void>
}

/** Heap of a thread in MB, old and young; tables of samples lie outside of it. */
const heap = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 } as const

/** The thread's program: beside this file in the source, or beside the bundle under the name that its build gives it. */
const program = (): URL => {
  const places = import.meta.url.endsWith('.ts') ? ['./worker.ts'] : ['./recording-worker.js', '../recording-worker.js']
  const urls = places.map((place) => new URL(place, import.meta.url))
  return urls.find((url) => existsSync(fileURLToPath(url))) ?? urls[0]!
}

/** Makes the threads' starter; nothing runs before it is asked for. */
export function createWorkers(): Workers {
  const running = new Set<Worker>()
  let finishing: Promise<unknown> = Promise.resolve()
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
      const worker = new Worker(program(), { workerData: work, resourceLimits: heap, execArgv: [], stderr: false })
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
      // Settled when the thread is gone, so that its file is closed and its memory given back.
      worker.on('exit', () => {
        running.delete(worker)
        signal?.removeEventListener('abort', stop)
        if (outcome) outcome()
        else reject(new WorkFault('ABORT_ERR', 'stopped'))
      })
    })

  return {
    run(work, options = {}) {
      if (work.kind === 'merge') return start(work, options)
      const mine = finishing.then(() => start(work, options))
      finishing = mine.catch(() => undefined)
      return mine
    },
    async close() {
      closed = true
      await Promise.all([...running].map((worker) => worker.terminate()))
    },
  }
}
