import { createSocket, type Socket } from 'node:dgram'
import { NoRouter, type Forwarded, type OuterPlace } from './port-mapping.ts'
import { requirePublic } from './router-address.ts'

/** Port at which routers answer (RFC 6886). */
const routerPort = 5351
const askAddress = 0
const mapTcp = 2
/** Bytes of the answers. */
const answerBytes: Readonly<Record<number, number>> = { [askAddress]: 12, [mapTcp]: 16 }
/** Added to the operation in an answer. */
const answered = 128
/** How long to wait before a request is sent again, in ms: each time twice as long. */
const firstWait = 250
const lease = 3600

const faults: Readonly<Record<number, string>> = {
  1: 'the router has another version of NAT-PMP',
  2: 'the router does not allow it',
  3: 'the router has no address itself',
  4: 'the router has no room for it',
  5: 'the router does not know the operation',
}

/** A request without options. */
const ask = (operation: number): Buffer => Buffer.from([0, operation])
function mapping(internal: number, external: number, seconds: number): Buffer {
  const bytes = Buffer.alloc(12)
  bytes.writeUInt8(mapTcp, 1)
  bytes.writeUInt16BE(internal, 4)
  bytes.writeUInt16BE(external, 6)
  bytes.writeUInt32BE(seconds, 8)
  return bytes
}

/**
 * Sends a request until it is answered. The socket is connected, so that only the address and port that were asked can
 * answer.
 */
const exchange = (socket: Socket, request: Buffer, signal: AbortSignal): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const operation = request[1]!
    let wait = firstWait
    let timer: NodeJS.Timeout | undefined
    const end = (settle: () => void): void => {
      clearTimeout(timer)
      socket.off('message', hear).off('error', fail)
      signal.removeEventListener('abort', stop)
      settle()
    }
    const fail = (error: Error): void => end(() => reject(new NoRouter(error.message)))
    const stop = (): void => end(() => reject(new NoRouter('the router does not answer by NAT-PMP')))
    const hear = (bytes: Buffer): void => {
      if (bytes.length < 4 || bytes[0] !== 0 || bytes[1] !== operation + answered) return
      const code = bytes.readUInt16BE(2)
      if (code !== 0) return end(() => reject(new Error(faults[code] ?? `the router answered ${code}`)))
      if (bytes.length >= answerBytes[operation]!) end(() => resolve(bytes))
    }
    const send = (): void => {
      socket.send(request, (error) => error && fail(error))
      timer = setTimeout(send, wait)
      wait *= 2
    }
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop)
    socket.on('message', hear).on('error', fail)
    send()
  })

async function connected<T>(
  { router, port }: { readonly router: string; readonly port: number },
  work: (socket: Socket) => Promise<T>,
): Promise<T> {
  const socket = createSocket('udp4')
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.connect(port, router, resolve)
    })
    socket.removeAllListeners('error')
    return await work(socket)
  } finally {
    socket.close()
  }
}

/** Has a router forward a TCP port by NAT-PMP. `at`: the port at which it answers, for tests. */
export async function forwardByNatPmp(
  router: string,
  port: number,
  {
    signal,
    patience,
    at = routerPort,
  }: { readonly signal: AbortSignal; readonly patience: number; readonly at?: number },
): Promise<Forwarded> {
  const place = { router, port: at }
  /** Asks for the address and for a mapping to `wanted`; a renewal can have another of both. */
  const make = (wanted: number, within: AbortSignal): Promise<OuterPlace> =>
    connected(place, async (socket) => {
      const given = await exchange(socket, ask(askAddress), within)
      const address = [...given.subarray(8, 12)].join('.')
      requirePublic(address)
      const made = await exchange(socket, mapping(port, wanted, lease), within)
      const outer = made.readUInt16BE(10)
      // As an answer to a removal.
      if (outer === 0 || made.readUInt32BE(12) === 0) throw new Error('the router forwards no port')
      return { address, port: outer }
    })
  const first = await make(port, signal)
  let outer = first.port
  return {
    protocol: 'natpmp',
    ...first,
    async renew() {
      const renewed = await make(outer, AbortSignal.timeout(patience))
      outer = renewed.port
      return renewed
    },
    remove: () =>
      connected(place, async (socket) => {
        await exchange(socket, mapping(port, 0, 0), AbortSignal.timeout(patience))
      }),
  }
}
