import type { Clock } from '../../platform/clock.ts'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import { createFlvDelivery, type FlvHub } from './flv-delivery.ts'
import type { HlsFile } from './hls-delivery-playlist.ts'
import type { Hls } from './hls-delivery.ts'
import { rangeReply } from '../http/range-reply.ts'

const playlistType = 'application/vnd.apple.mpegurl'
const cidPattern = /^[0-9a-f]{32}$/
const flvPattern = /^([0-9a-f]{32})\.flv$/
/** Cache lifetime of a file, in s; names are never reused. */
const fileAge = 3600
const maxAgent = 200

const agentOf = ({ headers }: FastifyRequest): string => headers['user-agent']?.slice(0, maxAgent) ?? ''

const noStore = { 'cache-control': 'no-store' } as const

function sendFile(request: FastifyRequest, reply: FastifyReply, { data, type }: HlsFile): FastifyReply {
  reply.headers({ 'content-type': type, 'cache-control': `public, max-age=${fileAge}, immutable` })
  const range = rangeReply(request, reply, data.length)
  return range ? sendBytes(request, reply, data.subarray(range.from, range.to + 1)) : reply.headers(noStore).send('')
}

const sendBytes = (request: FastifyRequest, reply: FastifyReply, bytes: Buffer): FastifyReply =>
  request.method === 'HEAD' ? reply.header('content-length', bytes.length).send(null) : reply.send(bytes)

/** The pull addresses (behaviour.md#base-addresses); only the first playlist of a new push is waited for. */
export const mediaRoutes =
  ({
    hub,
    hls,
    mayPlay,
    isOwn = () => false,
    clock,
  }: {
    readonly hub: FlvHub
    readonly hls: Hls
    readonly mayPlay: (cid: string) => boolean
    readonly isOwn?: (cid: string, headers: IncomingHttpHeaders) => boolean
    readonly clock: Clock
  }): FastifyPluginCallback =>
  (instance, _options, done) => {
    const flv = createFlvDelivery({ hub, clock })
    const missing = (reply: FastifyReply): FastifyReply => {
      reply.headers(noStore).callNotFound()
      return reply
    }

    instance.route<{ Params: { file: string } }>({
      method: ['GET', 'HEAD'],
      url: '/live/:file',
      handler(request, reply) {
        const cid = flvPattern.exec(request.params.file)?.[1]
        if (!cid || !mayPlay(cid) || !flv.has(cid)) return missing(reply)
        if (request.method === 'HEAD') return reply.headers({ ...noStore, 'content-type': flv.type }).send(null)
        reply.hijack()
        const own = isOwn(cid, request.headers)
        if (!own) hls.left(cid, request.client.address, agentOf(request))
        flv.deliver(cid, request.raw, reply.raw, reply.getHeaders(), own)
        return reply
      },
    })

    instance.route<{ Params: { cid: string; file: string } }>({
      method: ['GET', 'HEAD'],
      url: '/live/:cid/:file',
      async handler(request, reply) {
        const { cid, file } = request.params
        if (!cidPattern.test(cid) || !mayPlay(cid)) return missing(reply)
        if (file !== 'playlist.m3u8') {
          const found = hls.file(cid, file)
          return found ? sendFile(request, reply, found) : missing(reply)
        }
        const now = hls.playlist(cid)
        const text = now && (now.text ?? (await hls.firstPlaylist(cid)))
        if (text === undefined) return missing(reply)
        if (request.method === 'GET' && !isOwn(cid, request.headers))
          hls.seen(cid, request.client.address, agentOf(request))
        reply.headers({ ...noStore, 'content-type': playlistType })
        return sendBytes(request, reply, Buffer.from(text))
      },
    })

    instance.addHook('preClose', (closed) => {
      flv.close()
      closed()
    })
    done()
  }
