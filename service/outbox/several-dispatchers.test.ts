import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { createRedisBus } from '../bus/redis-bus.ts'
import type { Bus } from '../bus/bus.ts'
import { silentLog } from '../log.ts'
import { dropForeignKeys, openStore } from '../storage/testing/open-store.ts'
import type { Store } from '../storage/store.ts'
import { describeOnRedis, redisUrl } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { createAddressGuard } from './address-guard.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { systemResolve } from './system-resolve.ts'
import { startReceiver, type Receiver } from './testing/receiver.ts'

const script = fileURLToPath(new URL('testing/dispatcher-child.ts', import.meta.url))

interface Received {
  readonly line: string | undefined
  readonly n: number
  readonly by: string
}

describeOnRedis('an outbox from which several processes send', () => {
  let number = 0
  let database: string
  let bus: Bus
  let store: Store
  /** Of whoever puts messages in, and sends none. */
  let outbox: Outbox
  let receivers: Receiver[]
  let processes: ChildProcess[]
  const start = async (node: string): Promise<ChildProcess> => {
    const child = spawn(process.execPath, [script, node, database, redisUrl!], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    processes.push(child)
    await once(child.stdout, 'data')
    return child
  }
  beforeEach(async () => {
    database = `dispatchers_${process.pid}_${++number}`
    store = await openStore(database)
    // The rows refer to an application that does not exist.
    await dropForeignKeys(store)
    bus = await createRedisBus({ url: redisUrl!, prefix: database }, { clock: systemClock, log: silentLog })
    outbox = await createOutbox({
      store,
      guard: createAddressGuard({ resolve: systemResolve, ownPorts: () => [], ownAddresses: () => [] }),
      kinds: {},
      localAllowed: () => Promise.resolve(true),
      clock: systemClock,
      random: (bytes) => randomBytes(bytes),
      log: silentLog,
      shared: { node: 'writer', bus },
    })
    receivers = [await startReceiver(), await startReceiver()]
    processes = []
  })
  afterEach(async () => {
    for (const child of processes) child.kill('SIGKILL')
    await outbox.close()
    await bus.close()
    await store.close()
    for (const receiver of receivers) await receiver.close()
  })
  const received = (): Received[] =>
    receivers
      .flatMap((receiver) => receiver.received)
      .map(({ fields, headers }) => ({
        line: fields['line'],
        n: Number(fields['n']),
        by: String(headers['x-node']),
      }))
  const put = (messages: readonly { readonly n: number; readonly line?: string; readonly to: number }[]) =>
    store.db.transaction().execute(async (transaction) => {
      for (const { n, line, to } of messages)
        await outbox.put(transaction, {
          uid: 1,
          kind: 'copy',
          url: receivers[to]!.url,
          body: () => JSON.stringify({ n, line }),
          ...(line !== undefined && { line }),
        })
    })
  const waiting = async (): Promise<number> =>
    (await store.db.selectFrom('delivery').select('nId').where('state', '=', 'waiting').execute()).length

  it('gets every message there when one of them is killed, those of a line in order', async () => {
    const [, killed] = [await start('a'), await start('b'), await start('c')]
    for (const receiver of receivers) receiver.answer = (_request, response) => void setTimeout(() => response.end(), 2)
    const begun = performance.now()
    let isKilled = false
    for (let n = 0; n < 3000; n += 20) {
      await put(Array.from({ length: 20 }, (_, k) => ({ n: n + k, line: `l${(n + k) % 40}`, to: (n + k) % 2 })))
      await put([
        { n: 10_000 + n, to: 0 },
        { n: 10_001 + n, to: 1 },
      ])
      if (!isKilled && received().length >= 1650) isKilled = killed!.kill('SIGKILL')
    }
    await eventually(() => {
      if (!isKilled && received().length >= 1650) isKilled = killed!.kill('SIGKILL')
      expect(isKilled).toBe(true)
    })
    await eventually(async () => expect(await waiting()).toBe(0))
    const seconds = (performance.now() - begun) / 1000

    const all = received()
    const firsts = new Map<number, Received>()
    const repeated: Received[] = []
    for (const one of all)
      if (firsts.has(one.n)) repeated.push(one)
      else firsts.set(one.n, one)
    let disordered = 0
    const last = new Map<string, number>()
    for (const { line, n } of firsts.values()) {
      if (line === undefined) continue
      if (n < (last.get(line) ?? -1)) disordered++
      last.set(line, n)
    }
    const by = Object.fromEntries(['a', 'b', 'c'].map((node) => [node, all.filter((one) => one.by === node).length]))
    console.log({ received: firsts.size, repeated: repeated.length, disordered, by, seconds })
    expect(firsts.size).toBe(3300)
    expect(disordered).toBe(0)
    // Those that the killed one had under way: of each line that it sent one run at most.
    expect(repeated.every(({ n }) => firsts.get(n)!.by === 'b')).toBe(true)
    expect(repeated.length).toBeLessThan(8 * 16)
    for (const count of Object.values(by)) expect(count).toBeGreaterThan(100)
  })

  it('sends at once what is put in by another process, and leaves at its end what it had to others', async () => {
    const one = await start('a')
    await put([
      { n: 1, line: 'l', to: 0 },
      { n: 2, to: 1 },
    ])
    await eventually(() => expect(received()).toHaveLength(2))
    await eventually(async () => expect(await waiting()).toBe(0))
    // Not when it looks by itself the next time, each 2 s.
    const first = performance.now()
    for (let n = 10; n < 20; n++) {
      await put([n % 2 === 0 ? { n, line: 'l', to: 0 } : { n, to: 1 }])
      await eventually(() => expect(received().some((each) => each.n === n)).toBe(true))
    }
    expect(performance.now() - first).toBeLessThan(9000)
    await eventually(async () => expect(await waiting()).toBe(0))
    for (const { received: all } of receivers) all.length = 0
    // What it is sending stays unanswered.
    for (const receiver of receivers) receiver.answer = () => undefined
    await put([
      { n: 3, line: 'l', to: 0 },
      { n: 4, to: 1 },
    ])
    await eventually(() => expect(received()).toHaveLength(2))
    await start('b')
    for (const receiver of receivers) receiver.answer = (_request, response) => void response.end()
    const begun = performance.now()
    one.kill('SIGTERM')
    await once(one, 'exit')
    await eventually(async () => expect(await waiting()).toBe(0))
    // Not only when the claims of the first have run out.
    expect(performance.now() - begun).toBeLessThan(10_000)
    expect(
      received()
        .filter(({ by }) => by === 'b')
        .map(({ n }) => n)
        .toSorted(),
    ).toEqual([3, 4])
    await eventually(async () => expect(await store.db.selectFrom('deliveryLine').selectAll().execute()).toEqual([]))
  })
})
