import type { LoggedAction, Measure } from '../../contract/rpc/index.ts'
import { roleOptions } from '../../contract/operations/chatrooms.ts'
import { queueChanges } from '../../contract/operations/local.ts'
import { chatrooms, local, queue, robots } from '../../contract/operations/index.ts'
import { existingAccounts } from '../client/accounts.ts'
import type { Client } from '../client/client.ts'
import { Failure } from '../failure.ts'

/** An element taken from a queue. */
export interface Taken {
  readonly key: string
  readonly value: string
}

/** Results of a measure. */
export interface Done {
  readonly taken: Taken | null
  /** Seconds left of the replaced mute. */
  readonly replaced?: number
  /** Null if the service does not tell. */
  readonly line: string | null
}
const nothing: Done = { taken: null, line: null }
/** Seconds, for rounding and transfer. */
const leftSlack = 5
/** Characters of a kept line. */
export const maxLine = 4_096
const lineOf = ({ ret: { attach } }: { readonly ret: { readonly attach: string } }): Done => ({
  taken: null,
  line: attach.slice(0, maxLine),
})

/** It changed since the caller read it. */
const changed = (why: string): Failure => new Failure('changed', why, { code: 417 })
const orDecided = (error: unknown): never => {
  throw error instanceof Failure && error.data.code === 417
    ? new Failure('decided', error.message, { code: 417 })
    : error
}
const orChanged = (error: unknown): never => {
  throw error instanceof Failure && error.data.code === 417 ? changed(error.message) : error
}

/** Of extended services only. */
const extendedOnly = new Set<Measure['kind']>(['removeLine', 'decideHeld', 'slowMode'])

/** Whether a measure undoes an action. */
export function takesBack(measure: Measure, action: LoggedAction): boolean {
  if (measure.kind !== action.kind || ('target' in measure && 'target' in action && measure.target !== action.target))
    return false
  if (action.kind === 'temporaryMute') return action.seconds > 0
  return 'on' in measure && 'on' in action && measure.on !== action.on
}

/** Throws unless all accounts exist. */
async function mustBeRegistered(client: Client, accids: readonly string[]): Promise<void> {
  const found = await existingAccounts(client, accids)
  const known = new Set(found.map(({ accid }) => accid))
  const unknown = accids.filter((accid) => !known.has(accid))
  if (unknown.length > 0)
    throw new Failure('missing', `not registered: ${unknown.join(', ').slice(0, 300)}`, { code: 414 })
}

interface Order {
  readonly roomid: number
  readonly operator: string
  readonly measure: Measure
  readonly why: string
  readonly isExtended: boolean
  readonly left?: number
  readonly shortens?: boolean
}

/** Seconds left of somebody's mute; undefined if unknown: a hosted service tells only of people inside. */
async function mutedFor(client: Client, { roomid, isExtended }: Order, target: string): Promise<number | undefined> {
  if (isExtended) return (await client.call(local.roomPeople, { roomid, accids: [target] })).ret.list[0]?.seconds ?? 0
  try {
    const { data } = (await client.call(chatrooms.queryMembers, { roomid, accids: [target] })).desc
    const member = data.find(({ accid }) => accid === target)
    return member && (member.tempMuteTtl ?? 0)
  } catch (error) {
    // The mute is done even if this fails.
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** Carries out a measure; throws Failure. `left`: seconds that an undo requires; `shortens`: may shorten a mute. */
export async function carryOut(client: Client, order: Order): Promise<Done> {
  const { roomid, operator, measure, why, isExtended, left, shortens = false } = order
  if (extendedOnly.has(measure.kind) && !isExtended) throw new Failure('absent', 'a hosted service does not offer this')
  const reason = why === '' ? {} : { notifyExt: why }
  const role = async (opt: number, target: string, on: boolean): Promise<Done> => {
    await client.call(chatrooms.setMemberRole, { roomid, operator, target, opt, optvalue: on, ...reason })
    return nothing
  }
  // The documented calls name the creator as operator and compare nothing.
  const change = async (
    fields: { readonly name?: string; readonly announcement?: string },
    was?: string,
  ): Promise<Done> => {
    if (isExtended) {
      await client
        .call(local.changeRoom, { roomid, operator, ...fields, ...(was === undefined ? {} : { was }), ...reason })
        .catch(orChanged)
      return nothing
    }
    // Changes between these two calls are lost.
    if (was !== undefined && (await client.call(chatrooms.get, { roomid })).chatroom.announcement !== was)
      throw changed('the announcement is another one by now')
    await client.call(chatrooms.update, { roomid, ...fields, ...reason })
    return nothing
  }
  switch (measure.kind) {
    case 'temporaryMute': {
      const { target, seconds } = measure
      // Read now: a page's state may be old.
      const replaced = await mutedFor(client, order, target)
      if (left === undefined && !shortens && seconds > 0 && replaced !== undefined && replaced > seconds)
        throw new Failure('outlasted', `muted for ${replaced} s more already`, { leftSeconds: replaced })
      if (left !== undefined && replaced !== undefined && Math.abs(replaced - left) > leftSlack)
        throw changed('somebody else has muted or lifted since')
      await client.call(chatrooms.temporaryMute, { roomid, operator, target, muteDuration: seconds, ...reason })
      return { ...nothing, ...(replaced !== undefined && { replaced }) }
    }
    case 'mute':
    case 'blacklist':
    case 'admin':
    case 'ordinary':
      return role(roleOptions[measure.kind], measure.target, measure.on)
    // The page claims a sender; the service verifies it.
    case 'removeLine': {
      const { msgid, target: sender } = measure
      return lineOf(await client.call(local.removeLine, { roomid, operator, msgid, sender, ...reason }))
    }
    case 'decideHeld': {
      const { msgid, target: sender, allow } = measure
      return lineOf(await client.call(local.decideHeld, { roomid, msgid, sender, allow }).catch(orDecided))
    }
    case 'muteRoom':
      await client.call(chatrooms.muteRoom, { roomid, operator, mute: measure.on, ...reason })
      return nothing
    case 'openRoom':
      await client.call(chatrooms.toggleCloseStat, { roomid, operator, valid: measure.on })
      return nothing
    case 'announce':
      return change({ announcement: measure.text }, measure.was)
    case 'rename':
      return change({ name: measure.text })
    case 'slowMode':
      await client.call(local.slowMode, { roomid, operator, seconds: measure.seconds })
      return nothing
    case 'queueTake': {
      const wanted = { roomid, ...(measure.key === undefined ? {} : { key: measure.key }) }
      if (!isExtended) return { ...nothing, taken: (await client.call(queue.poll, wanted)).desc }
      const { ret } = await client.call(local.changeQueue, { ...wanted, operator, change: queueChanges.take })
      const { key = '', value = '' } = ret
      return { ...nothing, taken: { key, value } }
    }
    case 'queueAdd': {
      const { key, value, fresh = false } = measure
      if (isExtended) {
        await client
          .call(local.changeQueue, { roomid, operator, change: queueChanges.put, key, value, fresh })
          .catch(orChanged)
        return nothing
      }
      const isThere = async (): Promise<boolean> =>
        (await client.call(queue.list, { roomid })).desc.list.some((element) => Object.hasOwn(element, key))
      if (fresh && (await isThere())) throw changed('an element has this key already')
      await client.call(queue.offer, { roomid, key, value })
      return nothing
    }
    case 'queueClear':
      if (isExtended) await client.call(local.changeQueue, { roomid, operator, change: queueChanges.empty })
      else await client.call(queue.drop, { roomid })
      return nothing
    case 'robots': {
      const accids = [...new Set(measure.accids.map((accid) => accid.toLowerCase()))]
      if (!measure.on) {
        const { desc } = await client.call(robots.remove, { roomid, accids })
        if (desc.failAccids !== '[]')
          throw new Failure('absent', `no robots: ${desc.failAccids.slice(0, 300)}`, { code: 200 })
        return nothing
      }
      await mustBeRegistered(client, accids)
      const { desc } = await client.call(robots.add, { roomid, accids, ...reason })
      if (desc.failAccids === '[]') return nothing
      // All or none: undo a partial result.
      if (desc.successAccids !== '[]')
        await client.call(robots.remove, { roomid, accids: JSON.parse(desc.successAccids) as string[] })
      throw new Failure('code', `not added: ${desc.failAccids.slice(0, 300)} are in the room already, or blacklisted`, {
        code: 417,
      })
    }
  }
}
