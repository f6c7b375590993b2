import { local } from '../../contract/operations/index.ts'
import type { Marker } from '../../contract/rpc/index.ts'
import type { Client } from '../client/client.ts'
import type { Clock } from '../../platform/clock.ts'
import { isLocal, localOnly } from '../profiles/profiles.ts'
import { each } from './parallel.ts'

/** Moments of channels that somebody has marked. They throw Failure. */
export interface Markers {
  mark(profileId: string, cid: string, label: string): Promise<Marker>
  markers(profileId: string, cids: readonly string[], beginTime: number, endTime: number): Promise<Marker[]>
  renameMarker(profileId: string, markerId: number, label: string): Promise<void>
  removeMarker(profileId: string, markerId: number): Promise<void>
}

/** Makes them. */
export function createMarkers(clock: Clock, client: (profileId: string) => Promise<Client>): Markers {
  return {
    mark: async (profileId, cid, label) => {
      localOnly(profileId)
      const at = clock.now()
      const { ret } = await (await client(profileId)).call(local.addMarker, { cid, at, label })
      return { markerId: ret.markerId, cid, at, label }
    },
    markers: async (profileId, cids, beginTime, endTime) => {
      if (!isLocal(profileId)) return []
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
    renameMarker: async (profileId, markerId, label) => {
      localOnly(profileId)
      await (await client(profileId)).call(local.renameMarker, { markerId, label })
    },
    removeMarker: async (profileId, markerId) => {
      localOnly(profileId)
      await (await client(profileId)).call(local.removeMarker, { markerId })
    },
  }
}
