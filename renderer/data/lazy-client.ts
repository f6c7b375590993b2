import { createORPCClient, type ClientLink } from '@orpc/client'
import type { RpcClient } from './client.ts'

/** Calls reject while there is no connection. */
export function createLazyClient(current: () => RpcClient | undefined): RpcClient {
  const link: ClientLink<Record<never, never>> = {
    call: async (path, input, options) => {
      let at: unknown = current()
      if (at === undefined) throw new Error('not connected to the companion')
      for (const step of path) at = (at as Record<string, unknown>)[step]
      return await (at as (input: unknown, options: unknown) => Promise<unknown>)(input, options)
    },
  }
  return createORPCClient<RpcClient>(link)
}
