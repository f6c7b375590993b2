import { ORPCError } from '@orpc/client'
import { createPinia, setActivePinia } from 'pinia'
import { onTestFinished } from 'vitest'
import { createApp } from 'vue'
import type { AppEvent } from '../../contract/rpc/events.ts'
import type { Profile } from '../../contract/rpc/state.ts'
import { useCompanion } from '../data/companion.ts'
import { useRoom } from '../features/rooms/room.ts'
import { servicesKey } from '../data/services.ts'
import { createMemoryClient, type Answers, type InputOf, type ProcedurePath } from './memory-client.ts'

const local: Profile = {
  id: 'local',
  kind: 'local',
  extended: true,
  media: null,
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

type RoomPath = ProcedurePath & (`rooms.${string}` | `copies.${string}` | `operations.${string}` | 'app.openLink')
/** A procedure of the contract that a test answers: one of the Room by its name, an operation by its group and its name. */
export type StagedProcedure = {
  [P in RoomPath]: P extends `${'rooms' | 'operations' | 'app'}.${infer Name}` ? Name : P
}[RoomPath]
type PathOf<S extends StagedProcedure> = {
  [P in RoomPath]: P extends S | `${'rooms' | 'operations' | 'app'}.${S}` ? P : never
}[RoomPath]
/** Answers of a test by their procedures; the contract says when it does not have one. */
export type StagedAnswers = { readonly [S in StagedProcedure]?: (input: InputOf<PathOf<S>>) => unknown }

/** The path of a procedure within the contract. */
const pathOf = (procedure: string): ProcedurePath => {
  if (procedure.startsWith('copies.')) return procedure as ProcedurePath
  if (procedure === 'openLink') return 'app.openLink'
  return `${procedure.includes('.') ? 'operations' : 'rooms'}.${procedure}` as ProcedurePath
}

/** The stores of a page whose companion is made of invented answers; room 7, of which `host` is the creator, is the one that is shown. */
export function roomStage(answers: StagedAnswers, at: number) {
  const app = createApp({})
  const time = { now: at }
  const kept = new Map<string, string>()
  const client = createMemoryClient(
    Object.fromEntries(Object.entries(answers).map(([procedure, answer]) => [pathOf(procedure), answer])) as Answers,
  )
  onTestFinished(() => {
    if (client.faults.length > 0) throw new AggregateError(client.faults, client.faults.map(String).join('\n'))
  })
  app.provide(servicesKey, {
    rpc: client.rpc,
    now: () => time.now,
    memory: { read: (key) => kept.get(key) ?? null, write: (key, value) => void kept.set(key, value) },
  })
  const pinia = createPinia()
  app.use(pinia)
  setActivePinia(pinia)
  const companion = useCompanion()
  const room = useRoom()
  companion.apply({ type: 'profiles', profiles: [local, { ...local, id: 'h', kind: 'hosted', extended: false }] })
  companion.apply(service)
  companion.clock = at
  room.rooms = [{ roomid: 7, name: 'Seven', creator: 'host', valid: true, online: 1, cid: null }]
  room.roomid = 7
  return {
    asked: client.calls,
    time,
    companion,
    room,
    calls: (procedure: StagedProcedure): unknown[] => client.inputs(pathOf(procedure)),
    fault: (down: boolean): void => {
      companion.apply({ ...service, service: { ...service.service, phase: down ? 'restarting' : 'running' } })
    },
  }
}
