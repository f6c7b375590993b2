import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ListenerChoice } from '../../contract/service-process.ts'
import { listenOn } from '../../platform/listen.ts'
import { createListener, type ListenerOptions } from '../http/listener.ts'
import { sendFailure } from '../http/failures.ts'
import type { Hub } from '../hub/hub.ts'
import type { PublishGate } from '../ingest/rtmp-session-host.ts'
import type { Log } from '../log.ts'
import { bindPort } from '../port-binding.ts'
import { isLoopback } from '../public-addresses.ts'
import type { ServerAsk, ServerHooks, Verdict } from './ingest-server.ts'
import { mediamtxHooks } from './mediamtx.ts'
import { nginxRtmpHooks } from './nginx-rtmp.ts'
import { srsHooks } from './srs.ts'
import type { createWayOn } from './way-on.ts'

/** Where servers of other makes ask, by the last part of the address. */
export const hooksOf = {
  'nginx-rtmp': nginxRtmpHooks,
  srs: srsHooks,
  mediamtx: mediamtxHooks,
} as const satisfies Record<string, ServerHooks>

/** Longest call, in bytes. */
const maxCall = 64 * 1024
/** What a call that runs may still take when the listener closes, in ms. */
const closeGrace = 500
const shape = /^\/hooks\/([a-z-]{1,16})$/
const hooksAt = (path: string): ServerHooks | undefined => {
  const make = shape.exec(path)?.[1]
  return make !== undefined && Object.hasOwn(hooksOf, make) ? hooksOf[make as keyof typeof hooksOf] : undefined
}

/** Addresses of this computer, as in URLs. */
const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address)),
  )

/** The listener of hooks. */
export interface IngestHooks {
  /** Root of its addresses; undefined when it is not open. */
  readonly url: string | undefined
  ports(): readonly number[]
  close(): Promise<void>
}

/**
 * Opens the listener at which servers of other makes, to which encoders push, ask before they take a push: the answer
 * is the same as that of the service's own RTMP, and names its RTMP as the way on. It knows no more secrets than the
 * call brings.
 */
export async function openIngestHooks(
  choice: ListenerChoice,
  options: Omit<ListenerOptions, 'bounds'> & {
    readonly bounds: () => ListenerOptions['bounds']
    readonly gate: Pick<PublishGate, 'admit'>
    readonly hub: Pick<Hub, 'refused'>
    readonly way: ReturnType<typeof createWayOn>
    readonly log: Log
  },
): Promise<IngestHooks> {
  const { gate, hub, way, log } = options
  const listener = createListener({
    ...options,
    // nginx-rtmp names no port; an address, other than a name, cannot be one that leads here from elsewhere.
    publicHosts: [...(options.publicHosts ?? []), 'localhost', ...ownAddresses()],
    bounds: options.bounds(),
    origin: () => false,
    allowed: (path) => (hooksAt(path) ? 'POST' : undefined),
  })
  const verdictOf = async (ask: ServerAsk, { isNumeric }: ServerHooks, local: string | undefined): Promise<Verdict> => {
    if (ask.asks === 'nothing') return { ok: true }
    if (ask.asks === 'play')
      return { ok: false, remedy: 'unknown', reason: 'this is of pushes alone: players watch at the service itself' }
    const { address } = ask
    if (!address) return { ok: false, remedy: 'unknown', reason: 'the address is of no channel' }
    const { cid, wsSecret, wsTime } = address
    const admitted = gate.admit(cid, address)
    const query = new URLSearchParams({ wsSecret, wsTime }).toString()
    if (admitted.ok) {
      if (ask.asks === 'goOn') return { ok: true }
      const root = isNumeric ? await way.numeric(local) : way.root(local)
      if (root !== undefined) return { ok: true, way: `${root}/live/${cid}?${query}` }
      return { ok: false, remedy: 'unknown', reason: 'where the push is sent on to has no address' }
    }
    if (ask.asks === 'begin' && admitted.remedy !== 'unknown')
      // A text of a stranger: it is kept with the event.
      hub.refused(cid, admitted.remedy, admitted.reason, isIP(ask.from) === 0 ? 'unknown' : ask.from)
    return admitted
  }
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const hooks = hooksAt(request.url.split('?', 1)[0]!)!
    let ask: ServerAsk | undefined
    try {
      ask = hooks.read((request.body as Buffer | undefined)?.toString() ?? '')
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
    if (!ask) return sendFailure(reply, 400, 'the call is not one of this server')
    const { status, headers = {}, body } = hooks.answer(ask, await verdictOf(ask, hooks, request.socket.localAddress))
    return reply.code(status).headers(headers).send(body)
  }
  for (const make of Object.keys(hooksOf))
    listener.app.route({ method: 'POST', url: `/hooks/${make}`, bodyLimit: maxCall, handler })
  await listener.app.ready()
  const { host } = choice
  const { used } = await bindPort(
    (port) => listenOn(listener.server, host, port),
    choice.port,
    [],
    process.platform,
    'hooks',
  ).catch(async (error: unknown) => {
    await listener.close(0)
    throw error
  })
  if (!isLoopback(host))
    log.warn(
      { listener: 'hooks', host, port: used },
      'the hooks listener is open to the network: let servers alone reach it',
    )
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${used}/hooks`,
    ports: () => [used],
    close: () => listener.close(closeGrace),
  }
}
