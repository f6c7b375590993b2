import { isIPv4 } from 'node:net'
import { forwardByNatPmp } from './nat-pmp.ts'
import { homeAddresses } from './network.ts'
import { mappingFault, NoRouter, patience, type AskRouter, type Forwarded } from './port-mapping.ts'
import { defaultRouters, mayBeRouter } from './router-address.ts'
import { forwardByUpnp, searchRouters, type UpnpDevice } from './upnp.ts'

/** How long the default router may take to answer each protocol, in ms: UPnP lets it wait for 1 s. */
const silentAfter = patience / 4

/** The first that was made; a further one is given back, unless it is the same. Rejects with what was refused. */
async function firstOf(asked: readonly Promise<Forwarded>[], refusal: unknown): Promise<Forwarded> {
  try {
    const first = await Promise.any(asked)
    const isOther = ({ address, port }: Forwarded): boolean => address !== first.address || port !== first.port
    for (const one of asked) one.then((made) => (isOther(made) ? made.remove() : undefined)).catch(() => undefined)
    return first
  } catch (error) {
    const { errors } = error as AggregateError
    throw errors.find((one) => mappingFault(one) !== 'noRouter') ?? refusal ?? errors[0] ?? silent()
  }
}
const silent = (): NoRouter => new NoRouter('no router answered by NAT-PMP or UPnP')

/**
 * Asks the default router by NAT-PMP and UPnP. Other devices of the home network are asked when it is silent, all at
 * once, so that none uses up the time of another.
 */
export const askRouter: AskRouter = async (port, signal) => {
  let refusal: unknown
  const routers = await defaultRouters()
  for (const router of routers) {
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(silentAfter)])
      return await forwardByNatPmp(router, port, { signal: within, patience })
    } catch (error) {
      if (!(error instanceof NoRouter)) refusal = error
    }
  }
  const asked: Promise<Forwarded>[] = []
  const others: UpnpDevice[] = []
  const isMade = new AbortController()
  const isRouter = (address: string): boolean => routers.includes(address)
  const devices = searchRouters(
    homeAddresses().filter(isIPv4),
    { mayBe: (address) => mayBeRouter(address, routers), isRouter },
    AbortSignal.any([signal, isMade.signal, AbortSignal.timeout(silentAfter)]),
  )
  for await (const device of devices) {
    if (!isRouter(device.address)) {
      others.push(device)
      continue
    }
    const making = forwardByUpnp(device, port, { signal, patience })
    making.then(
      () => isMade.abort(),
      () => undefined,
    )
    asked.push(making)
  }
  if (asked.length === 0 && refusal === undefined)
    for (const device of others)
      asked.push(
        forwardByUpnp(device, port, { signal, patience }).then((made) => ({ ...made, otherDevice: device.address })),
      )
  return firstOf(asked, refusal)
}
