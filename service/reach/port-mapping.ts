import type { Clock } from '../../platform/clock.ts'
import { inBackground } from '../background.ts'
import type { Log } from '../log.ts'

/** A port that a router forwards, as answers and events have it. */
export interface MappingState {
  readonly state: 'open' | 'asking' | 'failed'
  readonly protocol?: 'upnp' | 'natpmp'
  /** Public address of the router. */
  readonly address?: string
  /** Port of that address, which the router chooses. */
  readonly port?: number
  /** Address of the device that forwards when it is not the default router: viewers are not led where it says. */
  readonly otherDevice?: string
  readonly reason?: MappingFault
  readonly detail?: string
}
/** `noRouter`: none answered; `noPublicAddress`: it is in a private network itself; `noMapping`: it refused. */
export type MappingFault = 'noRouter' | 'noPublicAddress' | 'noMapping'

/** Where a forwarded port is reached from outside. */
export interface OuterPlace {
  readonly address: string
  readonly port: number
}
/** A mapping that was made. */
export interface Forwarded extends OuterPlace {
  readonly protocol: 'upnp' | 'natpmp'
  /** Address of the device that made it when it is not the default router. */
  readonly otherDevice?: string
  /** Renews it, perhaps with another address or port; rejects when the router refuses or no longer answers. */
  renew(): Promise<OuterPlace>
  /** Gives it back, and ends whatever asked for it. */
  remove(): Promise<void>
}
/** Asks routers to forward a TCP port to this computer; rejects when none does. */
export type AskRouter = (port: number, signal: AbortSignal) => Promise<Forwarded>

/** No router answered. */
export class NoRouter extends Error {}
/** The router's own address is not of the internet, so nobody outside reaches what it forwards. */
export class NoPublicAddress extends Error {}

/** What an error says of the router. */
export function mappingFault(error: unknown): MappingFault {
  if (error instanceof NoPublicAddress) return 'noPublicAddress'
  const isSilent = error instanceof NoRouter || (error instanceof Error && /abort|timeout/i.test(error.name))
  return isSilent ? 'noRouter' : 'noMapping'
}

/** For how long a router is asked, in ms. */
export const patience = 8000
/** How much longer an answer may take that comes from a thread, in ms. */
const startPatience = 4000
/** When a mapping is renewed, in ms. */
const renewEvery = 20 * 60_000
/** When a router that failed is asked again, in ms. */
const retryEvery = 60_000

/** Makes it; nothing is forwarded yet. `changed` is called with each change of the state. */
export function createPortMapping(options: {
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly changed: () => void
  readonly ask: AskRouter
}) {
  const { clock, log, changed, ask } = options
  let wanted: number | undefined
  let made: Forwarded | undefined
  let state: MappingState | undefined
  let abort: AbortController | undefined
  let cancel: (() => void) | undefined
  let work: Promise<void> = Promise.resolve()

  const tell = (next: MappingState | undefined): void => {
    state = next
    changed()
  }
  const failed = (error: unknown): void => {
    const detail = error instanceof Error ? error.message.slice(0, 200) : ''
    log.warn({ port: wanted, detail }, 'the router does not forward the port')
    tell({ state: 'failed', reason: mappingFault(error), detail })
  }
  const remove = async (): Promise<void> => {
    const gone = made
    made = undefined
    await gone?.remove().catch((error: unknown) => log.warn({ err: error }, 'a forwarded port was not given back'))
  }
  const later = (ms: number, port: number): void => {
    cancel?.()
    cancel = clock.after(ms, () => {
      work = work.then(() => (wanted === port ? go(port) : undefined))
      inBackground(work, log, 'renewing a forwarded port')
    })
  }
  /** A mapping that is not renewed is given back, which ends its thread. */
  const renew = async (): Promise<void> => {
    if (!made) return
    try {
      made = { ...made, ...(await made.renew()) }
    } catch (error) {
      log.warn({ err: error }, 'a forwarded port was not renewed; it is asked for anew')
      await remove()
    }
  }
  const go = async (port: number): Promise<void> => {
    abort = new AbortController()
    try {
      await renew()
      if (!made && wanted === port) {
        if (state === undefined) tell({ state: 'asking' })
        made = await ask(port, AbortSignal.any([abort.signal, AbortSignal.timeout(patience + startPatience)]))
      }
      if (!made || wanted !== port) return await remove()
      const { protocol, address, port: outer, otherDevice } = made
      const told = { protocol, address, port: outer, ...(otherDevice !== undefined && { otherDevice }) }
      if (state?.address !== address || state.port !== outer) {
        if (otherDevice === undefined) log.info(told, 'the router forwards a port')
        else log.warn(told, 'another device than the default router forwards a port; links do not use its address')
      }
      tell({ state: 'open', ...told })
      later(renewEvery, port)
    } catch (error) {
      if (wanted !== port) return
      failed(error)
      later(retryEvery, port)
    }
  }

  /** Resolves when the port is forwarded or not, and the earlier one given back. */
  const set = (port: number | undefined): Promise<void> => {
    if (port === wanted) return work
    wanted = port
    abort?.abort()
    cancel?.()
    state = undefined
    work = work.then(remove).then(() => (wanted === port && port !== undefined ? go(port) : undefined))
    return work
  }
  return {
    set,
    get state() {
      return state
    },
    /** As answers and events have it. */
    facts() {
      if (!state) return {}
      const { reason: _, ...told } = state
      return { mapping: told }
    },
    close: () => set(undefined),
  }
}
