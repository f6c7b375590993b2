import { local } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import type { RefusalReason } from '../../contract/catalogue/refusal-reasons.ts'
import type { Clock } from '../../platform/clock.ts'
import { diskRefusalOf } from '../../platform/full-disk.ts'
import type { Applications } from '../applications.ts'
import type { NodeCommands } from '../bus/node-commands.ts'
import { createNodeQuestion, NoAnswer } from '../bus/node-questions.ts'
import { diskWords } from '../disk-words.ts'
import { freshOperations, type Fresh } from '../fresh.ts'
import type { Caller, Served } from '../http/dispatch.ts'
import type { Log } from '../log.ts'
import { Refused } from '../refusal.ts'
import type { OnAir } from './on-air.ts'

/**
 * Operations that act on a push in memory, or tell its state: the node that has the push runs them. Each may run twice,
 * as an answer can be lost; the others write rows, which all nodes follow (decisions/033-over-nodes.md).
 */
const ofOwner: ReadonlySet<Operation> = new Set<Operation>([
  local.hold,
  local.updateHold,
  local.holdNow,
  local.holdBack,
  local.dumpDelay,
  local.targets,
  local.startTarget,
  local.stopTarget,
  local.recordingState,
  local.takeClip,
])
/** Nodes asked for one call: a push may have moved while the first one was. */
const mostAsked = 2

interface Call {
  readonly path: string
  readonly uid: number
  readonly subnet: string
  readonly parameters: { readonly cid: string }
}
type Reply =
  | { readonly answer: unknown }
  | { readonly refused: readonly [code: number, sentence: string, reason: RefusalReason] }
  /** It has not the push any more: that node has. */
  | { readonly node: string }

/**
 * Operations answer by all that any node answered before (`freshOperations`), and those on a push at the node that has
 * it; a service that is alone has them as they are.
 */
export function atOwner(
  options: {
    /** In a cluster. */
    readonly redis: object | undefined
    readonly fresh?: Fresh | undefined
    readonly commands: NodeCommands
    readonly onAir: Pick<OnAir, 'elsewhere'>
    readonly applications: Pick<Applications, 'byUid'>
    readonly clock: Clock
    readonly log: Pick<Log, 'warn' | 'error'>
  },
  all: readonly Served[],
): readonly Served[] {
  const { redis, fresh, commands, onAir, applications, clock, log } = options
  const served = freshOperations(fresh, all)
  if (!redis) return served
  const here = new Map(served.map((each) => [each.operation.path, each]))
  const run = async ({ path, uid, subnet, parameters }: Call): Promise<Reply> => {
    const { operation, answer } = here.get(path) ?? {}
    const application = applications.byUid(uid)
    const there = onAir.elsewhere(parameters.cid)
    if (there) return { node: there.node }
    if (!operation || !ofOwner.has(operation) || !answer || !application)
      return { refused: [local.hold.fault, 'the node that has this push does not know this call', 'other'] }
    try {
      return { answer: (await answer(parameters as never, { application, subnet })) ?? {} }
    } catch (error) {
      if (error instanceof Refused) return { refused: [error.code, error.message, error.reason] }
      log.error({ err: error, path }, 'an operation that another node asked for failed')
      const reason = diskRefusalOf(error)
      const sentence = reason ? diskWords[reason] : 'the node that has this push had a fault, which its log has'
      return { refused: [operation.fault, sentence, reason ?? 'other'] }
    }
  }
  const ask = createNodeQuestion<Call, Reply>({ commands, name: 'at-owner', clock, answer: run })
  const askOwner = async (operation: Operation, node: string, call: Call): Promise<Reply> => {
    try {
      return await ask(node, call)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      log.warn({ node, path: operation.path, cid: call.parameters.cid }, 'the node that has a push did not answer')
      throw new Refused(operation.fault, `the node that has this push (${node}) did not answer; try again`)
    }
  }
  return served.map((each): Served => {
    const { operation, answer } = each
    if (!ofOwner.has(operation) || !answer) return each
    return {
      ...each,
      async answer(parameters: { readonly cid: string }, caller: Caller) {
        let node = onAir.elsewhere(parameters.cid)?.node
        const { application, subnet } = caller
        const call: Call = { path: operation.path, uid: application.uid, subnet, parameters }
        for (let asked = 0; node !== undefined && node !== commands.self && asked < mostAsked; asked++) {
          const reply = await askOwner(operation, node, call)
          if ('answer' in reply) return reply.answer
          if ('refused' in reply) throw new Refused(...reply.refused)
          node = reply.node
        }
        return answer(parameters as never, caller)
      },
    }
  })
}
