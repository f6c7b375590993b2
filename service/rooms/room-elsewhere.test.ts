import { afterEach, expect, it } from 'vitest'
import { startRedis } from '../../e2e/cluster/redis.ts'
import { silentLog } from '../log.ts'
import { presenceNodes, type PresenceNode } from '../presence/testing/nodes.ts'
import { describeOnRedis, redisUrl } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { createRoomElsewhere, type RoomElsewhere } from './room-elsewhere.ts'
import { figuresOf } from './room-counts.ts'
import { createRoomLists } from './room-lists.ts'
import { startStoredRoom, type StoredRoom, type ToldFrame } from './testing/stored-room.ts'

const ends: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

interface Service extends PresenceNode, StoredRoom {
  readonly elsewhere: RoomElsewhere
  leave(accid: string, session?: string): boolean
  online(): number
  /** Pages of two of who is inside, by time of entry. */
  pages(): string[][]
}

async function services(names: string, url = redisUrl!): Promise<Service[]> {
  const nodes = presenceNodes(url)
  ends.push(() => nodes.close())
  return Promise.all(
    [...names].map(async (name): Promise<Service> => {
      const node = await nodes.make(name)
      const stored = await startStoredRoom()
      ends.push(() => stored.close())
      const { context, registry, room, clock } = stored
      const elsewhere = createRoomElsewhere({ presence: node.presence, context, log: silentLog })
      await node.presence.start()
      const lists = createRoomLists({ nickOf: context.nickOf, iconOf: () => undefined }, clock)
      return {
        ...node,
        ...stored,
        close: node.close,
        elsewhere,
        leave: (accid, session = accid) => registry.leave(room, accid, session),
        online: () => figuresOf(room, clock.now()).online,
        pages() {
          const pages: string[][] = []
          for (let end = 0, more = true; more;) {
            const page = lists.page(room, 1, end, 2)
            if (page.length > 0) pages.push(page.map(({ accid }) => accid))
            more = page.length === 2
            end = Math.min(...page.map((member) => ('enterTime' in member ? member.enterTime : 0)))
          }
          return pages
        },
      }
    }),
  )
}
const online = (all: readonly Service[]): number[] => all.map((service) => service.online())
const notices = (told: readonly ToldFrame[]): number[] =>
  told.flatMap(({ t, attach }) => (t === 'roomMessage' ? [(JSON.parse(String(attach)) as { id: number }).id] : []))

describeOnRedis('a room of several services', () => {
  it('has everybody once, in order of entry on every page, wherever they are', async () => {
    const all = await services('abc')
    const [a, b, c] = all as [Service, Service, Service]
    a.enter('mona')
    await eventually(() => expect(online(all)).toEqual([1, 1, 1]))
    b.enter('mike')
    await eventually(() => expect(online(all)).toEqual([2, 2, 2]))
    c.enter('mona', 'phone')
    await eventually(() =>
      expect([a, b].map(({ elsewhere, room }) => elsewhere.has(room, 'mona'))).toEqual([true, true]),
    )
    c.enter('stan')
    await eventually(() => expect(online(all)).toEqual([3, 3, 3]))
    for (const service of all) expect(service.pages()).toEqual([['stan', 'mike'], ['mona']])
    expect(all.map(({ registry }) => registry.totals())).toMatchObject([
      { inside: 1, sessions: 1 },
      { inside: 1, sessions: 1 },
      { inside: 2, sessions: 2 },
    ])
    // One of two sessions: it stays inside, as others see it.
    expect(a.leave('mona')).toBe(true)
    expect(await a.elsewhere.inOrder(() => a.room.inside.has('mona'))).toBe(true)
    await eventually(() => expect(b.elsewhere.has(b.room, 'mona')).toBe(true))
    expect(online(all)).toEqual([3, 3, 3])
    c.leave('mona', 'phone')
    expect(await c.elsewhere.inOrder(() => c.room.inside.has('mona'))).toBe(false)
    await eventually(() => expect(online(all)).toEqual([2, 2, 2]))
    expect(all.map(({ registry }) => registry.totals().inside)).toEqual([0, 1, 1])
  })

  it('shows an appearance that was changed at one service at all', async () => {
    const all = await services('ab')
    const [a, b] = all as [Service, Service]
    a.enter('mona')
    await eventually(() => expect(b.room.inside.get('mona')?.nick).toBe('MONA'))
    b.clock.advance(5000)
    const write = (): void => undefined
    const changed = b.registry.enter(b.room, 'mona', 'phone', { write }, { nick: 'Mo', avatar: '', ext: 'e' })
    expect(changed).toBe('changed')
    await eventually(() => expect(a.room.inside.get('mona')).toMatchObject({ nick: 'Mo', ext: 'e' }))
    expect(a.room.inside.get('mona')?.entered).toBe(b.room.inside.get('mona')?.entered)
  })

  it('pages by the time of entry where entries come later than others that were made after them', async () => {
    const [a] = (await services('a')) as [Service]
    const { registry, room } = a
    const entry = (accid: string, entered: number) => ({
      accid,
      nick: accid,
      avatar: '',
      ext: '',
      entered,
      changed: entered,
    })
    for (const [accid, entered] of [
      ['mona', 5000],
      ['mike', 3000],
      ['stan', 4000],
      ['nora', 6000],
    ] as const)
      registry.enteredElsewhere(7, `b ${accid}`, entry(accid, entered))
    expect(a.pages()).toEqual([
      ['nora', 'mona'],
      ['stan', 'mike'],
    ])
    expect(room.inside.size).toBe(4)
    // One of a room that comes later by the journal.
    registry.enteredElsewhere(8, 'b early', entry('mona', 1))
    registry.enteredElsewhere(8, 'b gone', entry('mike', 2))
    registry.leftElsewhere(8, 'b gone', 'mike')
    registry.apply(8, { room: { ...room.row, roomid: 8 } })
    expect([...registry.get(8)!.inside.keys()]).toEqual(['mona'])
  })

  it('tells who is put out everywhere, and only its sessions here', async () => {
    const all = await services('ab')
    const [a, b] = all as [Service, Service]
    a.enter('mona')
    b.enter('mona', 'phone')
    b.enter('stan')
    await eventually(() => expect([online(all), a.elsewhere.has(a.room, 'mona')]).toEqual([[2, 2], true]))
    a.registry.putOut(a.room, 'mona')
    await eventually(() => expect(b.elsewhere.has(b.room, 'mona')).toBe(false))
    expect([online(all), a.registry.ofSession('mona')]).toEqual([[2, 2], []])
    b.registry.putOut(b.room)
    await eventually(() => expect(online(all)).toEqual([0, 0]))
  })

  it('is right within 5 s of the end of a killed process, whose people one of the others says left', async () => {
    const all = await services('abc')
    const [a, b, c] = all as [Service, Service, Service]
    const told = [a.enter('cara'), b.enter('adam')]
    c.enter('mona')
    c.enter('stan')
    b.enter('stan', 'phone')
    for (let n = 0; n < 300; n++) c.enter(`viewer${n}`)
    await eventually(() => expect(online(all)).toEqual([304, 304, 304]))
    const since = performance.now()
    await eventually(() => expect(performance.now() - since).toBeGreaterThan(4500))
    for (const service of all) service.limits.roomNotices = 1000
    const killed = performance.now()
    await c.kill()
    await eventually(() => expect(online([a, b])).toEqual([3, 3]))
    const took = performance.now() - killed
    console.log(`right after ${Math.round(took)} ms`)
    expect(took).toBeLessThan(5000)
    for (const service of [a, b]) service.clock.advance(1000)
    await eventually(() => expect(told.flatMap(notices).length).toBe(301))
    expect(new Set(told.flatMap(notices))).toEqual(new Set([302]))
  })

  it('keeps its people when Redis is killed and comes back empty, and has what changed meanwhile', async () => {
    const redis = await startRedis()
    ends.push(() => redis.close())
    const all = await services('abc', redis.url)
    const [a, b, c] = all as [Service, Service, Service]
    a.enter('mona')
    b.enter('mike')
    c.enter('stan')
    await eventually(() => expect(online(all)).toEqual([3, 3, 3]))
    await redis.kill()
    await eventually(() => expect(a.presence.isCurrent()).toBe(false))
    a.enter('nora')
    b.leave('mike')
    expect(online(all)).toEqual([4, 2, 3])
    await redis.start()
    const back = performance.now()
    await eventually(() => expect(online(all)).toEqual([3, 3, 3]))
    console.log(`announced again after ${Math.round(performance.now() - back)} ms`)
    expect(performance.now() - back).toBeLessThan(5000)
    for (const { room } of all) expect([...room.inside.keys()].toSorted()).toEqual(['mona', 'nora', 'stan'])
  })
})
