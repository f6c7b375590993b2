import type { Measure } from '../../contract/rpc/index.ts'
import { roleOptions } from '../../contract/operations/chatrooms.ts'
import { accounts, chatrooms, local, queue, robots } from '../../contract/operations/index.ts'
import type { Client } from '../client/client.ts'
import { Failure } from '../failure.ts'

/** What a queue gave. */
export interface Taken {
  readonly key: string
  readonly value: string
}

/** Measures that only the embedded service can take. */
const localOnly = new Set<Measure['kind']>(['removeLine', 'decideHeld', 'slowMode'])

/** Refuses unless all accounts exist, before anything is done; unknown ones are left out of the answer, or answered 414 where there is no other. */
async function mustBeRegistered(client: Client, accids: readonly string[]): Promise<void> {
  const { uinfos } = await client.call(accounts.getUinfos, { accids: [...accids] }).catch((error: unknown) => {
    if (error instanceof Failure && error.data.code === 414) return { uinfos: [] }
    throw error
  })
  const known = new Set(uinfos.map(({ accid }) => accid))
  const unknown = accids.filter((accid) => !known.has(accid))
  if (unknown.length > 0) throw new Failure('missing', `not registered: ${unknown.join(', ').slice(0, 300)}`, { code: 414 })
}

/** Carries a measure out with the one signed call that does it; throws Failure. The reason goes along as `notifyExt` where the call takes one. */
export async function carryOut(
  client: Client,
  { roomid, operator, measure, why, isLocal }: { roomid: number; operator: string; measure: Measure; why: string; isLocal: boolean },
): Promise<Taken | null> {
  if (localOnly.has(measure.kind) && !isLocal) throw new Failure('absent', 'a hosted service does not offer this')
  const reason = why === '' ? {} : { notifyExt: why }
  const role = async (opt: number, target: string, on: boolean): Promise<null> => {
    await client.call(chatrooms.setMemberRole, { roomid, operator, target, opt, optvalue: on, ...reason })
    return null
  }
  switch (measure.kind) {
    case 'temporaryMute':
      await client.call(chatrooms.temporaryMute, { roomid, operator, target: measure.target, muteDuration: measure.seconds, ...reason })
      return null
    case 'mute':
    case 'blacklist':
    case 'admin':
    case 'ordinary':
      return role(roleOptions[measure.kind], measure.target, measure.on)
    case 'removeLine':
      await client.call(local.removeLine, { roomid, operator, msgid: measure.msgid, ...reason })
      return null
    case 'decideHeld':
      await client.call(local.decideHeld, { roomid, msgid: measure.msgid, allow: measure.allow })
      return null
    case 'muteRoom':
      await client.call(chatrooms.muteRoom, { roomid, operator, mute: measure.on, ...reason })
      return null
    case 'openRoom':
      await client.call(chatrooms.toggleCloseStat, { roomid, operator, valid: measure.on })
      return null
    case 'announce':
      await client.call(chatrooms.update, { roomid, announcement: measure.text, ...reason })
      return null
    case 'rename':
      await client.call(chatrooms.update, { roomid, name: measure.text, ...reason })
      return null
    case 'slowMode':
      await client.call(local.slowMode, { roomid, seconds: measure.seconds })
      return null
    case 'queueTake':
      return (await client.call(queue.poll, { roomid, ...(measure.key === undefined ? {} : { key: measure.key }) })).desc
    case 'queueAdd':
      await client.call(queue.offer, { roomid, key: measure.key, value: measure.value })
      return null
    case 'queueClear':
      await client.call(queue.drop, { roomid })
      return null
    case 'robots': {
      const accids = [...new Set(measure.accids.map((accid) => accid.toLowerCase()))]
      if (!measure.on) {
        const { desc } = await client.call(robots.remove, { roomid, accids })
        if (desc.failAccids !== '[]') throw new Failure('absent', `no robots: ${desc.failAccids.slice(0, 300)}`, { code: 200 })
        return null
      }
      await mustBeRegistered(client, accids)
      const { desc } = await client.call(robots.add, { roomid, accids, ...reason })
      if (desc.failAccids === '[]') return null
      // All or none: what another change in between left half done is taken back.
      if (desc.successAccids !== '[]') await client.call(robots.remove, { roomid, accids: JSON.parse(desc.successAccids) as string[] })
      throw new Failure('code', `not added: ${desc.failAccids.slice(0, 300)} are in the room already, or blacklisted`, { code: 417 })
    }
  }
}
