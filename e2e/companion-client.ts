import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import type { ContractRouterClient } from '@orpc/contract'
import { WebSocket } from 'ws'
import type { Rpc } from '../contract/rpc/index.ts'
import { httpRequest } from '../service/testing/http-request.ts'
import type { RunningApp } from './app.ts'

/** A line to the companion of a running app, as its page has one. */
export interface CompanionClient {
  readonly rpc: ContractRouterClient<Rpc>
  /** One signed call of an operation of the embedded service by its path; throws for any code but 200. */
  readonly call: (path: string, parameters: Readonly<Record<string, string | number | boolean>>) => Promise<void>
  readonly close: () => void
}

/** Signs in with a one-time address of its own and opens a line. */
export async function openCompanion(app: Pick<RunningApp, 'link'>): Promise<CompanionClient> {
  const { origin, hash } = new URL(await app.link())
  const signedIn = await httpRequest(`${origin}/session`, {
    headers: [
      ['content-type', 'application/json'],
      ['origin', origin],
    ],
    body: JSON.stringify({ token: hash.replace('#token=', '') }),
  })
  const [cookie = ''] = (signedIn.headers['set-cookie']?.[0] ?? '').split(';')
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/rpc`, { headers: { cookie, origin } })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  const rpc = createORPCClient<ContractRouterClient<Rpc>>(
    new RPCLink({ websocket: socket as unknown as globalThis.WebSocket }),
  )
  return {
    rpc,
    call: async (path, parameters) => {
      const { code, answer } = await rpc.console.call({ profileId: 'local', path, parameters })
      if (code !== 200) throw new Error(`${path} answered ${answer}`)
    },
    close: () => socket.close(),
  }
}
