import { isIP } from 'node:net'
import OBSWebSocket, { EventSubscription, OBSWebSocketError } from 'obs-websocket-js/json'
import { WebSocket as Socket } from 'ws'
import { z } from 'zod'
import { type Clock, within } from '../../platform/clock.ts'
import { ConnectionFault, type ObsConnection, ObsRejection, type OpenObsConnection } from './obs-protocol.ts'

/** In bytes; the longest answer here has about 6 kB. */
export const maxPayload = 262_144
/** Messages within 2 s; normally a few per second. */
export const maxFlood = 200
const floodSpan = 2_000
/** For the log-in, and for the answer to one request, in ms. */
export const patience = 10_000

const Hello = z.object({
  obsWebSocketVersion: z.string().max(64),
  rpcVersion: z.number().int().min(1),
  authentication: z.object({ challenge: z.string().max(256), salt: z.string().max(256) }).optional(),
})
const Incoming = z.discriminatedUnion('op', [
  z.object({ op: z.literal(0), d: Hello }),
  z.object({ op: z.literal(2), d: z.object({ negotiatedRpcVersion: z.literal(1) }) }),
  z.object({
    op: z.literal(5),
    d: z.object({ eventType: z.string(), eventData: z.record(z.string(), z.unknown()).nullish() }),
  }),
  z.object({
    op: z.literal(7),
    d: z.object({
      requestId: z.string().max(32),
      requestStatus: z.object({ result: z.boolean(), code: z.number().int() }),
      responseData: z.record(z.string(), z.unknown()).nullish(),
    }),
  }),
])

/** Close codes of obs-websocket (WebSocketCloseCode). */
const closeReasons: Readonly<Record<number, ConnectionFault['reason']>> = { 4009: 'password', 4010: 'version' }
/** The library's event for a closed socket. */
const gone = 'ConnectionClosed'

function read(data: unknown): z.infer<typeof Incoming> | undefined {
  if (typeof data !== 'string') return undefined
  try {
    return Incoming.safeParse(JSON.parse(data)).data
  } catch {
    return undefined
  }
}

/** The library's client with bounded, validated messages, kept from its debug output: stream settings have a key. */
class BoundedObs extends OBSWebSocket {
  fault: ConnectionFault | undefined
  readonly #clock: Clock
  readonly #stream: (outputState: string) => void
  #raw: Socket | undefined
  #counted = 0
  #countedFrom = 0

  constructor(clock: Clock, stream: (outputState: string) => void) {
    super()
    this.#clock = clock
    this.#stream = stream
  }

  drop(fault?: ConnectionFault): void {
    this.fault ??= fault
    this.#raw?.terminate()
  }

  protected override async createConnection(
    url: string,
  ): Promise<Awaited<ReturnType<OBSWebSocket['createConnection']>>> {
    const opened = this.internalEventPromise('ConnectionOpened')
    const hello = this.internalEventPromise<z.infer<typeof Hello>>('op:0')
    const socket = new Socket(url, this.protocol, { perMessageDeflate: false, maxPayload: maxPayload })
    this.#raw = socket
    socket.on('message', (data, binary) => this.#took(binary ? undefined : (data as Buffer).toString('utf8')))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A system error means no host; anything else came from a host.
      const system = /^E(?!RR_)/.test(error.code ?? '')
      const reason = error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' ? 'flood' : system ? 'absent' : 'foreign'
      this.fault ??= new ConnectionFault(reason)
    })
    socket.on('close', (code) => {
      this.fault ??= new ConnectionFault(closeReasons[code] ?? 'absent')
    })
    // The library expects a browser's socket; both have what it uses.
    this.socket = socket as unknown as NonNullable<typeof this.socket>
    this.socket.onopen = this.onOpen.bind(this)
    this.socket.onerror = this.onError.bind(this)
    this.socket.onclose = this.onClose.bind(this)
    await opened
    const { authentication, ...rest } = await hello
    return authentication ? { ...rest, authentication } : rest
  }

  protected override identify(
    ...[hello, password, more]: Parameters<OBSWebSocket['identify']>
  ): ReturnType<OBSWebSocket['identify']> {
    if (hello.authentication && password === undefined) {
      const fault = new ConnectionFault('noPassword')
      this.drop(fault)
      throw fault
    }
    return super.identify(hello, password, more)
  }

  #took(data: string | undefined): void {
    const now = this.#clock.now()
    if (now - this.#countedFrom > floodSpan) [this.#countedFrom, this.#counted] = [now, 0]
    if (++this.#counted > maxFlood) return this.drop(new ConnectionFault('flood'))
    const message = read(data)
    if (!message) return this.drop(new ConnectionFault('foreign'))
    if (message.op === 5) {
      const state = message.d.eventType === 'StreamStateChanged' ? message.d.eventData?.['outputState'] : undefined
      if (typeof state === 'string') this.#stream(state)
    } else this.internalListeners.emit(message.op === 7 ? `res:${message.d.requestId}` : `op:${message.op}`, message.d)
  }
}

/** Opens connections over WebSocket. Invalid, large or too many messages end a connection. */
export const obsConnections =
  (clock: Clock): OpenObsConnection =>
  async ({ host, port, password }, events): Promise<ObsConnection> => {
    const obs = new BoundedObs(clock, (state) => events.stream(state))
    const ended = Promise.withResolvers<never>()
    ended.promise.catch(() => undefined)
    const faultOf = (error: unknown): ConnectionFault =>
      error instanceof ConnectionFault ? error : (obs.fault ?? new ConnectionFault('foreign'))
    const bounded = <T>(work: Promise<T>): Promise<T> =>
      within(clock, patience, Promise.race([work, ended.promise]), () => new ConnectionFault('slow'))
    let usable = false
    obs.once(gone, () => {
      const fault = obs.fault ?? new ConnectionFault('absent')
      ended.reject(fault)
      if (usable) events.closed(fault)
    })
    try {
      await bounded(
        obs.connect(`ws://${isIP(host) === 6 ? `[${host}]` : host}:${port}`, password, {
          rpcVersion: 1,
          eventSubscriptions: EventSubscription.Outputs,
        }),
      )
      usable = true
    } catch (error) {
      const fault = faultOf(error)
      obs.drop()
      throw fault
    }
    return {
      request: async (type, data) => {
        try {
          return await bounded(obs.call(type, data as never))
        } catch (error) {
          throw error instanceof OBSWebSocketError && obs.fault === undefined
            ? new ObsRejection(error.code)
            : faultOf(error)
        }
      },
      drop: (fault) => obs.drop(fault),
    }
  }
