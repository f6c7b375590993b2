import { ORPCError } from '@orpc/client'
import { createPinia, setActivePinia } from 'pinia'
import { createApp } from 'vue'
import type { AppEvent } from '../../contract/rpc/events.ts'
import type { Profile } from '../../contract/rpc/state.ts'
import type { Rpc } from '../../contract/rpc/index.ts'
import type { RpcClient } from '../data/client.ts'
import { useCompanion } from '../data/companion.ts'
import { useRoom } from '../features/rooms/room.ts'
import { servicesKey } from '../data/services.ts'

const local: Profile = {
  id: 'local',
  kind: 'local',
  name: 'l',
  liveUrl: 'http://a',
  messagingUrl: 'http://a',
  appKey: 'k',
  secret: 'keychain',
}
const service = {
  type: 'service',
  service: {
    phase: 'running',
    since: null,
    attempt: 0,
    attempts: 5,
    nextAttempt: null,
    reason: null,
    addresses: {
      api: 'http://127.0.0.1:1',
      media: 'http://127.0.0.1:2',
      rtmp: 'rtmp://127.0.0.1:3/live',
      publicMedia: null,
    },
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

type Operations = Rpc['operations']
type OperationName = { [G in keyof Operations]: `${G}.${keyof Operations[G] & string}` }[keyof Operations]
/** A procedure of the contract that a test answers: one of the Room by its name, an operation by its group and its name. */
export type StagedProcedure = keyof Rpc['rooms'] | `copies.${keyof Rpc['copies']}` | OperationName | 'openLink'
/** Answers of a test by their procedures. */
export type StagedAnswers = { readonly [P in StagedProcedure]?: (input: never) => unknown }

/** The stores of a page whose companion is made of invented answers; room 7, of which `host` is the creator, is the one that is shown. */
export function roomStage(answers: StagedAnswers, at: number) {
  const app = createApp({})
  const asked: { readonly procedure: StagedProcedure; readonly input: unknown }[] = []
  const time = { now: at }
  const kept = new Map<string, string>()
  const answer = (procedure: StagedProcedure) => (input: never) => {
    asked.push({ procedure, input })
    // What throws rejects, as over the wire.
    return Promise.resolve().then(
      () => answers[procedure]?.(input) ?? Promise.reject(new Error(`${procedure} is not invented`)),
    )
  }
  const each = (answerOf: (name: string) => unknown): object =>
    new Proxy({}, { get: (_target, name) => answerOf(String(name)) })
  const rooms = each((name) => answer(name as keyof Rpc['rooms']))
  const copies = each((name) => answer(`copies.${name as keyof Rpc['copies']}`))
  const operations = each((group) => each((name) => answer(`${group}.${name}` as OperationName)))
  const openLink = (input: { readonly url: string }) => answer('openLink')(input as never)
  const rpc = { rooms, copies, operations, app: { openLink } } as unknown as RpcClient
  app.provide(servicesKey, {
    rpc,
    now: () => time.now,
    memory: { read: (key) => kept.get(key) ?? null, write: (key, value) => void kept.set(key, value) },
  })
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
    calls: (procedure: StagedProcedure): unknown[] =>
      asked.filter((one) => one.procedure === procedure).map(({ input }) => input),
    fault: (down: boolean): void => {
      companion.apply({ ...service, service: { ...service.service, phase: down ? 'restarting' : 'running' } })
    },
  }
}
