import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { workerProgram } from '../worker-program.ts'
import {
  NoPublicAddress,
  NoRouter,
  patience,
  type AskRouter,
  type Forwarded,
  type MappingFault,
  type OuterPlace,
} from './port-mapping.ts'

/** What the thread is asked after its port was forwarded. */
export type RouterWish = 'renew' | 'remove'
/** What it answers. */
export type RouterAnswer =
  | ({ readonly kind: 'made' } & Omit<Forwarded, 'renew' | 'remove'>)
  | ({ readonly kind: 'renewed' } & OuterPlace)
  | { readonly kind: 'removed' }
  | { readonly kind: 'failed'; readonly reason: MappingFault; readonly text: string }

const errors = { noRouter: NoRouter, noPublicAddress: NoPublicAddress, noMapping: Error } as const

/** Memory of the thread, in MB: answers of a router are some kB. */
const heap = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 8 }

/**
 * Asks routers in a thread of its own. Whatever a device of the home network sends, endless or unreadable, ends that
 * thread at most. It stays while the port is forwarded.
 */
export const askRouterInThread: AskRouter = async (port, signal) => {
  const worker = new Worker(workerProgram(import.meta.url, 'router-worker.ts', 'router-worker.js'), {
    workerData: { port },
    resourceLimits: heap,
    execArgv: [],
    stderr: false,
  })
  let isGone = false
  const gone = new Promise<never>((_, reject) => {
    worker.once('error', (error) =>
      reject(new Error(`what a router sent could not be used: ${error instanceof Error ? error.message : ''}`)),
    )
    worker.once('exit', () => {
      isGone = true
      reject(new Error('the router is not asked any more'))
    })
  })
  // Each wish hears it; between them nobody waits, and the next one finds the thread gone.
  gone.catch(() => undefined)
  const answer = async (given: AbortSignal): Promise<RouterAnswer> => {
    const [message] = (await Promise.race([once(worker, 'message', { signal: given }), gone])) as [RouterAnswer]
    if (message.kind === 'failed') throw new errors[message.reason](message.text)
    return message
  }
  const end = async (): Promise<void> => void (await worker.terminate())
  const wish = async (what: RouterWish): Promise<RouterAnswer> => {
    if (isGone) throw new Error('the thread that asked the router has ended')
    const answered = answer(AbortSignal.timeout(patience))
    worker.postMessage(what)
    return await answered
  }
  try {
    const made = await answer(signal)
    if (made.kind !== 'made') throw new Error('a router was not asked')
    const { protocol, address, port: outer, otherDevice } = made
    worker.unref()
    return {
      protocol,
      address,
      port: outer,
      ...(otherDevice !== undefined && { otherDevice }),
      async renew() {
        const renewed = await wish('renew')
        if (renewed.kind !== 'renewed') throw new Error('a router was not asked to renew')
        return { address: renewed.address, port: renewed.port }
      },
      async remove() {
        try {
          await wish('remove')
        } finally {
          await end()
        }
      },
    }
  } catch (error) {
    await end()
    throw error
  }
}
