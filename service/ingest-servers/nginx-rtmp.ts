import { readStreamAddress } from '../ingest/ingest-address.ts'
import type { ServerControl, ServerHooks } from './ingest-server.ts'
import type { AskServer } from './server-calls.ts'

const sentOn = /\/live\/(.*)$/

/**
 * Hooks of nginx-rtmp with `notify_method post`: `on_publish`, which it sends on to where it is redirected,
 * `on_update`, which it obeys with `notify_update_strict on`, and `on_play`.
 */
export const nginxRtmpHooks: ServerHooks = {
  isNumeric: true,
  read(body) {
    const form = new URLSearchParams(body)
    const call = form.get('call')
    if (call === null) return undefined
    const [app, tcUrl, name, from] = ['app', 'tcurl', 'name', 'addr'].map((field) => form.get(field) ?? '')
    // Parameters of the name are fields of their own.
    const query = new URLSearchParams()
    for (const field of ['wsSecret', 'wsTime']) if (form.has(field)) query.set(field, form.get(field)!)
    const address = readStreamAddress(app!, tcUrl!, query.size > 0 ? `${name}?${query.toString()}` : name!)
    if (call === 'publish') return { asks: 'begin', address, from: from! }
    if (call === 'update_publish') return { asks: 'goOn', address, from: from! }
    if (call !== 'play' && call !== 'update_play') return { asks: 'nothing' }
    // It plays itself what it sends on, and has the address of that, key included, in the place of a client's.
    const way = sentOn.exec(from!)?.[1]
    return way === undefined
      ? { asks: 'play' }
      : { asks: 'goOn', address: readStreamAddress('live', '', way), from: '' }
  },
  answer({ asks }, verdict) {
    if (!verdict.ok) return { status: 403, body: { error: verdict.reason } }
    return asks === 'begin' && verdict.way !== undefined
      ? { status: 302, headers: { location: verdict.way } }
      : { status: 200 }
  },
}

/**
 * `rtmp_control` and `rtmp_stat` of nginx-rtmp, under `/control` and `/stat`. It drops by name, in every application
 * named `live`.
 */
export const nginxRtmpControl = (ask: AskServer): ServerControl => ({
  async pushes() {
    const text = await ask('GET', '/stat')
    const pushes = []
    for (const [stream] of text.matchAll(/<stream>[\s\S]*?<\/stream>/g)) {
      const name = /<name>([0-9a-f]{32})<\/name>/.exec(stream)?.[1]
      if (name !== undefined && stream.includes('<publishing/>')) pushes.push({ cid: name, id: name })
    }
    return pushes
  },
  async cut({ id }) {
    await ask('GET', `/control/drop/publisher?app=live&name=${id}`)
  },
})
