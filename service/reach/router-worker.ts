import { parentPort, workerData } from 'node:worker_threads'
import { askRouter } from './router-ask.ts'
import { NoRouter, patience, type Forwarded } from './port-mapping.ts'
import type { RouterAnswer, RouterWish } from './router-thread.ts'

/** Entry of a thread that asks routers: devices of the home network answer, and what they send is theirs. */
const say = (answer: RouterAnswer): void => parentPort?.postMessage(answer)
const failed = (error: unknown): void => {
  const isSilent = error instanceof NoRouter || (error instanceof Error && /abort|timeout/i.test(error.name))
  say({ kind: 'failed', isSilent, text: error instanceof Error ? error.message : '' })
}
// A fault that a packet provokes outside of any promise must not end the service.
process.on('uncaughtException', () => undefined)

let made: Forwarded | undefined
try {
  made = await askRouter((workerData as { readonly port: number }).port, AbortSignal.timeout(patience))
  say({ kind: 'made', protocol: made.protocol, address: made.address, port: made.port })
} catch (error) {
  failed(error)
}
parentPort?.on('message', (wish: RouterWish) => {
  const work = wish === 'renew' ? made?.renew() : made?.remove()
  Promise.resolve(work).then(() => say({ kind: 'done' }), failed)
})
