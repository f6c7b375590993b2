import { ORPCError } from '@orpc/client'
import { createPinia, setActivePinia } from 'pinia'
import { createApp } from 'vue'
import type { AppEvent, Profile } from '../../contract/rpc/state.ts'
import type { RpcClient } from '../rpc/client.ts'
import { useCompanion } from '../stores/companion.ts'
import { useRoom } from '../stores/room.ts'
import { servicesKey } from '../stores/services.ts'

const local: Profile = { id: 'local', kind: 'local', name: 'l', liveUrl: 'http://a', messagingUrl: 'http://a', appKey: 'k', secret: 'keychain' }
const service = {
  type: 'service',
  service: {
    phase: 'running',
    since: null,
    attempt: 0,
    attempts: 5,
    nextAttempt: null,
    reason: null,
    addresses: { api: 'http://127.0.0.1:1', media: 'http://127.0.0.1:2', rtmp: 'rtmp://127.0.0.1:3/live', publicMedia: null },
    busySince: null,
    notes: [],
    diskFree: null,
    recordingRoom: null,
    database: null,
    timeZone: 'Asia/Shanghai',
  },
} satisfies AppEvent

/** A refusal of the service as the companion hands it on. */
export const refusal = (code: number): ORPCError<'FAILED', unknown> =>
  new ORPCError('FAILED', { data: { kind: 'code', code, skewSeconds: null, detail: `code ${code}` } })

/** The stores of a page whose companion is made of invented verbs; room 7, of which `host` is the creator, is the one that is shown. */
export function roomStage(verbs: Readonly<Record<string, (input: never) => unknown>>, at: number) {
  const app = createApp({})
  const asked: { readonly verb: string; readonly input: unknown }[] = []
  const time = { now: at }
  const kept = new Map<string, string>()
  const answer = (verb: string) => (input: never) => {
    asked.push({ verb, input })
    // A verb that throws rejects, as over the wire.
    return Promise.resolve().then(() => verbs[verb]?.(input) ?? Promise.reject(new Error(`${verb} is not invented`)))
  }
  const rooms = new Proxy({}, { get: (_target, verb) => answer(String(verb)) })
  const copies = new Proxy({}, { get: (_target, verb) => answer(`copies.${String(verb)}`) })
  const openLink = (input: { readonly url: string }) => answer('openLink')(input as never)
  const rpc = { rooms, copies, app: { openLink } } as unknown as RpcClient
  app.provide(servicesKey, { rpc, now: () => time.now, memory: { read: (key) => kept.get(key) ?? null, write: (key, value) => void kept.set(key, value) } })
  const pinia = createPinia()
  app.use(pinia)
  setActivePinia(pinia)
  const companion = useCompanion()
  const room = useRoom()
  companion.apply({ type: 'profiles', profiles: [local, { ...local, id: 'h', kind: 'hosted' }] })
  companion.apply(service)
  companion.clock = at
  room.rooms = [{ roomid: 7, name: 'Seven', creator: 'host', valid: true, online: 1, cid: null }]
  room.roomid = 7
  return {
    asked,
    time,
    companion,
    room,
    calls: (verb: string): unknown[] => asked.filter((one) => one.verb === verb).map(({ input }) => input),
    fault: (down: boolean): void => {
      companion.apply({ ...service, service: { ...service.service, phase: down ? 'restarting' : 'running' } })
    },
  }
}
