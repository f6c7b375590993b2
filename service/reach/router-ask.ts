import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { pmpNat, upnpNat, type Gateway } from '@achingbrain/nat-port-mapper'
import { homeAddresses } from './network.ts'
import { NoRouter, patience, type AskRouter, type Forwarded } from './port-mapping.ts'

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

/** Lifetime of a mapping, in s. */
const lease = 3600

/**
 * Makes a mapping by one gateway, to the first of this computer's addresses in the home network that it takes. UPnP
 * counts its lease in ms, NAT-PMP in seconds.
 */
export async function through(
  gateway: Pick<Gateway, 'map' | 'unmap' | 'stop'>,
  protocol: Forwarded['protocol'],
  port: number,
  signal: AbortSignal,
  hosts: readonly string[] = homeAddresses().filter((address) => address.includes('.')),
): Promise<Forwarded> {
  const ttl = protocol === 'upnp' ? lease * 1000 : lease
  const settings = { externalPort: port, protocol: 'TCP', description: 'Sidestage', ttl, autoRefresh: false } as const
  let fault: unknown = new NoRouter('this computer has no address in a home network')
  for (const host of hosts) {
    try {
      const made = await gateway.map(port, host, { ...settings, signal })
      // Addresses are written with it: what is no address would be a name of the device's choice.
      if (isIP(made.externalHost) === 0) throw new Error('the router names no public address')
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
