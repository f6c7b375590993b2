import type { ServiceReady } from '../../contract/service-process.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Supervisor } from './supervisor.ts'

/** Resolves with the ready line as soon as the service runs; with undefined when it was given up, or `patience` ms have passed. */
export const serviceReady = (
  supervisor: Pick<Supervisor, 'ready' | 'state' | 'on'>,
  clock: Pick<Clock, 'after'>,
  patience: number,
): Promise<ServiceReady | undefined> =>
  new Promise((resolve) => {
    const look = (): boolean => supervisor.ready() !== undefined || supervisor.state().phase === 'stopped'
    if (look()) return resolve(supervisor.ready())
    const finish = (): void => {
      off()
      cancel()
      resolve(supervisor.ready())
    }
    const off = supervisor.on(() => {
      if (look()) finish()
    })
    const cancel = clock.after(patience, finish)
  })

/** Tells when the service has become ready, is ready elsewhere, or is not any more; the returned function ends it. */
export function onReadyChange(
  supervisor: Pick<Supervisor, 'ready' | 'on'>,
  changed: (ready: ServiceReady | undefined, before: ServiceReady | undefined) => void,
): () => void {
  let known = supervisor.ready()
  return supervisor.on(() => {
    const [before, ready] = [known, supervisor.ready()]
    if (ready === before) return
    known = ready
    changed(ready, before)
  })
}
