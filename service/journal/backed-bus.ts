import { AsyncResource } from 'node:async_hooks'
import { pause, type Clock } from '../../platform/clock.ts'
import { repeated } from '../../platform/repeated.ts'
import { inBackground } from '../background.ts'
import type { Journal } from './journal.ts'
import type { Log } from '../log.ts'
import { defineScript, type RedisScripts } from '../redis/redis-scripts.ts'
import type { Bus, Topic } from '../bus/bus.ts'
import { createSubscribers, type Subscribers } from '../bus/subscribers.ts'

/** What a node tells all nodes by the journal. */
interface Told {
  readonly node: string
  /** Whether it has Redis, where it tells that. */
  readonly up?: boolean
  /** Each with its topic, its key, and itself as JSON. */
  readonly messages?: readonly (readonly [topic: string, key: string, text: string])[]
  /** Messages were dropped. */
  readonly isGap?: boolean
}
type Message = NonNullable<Told['messages']>[number]

/** Topics whose messages also come while a node is without Redis. */
export interface BackedBus extends Pick<Bus, 'topic' | 'onBack' | 'settled'> {
  /** Whether this node has no Redis though another one has. */
  isCutOff(): boolean
  /** Tells nothing more. */
  close(): void
}

/** How often it is looked whether Redis is there, and how often a node that is without it tells that, in ms. */
const lookEvery = 250
const tellEvery = 1000
/**
 * What a node told of itself holds for so long, in ms. That it is away ends with what it tells when it is back, so this
 * is for one that was ended; that it is there ends when it tells nothing.
 */
const holds = { away: 10_000, there: 3000 } as const
/** A node is cut off after so long, in ms: after a restart of Redis nodes find it one after the other. */
const cutOffAfter = 2000
/** After messages in the journal those on the bus begin so late, in ms: other nodes look at the journal meanwhile. */
const settle = 300
/** After a failure of the database, in ms. */
const retryAfter = 250
/** Messages that wait at most, and those of one entry, in characters. */
const most = { messages: 20_000, length: 8_000_000, entry: 200_000 } as const

const answers = defineScript('return 1')

/**
 * Makes it. While any node of the cluster is without Redis, all nodes put the messages of these topics into the
 * journal, which has one order for all and which all read; otherwise they go over the bus.
 */
export function createBackedBus(options: {
  readonly bus: Bus
  readonly journal: Pick<Journal, 'kind'>
  readonly redis: Pick<RedisScripts, 'run'>
  readonly node: string
  readonly clock: Clock
  readonly log: Pick<Log, 'error' | 'warn'>
}): BackedBus {
  const { bus, journal, redis, node: self, clock, log } = options
  const heard = new Map<string, Subscribers<unknown>>()
  const publishers = new Map<string, (key: string, message: unknown) => void>()
  const gaps = new Set<() => void>()
  /** When nodes told that they are without Redis, or with it; monotonic ms. */
  const away = new Map<string, number>()
  const there = new Map<string, number>()
  let downSince: number | undefined
  let toldAt = -Infinity
  let hasToldAway = false
  let isTelling = false
  let answeredAt = -Infinity
  let waiting: Message[] = []
  let length = 0
  let isGap = false
  let isStoring = false
  let storedAt = -Infinity
  let isClosed = false

  const isAway = (node: string): boolean => clock.monotonic() - (away.get(node) ?? -Infinity) < holds.away
  const isThere = (node: string): boolean => clock.monotonic() - (there.get(node) ?? -Infinity) < holds.there
  const isByJournal = (): boolean => !bus.up() || [...away.keys()].some(isAway)
  const nameOf = (topic: string, key: string): string => `${topic}:${key}`

  const answer = async (): Promise<void> => {
    if (clock.monotonic() - answeredAt < tellEvery / 2) return
    answeredAt = clock.monotonic()
    // One that stands still would pass for one that is there.
    const isHere = await redis.run(answers, [], []).then(
      () => bus.up(),
      () => false,
    )
    if (isHere && !isClosed) await changes.commit({ node: self, up: true })
  }
  const know = (node: string, up: boolean): boolean => {
    const isNews = !(up ? isThere(node) : isAway(node))
    if (up) away.delete(node)
    else there.delete(node)
    ;(up ? there : away).set(node, clock.monotonic())
    if (!up && node !== self) inBackground(answer(), log, 'telling that Redis is there')
    // What a node without Redis stored before it noticed, or what one without it did not hear of the others.
    return isNews && (!up || !bus.up())
  }
  const changes = journal.kind<Told>('busMessages', {
    store: () => Promise.resolve(),
    apply({ node, up, messages = [], isGap: isGapThere = false }) {
      const isNews = up !== undefined && know(node, up)
      if (isNews || isGapThere) for (const call of gaps) call()
      for (const [topic, key, text] of messages) heard.get(nameOf(topic, key))?.hand(JSON.parse(text))
    },
  })

  const take = (): Message[] => {
    let [count, size] = [0, 0]
    while (count < waiting.length && (count === 0 || size < most.entry)) size += waiting[count++]![2].length
    length -= size
    return waiting.splice(0, count)
  }
  const lose = (messages: number, error?: unknown): void => {
    if (!isGap) log.warn({ err: error, messages }, 'messages to other services were lost: they look in the database')
    isGap = true
  }
  const storeAll = async (): Promise<void> => {
    while (waiting.length > 0 && !isClosed) {
      const rest = storedAt + settle - clock.monotonic()
      if (!isByJournal() && rest <= 0) {
        for (const [topic, key, text] of waiting.splice(0)) publishers.get(topic)!(key, JSON.parse(text))
        length = 0
      } else if (!isByJournal()) await pause(clock, rest)
      else {
        const messages = take()
        const told = { node: self, messages, ...(isGap && { isGap }) }
        isGap = false
        await changes.commit(told).catch(async (error: unknown) => {
          lose(messages.length, error)
          await pause(clock, retryAfter)
        })
        storedAt = clock.monotonic()
      }
    }
  }
  // Not in the turn of who tells something: others' messages are stored with it.
  const store = AsyncResource.bind((): void => {
    if (isStoring) return
    isStoring = true
    inBackground(
      storeAll().finally(() => (isStoring = false)),
      log,
      'telling other services by the journal',
    )
  })
  const publish = (topic: string, key: string, message: unknown): void => {
    if (isClosed) return
    if (!isByJournal() && !isStoring && clock.monotonic() - storedAt >= settle)
      return publishers.get(topic)!(key, message)
    const text = JSON.stringify(message)
    waiting.push([topic, key, text])
    length += text.length
    if (waiting.length > most.messages || length > most.length) lose(take().length)
    store()
  }

  /** Tells what became of Redis here. */
  const tell = async (up: boolean): Promise<void> => {
    isTelling = true
    try {
      await changes.commit({ node: self, up, ...(isGap && { isGap }) })
      hasToldAway = !up
      isGap = false
    } finally {
      toldAt = clock.monotonic()
      isTelling = false
    }
  }
  const stop = repeated(clock, lookEvery, () => {
    const up = bus.up()
    if (up) downSince = undefined
    else if (downSince === undefined) {
      downSince = clock.monotonic()
      toldAt = -Infinity
      there.clear()
    }
    if (isTelling || (up && !hasToldAway && !isGap) || clock.monotonic() - toldAt < (up ? lookEvery : tellEvery)) return
    inBackground(tell(up), log, 'telling other services of Redis')
  })

  // One that was back between two looks is not cut off since before that.
  const stopBack = bus.onBack(() => {
    if (bus.up()) downSince = undefined
  })

  return {
    topic<Message>(name: string): Topic<Message> {
      const inner = bus.topic<Message>(name)
      publishers.set(name, (key, message) => inner.publish(key, message as Message))
      return {
        isHeard: inner.isHeard,
        publish: (key, message) => publish(name, String(key), message),
        subscribe(key, handler) {
          const stopInner = inner.subscribe(key, handler)
          const of = nameOf(name, String(key))
          const failed = (error: unknown): void =>
            log.error({ err: error, topic: name }, 'a message could not be handled')
          const subscribers = heard.get(of) ?? createSubscribers<unknown>(failed)
          heard.set(of, subscribers)
          const leave = subscribers.add(handler as (message: unknown) => void)
          return () => {
            stopInner()
            leave()
            if (subscribers.size() === 0 && heard.get(of) === subscribers) heard.delete(of)
          }
        },
      }
    },
    onBack(call) {
      const stopInner = bus.onBack(call)
      gaps.add(call)
      return () => {
        stopInner()
        gaps.delete(call)
      }
    },
    settled: bus.settled,
    isCutOff: () =>
      !bus.up() &&
      downSince !== undefined &&
      clock.monotonic() - downSince >= cutOffAfter &&
      [...there.keys()].some((node) => node !== self && isThere(node)),
    close() {
      isClosed = true
      stop()
      stopBack()
    },
  }
}
