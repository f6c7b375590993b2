import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { systemClock } from '../platform/clock.ts'
import { startPostgres } from '../e2e/cluster/postgres.ts'
import type { NewEvent } from '../service/events/event.ts'
import { silentLog } from '../service/log.ts'
import { createRoomLines } from '../service/rooms/room-lines.ts'
import { createRoomPeriods } from '../service/rooms/room-periods.ts'
import { createRoomStatistics } from '../service/rooms/room-statistics.ts'
import { openPostgresStore } from '../service/storage/store-postgres.ts'
import { openSqliteStore } from '../service/storage/store-sqlite.ts'
import type { Store } from '../service/storage/store.ts'
import { createMessagingStream } from '../service/stream/stream.ts'
import { freePort, percentile, temporaryFolder } from './measurement.ts'

/**
 * Messages that the store takes in a second, without the rest of the service: so many callers publish events, or say
 * lines in rooms, each the next one when the one before is stored. One line of JSON. With several stores each caller
 * has one of them, as nodes on one PostgreSQL would.
 * `node bench/store.ts [--engine sqlite|postgres] [--what events|lines] [--callers 64] [--stores 1] [--seconds 5]`
 */
const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    what: { type: 'string', default: 'events' },
    callers: { type: 'string', default: '64' },
    stores: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '5' },
  },
})
const { engine, what } = values
const [callers, stores, seconds] = [Number(values.callers), Number(values.stores), Number(values.seconds)]
const warmUp = 1000

const folder = temporaryFolder()
const postgres = engine === 'postgres' ? await startPostgres({ port: await freePort() }) : undefined
const open = (): Promise<Store> =>
  postgres ? openPostgresStore({ url: postgres.url, schema: 'bench' }) : openSqliteStore(folder.path)

const event = (from: string, to: string, clientId: string): NewEvent => ({
  uid: 1,
  from,
  to: { accids: [to] },
  frame: {
    t: 'message',
    scene: 'p2p',
    from,
    to,
    type: 0,
    body: JSON.stringify({ msg: 'something that is said in a few words' }),
    fromClientType: 'REST',
    push: true,
    badge: true,
  },
  keep: { history: true, roam: true, offline: true },
  idempotencyKey: clientId,
})

/** What one message does, by its caller and number. */
type Say = (caller: number, number: number) => Promise<unknown>
const keep = { historyDays: 30, roamingDays: 7, offlineDays: 7 }
async function saying({ db }: Store, store: number): Promise<Say> {
  if (what === 'events') {
    const memberships = { membershipsOf: () => [] }
    const stream = await createMessagingStream({
      db,
      clock: systemClock,
      log: silentLog,
      memberships,
      keep: () => keep,
    })
    return (caller, number) => stream.publish(event(`a${caller}`, `b${number % 1000}`, `${store}-${number}`))
  }
  const statistics = await createRoomStatistics(db, createRoomPeriods('UTC'), systemClock)
  const lines = createRoomLines(db, { statistics, copies: { wants: () => false, enqueue: () => Promise.resolve() } })
  return (caller, number) => {
    const [roomid, sender, at] = [caller % 50, `a${caller}`, Date.now()]
    const said = { uid: 1, roomid, sender, at, attach: 'something that is said in a few words' }
    const card = { ext: '', nick: 'Somebody', avatar: '', clientType: 'WEB', heldAt: null } as const
    return lines.write(1, {
      line: { ...said, ...card, clientId: `${store}-${number}`, type: 0, state: 'shown' },
      statEvent: { uid: 1, roomid, accid: sender, at, what: 'msgs' },
    })
  }
}

const opened: Store[] = []
try {
  for (let store = 0; store < stores; store++) opened.push(await open())
  const says = await Promise.all(opened.map(saying))
  const waits: number[] = []
  let number = 0
  const run = async (until: number): Promise<void> => {
    await Promise.all(
      Array.from({ length: callers }, async (_, caller) => {
        while (performance.now() < until) {
          const begun = performance.now()
          await says[caller % stores]!(caller, ++number)
          waits.push(performance.now() - begun)
        }
      }),
    )
  }
  await run(performance.now() + warmUp)
  waits.length = 0
  const [cpu, begun] = [process.cpuUsage(), performance.now()]
  await run(begun + seconds * 1000)
  const took = (performance.now() - begun) / 1000
  const { user, system } = process.cpuUsage(cpu)
  console.log(
    JSON.stringify({
      engine,
      what,
      callers,
      stores,
      perSecond: Math.round(waits.length / took),
      cpuPer10k: Number((((user + system) / 1e6 / waits.length) * 10_000).toFixed(3)),
      p50: Number(percentile(waits, 0.5).toFixed(1)),
      p99: Number(percentile(waits, 0.99).toFixed(1)),
    }),
  )
} finally {
  for (const store of opened) await store.close()
  await postgres?.close()
  folder.remove()
}
