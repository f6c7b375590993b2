import { once } from 'node:events'
import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { randomUUID } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import { startRedis, type Redis } from '../../e2e/cluster/redis.ts'
import { systemClock } from '../../platform/clock.ts'
import { describeOnRedis, redisUrl } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import type { Bus, Topic } from './bus.ts'
import { createRedisBus } from './redis-bus.ts'

interface Node {
  readonly bus: Bus
  readonly topic: Topic<number>
  readonly logged: string[]
  readonly backs: () => number
  /** What comes for a key. */
  hear(key: string): number[]
}

const ends: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n)

/** A bus of a service; all of one test have the same prefix. */
async function node(prefix: string, url = redisUrl!): Promise<Node> {
  const logged: string[] = []
  const line = (level: string) => (fields: object, sentence: string) =>
    void logged.push(`${level}: ${sentence} ${JSON.stringify(fields)}`)
  const log = { error: line('error'), warn: line('warn'), info: line('info') }
  const bus = await createRedisBus({ url, prefix }, { clock: systemClock, log })
  ends.push(() => bus.close())
  let backs = 0
  bus.onBack(() => void backs++)
  const topic = bus.topic<number>('numbers')
  return {
    bus,
    topic,
    logged,
    backs: () => backs,
    hear(key) {
      const got: number[] = []
      topic.subscribe(key, (n) => got.push(n))
      return got
    },
  }
}
async function ownRedis(options?: Parameters<typeof startRedis>[0]): Promise<Redis> {
  const redis = await startRedis(options)
  ends.push(() => redis.close())
  return redis
}
/** Some services, each hearing the key `k`. */
async function nodes(count: number, url?: string) {
  const prefix = randomUUID()
  const all = await Promise.all(
    Array.from({ length: count }, async () => {
      const made = await node(prefix, url)
      const got = made.hear('k')
      await made.bus.settled()
      return { ...made, got }
    }),
  )
  return all
}

describeOnRedis('services on one Redis', () => {
  it('hear each other and themselves, all in one order for a key', async () => {
    const [one, other] = await nodes(2)
    for (const n of numbers(0, 500)) {
      one!.topic.publish('k', n)
      other!.topic.publish('k', 1000 + n)
    }
    await eventually(() => expect([one!.got.length, other!.got.length]).toEqual([1000, 1000]))
    expect(other!.got).toEqual(one!.got)
    expect(one!.got.filter((n) => n < 1000)).toEqual(numbers(0, 500))
    expect(one!.got.filter((n) => n >= 1000)).toEqual(numbers(1000, 1500))
  })

  it('hear the keys to which they are subscribed, of their own prefix', async () => {
    const [one, stranger] = await Promise.all([node(randomUUID()), node(randomUUID())])
    const [mine, others] = [one.hear('7'), stranger.hear('7')]
    await Promise.all([one.bus.settled(), stranger.bus.settled()])
    one.topic.publish(8, 0)
    one.topic.publish(7, 1)
    stranger.topic.publish(7, 2)
    await eventually(() => expect([mine, others]).toEqual([[1], [2]]))
    expect(() => one.bus.topic('numbers')).toThrow('there is a topic named numbers already')
  })

  it('hear a key until the last of its subscribers has left, and again after the next', async () => {
    const [one] = await nodes(1)
    const { topic, bus, got } = one!
    const first: number[] = []
    const leave = topic.subscribe('j', (n) => first.push(n))
    const leaveOther = topic.subscribe('j', () => undefined)
    await bus.settled()
    leave()
    leave()
    topic.publish('j', 1)
    leaveOther()
    // At once, so that both commands are under way together.
    const again: number[] = []
    topic.subscribe('j', (n) => again.push(n))
    await bus.settled()
    topic.publish('j', 2)
    topic.publish('k', 3)
    await eventually(() => expect(got).toEqual([3]))
    expect([first, again]).toEqual([[], [1, 2].slice(-again.length)])
    expect(again.at(-1)).toBe(2)
  })

  it('lose none of 10,000 messages that are published at once, and keep their order', async () => {
    const [one, other] = await nodes(2)
    for (const n of numbers(0, 10_000)) one!.topic.publish('k', n)
    await eventually(() => expect(other!.got).toHaveLength(10_000))
    expect(other!.got).toEqual(numbers(0, 10_000))
    await eventually(() => expect(one!.got).toEqual(other!.got))
    expect([one!.backs(), other!.backs(), one!.logged, other!.logged]).toEqual([0, 0, [], []])
  })

  it('log what a handler throws and what is no JSON, and go on', async () => {
    const [one] = await nodes(1)
    const { bus, topic, got, logged } = one!
    topic.subscribe('k', () => {
      throw new Error('broken')
    })
    topic.publish('k', 1)
    topic.publish('k', 2)
    await eventually(() => expect(got).toEqual([1, 2]))
    await eventually(() => expect(logged).toHaveLength(2))
    expect(logged[0]).toContain('a message could not be handled')
    expect(bus.up()).toBe(true)
  })
})

describeOnRedis('a Redis that is lost', () => {
  it('is told once it is back, with all that was subscribed, and what is published meanwhile comes then', async () => {
    const redis = await ownRedis()
    const [one, other] = await nodes(2, redis.url)
    one!.topic.publish('k', 1)
    await eventually(() => expect(other!.got).toEqual([1]))
    await redis.kill()
    await eventually(() => expect([one!.bus.up(), other!.bus.up()]).toEqual([false, false]))
    for (const n of [2, 3]) one!.topic.publish('k', n)
    const meanwhile = other!.hear('new')
    await redis.start()
    await eventually(() => expect([one!.backs() > 0, other!.backs() > 0]).toEqual([true, true]))
    expect([one!.bus.up(), other!.bus.up()]).toEqual([true, true])
    one!.topic.publish('k', 4)
    one!.topic.publish('new', 5)
    await eventually(() => expect([one!.got.at(-1), other!.got.at(-1), meanwhile]).toEqual([4, 4, [5]]))
    // Whoever was back first may have sent what waited before the other heard it.
    expect(one!.got).toEqual([1, 2, 3, 4])
    for (const { logged } of [one!, other!])
      expect(logged.map((line) => line.split(' {')[0])).toEqual([
        'warn: Redis is away: messages to other services wait',
        'info: Redis is there again',
      ])
  })

  it('is told each time', async () => {
    const redis = await ownRedis()
    const [one] = await nodes(1, redis.url)
    for (let time = 1; time <= 3; time++) {
      await redis.kill()
      await eventually(() => expect(one!.bus.up()).toBe(false))
      await redis.start()
      await eventually(() => expect(one!.backs()).toBe(time))
    }
  })

  it('is told to the others too where messages of one were lost and they saw no gap', async () => {
    const redis = await ownRedis()
    const proxy = await switchedProxy([redis.port])
    const prefix = randomUUID()
    const [one, other] = await Promise.all([node(prefix, proxy.url), node(prefix, redis.url)])
    proxy.refuse(true)
    proxy.cut()
    await eventually(() => expect(one.bus.up()).toBe(false))
    for (const n of numbers(0, 20_001)) one.topic.publish('k', n)
    proxy.refuse(false)
    await eventually(() => expect([one.backs(), other.backs()]).toEqual([1, 1]))
    expect(one.logged.join('\n')).toContain(
      'messages to other services were lost: they look in the database {"messages":1}',
    )
    expect(other.logged).toEqual([])
  })

  it('hears what was subscribed while it was away, however often it was tried in vain', async () => {
    const redis = await ownRedis()
    const proxy = await switchedProxy([redis.port])
    const [one] = await nodes(1, proxy.url)
    proxy.refuse(true)
    proxy.cut()
    await eventually(() => expect(one!.bus.up()).toBe(false))
    const got = one!.hear('new')
    const before = proxy.refused()
    await eventually(() => expect(proxy.refused()).toBeGreaterThan(before + 4))
    proxy.refuse(false)
    await eventually(() => expect(one!.backs()).toBe(1))
    one!.topic.publish('new', 1)
    await eventually(() => expect(got).toEqual([1]))
  })

  it('is told also where the user may not ask which server it is', async () => {
    const redis = await ownRedis({ settings: ['--user', 'few', 'on', '>secret', '~*', '&*', '+@all', '-info'] })
    const [one] = await nodes(1, redis.url.replace('//', '//few:secret@'))
    await redis.kill()
    await eventually(() => expect(one!.bus.up()).toBe(false))
    await redis.start()
    await eventually(() => expect(one!.backs()).toBe(1))
  })

  it('and that is not there at the start is waited for, and told when it comes', async () => {
    const redis = await ownRedis()
    await redis.kill()
    const starting = nodes(1, redis.url)
    await redis.start()
    const [one] = await starting
    await eventually(() => expect(one!.bus.up()).toBe(true))
    await one!.bus.settled()
    one!.topic.publish('k', 1)
    await eventually(() => expect(one!.got).toEqual([1]))
  })
})

describeOnRedis('a Redis that stands still', () => {
  it('for two seconds loses nothing', async () => {
    const redis = await ownRedis()
    const [one, other] = await nodes(2, redis.url)
    redis.signal('SIGSTOP')
    for (const n of numbers(0, 5000)) one!.topic.publish('k', n)
    await new Promise<void>((resolve) => void setTimeout(resolve, 2000))
    expect(other!.got).toEqual([])
    redis.signal('SIGCONT')
    await eventually(() => expect(other!.got).toHaveLength(5000))
    expect([other!.got, one!.backs(), other!.backs()]).toEqual([numbers(0, 5000), 0, 0])
  })

  it('for longer counts as away, and is told when it goes on', async () => {
    const redis = await ownRedis()
    const [one, other] = await nodes(2, redis.url)
    redis.signal('SIGSTOP')
    await eventually(() => expect([one!.bus.up(), other!.bus.up()]).toEqual([false, false]))
    redis.signal('SIGCONT')
    await eventually(() => expect([one!.backs() > 0, other!.backs() > 0]).toEqual([true, true]))
    one!.topic.publish('k', 1)
    await eventually(() => expect([one!.got, other!.got]).toEqual([[1], [1]]))
  })
})

describeOnRedis('a connection on which nothing arrives any more', () => {
  it('is made anew, also while messages are published on it, and that is told', async () => {
    const proxy = await switchedProxy([Number(new URL(redisUrl!).port)])
    const [one] = await nodes(1, proxy.url)
    // A new one could be there before anybody looks.
    proxy.refuse(true)
    proxy.swallow()
    await eventually(() => {
      one!.topic.publish('k', 0)
      expect(one!.bus.up()).toBe(false)
    })
    proxy.refuse(false)
    await eventually(() => expect(one!.backs()).toBeGreaterThan(0))
    one!.topic.publish('k', 1)
    await eventually(() => expect(one!.got.at(-1)).toBe(1))
    expect(one!.logged[0]).toContain('it does not answer')
  })
})

/** Passes connections on to servers, in turn, all later ones to the last. */
async function switchedProxy(ports: number[]) {
  const sockets = new Set<Socket>()
  const accepted: Socket[] = []
  let isRefusing = false
  let refused = 0
  const server = createServer((near) => {
    if (isRefusing) {
      refused += 1
      return near.destroy()
    }
    accepted.push(near)
    const far = connect(ports.length > 1 ? ports.shift()! : ports[0]!, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket)
          near.destroy()
          far.destroy()
        })
    }
    near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => sockets.forEach((socket) => socket.destroy())
  ends.push(() => {
    server.close()
    cut()
  })
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    refuse: (is: boolean) => void (isRefusing = is),
    refused: () => refused,
    /** Passes nothing on from the first connection any more. */
    swallow: () => void accepted[0]!.unpipe().pause(),
  }
}

describeOnRedis('an address that leads to two servers', () => {
  it('is connected to anew until both connections meet, which counts as a gap', async () => {
    const [old, current] = await Promise.all([ownRedis(), ownRedis()])
    const proxy = await switchedProxy([old.port, current.port])
    const [one] = await nodes(1, proxy.url)
    await eventually(() => expect(one!.backs()).toBeGreaterThan(0))
    one!.topic.publish('k', 1)
    await eventually(() => expect(one!.got).toEqual([1]))
    expect(one!.logged[0]).toContain('its connections lead to two servers')
  })
})

describeOnRedis('a password', () => {
  it('comes with the address and is in no log line', async () => {
    const redis = await ownRedis({ password: 'canary-right' })
    const [one] = await nodes(1, redis.url)
    one!.topic.publish('k', 1)
    await eventually(() => expect(one!.got).toEqual([1]))
    const refused = await node('p', redis.url.replace('right', 'wrong')).catch((error: unknown) => error as Error)
    expect(refused).toMatchObject({
      message: expect.stringContaining('the user or password is not accepted') as string,
    })
    expect(JSON.stringify(refused, Object.getOwnPropertyNames(refused))).not.toContain('canary')
    await redis.kill()
    await eventually(() => expect(one!.bus.up()).toBe(false))
    expect(one!.logged.join('\n')).not.toContain('canary')
  })

  it('of an address that is none is not told', async () => {
    const broken = await node('p', 'redis://:canary@[').catch((error: unknown) => error)
    expect(broken).toBeInstanceOf(Error)
    expect(JSON.stringify(broken, Object.getOwnPropertyNames(broken))).not.toContain('canary')
  })
})

describeOnRedis('a bus that closes', () => {
  it('sends what waits, and hears nothing more', async () => {
    const [one, other] = await nodes(2)
    for (const n of numbers(0, 3000)) one!.topic.publish('k', n)
    await one!.bus.close()
    one!.topic.publish('k', -1)
    await eventually(() => expect(other!.got).toHaveLength(3000))
    expect([one!.bus.up(), other!.got.at(-1), one!.got.includes(-1)]).toEqual([false, 2999, false])
    await one!.bus.close()
  })

  it('ends with messages waiting, where Redis is away or stands still', async () => {
    const redis = await ownRedis()
    const [one, other] = await nodes(2, redis.url)
    redis.signal('SIGSTOP')
    other!.topic.publish('k', 1)
    await other!.bus.close()
    await redis.kill()
    await eventually(() => expect(one!.bus.up()).toBe(false))
    one!.topic.publish('k', 1)
    await one!.bus.close()
  })
})

it('loads no module of Redis where there is none', async () => {
  const { execFileSync } = await import('node:child_process')
  const code = `await import('${new URL('redis-bus.ts', import.meta.url).href}')
    const { createRequire } = await import('node:module')
    console.log(Object.keys(createRequire(import.meta.url).cache).filter((name) => name.includes('@redis')).length)`
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' })).toBe('0\n')
})
