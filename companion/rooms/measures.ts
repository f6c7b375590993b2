import type { Measure } from '../../contract/rpc/index.ts'
import { roleOptions } from '../../contract/operations/chatrooms.ts'
import { chatrooms, local, queue, robots } from '../../contract/operations/index.ts'
import type { Client } from '../client/client.ts'
import { Failure } from '../failure.ts'

/** What a queue gave. */
export interface Taken {
  readonly key: string
  readonly value: string
}

/** Measures that only the embedded service can take. */
const localOnly = new Set<Measure['kind']>(['removeLine', 'decideHeld', 'slowMode'])

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
      const { desc } = await client.call(measure.on ? robots.add : robots.remove, { roomid, accids: measure.accids, ...(measure.on ? reason : {}) })
      if (desc.failAccids !== '[]') throw new Failure('internal', `not done for ${desc.failAccids.slice(0, 300)}`)
      return null
    }
  }
}
