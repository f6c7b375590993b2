import { live } from '../../contract/operations/index.ts'
import type { BatchReport } from '../../contract/rpc/index.ts'
import type { Client } from '../client/client.ts'
import { Failure } from '../failure.ts'

type Result = BatchReport['results'][number]
type ChannelCall = (cid: string) => Promise<unknown>

const together = 6

/**
 * A result code is the channel's result. After any other failure no further call is made; it is thrown once the running
 * calls have ended, unless a channel has a result: then those without one have `code: null`.
 */
async function each(cids: readonly string[], call: ChannelCall): Promise<Result[]> {
  const results = new Map<string, Result>()
  let fault: Error | undefined
  const waiting = [...new Set(cids)]
  const work = async (): Promise<void> => {
    for (let cid = waiting.shift(); cid !== undefined && fault === undefined; cid = waiting.shift()) {
      try {
        await call(cid)
        results.set(cid, { cid, ok: true, code: 200 })
      } catch (error) {
        if (error instanceof Failure && error.data.kind === 'code')
          results.set(cid, { cid, ok: false, code: error.data.code })
        else fault ??= error instanceof Error ? error : new Error('unknown fault')
      }
    }
  }
  await Promise.all(Array.from({ length: together }, work))
  // Results are kept when the service went away part of the way.
  if (fault !== undefined && results.size === 0) throw fault
  return [...new Set(cids)].map((cid) => results.get(cid) ?? { cid, ok: false, code: null })
}

/** Deletes channels one by one: there is no batch form. */
export const removeChannels = async (client: Client, cids: readonly string[]): Promise<BatchReport> => ({
  results: await each(cids, (cid) => client.call(live.remove, { cid })),
})

/** The batch form names only those that succeeded; the others are called singly for their code. */
async function many(
  cids: readonly string[],
  batch: () => Promise<readonly string[]>,
  single: ChannelCall,
): Promise<BatchReport> {
  if (cids.length === 1) return { results: await each(cids, single) }
  const done = new Set(await batch())
  const rest = await each(
    cids.filter((cid) => !done.has(cid)),
    single,
  )
  const codes = new Map(rest.map((result) => [result.cid, result]))
  return { results: [...new Set(cids)].map((cid) => codes.get(cid) ?? { cid, ok: true, code: 200 }) }
}

/** Disables channels. */
export const disableChannels = (client: Client, cids: readonly string[]): Promise<BatchReport> =>
  many(
    cids,
    async () => (await client.call(live.pauseMany, { cidList: [...cids] })).ret.successList,
    (cid) => client.call(live.pause, { cid }),
  )

/** Enables channels. */
export const resumeChannels = (client: Client, cids: readonly string[]): Promise<BatchReport> =>
  many(
    cids,
    async () => (await client.call(live.resumeMany, { cidList: [...cids] })).ret.successList,
    (cid) => client.call(live.resume, { cid }),
  )
