import type { Clock } from '../../platform/clock.ts'
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyPluginCallback } from 'fastify'
import type { FileReads } from '../http/file-reads.ts'
import type { FilesStore } from './files-store.ts'
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
        const type = row.format === 1 ? 'video/x-flv' : 'video/mp4'
        return reads.answer(request, reply, folder.file(row), { 'content-type': type })
      },
    })
    done()
  }
