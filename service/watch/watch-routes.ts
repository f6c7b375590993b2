import type { Clock } from '../../platform/clock.ts'
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import { linkPath } from '../../contract/link/frames.ts'
import { embedPath, leftPath, maxEnterBody, watchPath, type WatchGuest, type WatchState } from '../../contract/watch.ts'
import type { ShownHold } from '../delay/holds.ts'
import type { WatchEntry } from '../access/watch-entry.ts'
import type { RateRule } from '../../contract/operation.ts'
import type { RedisScripts } from '../redis/redis-scripts.ts'
import { sendFailure } from '../http/failures.ts'
import { isFramed, pageOf } from './asking-page.ts'
import { createGuestBound } from './guest-bound.ts'
import type { GuestCookies } from './guest-cookie.ts'
import type { Guests } from './guests.ts'
import type { PageFile, PageFiles } from './page-files.ts'
import { pageHeaders } from './page-headers.ts'
import { passphraseOf } from './passphrase-body.ts'
import { createWaitingPages } from './waiting-pages.ts'
import type { WatchedChannel, WatchedRoom } from './watched-channel.ts'

export type { WatchedChannel, WatchedRoom }

/** What the page is served from; all in memory. */
export interface WatchOptions {
  /** Undefined when it was not built. */
  readonly page: PageFiles | undefined
  readonly channel: (cid: string) => WatchedChannel | undefined
  readonly room: (uid: number, cid: string) => WatchedRoom | undefined
  readonly viewers: (cid: string) => number
  /** Calls when a show of a channel begins. */
  readonly onBegun?: (call: (cid: string) => void) => void
  /** Pages off air whose answer waits for a show, at most. */
  readonly maxWaiting?: number
  /** Whether a channel on air receives nothing. */
  readonly isSilent: (cid: string) => boolean
  /** Since when viewers see a held picture or none, and until when. */
  readonly hold?: (cid: string) => ShownHold
  /** The newest media that viewers were sent. */
  readonly newest?: (cid: string) => WatchState['newest']
  readonly guests: Pick<Guests, 'make' | 'has' | 'allowed'>
  readonly cookies: GuestCookies
  /** AppKey of an application; public. */
  readonly appKey: (uid: number) => string | undefined
  /** Other origins whose pages may make guests. */
  readonly origins: readonly string[]
  /** A client link with its own address, and the public hosts whose pages use it. */
  readonly publicLink?: { readonly url: string; readonly hosts: readonly string[] } | undefined
  /** Roots of the media sides of other nodes, to which players are led. */
  readonly mediaRoots?: () => readonly string[]
  /** Who may watch, and what they are told of the next broadcast. */
  readonly entry: WatchEntry
  /** Guests of an address are counted there over all nodes. */
  readonly redis?: Pick<RedisScripts, 'run'> | undefined
  readonly clock: Clock
}

/** Waiting pages where no limit is given. */
const maxWaiting = 128
const cidPattern = /^[0-9a-f]{32}$/
/** A token in a path, with what is not of it behind. */
const tokenShape = /^([0-9a-z]{1,11}\.[A-Za-z0-9_-]{22})(?![A-Za-z0-9_-])/
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
    const { page, guests, cookies, clock, entry } = options
    const bound = createGuestBound(clock, options.redis)
    const waiting = createWaitingPages(clock, options.maxWaiting ?? maxWaiting)
    options.onBegun?.(waiting.began)
    instance.addHook('preClose', async () => waiting.close())
    const channelOf = (cid: string): WatchedChannel | undefined =>
      cidPattern.test(cid) ? options.channel(cid) : undefined
    const linkOf = ({ headers: { host = '' } }: FastifyRequest): string | undefined =>
      options.publicLink?.hosts.includes(URL.parse(`http://${host}`)?.hostname ?? '')
        ? options.publicLink.url
        : undefined
    const connectsOf = (request: FastifyRequest): readonly string[] => [
      ...[linkOf(request)].filter((link) => link !== undefined),
      ...(options.mediaRoots?.() ?? []),
    ]
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
          reply.code(channelOf(request.params.cid) ? 200 : 404).headers(pageHeaders(connectsOf(request))),
          page.index,
        )
      },
    })

    instance.route<{ Params: { cid: string } }>({
      method: ['GET', 'HEAD'],
      url: `${embedPath}:cid`,
      handler(request, reply) {
        if (!page) return sendFailure(reply, 404, 'the viewers’ page was not built')
        const { cid } = request.params
        const found = channelOf(cid) !== undefined
        const ancestors = found ? entry.embedOrigins(cid) : []
        return send(
          request,
          reply.code(found ? 200 : 404).headers(pageHeaders(connectsOf(request), ancestors)),
          page.index,
        )
      },
    })

    instance.route<{ Params: { cid: string; rest: string } }>({
      method: ['GET', 'HEAD'],
      // Not what has routes of its own.
      url: `${watchPath}:cid/:rest(^(?!enter$|guest$|left$).*$)`,
      handler(request, reply) {
        const { cid, rest } = request.params
        if (!channelOf(cid)) return sendFailure(reply, 404, 'there is no such channel')
        // Programs for chat add what stands behind a link. One that is cut off leads to the page, which says so.
        const token = tokenShape.exec(rest)?.[1]
        const cookie =
          token === undefined
            ? undefined
            : entry.withLink(cid, token, { headers: request.headers, client: request.client })
        // Relative, so that it holds behind a path prefix; the token is in no address afterwards.
        reply.code(303).headers({ location: `../${cid}`, 'referrer-policy': 'no-referrer' })
        if (cookie !== undefined) reply.header('set-cookie', cookie)
        return reply.send('')
      },
    })

    instance.route<{ Params: { cid: string }; Body: Buffer | undefined }>({
      method: 'POST',
      url: `${watchPath}:cid/enter`,
      bodyLimit: maxEnterBody,
      async handler(request, reply) {
        if (!isOwnPage(request)) return sendFailure(reply, 403, 'pages of this origin may not enter')
        const { cid } = request.params
        if (!channelOf(cid)) return sendFailure(reply, 404, 'there is no such channel')
        const passphrase = passphraseOf(request.body)
        if (passphrase === undefined) return sendFailure(reply, 400, 'a passphrase is asked for')
        const about = { headers: request.headers, client: request.client }
        const entered = await entry.enter(cid, about, passphrase, isFramed(request))
        if (entered === undefined) return reply.code(204).send()
        if (typeof entered === 'string') return reply.code(204).header('set-cookie', entered).send()
        const { status, sentence, retryAfter } = entered
        return sendFailure(
          reply,
          status === 401 ? 403 : status,
          status === 401 ? 'the passphrase is wrong' : sentence,
          {
            ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
          },
        )
      },
    })

    instance.route<{ Params: { cid: string } }>({
      method: 'POST',
      url: `${watchPath}:cid${leftPath}`,
      bodyLimit: 64,
      handler(request, reply) {
        entry.leaves(request.params.cid, request.query)
        return reply.code(204).send()
      },
    })

    instance.route<{ Params: { cid: string } }>({
      method: ['GET', 'HEAD'],
      url: `${watchPath}:cid/next.ics`,
      handler(request, reply) {
        const { cid } = request.params
        const channel = channelOf(cid)
        const file = channel && entry.calendar(cid, channel.name, request)
        if (file === undefined) return sendFailure(reply, 404, 'no broadcast is announced')
        reply.headers({
          'content-type': 'text/calendar; charset=utf-8',
          'content-disposition': 'attachment; filename="next.ics"',
        })
        return reply.send(request.method === 'HEAD' ? null : file)
      },
    })

    instance.route<{ Params: { cid: string } }>({
      method: ['GET', 'HEAD'],
      url: `${watchPath}:cid/state`,
      async handler(request, reply) {
        const { cid } = request.params
        const before = channelOf(cid)
        const { wait } = request.query as { readonly wait?: unknown }
        const about = { headers: request.headers, client: request.client }
        // Who is not let in waits for nothing: the time of the answer would tell that a show begins.
        if (wait === '1' && before?.disabled === false && before.since === undefined && entry.ground(cid, about))
          await waiting.wait(cid, request.client.subnet, reply.raw)
        const channel = channelOf(cid)
        if (!channel) return sendFailure(reply, 404, 'there is no such channel')
        const { uid, name, disabled, since, title, ended } = channel
        const { cookie, gate, ...why } = await entry.look(cid, about, pageOf(request))
        if (cookie !== undefined) reply.header('set-cookie', cookie)
        reply.header('content-type', 'application/json; charset=utf-8')
        if (gate !== undefined) {
          const shut: WatchState = { title: name, live: false, disabled, gate, ...why, time: clock.now(), viewers: 0 }
          return reply.send(request.method === 'HEAD' ? null : JSON.stringify(shut))
        }
        const room = options.room(uid, cid)
        const appKey = options.appKey(uid)
        const live = since !== undefined && !disabled
        const newest = options.newest?.(cid)
        const state: WatchState = {
          title: name,
          live,
          disabled,
          ...(!live && entry.next(cid)),
          ...(!live && !disabled && ended !== undefined && { ended }),
          ...(live && title !== undefined && { broadcastTitle: title }),
          ...(live && options.isSilent(cid) && { silent: true as const }),
          ...(live && options.hold?.(cid)),
          ...(live && newest && { newest }),
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
        const about = { headers: request.headers, client: request.client }
        const ground = entry.ground(cid, about)
        if (!ground) return sendFailure(reply, 403, 'this channel is not for everybody')
        if (!room.open) return sendFailure(reply, 409, 'the room is closed')
        if (!guests.allowed(room.roomid)) return sendFailure(reply, 403, 'the room takes no guests')
        const known = cookies.read(request.headers.cookie)
        const returns = known !== undefined && guests.has(channel.uid, room.roomid, known)
        const kind = returns ? 'return' : entry.isPlayerWithoutGuest(cid, about) ? 'player' : 'new'
        const make = (broken: RateRule | undefined): FastifyReply => {
          if (broken)
            return sendFailure(reply, 429, 'too many guests of this address', { 'retry-after': broken.seconds })
          const identity = known ?? cookies.make()
          const guest = guests.make(channel.uid, room.roomid, identity, { cid, ground })
          if (guest === 'refused') return sendFailure(reply, 403, 'the room takes no guests')
          if (guest === 'full') return sendFailure(reply, 503, 'too many guests are here', { 'retry-after': 60 })
          entry.guestMade(channel.uid, guest.accid, cid, ground, request.headers)
          const answer: WatchGuest = { accid: guest.accid, token: guest.token, expires: clock.now() + guest.life }
          reply.code(201).header('content-type', 'application/json; charset=utf-8')
          reply.header('set-cookie', cookies.write(identity, request.client.scheme === 'https', isFramed(request)))
          return reply.send(JSON.stringify(answer))
        }
        const broken = bound.take(kind, { application: channel.uid, address: request.client.subnet })
        return broken instanceof Promise ? broken.then(make) : make(broken)
      },
    })
    done()
  }
