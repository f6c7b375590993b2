import type { Clock } from '../../platform/clock.ts'
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import type { RateRule } from '../../contract/operation.ts'
import { linkPath } from '../../contract/link/frames.ts'
import { watchPath, type WatchGuest, type WatchState } from '../../contract/watch.ts'
import { sendFailure } from '../http/failures.ts'
import { createRateLimiter } from '../http/rate-limiter.ts'
import type { GuestCookies } from './guest-cookie.ts'
import type { Guests } from './guests.ts'
import type { PageFile, PageFiles } from './page-files.ts'

/** What viewers may know of a channel. */
export interface WatchedChannel {
  readonly uid: number
  readonly name: string
  readonly disabled: boolean
  /** Start of the push in ms; undefined if not on air. */
  readonly since: number | undefined
}
/** The room linked to a channel. */
export interface WatchedRoom {
  readonly roomid: number
  readonly name: string
  readonly announcement: string
  readonly open: boolean
  readonly muted: boolean
}

/** What the page is served from; all in memory. */
export interface WatchOptions {
  /** Undefined when it was not built. */
  readonly page: PageFiles | undefined
  readonly channel: (cid: string) => WatchedChannel | undefined
  readonly room: (uid: number, cid: string) => WatchedRoom | undefined
  readonly viewers: (cid: string) => number
  /** Whether a channel on air receives nothing. */
  readonly isSilent: (cid: string) => boolean
  readonly guests: Pick<Guests, 'make' | 'has' | 'allowed'>
  readonly cookies: GuestCookies
  /** AppKey of an application; public. */
  readonly appKey: (uid: number) => string | undefined
  /** Other origins whose pages may make guests. */
  readonly origins: readonly string[]
  /** A client link with its own address, and the public hosts whose pages use it. */
  readonly publicLink?: { readonly url: string; readonly hosts: readonly string[] } | undefined
  readonly clock: Clock
}

const cidPattern = /^[0-9a-f]{32}$/
/** New guests per address: enough for a household or classroom, too few to flood a room. */
const guestRules: readonly RateRule[] = [
  { per: 'address', calls: 20, seconds: 60, code: 416, block: 0 },
  { per: 'address', calls: 120, seconds: 3600, code: 416, block: 0 },
]

/** An existing guest, in another tab or after a reload. */
const returnRules: readonly RateRule[] = [{ per: 'address', calls: 240, seconds: 60, code: 416, block: 0 }]

/** The page may run its own scripts, connect to its listener and the link, and play media as blobs. */
const policy = (link: string | undefined): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    `connect-src 'self'${link === undefined ? '' : ` ${new URL(link).origin}`}`,
    "media-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
const pageHeaders = (link?: string) => ({
  'content-security-policy': policy(link),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
})
/** Cache lifetime in s; names of these files change with their content. */
const assetAge = 31_536_000

const send = (request: FastifyRequest, reply: FastifyReply, { bytes, type }: PageFile): FastifyReply => {
  reply.header('content-type', type)
  return request.method === 'HEAD' ? reply.header('content-length', bytes.length).send(null) : reply.send(bytes)
}

/** Page, assets, state of a channel, guests. Nothing is signed, no signed operation is reachable. */
export const watchRoutes =
  (options: WatchOptions): FastifyPluginCallback =>
  (instance, _options, done) => {
    const { page, guests, cookies, clock } = options
    const limiter = createRateLimiter(clock)
    const channelOf = (cid: string): WatchedChannel | undefined =>
      cidPattern.test(cid) ? options.channel(cid) : undefined
    const linkOf = ({ headers: { host = '' } }: FastifyRequest): string | undefined =>
      options.publicLink?.hosts.includes(URL.parse(`http://${host}`)?.hostname ?? '')
        ? options.publicLink.url
        : undefined
    const isOwnPage = ({ headers: { origin, host }, client }: FastifyRequest): boolean =>
      origin === undefined || origin === `${client.scheme}://${host}` || options.origins.includes(origin)

    instance.route<{ Params: { file: string } }>({
      method: ['GET', 'HEAD'],
      url: `${watchPath}assets/:file`,
      handler(request, reply) {
        const file = page?.assets.get(request.params.file)
        if (!file) {
          reply.callNotFound()
          return reply
        }
        return send(
          request,
          reply.headers({ ...pageHeaders(), 'cache-control': `public, max-age=${assetAge}, immutable` }),
          file,
        )
      },
    })

    instance.route<{ Params: { cid: string } }>({
      method: ['GET', 'HEAD'],
      url: `${watchPath}:cid`,
      handler(request, reply) {
        if (!page) return sendFailure(reply, 404, 'the viewers’ page was not built')
        return send(
          request,
          reply.code(channelOf(request.params.cid) ? 200 : 404).headers(pageHeaders(linkOf(request))),
          page.index,
        )
      },
    })

    instance.route<{ Params: { cid: string } }>({
      method: ['GET', 'HEAD'],
      url: `${watchPath}:cid/state`,
      handler(request, reply) {
        const { cid } = request.params
        const channel = channelOf(cid)
        if (!channel) return sendFailure(reply, 404, 'there is no such channel')
        const { uid, name, disabled, since } = channel
        const room = options.room(uid, cid)
        const appKey = options.appKey(uid)
        const live = since !== undefined && !disabled
        const state: WatchState = {
          title: name,
          live,
          disabled,
          ...(live && options.isSilent(cid) && { silent: true as const }),
          ...(live && { since, flv: `/live/${cid}.flv`, hls: `/live/${cid}/playlist.m3u8` }),
          time: clock.now(),
          viewers: options.viewers(cid),
          ...(room &&
            appKey !== undefined && {
              room: { ...room, guests: guests.allowed(room.roomid) },
              link: linkOf(request) ?? linkPath,
              appKey,
            }),
        }
        reply.header('content-type', 'application/json; charset=utf-8')
        return reply.send(request.method === 'HEAD' ? null : JSON.stringify(state))
      },
    })

    instance.route<{ Params: { cid: string } }>({
      method: 'POST',
      url: `${watchPath}:cid/guest`,
      bodyLimit: 64,
      handler(request, reply) {
        if (!isOwnPage(request)) return sendFailure(reply, 403, 'pages of this origin may not have guests made')
        const { cid } = request.params
        const channel = channelOf(cid)
        const room = channel && !channel.disabled && options.room(channel.uid, cid)
        if (!room) return sendFailure(reply, 404, 'this channel has no room')
        if (!room.open) return sendFailure(reply, 409, 'the room is closed')
        if (!guests.allowed(room.roomid)) return sendFailure(reply, 403, 'the room takes no guests')
        const known = cookies.read(request.headers.cookie)
        const returns = known !== undefined && guests.has(channel.uid, room.roomid, known)
        const broken = limiter.take(returns ? 'return' : 'guest', returns ? returnRules : guestRules, {
          application: channel.uid,
          address: request.client.subnet,
        })
        if (broken) return sendFailure(reply, 429, 'too many guests of this address', { 'retry-after': broken.seconds })
        const identity = known ?? cookies.make()
        const guest = guests.make(channel.uid, room.roomid, identity)
        if (guest === 'refused') return sendFailure(reply, 403, 'the room takes no guests')
        if (guest === 'full') return sendFailure(reply, 503, 'too many guests are here', { 'retry-after': 60 })
        const answer: WatchGuest = { accid: guest.accid, token: guest.token, expires: clock.now() + guest.life }
        reply.code(201).header('content-type', 'application/json; charset=utf-8')
        reply.header('set-cookie', cookies.write(identity, request.client.scheme === 'https'))
        return reply.send(JSON.stringify(answer))
      },
    })
    done()
  }
