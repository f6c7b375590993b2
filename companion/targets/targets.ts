import { local } from '../../contract/operations/index.ts'
import type { RpcInputs, Target, TargetBoard } from '../../contract/rpc/index.ts'
import { inBackground } from '../background.ts'
import type { Client } from '../client/client.ts'
import { Failure, reasonOf } from '../failure.ts'
import type { PartPorts } from '../part-ports.ts'
import { extendedOnly } from '../profiles/profiles.ts'
import { presetOf, startOf, targetStateOf } from './target-events.ts'
import { createTargetKeys } from './target-keys.ts'

/** Targets of channels of extended services, and their keys. Throws Failure. */
export type Targets = ReturnType<typeof createTargets>

type Input = RpcInputs['targets']

/** Makes the calls. `changed`: targets of a channel changed beyond their states. */
export function createTargets(
  ports: Pick<PartPorts, 'vault' | 'entryName' | 'client' | 'isExtended' | 'log'> & {
    readonly changed: (profileId: string, cid: string) => void
    readonly removed: (profileId: string, cid: string, targetId: number) => void
  },
) {
  const { log } = ports
  const keys = createTargetKeys(ports)
  const service = (profileId: string): Promise<Client> => {
    extendedOnly(ports.isExtended, profileId)
    return ports.client(profileId)
  }
  const read = async (client: Client, cid: string): Promise<TargetBoard> => {
    const { ret } = await client.call(local.targets, { cid })
    const targets = ret.list.flatMap(
      ({
        targetId,
        name,
        preset,
        url,
        start,
        hasKey,
        keyEnd = null,
        keyForgotten = false,
        keyGone = false,
        ...state
      }): Target[] => {
        const known = targetStateOf({ targetId, ...state })
        return known
          ? [
              {
                ...known,
                targetId,
                name,
                preset: presetOf(preset),
                url,
                start: startOf(start),
                hasKey,
                keyEnd,
                keyForgotten,
                keyGone,
              },
            ]
          : []
      },
    )
    return { targets, needs: ret.needs, budget: ret.budget, waiting: ret.waiting }
  }
  /** As the service has the address, which may differ from what was entered. */
  const addressOf = async (client: Client, cid: string, targetId: number): Promise<string | undefined> =>
    (await read(client, cid)).targets.find((one) => one.targetId === targetId)?.url
  const keep = async (profileId: string, client: Client, cid: string, targetId: number, key: string) => {
    const address = await addressOf(client, cid, targetId)
    return address === undefined ? ('refused' as const) : keys.keep(profileId, cid, targetId, key, address)
  }
  const giveChannel = async (profileId: string, client: Client, cid: string, ids: readonly number[]): Promise<void> => {
    for (const { targetId, url, hasKey } of (await read(client, cid)).targets) {
      if (hasKey || !ids.includes(targetId)) continue
      const key = await keys.read(profileId, cid, targetId, url)
      if (key !== undefined) await client.call(local.updateTarget, { cid, targetId, key })
    }
  }

  return {
    list: async ({ profileId, cid }: Input['list']): Promise<TargetBoard> => read(await service(profileId), cid),
    add: async ({ profileId, ...call }: Input['add']) => {
      const client = await service(profileId)
      const { targetId } = (await client.call(local.addTarget, call)).ret
      const key =
        call.key === undefined ? ('none' as const) : await keep(profileId, client, call.cid, targetId, call.key)
      ports.changed(profileId, call.cid)
      return { targetId, key }
    },
    update: async ({ profileId, ...call }: Input['update']) => {
      const { cid, targetId, key, url } = call
      const client = await service(profileId)
      const before = url === undefined ? undefined : await addressOf(client, cid, targetId)
      await client.call(local.updateTarget, call)
      let kept: 'keychain' | 'session' | 'refused' | 'none' = 'none'
      if (key !== undefined) kept = await keep(profileId, client, cid, targetId, key)
      // The key was for the address before.
      else if (url !== undefined && before !== (await addressOf(client, cid, targetId)))
        await keys.remove(profileId, cid, targetId)
      ports.changed(profileId, cid)
      return { key: kept }
    },
    remove: async ({ profileId, cid, targetId }: Input['remove']): Promise<void> => {
      const client = await service(profileId)
      // First: a key that cannot be removed must not outlive its target unseen.
      await keys.remove(profileId, cid, targetId)
      await client.call(local.removeTarget, { cid, targetId })
      ports.removed(profileId, cid, targetId)
      ports.changed(profileId, cid)
    },
    start: async ({ profileId, cid, targetId }: Input['start']): Promise<void> => {
      await (await service(profileId)).call(local.startTarget, { cid, targetId })
    },
    stop: async ({ profileId, cid, targetId }: Input['stop']): Promise<void> => {
      await (await service(profileId)).call(local.stopTarget, { cid, targetId })
    },
    /** Gives a service the keys of its targets, which it keeps in memory only. */
    give: async (profileId: string, client: Client): Promise<void> => {
      const byChannel = new Map<string, number[]>()
      for (const { cid, targetId } of await keys.places(profileId)) {
        const ids = byChannel.get(cid) ?? []
        byChannel.set(cid, [...ids, targetId])
      }
      for (const [cid, ids] of byChannel)
        try {
          await giveChannel(profileId, client, cid, ids)
        } catch (error) {
          // The channel may be gone, or on a disk that is not there now: its keys stay.
          if (!(error instanceof Failure) || error.data.kind !== 'code') throw error
          log(`targets of a channel did not get their keys: ${reasonOf(error)}`)
        }
    },
    /** Forgets the keys of a channel that is gone. */
    forgetChannel: (profileId: string, cid: string): void =>
      inBackground(keys.removeAll(profileId, cid), log, 'removing keys of the targets of a deleted channel'),
    /** Forgets the keys of a profile that is gone. Throws Failure `keychain`. */
    forgetProfile: (profileId: string): Promise<void> => keys.removeAll(profileId),
  }
}
