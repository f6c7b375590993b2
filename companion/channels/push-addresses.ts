import { live, local } from '../../contract/operations/index.ts'
import type { Client } from '../client/client.ts'
import type { Clock } from '../../platform/clock.ts'
import { type PushAddress, splitPushAddress } from './push-address.ts'
import { createLru } from '../../platform/lru.ts'

/** The push addresses that this app has been given, kept in memory only. Looking at one never asks for another. */
export interface PushAddresses {
  /** The known address of a channel while it is good, else the one that the service gives. */
  look(profileId: string, cid: string, client: Client): Promise<PushAddress>
  /** The address that the service gives now; older ones stay good until their time. */
  renew(profileId: string, cid: string, client: Client): Promise<PushAddress>
  /** Embedded service only: a new key, after which no address given out so far starts a push. */
  replace(profileId: string, cid: string, client: Client): Promise<PushAddress>
  /** Forgets the addresses of a profile, or of one channel of it. */
  forget(profileId: string, cid?: string): void
}

/** Addresses held at most; the one not used longest goes. */
const most = 2_000

/** Creates an empty store. */
export function createPushAddresses(clock: Clock): PushAddresses {
  const held = createLru<PushAddress>(most)
  const keep = (profileId: string, cid: string, text: string): PushAddress => {
    const address = splitPushAddress(text)
    held.set(`${profileId} ${cid}`, address)
    return address
  }
  const renew: PushAddresses['renew'] = async (profileId, cid, client) =>
    keep(profileId, cid, (await client.call(live.address, { cid })).ret.pushUrl)
  return {
    renew,
    look: async (profileId, cid, client) => {
      const known = held.get(`${profileId} ${cid}`)
      if (known && (known.expires === null || known.expires > clock.now())) return known
      return renew(profileId, cid, client)
    },
    replace: async (profileId, cid, client) =>
      keep(profileId, cid, (await client.call(local.replaceKey, { cid })).ret.pushUrl),
    forget: (profileId, cid) => {
      for (const name of held.keys())
        if (cid === undefined ? name.startsWith(`${profileId} `) : name === `${profileId} ${cid}`) held.delete(name)
    },
  }
}
