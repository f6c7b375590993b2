import { z } from 'zod'
import { readStreamAddress } from '../ingest/ingest-address.ts'
import type { ServerControl, ServerHooks } from './ingest-server.ts'
import type { AskServer } from './server-calls.ts'

const Call = z.object({
  action: z.string(),
  ip: z.string().default(''),
  app: z.string().default(''),
  stream: z.string().default(''),
  param: z.string().default(''),
})
const Streams = z.object({
  streams: z.array(
    z.object({
      name: z.string(),
      publish: z.object({ active: z.boolean(), cid: z.union([z.string(), z.number()]).optional() }),
    }),
  ),
})

/** Hooks of SRS: `on_publish`, `on_play`, and `forward { backend }`, which asks for the way. It reads a code. */
export const srsHooks: ServerHooks = {
  read(body) {
    const { data: call } = Call.safeParse(JSON.parse(body))
    if (!call) return undefined
    const { param, stream, app } = call
    const address = readStreamAddress(
      app,
      '',
      `${stream}${param === '' || param.startsWith('?') ? param : `?${param}`}`,
    )
    if (call.action === 'on_publish') return { asks: 'begin', address, from: call.ip }
    if (call.action === 'on_forward') return { asks: 'way', address }
    return call.action === 'on_play' ? { asks: 'play' } : { asks: 'nothing' }
  },
  answer({ asks }, verdict) {
    if (!verdict.ok) return { status: 200, body: { code: 403, msg: verdict.reason } }
    if (asks !== 'way') return { status: 200, body: { code: 0 } }
    return { status: 200, body: { code: 0, data: { urls: verdict.way === undefined ? [] : [verdict.way] } } }
  },
}

/** The HTTP API of SRS, at its root. */
export const srsControl = (ask: AskServer): ServerControl => ({
  async pushes() {
    const { streams } = Streams.parse(JSON.parse(await ask('GET', '/api/v1/streams/?count=1000')))
    return streams.flatMap(({ name, publish: { active, cid: id } }) =>
      active && id !== undefined ? [{ cid: name, id: String(id) }] : [],
    )
  },
  async cut({ id }) {
    await ask('DELETE', `/api/v1/clients/${encodeURIComponent(id)}`)
  },
})
