import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A way to a Redis that one node alone takes, so that it can be cut off from it. */
export interface RedisWay {
  readonly url: string
  /** Ends what runs, and lets nothing through until `mend`. */
  cut(): void
  mend(): void
  close(): void
}

/** Opens it to a port of this computer. */
export async function openRedisWay(to: number): Promise<RedisWay> {
  const sockets = new Set<Socket>()
  let isCut = false
  const end = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((from) => {
    if (isCut) return void from.destroy()
    const there = connect(to, '127.0.0.1')
    for (const [one, other] of [
      [from, there],
      [there, from],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on('error', () => undefined)
      one.once('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true
      end()
    },
    mend: () => void (isCut = false),
    close() {
      server.close()
      end()
    },
  }
}
