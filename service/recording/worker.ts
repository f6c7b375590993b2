import { parentPort, workerData } from 'node:worker_threads'
import { finishFlv, finishMp4 } from './work-finish.ts'
import { mergeFiles } from './work-merge.ts'
import type { Work, WorkMessage, WorkResult } from './work.ts'

/** Entry of a worker thread: does the one piece of work that it was started with, and ends. */
function main(): void {
  const say = (message: WorkMessage): void => parentPort?.postMessage(message)
  const work = workerData as Work
  const run = (): WorkResult => {
    switch (work.kind) {
      case 'mp4':
        return finishMp4(work)
      case 'flv':
        return finishFlv(work)
      case 'merge':
        return mergeFiles(work, (done) => say({ type: 'progress', done }))
    }
  }
  try {
    say({ type: 'done', result: run() })
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown }
    say({ type: 'failed', code: typeof code === 'string' ? code : 'BROKEN', reason: typeof message === 'string' ? message : 'unknown' })
  }
}

main()
