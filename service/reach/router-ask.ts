import { isIPv4 } from 'node:net'
import { forwardByNatPmp } from './nat-pmp.ts'
import { homeAddresses } from './network.ts'
import { NoRouter, patience, type AskRouter } from './port-mapping.ts'
import { defaultRouters, mayBeRouter } from './router-address.ts'
import { forwardByUpnp, searchRouters } from './upnp.ts'

/** Asks the default router by NAT-PMP, then devices of the home network by UPnP. */
export const askRouter: AskRouter = async (port, signal) => {
  let refusal: unknown
  const routers = await defaultRouters()
  for (const router of routers) {
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(patience / 4)])
      return await forwardByNatPmp(router, port, { signal: within, patience })
    } catch (error) {
      if (!(error instanceof NoRouter)) refusal = error
    }
  }
  for await (const device of searchRouters(
    homeAddresses().filter(isIPv4),
    (address) => mayBeRouter(address, routers),
    signal,
  )) {
    try {
      return await forwardByUpnp(device, port, { signal, patience })
    } catch (error) {
      refusal = error
    }
  }
  throw refusal ?? new NoRouter('no router answered by NAT-PMP or UPnP')
}
