import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import { openRaw, type RawLink } from './testing/raw-client.ts'
import { startRig, type LinkRig } from './testing/rig.ts'

let rig: LinkRig
afterEach(() => rig.close())

/** Frames in one write, received in one piece. */
function burst(raw: RawLink, count: number): void {
  const { _socket: socket } = raw.socket as unknown as { _socket: { cork(): void; uncork(): void } }
  socket.cork()
  for (let id = 1; id <= count; id++) raw.socket.send(JSON.stringify({ t: 'friends', id: 1000 + id }))
  socket.uncork()
}

describe('requests of one session that came at once', () => {
  it('have a turn of the event loop between them', async () => {
    const turns: number[] = []
    let turn = 0
    let running = true
    const next = (): void => {
      turn++
      if (running) setImmediate(next)
    }
    rig = await startRig({
      handlers: {
        friends: () => {
          turns.push(turn)
          return { friends: [] } as never
        },
      },
    })
    rig.add('ann')
    const ann = await rig.enter('ann')
    setImmediate(next)
    burst(ann, 150)
    await eventually(() => expect(turns).toHaveLength(150))
    running = false
    expect(new Set(turns).size).toBe(150)
  })

  it('wait when the session has spent its time, and nobody else does', async () => {
    let now = 0
    const time: ManualClock = manualClock()
    const served: string[] = []
    rig = await startRig({
      clock: { ...time, monotonic: () => now },
      handlers: {
        friends: (_parameters, { accid }) => {
          now += 60
          served.push(accid)
          return { friends: [] } as never
        },
      },
    })
    rig.add('ann', 'bob')
    const [ann, bob] = [await rig.enter('ann'), await rig.enter('bob')]
    const of = (accid: string): number => served.filter((one) => one === accid).length
    burst(ann, 40)
    // A burst of 200 ms and a tenth of the time: the fourth request uses the rest.
    await eventually(() => expect(of('ann')).toBe(4))
    burst(bob, 3)
    await eventually(() => expect(of('bob')).toBe(3))
    expect(of('ann')).toBe(4)
    now += 10_000
    time.advance(10_000)
    await eventually(() => expect(of('ann')).toBeGreaterThan(4))
    expect(of('ann')).toBeLessThan(10)
  })
})

it('take the time of their address: of IPv6 that of the /64, which one computer has whole', async () => {
  let now = 0
  const time = manualClock()
  const served: string[] = []
  rig = await startRig({
    clock: { ...time, monotonic: () => now },
    plainSignIn: true,
    trustedProxies: ['127.0.0.1'],
    handlers: {
      friends: (_parameters, { accid }) => {
        now += 300
        served.push(accid)
        return { friends: [] } as never
      },
    },
  })
  rig.add('ann', 'bob', 'cat', 'dan')
  const from = async (accid: string, address: string): Promise<RawLink> => {
    const raw = await openRaw(rig.url, { headers: { 'x-forwarded-for': address } })
    expect((await raw.ask('login', rig.credentials(accid))).t).toBe('ok')
    return raw
  }
  // A burst of 600 ms and 300 a second: three use it up.
  const all = [await from('ann', '2001:db8::1'), await from('bob', '2001:db8::2'), await from('cat', '2001:db8::3')]
  // Log-ins are charged too.
  const last = await from('dan', '2001:db8::4')
  for (const raw of all) await raw.ask('friends', {})
  burst(last, 1)
  await (await from('ann', '2001:db8:0:1::1')).ask('friends', {})
  expect(served).toEqual(['ann', 'bob', 'cat', 'ann'])
  now += 10_000
  time.advance(10_000)
  await eventually(() => expect(served.at(-1)).toBe('dan'))
})

it('of guests take the time of all strangers, those of accounts do not', async () => {
  let now = 0
  const time = manualClock()
  const served: string[] = []
  const many = Array.from({ length: 6 }, (_, index) => `guest-${index}`)
  rig = await startRig({
    clock: { ...time, monotonic: () => now },
    plainSignIn: true,
    trustedProxies: ['127.0.0.1'],
    guests: new Set([...many, 'guest-late', 'guest-new']),
    handlers: {
      friends: (_parameters, { accid }) => {
        now += many.includes(accid) ? 400 : 1
        served.push(accid)
        return { friends: [] } as never
      },
    },
  })
  rig.add('ann', 'guest-late', 'guest-new', ...many)
  const from = async (accid: string, address: string): Promise<RawLink> => {
    const raw = await openRaw(rig.url, { headers: { 'x-forwarded-for': address } })
    expect((await raw.ask('login', rig.credentials(accid))).t).toBe('ok')
    return raw
  }
  // From an address and a session with time left.
  const late = await from('guest-late', '192.0.2.0')
  for (const [index, accid] of many.entries()) await (await from(accid, `192.0.2.${index}`)).ask('friends', {})
  burst(late, 1)
  await (await from('guest-new', '198.51.100.1')).ask('friends', {})
  await (await from('ann', '192.0.2.0')).ask('friends', {})
  expect(served).toEqual([...many, 'guest-new', 'ann'])
  now += 5000
  time.advance(5000)
  await eventually(() => expect(served.at(-1)).toBe('guest-late'))
})

it('of guests begin a few in each turn of the event loop, however many come in the same moment, and everybody else at once', async () => {
  const guests = Array.from({ length: 60 }, (_, index) => `guest-${index}`)
  const people = Array.from({ length: 20 }, (_, index) => `ann-${index}`)
  const turns = new Map<string, number>()
  let turn = 0
  rig = await startRig({
    plainSignIn: true,
    guests: new Set(guests),
    handlers: {
      friends: (_parameters, { accid }) => {
        turns.set(accid, turn)
        return { friends: [] } as never
      },
    },
  })
  rig.add(...guests, ...people)
  const all = await Promise.all([...guests, ...people].map((accid) => rig.enter(accid)))
  let running = true
  const next = (): void => {
    turn++
    if (running) setImmediate(next)
  }
  setImmediate(next)
  for (const raw of all) burst(raw, 1)
  await eventually(() => expect(turns.size).toBe(all.length))
  running = false
  const perTurn = (of: readonly string[]): number => {
    const counts = new Map<number, number>()
    for (const accid of of) counts.set(turns.get(accid)!, (counts.get(turns.get(accid)!) ?? 0) + 1)
    return Math.max(...counts.values())
  }
  expect(perTurn(guests)).toBeLessThanOrEqual(4)
  expect(perTurn(people)).toBeGreaterThan(4)
})
