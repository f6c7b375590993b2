import { local } from '../../contract/operations/index.ts'
import type { RpcInputs, TakenClip } from '../../contract/rpc/index.ts'
import { callsOf, type Client } from '../client/client.ts'
import { extendedOnly, type IsExtended } from '../profiles/profiles.ts'

type Input = RpcInputs['recordings']

/** Clips of what is on air, and cuts of recorded files. Throws Failure. */
export function createClips(client: (profileId: string) => Promise<Client>, isExtended: IsExtended) {
  const call = callsOf(client)
  return {
    takeClip: async ({ profileId, cid, seconds, name }: Input['takeClip']): Promise<TakenClip> => {
      extendedOnly(isExtended, profileId)
      return (await call(profileId, local.takeClip, { cid, seconds, ...(name !== null && { name }) })).ret
    },
    trim: async ({ profileId, vids, from, to, name }: Input['trim']): Promise<{ taskId: number; vid: number }> => {
      extendedOnly(isExtended, profileId)
      return (await call(profileId, local.trim, { vidList: vids, from, to, name })).ret
    },
    renameClip: async ({ profileId, vid, name }: Input['renameClip']) => {
      extendedOnly(isExtended, profileId)
      await call(profileId, local.renameClip, { vid, name })
    },
  }
}
