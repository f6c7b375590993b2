import { live, local } from '../../contract/operations/index.ts'
import type { Client } from '../client/client.ts'
import type { Clock } from '../../platform/clock.ts'
import { type PushAddress, splitPushAddress } from './push-address.ts'
import { createLru } from '../../platform/lru.ts'

/** Push addresses known to the app, in memory only. */
export type PushAddresses = ReturnType<typeof createPushAddresses>

/** The least recently used one is dropped. */
const most = 2_000

/** Creates an empty store. */
export function createPushAddresses(clock: Clock) {
  const held = createLru<PushAddress>(most)
  const keep = (profileId: string, cid: string, text: string): PushAddress => {
    const address = splitPushAddress(text)
    held.set(`${profileId} ${cid}`, address)
    return address
  }
  const renew = async (profileId: string, cid: string, client: Client): Promise<PushAddress> =>
    keep(profileId, cid, (await client.call(live.address, { cid })).ret.pushUrl)
  return {
    /** A new address; older ones stay valid until they expire. */
    renew,
    /** The known address while it is valid, else a new one. */
    look: async (profileId: string, cid: string, client: Client): Promise<PushAddress> => {
      const known = held.get(`${profileId} ${cid}`)
      if (known && (known.expires === null || known.expires > clock.now())) return known
      return renew(profileId, cid, client)
    },
    /** Embedded service only: a new key, which invalidates all earlier addresses. */
    replace: async (profileId: string, cid: string, client: Client): Promise<PushAddress> =>
      keep(profileId, cid, (await client.call(local.replaceKey, { cid })).ret.pushUrl),
    forget: (profileId: string, cid?: string) => {
      if (cid !== undefined) held.delete(`${profileId} ${cid}`)
      else for (const name of held.keys()) if (name.startsWith(`${profileId} `)) held.delete(name)
    },
  }
}
