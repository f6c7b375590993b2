import type { Clock } from '../../platform/clock.ts'
import { repeated } from '../../platform/repeated.ts'
import { inBackground } from '../background.ts'
import type { Bus } from '../bus/bus.ts'
import type { Log } from '../log.ts'
import type { RedisScripts } from '../redis/redis-scripts.ts'
import { createOtherEntries } from './other-entries.ts'
import { createOwnEntries, type PresenceMessage } from './own-entries.ts'

/** What services tell each other of who is connected to them. */
export interface Presence {
  /** Makes a kind of entries; a name is of one kind. */
  kind<Entry>(name: string, heard: PresenceHeard<Entry>): PresenceKind<Entry>
  /**
   * What `read` answers once all services that know this one have heard what was put so far, or at once while nothing
   * can be told.
   */
  inOrder<T>(read: () => T): Promise<T>
  /** Whether entries and messages pass now. */
  isCurrent(): boolean
  /** Reads the entries of others and begins to tell; every kind must be there. */
  start(): Promise<void>
  /** Takes its entries out everywhere. */
  close(): Promise<void>
}

/** Told of entries of other services, and of nothing else. */
export interface PresenceHeard<Entry> {
  /** New, or another value. */
  came(from: EntryPlace, entry: Entry): void
  /** `isOurs` where its service was lost, and this one alone is to say so. */
  gone(from: EntryPlace, entry: Entry, isOurs: boolean): void
}

/** Where an entry is. */
export interface EntryPlace {
  readonly node: string
  readonly key: string
}

/** Entries of one kind of this service: plain JSON values by keys without line breaks. */
export interface PresenceKind<Entry> {
  put(key: string, entry: Entry): void
  remove(key: string): void
}

/** How often it renews its stamp and looks for others, in ms. */
const lookEvery = 500
const topicName = 'presence'
const topicKey = 'all'

/**
 * Makes the presence of services that share a Redis. Each has a hash there that it alone writes, and a stamp that it
 * renews; changes are published by the script that makes them, so that all services hear them in one order. Every
 * service keeps the entries of all others in memory, so that who asks does not wait.
 */
export function createSharedPresence(options: {
  readonly redis: RedisScripts
  readonly bus: Bus
  /** Name of this service. */
  readonly node: string
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly log: Pick<Log, 'error' | 'warn'>
}): Presence {
  const { redis, bus, node, clock, random, log } = options
  const kinds = new Map<string, PresenceHeard<never>>()
  const topic = bus.topic<PresenceMessage>(topicName)
  const run = random(8).toString('hex')
  const channel = `${redis.prefix}:${topicName}:${topicKey}`
  const own = createOwnEntries({ redis, node, run, channel, clock, log })

  const split = (field: string): [name: string, key: string] => {
    const at = field.indexOf(' ')
    return [field.slice(0, at), field.slice(at + 1)]
  }
  const tell = (field: string, call: (heard: PresenceHeard<never>, key: string) => void): void => {
    const [name, key] = split(field)
    const heard = kinds.get(name)
    if (!heard) return
    try {
      call(heard, key)
    } catch (error) {
      log.error({ err: error, kind: name }, 'who is connected to another service could not be noted')
    }
  }
  const others = createOtherEntries({
    redis,
    self: node,
    log,
    heard: {
      came: (from, field, text) =>
        tell(field, (heard, key) => heard.came({ node: from, key }, JSON.parse(text) as never)),
      gone: (from, field, text, isOurs) =>
        tell(field, (heard, key) => heard.gone({ node: from, key }, JSON.parse(text) as never, isOurs)),
    },
  })
  let isLooking = false
  /** While Redis is away nobody is taken out. */
  const look = async (): Promise<void> => {
    if (isLooking || !redis.up()) return
    isLooking = true
    try {
      await Promise.all([own.tend(), others.look()])
    } catch {
      // Redis went away; it is looked at again soon.
    } finally {
      isLooking = false
    }
  }
  const lookSoon = (): void => inBackground(look(), log, 'looking who is connected')
  const ends: (() => void)[] = []
  let isClosed = false

  return {
    kind<Entry>(name: string, heard: PresenceHeard<Entry>): PresenceKind<Entry> {
      if (kinds.has(name)) throw new Error(`there is a kind of entries named ${name} already`)
      kinds.set(name, heard)
      const fieldOf = (key: string): string => `${name} ${key}`
      return {
        put: (key, entry) => own.put(fieldOf(key), JSON.stringify(entry)),
        remove: (key) => own.remove(fieldOf(key)),
      }
    },
    inOrder: (read) => (bus.up() ? own.inOrder(read) : Promise.resolve(read())),
    isCurrent: () => own.isAnnounced() && redis.up() && bus.up(),
    async start() {
      ends.push(
        topic.subscribe(topicKey, (message) => {
          if (message.node === node) own.heard(message.run, message.version)
          else others.take(message)
        }),
        bus.onBack(() => inBackground(others.readAll(), log, 'reading who is connected')),
        redis.onBack(lookSoon),
        repeated(clock, lookEvery, lookSoon),
      )
      await bus.settled()
      await look()
    },
    async close() {
      if (isClosed) return
      isClosed = true
      for (const end of ends) end()
      others.close()
      await own.close()
    },
  }
}
