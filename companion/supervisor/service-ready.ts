import type { ServiceReady } from '../../contract/service-process.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Supervisor } from './supervisor.ts'

/** Resolves once the service runs; with undefined when given up or after `patience` ms. */
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

/** Called when the ready service changes; returns its end. */
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
