import type { Clock } from '../../platform/clock.ts'
import type { NodeCommands } from '../bus/node-commands.ts'
import { createNodeQuestion, NoAnswer } from '../bus/node-questions.ts'
import type { Log } from '../log.ts'
import { Refused } from '../refusal.ts'
import { maxListed, type AskedQuarantine } from './own-quarantine.ts'

/** How long a node may take to put files back or to delete them, in ms. */
const actsWithin = 20_000

interface Act {
  readonly act: 'restore' | 'remove' | 'see'
  readonly uid: number
  readonly ids: readonly string[]
}
type Done = { readonly done: Awaited<ReturnType<AskedQuarantine['restore']>> | boolean } | { readonly failed: true }

/**
 * The quarantines of all nodes of a cluster, asked at any of them: each has one in its data folder, and ids are of one
 * node. A node that is not there is not asked; one that does not answer is named.
 */
export function quarantineOfNodes(
  options: {
    /** Names of the other nodes that are there. */
    readonly otherNodes: () => readonly string[]
    readonly commands: NodeCommands
    readonly clock: Pick<Clock, 'after'>
    readonly log: Pick<Log, 'error'>
  },
  own: AskedQuarantine,
): AskedQuarantine {
  const { otherNodes, commands, clock, log } = options
  const lists = createNodeQuestion({
    commands,
    name: 'quarantine-list',
    clock,
    answer: ({ uid }: Pick<Act, 'uid'>) => own.list(uid),
  })
  const acts = createNodeQuestion<Act, Done>({
    commands,
    name: 'quarantine-act',
    clock,
    within: actsWithin,
    async answer({ act, uid, ids }) {
      try {
        if (act === 'see') await own.see(uid, ids)
        return { done: act === 'see' || (await own[act](uid, ids[0]!)) }
      } catch (error) {
        log.error({ err: error, act }, 'what another node asked of the quarantine failed')
        return { failed: true }
      }
    },
  })
  const unlessSilent = async <T>(asked: Promise<T>): Promise<T | undefined> => {
    try {
      return await asked
    } catch (error) {
      if (error instanceof NoAnswer) return undefined
      throw error
    }
  }
  /** At the node that has it, which is this one or tells it of itself. */
  const atOneOf = async <T>(act: Act, here: T | undefined | false): Promise<T | undefined> => {
    if (here) return here
    const nodes = otherNodes()
    const all = await Promise.all(nodes.map((node) => unlessSilent(acts(node, act))))
    const found = all.find((each) => each && 'done' in each && each.done)
    if (found) return (found as { readonly done: T }).done
    const without = nodes.filter((_, index) => !all[index] || 'failed' in all[index])
    if (without.length === 0) return undefined
    const names = without.join(', ')
    throw new Refused(501, `the other nodes have no such entry, but for those that did not answer: ${names}; try again`)
  }
  return {
    async list(uid) {
      const nodes = [commands.self, ...otherNodes()]
      const all = await Promise.all(
        nodes.map(async (node) => (node === commands.self ? own.list(uid) : unlessSilent(lists(node, { uid })))),
      )
      const entries = all.flatMap((each, index) => each?.list.map((entry) => ({ ...entry, node: nodes[index]! })) ?? [])
      const silent = nodes.filter((_, index) => !all[index])
      return {
        list: entries.sort((a, b) => b.at - a.at).slice(0, maxListed),
        count: all.reduce((sum, each) => sum + (each?.count ?? 0), 0),
        bytes: all.reduce((sum, each) => sum + (each?.bytes ?? 0), 0),
        ...(silent.length > 0 && { silent }),
      }
    },
    restore: async (uid, id) => atOneOf({ act: 'restore', uid, ids: [id] }, await own.restore(uid, id)),
    remove: async (uid, id) => (await atOneOf({ act: 'remove', uid, ids: [id] }, await own.remove(uid, id))) === true,
    async see(uid, ids) {
      await own.see(uid, ids)
      await Promise.all(otherNodes().map((node) => unlessSilent(acts(node, { act: 'see', uid, ids }))))
    },
  }
}
