import { parentPort, workerData } from 'node:worker_threads'
import { lowerThreadPriority } from '../../platform/thread-priority.ts'
import { makeClip } from './work-clip.ts'
import { finishFlv, finishMp4 } from './work-finish.ts'
import { mergeFiles } from './work-merge.ts'
import { planMerge } from './work-plan.ts'
import type { Work, WorkMessage, WorkResult } from './work.ts'

/** Entry of a worker thread: one task, then exit. */
async function main(): Promise<void> {
  const say = (message: WorkMessage): void => {
    const end = message.type === 'done' ? message.result.layout?.end.buffer : undefined
    parentPort?.postMessage(message, end ? [end] : [])
  }
  const work = workerData as Work
  const run = (): WorkResult | Promise<WorkResult> => {
    switch (work.kind) {
      case 'mp4':
        return finishMp4(work)
      case 'flv':
        return finishFlv(work)
      case 'merge':
        return mergeFiles(work, (done) => say({ type: 'progress', done }))
      case 'clip':
        return makeClip(work)
      case 'plan':
        return planMerge(work.sources, work.range)
    }
  }
  lowerThreadPriority()
  try {
    say({ type: 'done', result: await run() })
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown }
    say({
      type: 'failed',
      code: typeof code === 'string' ? code : 'BROKEN',
      reason: typeof message === 'string' ? message : 'unknown',
    })
  }
}

await main()
