import { readFile } from 'node:fs/promises'
import { pmpNat, upnpNat, type Gateway } from '@achingbrain/nat-port-mapper'
import type { Clock } from '../../platform/clock.ts'
import { inBackground } from '../background.ts'
import type { Log } from '../log.ts'
import { homeAddresses } from './network.ts'

/** A port that a router forwards, as answers and events have it. */
export interface MappingState {
  readonly state: 'open' | 'asking' | 'failed'
  readonly protocol?: 'upnp' | 'natpmp'
  /** Public address of the router. */
  readonly address?: string
  readonly port?: number
  /** `noRouter`: none answered; `noMapping`: it refused. */
  readonly reason?: 'noRouter' | 'noMapping'
  readonly detail?: string
}

/** A mapping that was made. */
export interface Forwarded {
  readonly protocol: 'upnp' | 'natpmp'
  readonly address: string
  readonly port: number
  /** Renews it; rejects when the router no longer answers. */
  renew(): Promise<void>
  remove(): Promise<void>
}
/** Asks routers to forward a TCP port to this computer; rejects when none does. */
export type AskRouter = (port: number, signal: AbortSignal) => Promise<Forwarded>

/** No router answered. */
export class NoRouter extends Error {}

/** For how long a router is asked, in ms. */
const patience = 8000
/** Lifetime of a mapping, in s, and when it is renewed, in ms. */
const lease = 3600
const renewEvery = 20 * 60_000
/** When a router that failed is asked again, in ms. */
const retryEvery = 60_000

/** The router of the default route, as Linux knows it; elsewhere the first address of each home network. */
async function routers(): Promise<string[]> {
  const table = await readFile('/proc/net/route', 'utf8').catch(() => '')
  const found = table.split('\n').flatMap((line) => {
    const [, target, gateway] = line.split('\t')
    if (target !== '00000000' || gateway === undefined || gateway === '00000000') return []
    return [
      (gateway.match(/../g) ?? [])
        .map((byte) => parseInt(byte, 16))
        .reverse()
        .join('.'),
    ]
  })
  if (found.length > 0) return found
  return homeAddresses()
    .filter((address) => address.includes('.'))
    .map((address) => address.replace(/\d+$/, '1'))
}

/** A mapping of one gateway. UPnP counts its lease in ms, NAT-PMP in seconds. */
async function through(
  gateway: Gateway,
  protocol: Forwarded['protocol'],
  port: number,
  signal: AbortSignal,
): Promise<Forwarded> {
  const hosts = homeAddresses().filter((address) => address.includes('.'))
  const ttl = protocol === 'upnp' ? lease * 1000 : lease
  const settings = { externalPort: port, protocol: 'TCP', description: 'Sidestage', ttl, autoRefresh: false } as const
  let fault: unknown = new NoRouter('this computer has no address in a home network')
  for (const host of hosts) {
    try {
      const made = await gateway.map(port, host, { ...settings, signal })
      return {
        protocol,
        address: made.externalHost,
        port: made.externalPort,
        async renew() {
          await gateway.map(port, host, { ...settings, signal: AbortSignal.timeout(patience) })
        },
        async remove() {
          await gateway.unmap(port, { signal: AbortSignal.timeout(patience) })
          await gateway.stop({ signal: AbortSignal.timeout(patience) })
        },
      }
    } catch (error) {
      fault = error
    }
  }
  throw fault
}

/** Asks by NAT-PMP, then by UPnP. */
export const askRouter: AskRouter = async (port, signal) => {
  let refusal: unknown
  for (const router of await routers()) {
    const gateway = pmpNat(router, { autoRefresh: false })
    // Errors of its socket; a request ends by its own time.
    Reflect.apply(Reflect.get(gateway, 'on') as (name: string, listener: () => void) => unknown, gateway, [
      'error',
      () => undefined,
    ])
    try {
      return await through(gateway, 'natpmp', port, AbortSignal.any([signal, AbortSignal.timeout(patience / 4)]))
    } catch (error) {
      if (error instanceof Error && !/abort|timeout/i.test(error.name)) refusal = error
      await gateway.stop().catch(() => undefined)
    }
  }
  for await (const gateway of upnpNat({ autoRefresh: false }).findGateways({ signal })) {
    try {
      return await through(gateway, 'upnp', port, signal)
    } catch (error) {
      refusal = error
      await gateway.stop().catch(() => undefined)
    }
  }
  throw refusal ?? new NoRouter('no router answered by NAT-PMP or UPnP')
}

/** Makes it; nothing is forwarded yet. `changed` is called with each change of the state. */
export function createPortMapping(options: {
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly changed: () => void
  readonly ask?: AskRouter
}) {
  const { clock, log, changed, ask = askRouter } = options
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
    const isSilent = error instanceof NoRouter || (error instanceof Error && /abort|timeout/i.test(error.name))
    log.warn({ port: wanted, detail }, 'the router does not forward the port')
    tell({ state: 'failed', reason: isSilent ? 'noRouter' : 'noMapping', detail })
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
  const go = async (port: number): Promise<void> => {
    abort = new AbortController()
    try {
      if (made) await made.renew()
      else {
        if (state === undefined) tell({ state: 'asking' })
        made = await ask(port, AbortSignal.any([abort.signal, AbortSignal.timeout(patience)]))
      }
      if (wanted !== port) return await remove()
      const { protocol, address, port: outer } = made
      if (state?.state !== 'open') log.info({ protocol, address, port: outer }, 'the router forwards a port')
      tell({ state: 'open', protocol, address, port: outer })
      later(renewEvery, port)
    } catch (error) {
      made = undefined
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
    close: () => set(undefined),
  }
}
