import { afterEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { startRedis } from '../../e2e/cluster/redis.ts'
import { createMemoryBus } from '../bus/memory-bus.ts'
import { createNodeCommands } from '../bus/node-commands.ts'
import { silentLog } from '../log.ts'
import type { PresenceHeard } from '../presence/presence.ts'
import { presenceNodes, type PresenceNode } from '../presence/testing/nodes.ts'
import { describeOnRedis, redisUrl } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import type { KickReason, Session } from './session.ts'
import { createSessionDirectory, type SessionDirectory } from './session-directory.ts'

const ends: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

interface Service extends PresenceNode, SessionDirectory {
  /** What its sessions were told. */
  readonly told: string[]
  /** Place of the journal here. */
  place: number
  logIn(id: string, more?: Partial<Session>): Session
  ids(): string[]
}

async function services(names: string, url = redisUrl!): Promise<Service[]> {
  const nodes = presenceNodes(url)
  ends.push(() => nodes.close())
  return Promise.all(
    [...names].map(async (name): Promise<Service> => {
      const node = await nodes.make(name)
      const told: string[] = []
      const directory = createSessionDirectory({ ...node, applied: () => service.place, clock: systemClock })
      await node.presence.start()
      const service: Service = {
        ...node,
        ...directory,
        told,
        place: 5,
        logIn(id, more = {}) {
          const session = {
            id: `${name}-${id}`,
            uid: 1,
            accid: 'ann',
            device: id,
            clientType: 'WEB',
            isGuest: false,
            watched: [],
            kick: (reason: KickReason) => told.push(`${id} kicked ${reason}`),
            connection: {
              write: (frame: Buffer) => told.push(`${id} ${frame.toString().slice(frame.indexOf('{'))}`),
              say: (object: object) => told.push(`${id} ${JSON.stringify(object)}`),
              end: (code: number) => told.push(`${id} ended ${code}`),
            },
            ...more,
          } as unknown as Session
          directory.sessions.add(session)
          return session
        },
        ids: () => [...directory.sessions.all()].map(({ id }) => id),
      }
      return service
    }),
  )
}
const presence = (...clientTypes: string[]): string =>
  JSON.stringify({ t: 'presence', accid: 'ann', online: clientTypes.length > 0, clientTypes })
/** Sorted, as entries that were read together come in no order. */
const online = (...all: readonly Service[]): string[] =>
  all.map(({ sessions }) => sessions.online(1, 'ann').toSorted().join())

describe('sessions of services that hear of each other', () => {
  /** Services whose log-ins are told when the test says so. */
  function heardByHand(names: string, now: (name: string) => number) {
    const all = [...names].map((name) => {
      let heard!: PresenceHeard<object>
      const put = new Map<string, object>()
      const directory = createSessionDirectory({
        presence: {
          kind: (_, given) => {
            heard = given as PresenceHeard<object>
            return { put: (key, entry) => put.set(key, entry as object), remove: (key) => put.delete(key) }
          },
          inOrder: (read) => Promise.resolve(read()),
          isCurrent: () => true,
          start: () => Promise.resolve(),
          close: () => Promise.resolve(),
        },
        commands: createNodeCommands(createMemoryBus({ log: silentLog }), name),
        applied: () => 5,
        clock: { now: () => now(name), monotonic: () => 0 },
      })
      const logIn = (id: string): void =>
        directory.sessions.add({
          id,
          uid: 1,
          accid: 'ann',
          device: id,
          clientType: 'WEB',
          isGuest: false,
          watched: [],
          kick: () => undefined,
          connection: { write: () => undefined },
        } as unknown as Session)
      return { name, put, logIn, ids: () => [...directory.sessions.all()].map(({ id }) => id), heard: () => heard }
    })
    /** One hears what another has now. */
    const tell = (to: string, from: string, entries: ReadonlyMap<string, object>): void => {
      const one = all.find(({ name }) => name === to)!
      for (const [key, entry] of entries) one.heard().came({ node: from, key }, entry)
    }
    return { all, tell, put: (name: string) => new Map(all.find((one) => one.name === name)!.put) }
  }

  it('keep the same one of those that logged in at once, in whatever order each hears of them', () => {
    const orders = ['in order', 'reversed']
    for (const times of [
      [1, 1, 1],
      [3, 1, 2],
      [1, 3, 2],
    ])
      for (const order of orders) {
        const { all, tell, put } = heardByHand('abc', (name) => times['abc'.indexOf(name)]!)
        for (const one of all) one.logIn(one.name)
        const first = new Map(all.map(({ name }) => [name, put(name)]))
        for (const { name: to } of all) {
          const others = [...'abc'].filter((name) => name !== to)
          for (const from of order === 'in order' ? others : others.toReversed()) tell(to, from, first.get(from)!)
        }
        const latest = [...'abc'].findLast((name) => times['abc'.indexOf(name)] === Math.max(...times))
        expect(all.flatMap(({ ids }) => ids())).toEqual([latest])
      }
  })

  it('give way to a later one of which the clock is behind', () => {
    const { all, tell, put } = heardByHand('ab', (name) => (name === 'a' ? 60_000 : 1))
    const [a, b] = all
    a!.logIn('old')
    tell('b', 'a', put('a'))
    b!.logIn('new')
    tell('a', 'b', put('b'))
    expect([a!.ids(), b!.ids()]).toEqual([[], ['new']])
  })
})

describeOnRedis('sessions of several services', () => {
  it('are one per kind of client: a log-in ends the former one at another service, and says why', async () => {
    const [a, b] = (await services('ab')) as [Service, Service]
    a.logIn('old')
    a.logIn('phone', { clientType: 'AOS' })
    await eventually(() => expect(online(b)).toEqual(['AOS,WEB']))
    const began = performance.now()
    const one = b.logIn('new')
    expect(b.sessions.stayingElsewhere(one)).toMatchObject([{ device: 'phone', clientType: 'AOS' }])
    await eventually(() => expect(a.told).toEqual(['old kicked elsewhere']))
    console.log(`ended at the other service after ${Math.round(performance.now() - began)} ms`)
    expect(performance.now() - began).toBeLessThan(1000)
    await eventually(() => expect(online(a, b)).toEqual(['AOS,WEB', 'AOS,WEB']))
    expect([a.ids(), b.ids()]).toEqual([['a-phone'], ['b-new']])
    // The same device again, as another kind of client.
    b.logIn('again', { device: 'phone', clientType: 'PC' })
    await eventually(() => expect(a.told).toEqual(['old kicked elsewhere', 'phone ended 4403']))
    await eventually(() => expect(online(a, b)).toEqual(['PC,WEB', 'PC,WEB']))
  })

  it('that log in at the same moment end but for one', async () => {
    const all = await services('abc')
    for (let round = 0; round < 20; round++) {
      for (const each of all) each.logIn(`r${round}`, { device: `${each.name}${round}` })
      await eventually(() => expect(all.flatMap(({ ids }) => ids())).toHaveLength(1))
    }
    await eventually(() => expect(online(...all)).toEqual(['WEB', 'WEB', 'WEB']))
    expect(all.flatMap(({ told }) => told)).toHaveLength(59)
  })

  it('of a guest are eight tabs on all services, of which the oldest ends', async () => {
    const [a, b] = (await services('ab')) as [Service, Service]
    for (let tab = 1; tab <= 8; tab++) {
      const service = tab % 2 === 0 ? a : b
      service.logIn(`tab${tab}`, { isGuest: true })
      await eventually(() => expect((service === a ? b : a).sessions.online(1, 'ann')).toEqual(['WEB']))
      await service.presence.inOrder(() => undefined)
    }
    expect([...a.told, ...b.told]).toEqual([])
    a.logIn('tab9', { isGuest: true })
    await eventually(() => expect(b.told).toEqual(['tab1 kicked elsewhere']))
    expect([a.ids().length, b.ids().length, a.told]).toEqual([5, 3, []])
  })

  it('are seen by whoever watches their account anywhere, each change once', async () => {
    const [a, b, c] = (await services('abc')) as [Service, Service, Service]
    const watching = c.logIn('w', { accid: 'bob' })
    c.sessions.watch(watching, ['ann'])
    a.logIn('web')
    await eventually(() => expect(c.told).toEqual([`w ${presence('WEB')}`]))
    b.logIn('web2')
    await eventually(() => expect(a.told).toEqual(['web kicked elsewhere']))
    const pc = b.logIn('pc', { clientType: 'PC' })
    await eventually(() => expect(c.told).toHaveLength(2))
    b.sessions.remove(pc)
    await eventually(() => expect(c.told).toHaveLength(3))
    b.sessions.kick(1, 'ann', 'closing')
    await eventually(() => expect(c.told).toHaveLength(4))
    expect(c.told).toEqual([presence('WEB'), presence('WEB', 'PC'), presence('WEB'), presence()].map((p) => `w ${p}`))
  })

  it('end when their account is kicked at another service, at once and nowhere else', async () => {
    const [a, b, c] = (await services('abc')) as [Service, Service, Service]
    a.logIn('web')
    b.logIn('pc', { clientType: 'PC' })
    c.logIn('other', { accid: 'bob' })
    await eventually(() => expect(online(a, b, c)).toEqual(['PC,WEB', 'PC,WEB', 'PC,WEB']))
    const began = performance.now()
    c.kick(1, 'ann', 'blocked')
    await eventually(() => expect([a.told, b.told]).toEqual([['web kicked blocked'], ['pc kicked blocked']]))
    console.log(`kicked at other services after ${Math.round(performance.now() - began)} ms`)
    expect(performance.now() - began).toBeLessThan(1000)
    await eventually(() => expect(online(a, b, c)).toEqual(['', '', '']))
    expect(c.told).toEqual([])
  })

  it('that were admitted before their service knew of the measure end too, and those after it stay', async () => {
    const [a, b] = (await services('ab')) as [Service, Service]
    a.place = 6
    a.kick(1, 'ann', 'blocked')
    b.logIn('late')
    await eventually(() => expect(b.told).toEqual(['late kicked blocked']))
    b.place = 6
    b.logIn('allowed', { clientType: 'PC' })
    await eventually(() => expect(online(a)).toEqual(['PC']))
    b.logIn('third', { accid: 'bob' })
    await eventually(() => expect(a.sessions.online(1, 'bob')).toEqual(['WEB']))
    expect([b.ids(), b.told]).toEqual([['b-allowed', 'b-third'], ['late kicked blocked']])
  })

  it('get what is told to their account, and are counted', async () => {
    const [a, b] = (await services('ab')) as [Service, Service]
    a.logIn('web')
    b.logIn('pc', { clientType: 'PC' })
    await eventually(() => expect(online(a)).toEqual(['PC,WEB']))
    expect(a.sessions.tell(1, 'ann', { t: 'x' })).toBe(2)
    await eventually(() => expect([a.told, b.told]).toEqual([['web {"t":"x"}'], ['pc {"t":"x"}']]))
  })
})

describeOnRedis('sessions while Redis is away', () => {
  it('are of two of a kind the later one when it is back', async () => {
    const redis = await startRedis()
    ends.push(() => redis.close())
    const [a, b] = (await services('ab', redis.url)) as [Service, Service]
    a.logIn('old')
    await eventually(() => expect(online(b)).toEqual(['WEB']))
    await redis.kill()
    await eventually(() => expect([a, b].map(({ presence: { isCurrent } }) => isCurrent())).toEqual([false, false]))
    b.logIn('new')
    await redis.start()
    await eventually(() => expect(a.told).toEqual(['old kicked elsewhere']))
    await eventually(() => expect(online(a, b)).toEqual(['WEB', 'WEB']))
    expect([a.ids(), b.ids()]).toEqual([[], ['b-new']])
  })
})
