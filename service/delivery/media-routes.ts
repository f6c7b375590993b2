import type { Clock } from '../../platform/clock.ts'
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import { createFlvDelivery, type FlvHub } from './flv-delivery.ts'
import { grantOf, isMediaName, leadToOwner, type MediaOwners } from './owner-redirect.ts'
import type { HlsFile } from './hls-delivery-playlist.ts'
import type { Hls } from './hls-delivery.ts'
import { sendFailure } from '../http/failures.ts'
import type { MediaCounts } from '../hub/media-counts.ts'
import { rangeReply, wantedOf } from '../http/range-reply.ts'
import { sendInPieces } from '../http/send-in-pieces.ts'
import type { Ground } from '../access/players.ts'
import type { Doors } from '../access/doors.ts'
import type { LetIn, TurnedAway } from '../access/turned-away.ts'
import { tooMuchBrokenOff, type BrokenOffOf } from '../access/broken-off.ts'

const playlistType = 'application/vnd.apple.mpegurl'
const cidPattern = /^[0-9a-f]{32}$/
const flvPattern = /^([0-9a-f]{32})\.flv$/
/** Cache lifetime of a file, in s; names are never reused. */
const fileAge = 3600
const maxAgent = 200

const agentOf = ({ headers }: FastifyRequest): string => headers['user-agent']?.slice(0, maxAgent) ?? ''

/** What the routes ask about viewers; without it everybody may watch. */
export type MediaDoors = Pick<
  Doors,
  | 'ask'
  | 'enterPlayer'
  | 'poll'
  | 'pollFile'
  | 'stopPolling'
  | 'pagePolls'
  | 'sent'
  | 'brokeOff'
  | 'turn'
  | 'turnEnded'
  | 'connected'
  | 'fullFor'
  | 'keyOf'
  | 'pages'
>

const linkOf = (request: FastifyRequest): string | undefined => {
  const { link } = request.query as { readonly link?: unknown }
  return typeof link === 'string' && linkShape.test(link) ? link : undefined
}
/** Shape of a token; other text is not repeated in playlists. */
const linkShape = /^[0-9a-z]{1,11}\.[A-Za-z0-9_-]{22}$/

const turnAway = (reply: FastifyReply, { status, sentence, retryAfter }: TurnedAway): FastifyReply =>
  sendFailure(reply, status, sentence, {
    ...noStore,
    ...(status === 401 && { 'www-authenticate': 'Basic realm="Sidestage", charset="UTF-8"' }),
    ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
  })

/** The playlist for a player with a link or a grant, which its segments carry too. */
const withQuery = (text: string, query: string): string =>
  text.replaceAll(/^([^#\s].*)$/gm, `$1?${query}`).replaceAll(/(#EXT-X-MAP:URI="[^"]+)"/g, `$1?${query}"`)

const noStore = { 'cache-control': 'no-store' } as const

/** Sends a file, or the part that is wanted of it; `given` is told the bytes of it that go out. */
function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { data, type }: HlsFile,
  isOpen: boolean,
  given: (bytes: number) => void,
): FastifyReply {
  // A cache between must not give away what not everybody may have.
  const cache = isOpen ? `public, max-age=${fileAge}, immutable` : `private, max-age=${fileAge}, immutable`
  reply.headers({ 'content-type': type, 'cache-control': cache })
  const range = rangeReply(request, reply, data.length)
  if (!range) return reply.headers(noStore).send('')
  const bytes = data.subarray(range.from, range.to + 1)
  if (request.method === 'HEAD') return sendBytes(request, reply, bytes)
  reply.header('content-length', bytes.length).hijack()
  reply.raw.statusCode = reply.statusCode
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value)
  sendInPieces(reply.raw, bytes, given)
  return reply
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
    doors,
    clock,
    counts,
    owners,
  }: {
    readonly hub: FlvHub
    readonly hls: Hls
    readonly mayPlay: (cid: string) => boolean
    readonly isOwn?: (cid: string, headers: IncomingHttpHeaders) => boolean
    readonly doors?: MediaDoors | undefined
    readonly clock: Clock
    readonly counts?: Pick<MediaCounts, 'flv' | 'hls'> | undefined
    /** Nodes that have other pushes; none by default. */
    readonly owners?: MediaOwners | undefined
  }): FastifyPluginCallback =>
  (instance, _options, done) => {
    const flv = createFlvDelivery({ hub, clock, counts: counts?.flv })
    const pages = doors?.pages
    const open: LetIn = { ok: true, ground: { kind: 'everybody' } }
    const ask = async (cid: string, request: FastifyRequest): Promise<LetIn | TurnedAway> =>
      doors
        ? doors.ask(cid, { headers: request.headers, client: request.client }, linkOf(request), grantOf(request))
        : open
    /** Tells HLS players apart, as the count of viewers does. */
    const keyOf = (cid: string, { client, headers }: FastifyRequest): string =>
      doors?.keyOf(cid, { client, headers }) ?? ''
    /** Whether an HLS player has, or gets, its place. */
    const hasPlace = (cid: string, ground: Ground, request: FastifyRequest, page: string | undefined): boolean =>
      request.method !== 'GET' ||
      !doors ||
      doors.poll(cid, ground, { headers: request.headers, client: request.client }, keyOf(cid, request), page)
    /** As `hasPlace`, for a file, or the names of files alone would pass every limit. */
    const mayHave = (cid: string, ground: Ground, request: FastifyRequest, { data, duration }: HlsFile): boolean => {
      if (request.method !== 'GET' || !doors) return true
      const part = wantedOf(request, data.length)
      const bytes = part === 'all' ? data.length : part === 'unsatisfiable' ? 0 : part.to - part.from + 1
      const media = (duration * bytes) / data.length
      return doors.pollFile(
        cid,
        ground,
        { headers: request.headers, client: request.client },
        keyOf(cid, request),
        media,
      )
    }
    /** The last answer of a connection that the system took whole: a reset says that its player did not read it. */
    const lastTaken = new WeakMap<Socket, BrokenOffOf>()
    const taken = (socket: Socket, player: BrokenOffOf): void => {
      const isKnown = lastTaken.has(socket)
      lastTaken.set(socket, player)
      if (socket.errored) doors?.brokeOff(player)
      else if (!isKnown) socket.once('close', (isReset) => isReset && doors?.brokeOff(lastTaken.get(socket)!))
    }
    const missing = (reply: FastifyReply): FastifyReply => {
      reply.headers(noStore).callNotFound()
      return reply
    }

    instance.route<{ Params: { file: string } }>({
      method: ['GET', 'HEAD'],
      url: '/live/:file',
      async handler(request, reply) {
        const cid = flvPattern.exec(request.params.file)?.[1]
        if (!cid || !mayPlay(cid)) return missing(reply)
        const owner = owners?.of(cid)
        if (!owner && !flv.has(cid)) return missing(reply)
        const entry = await ask(cid, request)
        if (!entry.ok) return turnAway(reply, entry)
        if (owners && owner)
          return leadToOwner(owners, request, reply, { cid, owner, path: `${cid}.flv`, ground: entry.ground })
        if (request.method === 'HEAD') return reply.headers({ ...noStore, 'content-type': flv.type }).send(null)
        const { socket } = request.raw
        const page = pages?.pageOf(cid, request.query)
        const { ground } = entry
        const { subnet } = request.client
        const isGone = (): boolean => socket.destroyed || !flv.has(cid)
        const player = { cid, ground, from: subnet, name: page }
        reply.raw.once('close', () => doors?.turnEnded(player))
        const mayBegin = !doors || (await doors.turn(player, isGone))
        if (socket.destroyed) doors?.turnEnded(player)
        // It may have gone off air, or the peer may be gone, while the passphrase was checked.
        if (isGone()) return missing(reply)
        if (!mayBegin) return turnAway(reply, tooMuchBrokenOff)
        if (page !== undefined) pages?.connects(page)
        const former = page === undefined ? keyOf(cid, request) : pages?.keyOf(page)
        if (former !== undefined) doors?.stopPolling(cid, former, page)
        let given = (): number => 0
        const leave = doors?.enterPlayer(cid, ground, subnet, {
          end: () => socket.destroy(),
          sent: () => given(),
          agent: agentOf(request),
          isBrowser: true,
          cookie: request.headers.cookie,
          page,
        })
        if (doors && !leave) return turnAway(reply, doors.fullFor(cid, ground))
        let gone = leave
        const left = (): void => {
          gone?.(!flv.has(cid))
          gone = undefined
        }
        socket.once('close', left)
        if (pages && page !== undefined) {
          const end = (): void => {
            left()
            socket.destroy()
          }
          socket.once('close', pages.connected(page, end))
        }
        reply.hijack()
        const own = isOwn(cid, request.headers)
        if (!own) hls.left(cid, request.client.address, agentOf(request))
        given = flv.deliver(cid, request.raw, reply.raw, reply.getHeaders(), own)
        return reply
      },
    })

    instance.route<{ Params: { cid: string; file: string } }>({
      method: ['GET', 'HEAD'],
      url: '/live/:cid/:file',
      async handler(request, reply) {
        const { cid, file } = request.params
        if (!cidPattern.test(cid) || !isMediaName(file) || !mayPlay(cid)) return missing(reply)
        const entry = await ask(cid, request)
        if (!entry.ok) return turnAway(reply, entry)
        const isOpen = entry.ground.kind === 'everybody'
        const owner = owners?.of(cid)
        const isPlaylist = file === 'playlist.m3u8'
        // Files of a push that was here before are here still.
        if (owners && owner && (isPlaylist || !hls.file(cid, file)))
          return leadToOwner(owners, request, reply, { cid, owner, path: `${cid}/${file}`, ground: entry.ground })
        if (!isPlaylist) {
          const found = hls.file(cid, file)
          if (!found) return missing(reply)
          const player = { cid, ground: entry.ground, from: request.client.subnet, name: keyOf(cid, request) }
          reply.raw.once('close', () => doors?.turnEnded(player))
          const mayBegin = !doors || (await doors.turn(player, () => request.raw.socket.destroyed))
          if (request.raw.socket.destroyed) doors?.turnEnded(player)
          if (!mayBegin) return turnAway(reply, tooMuchBrokenOff)
          if (!mayHave(cid, entry.ground, request, found))
            return turnAway(reply, doors!.fullFor(cid, entry.ground, keyOf(cid, request)))
          let given = 0
          const over = doors?.connected(player, () => given)
          reply.raw.once('close', () => {
            over?.()
            if (reply.raw.writableFinished) taken(request.raw.socket, player)
            else doors?.brokeOff(player)
          })
          return sendFile(request, reply, found, isOpen, (bytes) => {
            given += bytes
            if (counts) counts.hls.bytes += bytes
            doors?.sent(player, bytes)
          })
        }
        const now = hls.playlist(cid)
        if (!now) return missing(reply)
        const page = request.method === 'GET' ? pages?.pageOf(cid, request.query) : undefined
        if (page !== undefined) doors?.pagePolls(cid, page, keyOf(cid, request), request.client.subnet)
        // Who waits for the first picture, as in a hold without one, has a place meanwhile.
        if (!hasPlace(cid, entry.ground, request, page))
          return turnAway(reply, doors!.fullFor(cid, entry.ground, keyOf(cid, request)))
        const text = now.text ?? (await hls.firstPlaylist(cid))
        if (text === undefined) return missing(reply)
        if (now.text === undefined && !hasPlace(cid, entry.ground, request, page))
          return turnAway(reply, doors!.fullFor(cid, entry.ground, keyOf(cid, request)))
        if (request.method === 'GET' && !isOwn(cid, request.headers))
          hls.seen(cid, request.client.address, agentOf(request))
        // A cache between may keep that of everybody for a second, though browsers may not.
        const kept = isOpen ? 'no-store' : 'private, no-store'
        reply.headers({ 'cache-control': kept, 'content-type': playlistType })
        const link = linkOf(request)
        const grant = grantOf(request) && owners?.grant(cid, entry.ground)
        const query = [link && `link=${link}`, grant && `grant=${grant}`].filter(Boolean).join('&')
        return sendBytes(request, reply, Buffer.from(query === '' ? text : withQuery(text, query)))
      },
    })

    instance.addHook('preClose', (closed) => {
      flv.close()
      closed()
    })
    done()
  }
