import type { Clock } from '../../platform/clock.ts'
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyPluginCallback } from 'fastify'
import type { FarFile, FileReads } from '../http/file-reads.ts'
import { sendFailure } from '../http/failures.ts'
import { leadToNode } from '../http/lead-to-node.ts'
import type { FileNodes } from './file-nodes.ts'
import type { FilesStore, RecordingRow } from './files-store.ts'
import { extensionOf } from './record-names.ts'
import type { RecordingFolder } from './recording-folder.ts'

/** Temporary addresses of files (behaviour.md#playback). */
export type PlaybackTickets = ReturnType<typeof createPlaybackTickets>

/** First segment of playback paths. */
export const playbackPrefix = '/recordings/'
const playbackLife = 10 * 60_000
const ticketPattern = /^([1-9][0-9]{0,15})\.([0-9]{1,16})\.([A-Za-z0-9_-]{43})$/

/**
 * Makes signed tickets, so that none has to be stored. Those with a key of this process expire by the monotonic clock.
 * Those with a stored key survive restarts and expire by the wall clock: if it is set ahead they end early and are
 * requested again; if set back they last as much longer.
 */
export function createPlaybackTickets(options: {
  readonly clock: Clock
  readonly key: Buffer
  readonly expireBy: 'now' | 'monotonic'
}) {
  const { clock, key, expireBy } = options
  const mac = (vid: number, end: number): Buffer => createHmac('sha256', key).update(`${vid}.${end}`).digest()
  return {
    /** Path of a file below the listener's root, and its expiry in ms. */
    path(
      { vid, format }: { readonly vid: number; readonly format: number },
      life: number = playbackLife,
    ): { readonly path: string; readonly expires: number } {
      const end = Math.ceil(clock[expireBy]() + life)
      const path = `${playbackPrefix}${vid}.${end}.${mac(vid, end).toString('base64url')}/${vid}.${extensionOf(format)}`
      return { path, expires: clock.now() + life }
    },
    vid(ticket: string): number | undefined {
      const [, vid, end, given] = ticketPattern.exec(ticket) ?? []
      if (given === undefined || !timingSafeEqual(Buffer.from(given, 'base64url'), mac(Number(vid), Number(end))))
        return undefined
      return Number(end) > clock[expireBy]() ? Number(vid) : undefined
    },
  }
}

/** GET and HEAD of files by a ticket of any of `kinds`, with ranges. */
export const playbackRoutes =
  (
    kinds: readonly Pick<PlaybackTickets, 'vid'>[],
    store: Pick<FilesStore, 'ready'>,
    folder: RecordingFolder,
    reads: FileReads,
    /** Name of this service in a cluster. */
    node?: string,
    /** Reads those that are in the object store. */
    far?: { file(row: RecordingRow): FarFile },
    /** Other services, to which a ticket of a file of theirs leads. */
    nodes?: FileNodes,
  ): FastifyPluginCallback =>
  (instance, _options, done) => {
    instance.route<{ Params: { ticket: string; file: string } }>({
      method: ['GET', 'HEAD'],
      url: `${playbackPrefix}:ticket/:file`,
      async handler(request, reply) {
        const { ticket, file } = request.params
        const vid = kinds.map((tickets) => tickets.vid(ticket)).find((each) => each !== undefined)
        const row = vid === undefined ? undefined : (await store.ready([vid]))[0]
        if (!row || file !== `${row.vid}.${extensionOf(row.format)}`) {
          reply.callNotFound()
          return reply
        }
        const stored = row.stored === 1 ? far?.file(row) : undefined
        if (!stored && node !== undefined && row.node !== node) {
          const root = nodes?.root(row.node)
          if (root !== undefined) {
            const to = { node: row.node, address: `${root}${playbackPrefix}${ticket}/${file}` }
            return leadToNode(request, reply, to, { 'cache-control': 'no-store' })
          }
          return sendFailure(reply, 421, 'the file is on another computer of the service')
        }
        const type = row.format === 1 ? 'video/x-flv' : 'video/mp4'
        return reads.answer(request, reply, stored ?? folder.file(row), { 'content-type': type })
      },
    })
    done()
  }
