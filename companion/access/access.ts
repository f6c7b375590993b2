import { local } from '../../contract/operations/index.ts'
import type { RpcInputs } from '../../contract/rpc/index.ts'
import type { Client } from '../client/client.ts'
import { extendedOnly, type IsExtended, localOnly } from '../profiles/profiles.ts'

type Input = RpcInputs['access']

/** Who may watch channels of extended services, as far as it has secrets. Throws Failure. */
export type Access = ReturnType<typeof createAccess>

/** Makes the calls. */
export function createAccess(ports: {
  readonly client: (profileId: string) => Promise<Client>
  readonly isExtended: IsExtended
}) {
  const service = (profileId: string): Promise<Client> => {
    extendedOnly(ports.isExtended, profileId)
    return ports.client(profileId)
  }
  return {
    update: async ({ profileId, ...call }: Input['update']): Promise<{ ended: number }> => {
      const { ended } = (await (await service(profileId)).call(local.updateAccess, call)).ret
      return { ended }
    },
    addLink: async ({ profileId, ...call }: Input['addLink']): Promise<{ linkId: number; url: string }> =>
      (await (await service(profileId)).call(local.addNamedLink, call)).ret,
    linkAddress: async ({ profileId, ...call }: Input['linkAddress']): Promise<{ url: string }> => {
      const { url } = (await (await service(profileId)).call(local.namedLinkAddress, call)).ret
      return { url }
    },
    startVisit: async ({ profileId, ...call }: Input['startVisit']) => {
      localOnly(profileId)
      const { visitId, url, expires } = (await (await service(profileId)).call(local.startVisit, call)).ret
      return { visitId, url, expires }
    },
  }
}
