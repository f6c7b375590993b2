import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import { linkPath } from '../../contract/link/frames.ts'
import type { RateRule } from '../../contract/operation.ts'
import { visitPath, type VisitPlan } from '../../contract/watch.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Clients } from '../http/clients.ts'
import { sendFailure } from '../http/failures.ts'
import { createRateLimiter } from '../http/rate-limiter.ts'
import type { PageFile, PageFiles } from '../watch/page-files.ts'
import { readReport, readVisitCookie, visitCookie, type Visits } from './visits.ts'

/** Path of the service's own request to itself, before its number. */
export const probePath = `${visitPath}probe/`

/** Requests of one address: several visits at once, too few to try marks. */
const rules: readonly RateRule[] = [{ per: 'address', calls: 120, seconds: 60, code: 416, block: 0 }]
/** Life of the cookie in s: of the mark and a run. */
const cookieAge = 900
const maxBody = 512

/** The page may run its own script and connect to its listener alone. */
const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'x-robots-tag': 'noindex',
}
const assetAge = 31_536_000

const send = (request: FastifyRequest, reply: FastifyReply, { bytes, type }: PageFile): FastifyReply => {
  reply.header('content-type', type)
  return request.method === 'HEAD' ? reply.header('content-length', bytes.length).send(null) : reply.send(bytes)
}

/** The page of a visit from outside and what it reports, and the answer to the service's own requests. */
export const visitRoutes =
  (options: {
    readonly visits: Visits
    /** Undefined when it was not built. */
    readonly page: PageFiles | undefined
    readonly isOutside: (address: string) => boolean
    readonly isLive: (cid: string) => boolean
    /** Whether a channel is turned off for everybody. */
    readonly isClosed: (cid: string) => boolean
    /** A request of this service to itself arrived. */
    readonly probed: (number: string, untrusted: string | undefined) => boolean
    readonly untrustedProxy: Clients['untrustedProxy']
    readonly clock: Clock
  }): FastifyPluginCallback =>
  (instance, _options, done) => {
    const { visits, page, isOutside, isLive, isClosed, probed, untrustedProxy, clock } = options
    const limiter = createRateLimiter(clock)
    const isTooMuch = (request: FastifyRequest, reply: FastifyReply): boolean => {
      const broken = limiter.take('visit', rules, { application: 0, address: request.client.subnet })
      if (broken) void sendFailure(reply, 429, 'too many requests of this address', { 'retry-after': broken.seconds })
      return broken !== undefined
    }
    const isOwnPage = ({ headers: { origin, host }, client }: FastifyRequest): boolean =>
      origin === undefined || origin === `${client.scheme}://${host}`
    const jsonOf = ({ body }: FastifyRequest): unknown => {
      try {
        return JSON.parse(Buffer.isBuffer(body) ? body.toString('utf8') : '') as unknown
      } catch {
        return undefined
      }
    }

    instance.route<{ Params: { file: string } }>({
      method: ['GET', 'HEAD'],
      url: `${visitPath}assets/:file`,
      handler(request, reply) {
        const file = page?.assets.get(request.params.file)
        if (!file) {
          reply.callNotFound()
          return reply
        }
        reply.headers({ ...pageHeaders, 'cache-control': `public, max-age=${assetAge}, immutable` })
        return send(request, reply, file)
      },
    })

    instance.route<{ Params: { number: string } }>({
      method: 'GET',
      url: `${probePath}:number`,
      handler(request, reply) {
        if (isTooMuch(request, reply)) return reply
        if (!probed(request.params.number, untrustedProxy(request.raw)))
          return sendFailure(reply, 404, 'nothing is served here')
        return reply.code(204).send()
      },
    })

    instance.route<{ Params: { mark: string } }>({
      method: ['GET', 'HEAD'],
      url: `${visitPath}:mark`,
      handler(request, reply) {
        if (isTooMuch(request, reply)) return reply
        if (!page?.check) return sendFailure(reply, 404, 'the page of a visit was not built')
        const cookie = readVisitCookie(request.headers.cookie)
        const isOpen = visits.isOpen(request.params.mark, cookie)
        reply.code(isOpen ? 200 : 404).headers(pageHeaders)
        if (isOpen && cookie === undefined) {
          const secure = request.client.scheme === 'https' ? '; Secure' : ''
          const value = `${visitCookie}=${visits.cookie()}; Max-Age=${cookieAge}; Path=/; HttpOnly; SameSite=Lax`
          reply.header('set-cookie', value + secure)
        }
        return send(request, reply, page.check)
      },
    })

    instance.route<{ Params: { mark: string } }>({
      method: 'POST',
      url: `${visitPath}:mark/begin`,
      bodyLimit: maxBody,
      handler(request, reply) {
        if (isTooMuch(request, reply)) return reply
        if (!isOwnPage(request)) return sendFailure(reply, 403, 'pages of this origin may not visit')
        const cid = visits.begin(request.params.mark, {
          cookie: readVisitCookie(request.headers.cookie),
          agent: request.headers['user-agent']?.slice(0, 300) ?? '',
          outside: isOutside(request.client.address),
          untrusted: untrustedProxy(request.raw),
        })
        if (cid === undefined) return sendFailure(reply, 404, 'this mark is used or too old')
        const plan: VisitPlan = {
          live: isLive(cid),
          closed: isClosed(cid),
          flv: `/live/${cid}.flv`,
          hls: `/live/${cid}/playlist.m3u8`,
          link: linkPath,
          time: clock.now(),
        }
        return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(plan))
      },
    })

    instance.route<{ Params: { mark: string } }>({
      method: 'POST',
      url: `${visitPath}:mark/step`,
      bodyLimit: maxBody,
      handler(request, reply) {
        if (isTooMuch(request, reply)) return reply
        if (!isOwnPage(request)) return sendFailure(reply, 403, 'pages of this origin may not visit')
        const report = readReport(jsonOf(request))
        if (!report || report.name === 'address') return sendFailure(reply, 400, 'the report is not readable')
        const cookie = readVisitCookie(request.headers.cookie)
        if (!visits.report(request.params.mark, cookie, report)) return sendFailure(reply, 404, 'no such visit runs')
        return reply.code(204).send()
      },
    })
    done()
  }
