import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import { MessageChannel } from 'node:worker_threads'
import type { Line } from '../companion/lines/connection.ts'
import { portLine, type PortLike } from '../companion/lines/lines.ts'
import type { EventFor, Rpc } from '../contract/rpc/index.ts'

/** The companion as called by the desktop shell, with the same procedures as a page. */
export type OwnClient = ContractRouterClient<Rpc>

/** Connects the desktop shell to the companion and forwards its events until `end`. */
export function openOwnLine(
  attach: (line: Line) => { end(): void },
  heard: (event: EventFor<'desktop'>) => void,
): { readonly rpc: OwnClient; end(): void } {
  const { port1, port2 } = new MessageChannel()
  const served = attach(portLine(port1 as unknown as PortLike))
  const rpc = createORPCClient<OwnClient>(
    new RPCLink({ port: port2 as unknown as ConstructorParameters<typeof RPCLink>[0]['port'] }),
  )
  port2.start()
  port2.unref()
  const follow = async (): Promise<void> => {
    for await (const event of await rpc.app.events({ audience: 'desktop' })) heard(event as EventFor<'desktop'>)
  }
  // Closed together with the companion.
  follow().catch(() => undefined)
  return {
    rpc,
    end: () => {
      served.end()
      port2.close()
    },
  }
}
