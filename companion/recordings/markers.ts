import { local } from '../../contract/operations/index.ts'
import type { Marker, RpcInputs } from '../../contract/rpc/index.ts'
import type { Client } from '../client/client.ts'
import type { Clock } from '../../platform/clock.ts'
import { extendedOnly, type IsExtended } from '../profiles/profiles.ts'
import { each } from './parallel.ts'

type Input = RpcInputs['recordings']

/** Moments of channels that somebody has marked. Throws Failure. */
export function createMarkers(clock: Clock, client: (profileId: string) => Promise<Client>, isExtended: IsExtended) {
  return {
    mark: async ({ profileId, cid, label }: Input['mark']): Promise<Marker> => {
      extendedOnly(isExtended, profileId)
      const at = clock.now()
      const { ret } = await (await client(profileId)).call(local.addMarker, { cid, at, label })
      return { markerId: ret.markerId, cid, at, label }
    },
    markers: async ({ profileId, cids, beginTime, endTime }: Input['markers']): Promise<Marker[]> => {
      if (!isExtended(profileId)) return []
      const caller = await client(profileId)
      const lists = await each(cids, async (cid) =>
        (await caller.call(local.markers, { cid, beginTime, endTime })).ret.list.map(({ markerId, at, label }) => ({
          markerId,
          cid,
          at,
          label,
        })),
      )
      return lists.flat().sort((a, b) => a.at - b.at)
    },
    renameMarker: async ({ profileId, markerId, label }: Input['renameMarker']) => {
      extendedOnly(isExtended, profileId)
      await (await client(profileId)).call(local.renameMarker, { markerId, label })
    },
    removeMarker: async ({ profileId, markerId }: Input['removeMarker']) => {
      extendedOnly(isExtended, profileId)
      await (await client(profileId)).call(local.removeMarker, { markerId })
    },
  }
}
