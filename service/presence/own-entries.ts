import type { Clock } from '../../platform/clock.ts'
import { inBackground } from '../background.ts'
import type { Log } from '../log.ts'
import type { RedisScripts } from '../redis/redis-scripts.ts'
import {
  announceEntries,
  changeEntries,
  collectEntries,
  endEntries,
  keysOf,
  renewStamp,
  stampOf,
} from './presence-scripts.ts'

/** What is told on the bus. */
export interface PresenceMessage {
  readonly node: string
  /** Of the process. */
  readonly run: string
  readonly version: number
  /** Fields with their values, empty for those that are gone; undefined where the entries are to be read. */
  readonly changes?: readonly (readonly [field: string, text: string])[]
  /** The service ends. */
  readonly isOver?: boolean
}

interface Item {
  readonly field: string
  /** Empty for an entry that is gone. */
  readonly text: string
}

/** Entries in one call. */
const most = 200
const mostAnnounced = 500
/** Changes that wait; beyond, all entries are announced again. */
const mostWaiting = 20_000
/** Its own message is waited for so long, in ms. */
const patience = 1000

/**
 * The entries of this service: what it holds in memory, and what Redis has of it. Only this service writes them, so
 * that they are told again as a whole whenever Redis has something else.
 */
export function createOwnEntries(options: {
  readonly redis: Pick<RedisScripts, 'run'>
  readonly node: string
  readonly run: string
  /** Where the messages are heard. */
  readonly channel: string
  readonly clock: Clock
  readonly log: Pick<Log, 'error' | 'warn'>
}) {
  const { redis, node, run, channel, clock, log } = options
  const keys = { stamp: keysOf.stamp(node), entries: keysOf.entries(node), next: keysOf.next(node) }
  const entries = new Map<string, Item>()
  let version = 0
  let state: 'unknown' | 'announcing' | 'announced' = 'unknown'
  let queue: Item[] = []
  /** Told and not heard yet. */
  let told: { readonly version: number; readonly count: number }[] = []
  let put = 0
  let heard = 0
  const waiting = new Map<() => void, number>()
  let isBusy = false
  let isClosed = false
  let hasFailed = false

  const wake = (): void => {
    for (const [call, place] of waiting)
      if (place <= heard) {
        waiting.delete(call)
        call()
      }
  }
  const lost = (): void => {
    state = 'unknown'
    queue = []
    told = []
    heard = put
    wake()
  }
  const failed = (error: unknown): void => {
    lost()
    if (!hasFailed && !isClosed)
      log.warn({ reason: (error as Error).message }, 'who is connected here cannot be told to other services')
    hasFailed = true
  }
  const message = (rest: Partial<PresenceMessage>): string => JSON.stringify({ node, run, version, ...rest })
  /** One call after the other, as each is made of the stamp that the one before it left. */
  const alone = async (work: () => Promise<void>): Promise<void> => {
    if (isBusy || isClosed) return
    isBusy = true
    try {
      await work()
    } catch (error) {
      failed(error)
    } finally {
      isBusy = false
      // What came since the last look at the queue.
      if (queue.length > 0 && state === 'announced') sendSoon()
    }
  }
  const sendSoon = (): void => queueMicrotask(() => inBackground(alone(sendQueued), log, 'telling who is connected'))
  const sendQueued = async (): Promise<void> => {
    while (state === 'announced' && queue.length > 0) {
      const items = queue.splice(0, most)
      const before = stampOf(run, version)
      version += 1
      told.push({ version, count: items.length })
      const changes = items.map(({ field, text }) => [field, text] as const)
      const values = [before, stampOf(run, version), channel, message({ changes }), ...changes.flat()]
      if ((await redis.run(changeEntries, [keys.stamp, keys.entries], values)) !== 1) lost()
    }
  }
  const announce = async (): Promise<void> => {
    state = 'announcing'
    queue = []
    const items = [...entries.values()]
    // At least once, as an announcement that failed may have left some.
    for (let from = 0; from === 0 || from < items.length; from += mostAnnounced) {
      const part = items.slice(from, from + mostAnnounced).flatMap(({ field, text }) => [field, text])
      await redis.run(collectEntries, [keys.next], [from === 0 ? 1 : 0, ...part])
    }
    // A change that is still under way was made of another stamp.
    version += 2
    const others = [keysOf.nodes, keys.stamp, keys.entries, keys.next]
    const before = await redis.run(announceEntries, others, [node, stampOf(run, version), channel, message({})])
    if (typeof before === 'string' && before !== '' && before.split(' ')[0] !== run)
      log.warn({ node }, 'another run of this service is known: either it has just ended, or two have the same name')
    state = 'announced'
    hasFailed = false
    await sendQueued()
  }
  const change = (field: string, text: string): void => {
    const item = { field, text }
    if (text === '') entries.delete(field)
    else entries.set(field, item)
    put += 1
    if (state === 'unknown') return void (heard = put)
    queue.push(item)
    if (queue.length > mostWaiting) return lost()
    if (!isBusy) sendSoon()
  }

  return {
    put: change,
    remove: (field: string): void => {
      if (entries.has(field)) change(field, '')
    },
    /** Whether Redis has the entries. */
    isAnnounced: (): boolean => state === 'announced',
    /** Called for each own message that came back. */
    heard(from: string, at: number): void {
      if (from !== run) return
      while (told[0] !== undefined && told[0].version <= at) {
        heard += told.shift()!.count
      }
      wake()
    },
    /**
     * What `read` answers when the changes so far have come back, in the order that all services see; at once where
     * they are not told.
     */
    inOrder: <T>(read: () => T): Promise<T> =>
      state !== 'announced' || put <= heard
        ? Promise.resolve(read())
        : new Promise((resolve) => {
            const call = (): void => {
              cancel()
              waiting.delete(call)
              resolve(read())
            }
            const cancel = clock.after(patience, call)
            waiting.set(call, put)
          }),
    /** Renews the stamp, or tells everything where Redis has something else. */
    tend: (): Promise<void> =>
      alone(async () => {
        if (state === 'announced') {
          if ((await redis.run(renewStamp, [keys.stamp], [stampOf(run, version)])) !== 1) lost()
        }
        if (state === 'announced') await sendQueued()
        else await announce()
      }),
    async close(): Promise<void> {
      if (isClosed) return
      isClosed = true
      lost()
      const over = message({ isOver: true })
      await redis
        .run(endEntries, [keysOf.nodes, keys.stamp, keys.entries], [node, stampOf(run, version), channel, over])
        .catch(() => undefined)
    },
  }
}
