import { z } from 'zod'
import { readStreamAddress, type StreamAddress } from '../ingest/ingest-address.ts'
import type { ServerControl, ServerHooks } from './ingest-server.ts'
import type { AskServer } from './server-calls.ts'

const Call = z.object({
  action: z.string(),
  path: z.string().default(''),
  query: z.string().default(''),
  ip: z.string().default(''),
})
const Connections = z.object({ items: z.array(z.object({ id: z.string(), path: z.string(), state: z.string() })) })
const refused = 401

/** A query that a command of its configuration may hold as it is: servers before 1.18.1 put it there as text. */
const plain = /^[\w&=.~%-]*$/

/** The part of a path of MediaMTX after `live/`. */
const channelOf = (path: string): string | undefined => (path.startsWith('live/') ? path.slice(5) : undefined)

const addressOf = ({ path, query }: z.infer<typeof Call>): StreamAddress | undefined => {
  const name = channelOf(path)
  return name === undefined || !plain.test(query) ? undefined : readStreamAddress('live', '', `${name}?${query}`)
}

/** MediaMTX with `authMethod: http`: it asks for each action of a client. It sends nothing on by itself. */
export const mediamtxHooks: ServerHooks = {
  read(body) {
    const { data: call } = Call.safeParse(JSON.parse(body))
    if (!call) return undefined
    const address = addressOf(call)
    if (call.action === 'publish') return { asks: 'begin', address, from: call.ip }
    // Its ffmpeg reads there what it sends on, with the key of the encoder, which no player has.
    const isSentOn = call.action === 'read' && address !== undefined && address.wsSecret !== ''
    return isSentOn ? { asks: 'goOn', address, from: call.ip } : { asks: 'play' }
  },
  answer: (_ask, verdict) => (verdict.ok ? { status: 200 } : { status: refused, body: { error: verdict.reason } }),
}

/** The control API of MediaMTX, version 3, at its root. */
export const mediamtxControl = (ask: AskServer): ServerControl => ({
  async pushes() {
    const { items } = Connections.parse(JSON.parse(await ask('GET', '/v3/rtmpconns/list?itemsPerPage=1000')))
    return items.flatMap(({ id, path, state }) => {
      const cid = channelOf(path)
      return state === 'publish' && cid !== undefined ? [{ cid, id }] : []
    })
  },
  async cut({ id }) {
    await ask('POST', `/v3/rtmpconns/kick/${encodeURIComponent(id)}`)
  },
})
