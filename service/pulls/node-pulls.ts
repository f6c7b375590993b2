import type { FastifyPluginCallback } from 'fastify'
import type { UndoStack } from '../../platform/undo-stack.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Grants } from '../access/grants.ts'
import { createFlvDelivery, type FlvHub } from '../delivery/flv-delivery.ts'
import type { Hub } from '../hub/hub.ts'
import type { Log } from '../log.ts'
import type { OnAir } from '../onair/on-air.ts'
import { connectPull } from './pull-connection.ts'
import { PulledPush } from './pulled-push.ts'

/** Under the root of the media side of a node. */
const prefix = '/live/pull'
const flvPattern = /^([0-9a-f]{32})\.flv$/
/** A grant of a node is for a node alone: no player gets one of this name. */
const granted = (cid: string): string => `pull ${cid}`

/**
 * Makes what RTMP players of a node join, so that they see pushes of other nodes too, and what other nodes read from
 * here: pushes of this node alone, so that none reads from itself or from one that reads (decisions/033-over-nodes.md).
 */
export function createNodePulls(options: {
  /** In a cluster. */
  readonly redis: object | undefined
  /** What viewers get of pushes of this node. */
  readonly lines: FlvHub
  readonly hub: Pick<Hub, 'addViewerSource'>
  readonly onAir: Pick<OnAir, 'elsewhere' | 'countPulls'>
  readonly grants: Grants
  readonly clock: Clock
  readonly log: Log
  readonly undo: UndoStack
}): { readonly join: Hub['join']; readonly routes: FastifyPluginCallback } {
  const { redis, lines, hub, onAir, grants, clock, log, undo } = options
  if (!redis) return { join: lines.join, routes: (_instance, _options, done) => done() }
  const pulls = new Map<string, PulledPush>()
  const pull = (cid: string): PulledPush => {
    const present = pulls.get(cid)
    if (present) return present
    log.info({ cid, node: onAir.elsewhere(cid)?.node }, 'a push of another node is read for players here')
    const made = new PulledPush(
      cid,
      {
        joinHere: (reader) => lines.join(cid, reader, 'internal'),
        elsewhere: () => onAir.elsewhere(cid),
        connect: ({ media }, events) => {
          const grant = grants.write(granted(cid), { kind: 'free' })
          return connectPull({ url: `${media}${prefix}/${cid}.flv`, grant }, clock.now, events)
        },
      },
      {
        clock,
        log,
        over() {
          pulls.delete(cid)
          log.info({ cid }, 'a push of another node is not read any more')
        },
      },
    )
    pulls.set(cid, made)
    return made
  }
  onAir.countPulls(() => pulls.keys())
  undo.push(hub.addViewerSource((cid) => pulls.get(cid)?.viewers ?? 0))
  undo.push(() => {
    for (const each of pulls.values()) each.end('closed')
  })
  return {
    join: (cid, reader, kind) =>
      lines.join(cid, reader, kind) ??
      (pulls.has(cid) || onAir.elsewhere(cid) ? pull(cid).join(reader, kind) : undefined),
    routes(instance, _options, done) {
      // With the delay that viewers have, and not counted as one of them.
      const own: Hub['join'] = (cid, reader) => lines.join(cid, reader, 'internal')
      const flv = createFlvDelivery({ hub: { ...lines, own }, clock })
      instance.get<{ Params: { file: string } }>(`${prefix}/:file`, (request, reply) => {
        const cid = flvPattern.exec(request.params.file)?.[1]
        const grant = /^Bearer (\S{1,64})$/.exec(request.headers.authorization ?? '')?.[1]
        const read = cid === undefined || grant === undefined ? undefined : grants.read(granted(cid), grant)
        if (cid === undefined || !read || read.isLate || !flv.has(cid)) return reply.callNotFound()
        reply.hijack()
        flv.deliver(cid, request.raw, reply.raw, reply.getHeaders(), true)
        return reply
      })
      instance.addHook('preClose', (closed) => {
        flv.close()
        closed()
      })
      done()
    },
  }
}
