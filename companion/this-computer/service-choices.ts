import type { ServiceChange } from '../../contract/rpc/index.ts'
import type { ServiceChoices, ServiceReady } from '../../contract/service-process.ts'
import type { NamedChoices } from '../instance/launch-options.ts'
import type { ServiceChange as Change } from '../supervisor/supervisor.ts'
import type { ComputerStore } from './computer-document.ts'
import { tryPort } from './port-check.ts'

/** A listener with its own port. */
export type Listener = 'api' | 'media' | 'rtmp'
/** All listeners. */
export const listeners: readonly Listener[] = ['api', 'media', 'rtmp']

/** What the settings need. */
export interface ServiceChoicesPorts {
  readonly store: ComputerStore
  readonly given: ServiceChoices
  readonly named: NamedChoices
  readonly ready: () => ServiceReady | undefined
  /** Resolves when it is restarted. */
  readonly change: (change: Change) => Promise<void>
  readonly runs: (patience: number) => Promise<boolean>
  readonly onAir: () => boolean
  readonly moving: () => boolean
  /** Which of the app's listeners has a port. */
  readonly holder: (port: number) => 'callbacks' | 'copies' | 'moderators' | undefined
}

/** Null: the usual port. */
export type PortWish = { readonly [listener in Listener]: number | null }

/** In ms. */
const patience = 30_000

const isZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
const answer = (outcome: ServiceChange['outcome'], more: Partial<ServiceChange> = {}): ServiceChange => ({
  outcome,
  listener: null,
  by: null,
  ...more,
})
const portOf = (url: string | undefined): number => (url === undefined ? 0 : Number(new URL(url).port))

/** Combines the command line, which wins, with the app's settings. */
export function createServiceSettings(ports: ServiceChoicesPorts) {
  const { store, given, named } = ports
  const wanted = (listener: Listener, wish: PortWish): number =>
    named.ports.includes(listener) ? given[listener].port : (wish[listener] ?? given[listener].port)

  const fault = async (wish: PortWish): Promise<ServiceChange | undefined> => {
    const now = store.value().ports
    const overruled = named.ports.find((listener) => wish[listener] !== now[listener])
    if (overruled) return answer('named', { listener: overruled })
    const twice = listeners.find(
      (one) =>
        wish[one] !== null && listeners.some((other) => other !== one && wanted(one, wish) === wanted(other, wish)),
    )
    if (twice) return answer('twice', { listener: twice })
    const ready = ports.ready()
    const used = { api: portOf(ready?.baseUrl), media: portOf(ready?.mediaUrl), rtmp: portOf(ready?.rtmpUrl) }
    for (const listener of listeners) {
      const port = wish[listener]
      if (port === null || port === now[listener]) continue
      const owner = listeners.find((each) => used[each] === port)
      // The restarted service frees the ports that it changes.
      if (owner !== undefined && owner !== listener && wish[owner] === now[owner]) return answer('twice', { listener })
      if (owner !== undefined) continue
      const found = await tryPort(given[listener].host, port)
      if (found === 'taken') return answer('taken', { listener, by: ports.holder(port) ?? 'other' })
      if (found === 'refused') return answer('refused', { listener })
    }
    return undefined
  }
  const apply = async (change: Change): Promise<ServiceChange> => {
    await ports.change(change)
    return answer((await ports.runs(patience)) ? 'done' : 'notRunning')
  }
  const blockerOf = (evenOnAir: boolean): ServiceChange | undefined =>
    ports.moving() ? answer('moving') : !evenOnAir && ports.onAir() ? answer('onAir') : undefined

  return {
    choices: (): ServiceChoices => {
      const { ports: wish, timeZone } = store.value()
      const zone = timeZone !== null && isZone(timeZone) ? timeZone : given.timeZone
      const at = (listener: Listener) => ({ ...given[listener], port: wanted(listener, wish) })
      return {
        ...given,
        api: at('api'),
        media: at('media'),
        rtmp: at('rtmp'),
        ...(zone === undefined ? {} : { timeZone: zone }),
      }
    },
    setPorts: async (wish: PortWish, evenOnAir: boolean): Promise<ServiceChange> => {
      const wrong = await fault(wish)
      if (wrong) return wrong
      const now = store.value().ports
      const changed = listeners.filter((listener) => wish[listener] !== now[listener])
      if (changed.length === 0) return answer('done')
      const blocker = blockerOf(evenOnAir)
      if (blocker) return blocker
      await store.change({ ports: { api: wish.api, media: wish.media, rtmp: wish.rtmp } })
      return apply({ ports: Object.fromEntries(changed.map((listener) => [listener, wanted(listener, wish)])) })
    },
    setTimeZone: async (timeZone: string | null, evenOnAir: boolean): Promise<ServiceChange> => {
      if (timeZone !== null && !isZone(timeZone)) return answer('unknown')
      if (timeZone === store.value().timeZone) return answer('done')
      const blocker = blockerOf(evenOnAir)
      if (blocker) return blocker
      await store.change({ timeZone })
      return apply({ timeZone: timeZone ?? given.timeZone })
    },
  }
}
