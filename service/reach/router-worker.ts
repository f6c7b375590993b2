import { parentPort, workerData } from 'node:worker_threads'
import { askRouter } from './router-ask.ts'
import { mappingFault, patience, type Forwarded } from './port-mapping.ts'
import type { RouterAnswer, RouterWish } from './router-thread.ts'

/** Entry of a thread that asks routers: devices of the home network answer, and what they send is theirs. */
const say = (answer: RouterAnswer): void => parentPort?.postMessage(answer)
const failed = (error: unknown): void =>
  say({ kind: 'failed', reason: mappingFault(error), text: error instanceof Error ? error.message : '' })
// A fault that a packet provokes outside of any promise must not end the service.
process.on('uncaughtException', () => undefined)

let made: Forwarded | undefined
try {
  made = await askRouter((workerData as { readonly port: number }).port, AbortSignal.timeout(patience))
  const { protocol, address, port, otherDevice } = made
  say({ kind: 'made', protocol, address, port, ...(otherDevice !== undefined && { otherDevice }) })
} catch (error) {
  failed(error)
}
parentPort?.on('message', (wish: RouterWish) => {
  if (!made) return failed(new Error('nothing is forwarded'))
  if (wish === 'renew') made.renew().then((place) => say({ kind: 'renewed', ...place }), failed)
  else made.remove().then(() => say({ kind: 'removed' }), failed)
})
