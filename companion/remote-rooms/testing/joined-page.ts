import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import { MessageChannel } from 'node:worker_threads'
import type { AppEvent, Rpc } from '../../../contract/rpc/index.ts'
import type { JoinedPages } from '../remote-rooms.ts'
import type { Line } from '../../lines/connection.ts'
import { portLine, type PortLike } from '../../lines/lines.ts'

/** The page of a joined room over a message port, as the desktop has one. */
export interface JoinedPage {
  readonly rpc: ContractRouterClient<Rpc>
  readonly events: AppEvent[]
  readonly received: string[]
  readonly closed: Promise<void>
  close(): void
}

/** Opens the page of a joined room. */
export function openJoinedPage(pages: JoinedPages, id: string): JoinedPage {
  const { port1, port2 } = new MessageChannel()
  const served = pages.attach(portLine(port1 as unknown as PortLike), id)
  const received: string[] = []
  const closed = new Promise<void>((resolve) => {
    port2.on('close', resolve)
  })
  port2.on('message', (text: string) => received.push(text))
  const rpc = createORPCClient<ContractRouterClient<Rpc>>(
    new RPCLink({ port: port2 as unknown as ConstructorParameters<typeof RPCLink>[0]['port'] }),
  )
  port2.start()
  const events: AppEvent[] = []
  const follow = async (): Promise<void> => {
    for await (const event of await rpc.app.events()) events.push(event)
  }
  follow().catch(() => undefined)
  return {
    rpc,
    events,
    received,
    closed,
    close: () => {
      served.end()
      port2.close()
    },
  }
}

/** A line of a page that says and hears by hand. */
export interface HandLine extends Line {
  readonly heard: string[]
  isClosed: boolean
  /** Bytes that this page says it has not taken yet. */
  waiting: number
  say(text: string | undefined): void
}

/** Makes one. */
export function handLine(): HandLine {
  let hear: (text: string | undefined) => void = () => undefined
  const gone: (() => void)[] = []
  const line: HandLine = {
    heard: [],
    isClosed: false,
    waiting: 0,
    say: (text) => {
      hear(text)
    },
    send: (text) => {
      line.heard.push(text)
    },
    onMessage: (listener) => {
      hear = listener
    },
    onClose: (listener) => {
      gone.push(listener)
    },
    backlog: () => line.waiting,
    close: () => {
      if (line.isClosed) return
      line.isClosed = true
      for (const listener of gone) listener()
    },
  }
  return line
}
