import type { Answer } from '../../contract/operation.ts'
import { live } from '../../contract/operations/index.ts'
import type { Client } from '../client/client.ts'
import { readPages } from '../client/pages.ts'
import { Failure } from '../failure.ts'

const pageSize = 1_000
const maxPages = 10

type ListedChannel = Answer<typeof live.list>['ret']['list'][number]

/** Reads all channels, newest first, at most 10,000; `total` is how many there are. Throws Failure. */
export async function readChannels(client: Client): Promise<{ channels: ListedChannel[]; total: number }> {
  const channels: ListedChannel[] = []
  let total = 0
  await readPages({
    most: maxPages,
    read: async (pnum: number | undefined = 1) => ({
      ...(await client.call(live.list, { records: pageSize, pnum })).ret,
      pnum,
    }),
    look: ({ list, totalRecords, pnum }) => {
      channels.push(...list)
      total = totalRecords
      return list.length === 0 || channels.length >= totalRecords ? { answer: null } : { next: pnum + 1 }
    },
  })
  return { channels, total }
}

/** Reads one channel; undefined for an unknown id. Throws Failure. */
export async function readChannel(client: Client, cid: string): Promise<ListedChannel | undefined> {
  try {
    return (await client.call(live.state, { cid })).ret
  } catch (error) {
    if (!(error instanceof Failure) || error.data.kind !== 'code') throw error
    if (error.data.code === live.state.foreign) return undefined
    if (error.data.code !== live.state.unknown) throw error
    // The same code also means a fault of the service; the list tells the two apart.
    return (await readChannels(client)).channels.find((channel) => channel.cid === cid)
  }
}
