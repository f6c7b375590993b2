import { z } from 'zod'
import { reasonOf } from '../failure.ts'
import type { PartPorts } from '../part-ports.ts'
import { isLocal } from '../profiles/profiles.ts'
import { fromVault } from '../secrets/vault.ts'

/** The address binds the key, so that a service whose targets were changed does not send it elsewhere. */
const Kept = z.object({ key: z.string(), address: z.string() })

/** A kept key, and whose it is. */
interface KeptPlace {
  readonly cid: string
  readonly targetId: number
}

/** Makes the store. */
export function createTargetKeys({ vault, entryName, log }: Pick<PartPorts, 'vault' | 'entryName' | 'log'>) {
  const startOf = (profileId: string): string => entryName(isLocal(profileId) ? 'target:' : `target:${profileId}:`)
  const entry = (profileId: string, cid: string, targetId: number): string => `${startOf(profileId)}${cid}:${targetId}`
  const places = async (profileId: string): Promise<KeptPlace[]> => {
    const start = startOf(profileId)
    return (await fromVault(vault.names())).flatMap((name) => {
      const [, cid, id] = name.startsWith(start)
        ? (/^([0-9a-f]{32}):(\d{1,15})$/.exec(name.slice(start.length)) ?? [])
        : []
      return cid === undefined ? [] : [{ cid, targetId: Number(id) }]
    })
  }
  return {
    places,
    /** The key of a target at an address; undefined for none, or for one of another address. */
    read: async (profileId: string, cid: string, targetId: number, address: string): Promise<string | undefined> => {
      const text = await fromVault(vault.get(entry(profileId, cid, targetId)))
      if (text === undefined) return undefined
      try {
        const kept = Kept.parse(JSON.parse(text))
        return kept.address === address ? kept.key : undefined
      } catch {
        // Without the text, which has the key.
        log('a kept key of a target cannot be read')
        return undefined
      }
    },
    /** Where it is kept; a keychain that refuses is logged. */
    keep: async (profileId: string, cid: string, targetId: number, key: string, address: string) => {
      try {
        await vault.set(entry(profileId, cid, targetId), JSON.stringify({ key, address }))
        return vault.mode.kind
      } catch (error) {
        log(`a key of a target is not kept: ${reasonOf(error)}`)
        return 'refused' as const
      }
    },
    /** Throws Failure `keychain`. */
    remove: (profileId: string, cid: string, targetId: number): Promise<void> =>
      fromVault(vault.delete(entry(profileId, cid, targetId))),
    /** Of a channel, or of a whole profile. Throws Failure `keychain`. */
    removeAll: async (profileId: string, cid?: string): Promise<void> => {
      for (const place of await places(profileId))
        if (cid === undefined || place.cid === cid)
          await fromVault(vault.delete(entry(profileId, place.cid, place.targetId)))
    },
  }
}
