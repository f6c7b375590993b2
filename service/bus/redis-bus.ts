import { randomUUID } from 'node:crypto'
import { pause, type Clock } from '../../platform/clock.ts'
import { repeated } from '../../platform/repeated.ts'
import type { Log } from '../log.ts'
import { lookEvery, type RedisPlace } from '../redis/redis-clients.ts'
import type { Bus, Topic } from './bus.ts'
import { createOutgoing } from './outgoing.ts'
import { openRedisConnections } from './redis-connections.ts'
import { createSubscribers, type Subscribers } from './subscribers.ts'

/** What waits is sent at the close within this time, in ms. */
const closeGrace = 1000

/**
 * Makes the bus of services that share a Redis, which gives all messages of a key one order; own ones come back over it
 * too. While it is away messages wait; when some are lost, all services are told that there was a gap. Resolves once it
 * is connected, or after a while without.
 */
export async function createRedisBus(
  { url, prefix }: RedisPlace,
  { clock, log }: { readonly clock: Clock; readonly log: Pick<Log, 'error' | 'warn' | 'info'> },
): Promise<Bus> {
  const self = randomUUID()
  const gapChannel = `${prefix}:gap`
  const heard = new Map<string, Subscribers<unknown>>()
  const names = new Set<string>()
  const backs = new Set<() => void>()
  let lost = 0
  let isClosed = false

  const tellBack = (): void => {
    for (const call of backs)
      try {
        call()
      } catch (error) {
        log.error({ err: error }, 'what was missed could not be looked for')
      }
  }
  const handle = (channel: string, text: string): void => {
    const subscribers = heard.get(channel)
    if (!subscribers || isClosed) return
    let message: unknown
    try {
      message = JSON.parse(text)
    } catch (error) {
      return log.error({ err: error, channel }, 'a message of the bus could not be read')
    }
    subscribers.hand(message)
  }
  const connections = await openRedisConnections({
    url,
    clock,
    log,
    handle,
    opened() {
      outgoing.go()
      lookForLost()
    },
    // Others may have heard what this one has not.
    back: tellBack,
  })
  const outgoing = createOutgoing({
    send: connections.publish,
    isOpen: connections.up,
    lost(error) {
      lost += 1
      if (error !== undefined && connections.up())
        log.error({ reason: (error as Error).message }, 'Redis did not take a message')
    },
  })
  /** Those who heard nothing of what was lost here saw no gap themselves. */
  function lookForLost(): void {
    if (lost === 0 || !connections.up()) return
    log.warn({ messages: lost }, 'messages to other services were lost: they look in the database')
    lost = 0
    outgoing.add(gapChannel, JSON.stringify(self))
  }
  const stop = repeated(clock, lookEvery, () => {
    lookForLost()
    connections.look()
  })

  const subscribe = (channel: string, topic: string, handler: (message: never) => void): (() => void) => {
    let subscribers = heard.get(channel)
    if (!subscribers) {
      subscribers = createSubscribers((error) => log.error({ err: error, topic }, 'a message could not be handled'))
      heard.set(channel, subscribers)
      connections.hear(channel)
    }
    const leave = subscribers.add(handler as (message: unknown) => void)
    return () => {
      leave()
      if (subscribers.size() > 0 || heard.get(channel) !== subscribers) return
      heard.delete(channel)
      connections.leave(channel)
    }
  }
  subscribe(gapChannel, 'gap', (from: string) => {
    if (from !== self) tellBack()
  })
  await connections.begun().catch((error: unknown) => {
    stop()
    throw error
  })
  await connections.settled()

  return {
    topic<Message>(name: string): Topic<Message> {
      if (names.has(name)) throw new Error(`there is a topic named ${name} already`)
      names.add(name)
      const channelOf = (key: string | number): string => `${prefix}:${name}:${key}`
      return {
        isHeard: () => true,
        publish(key, message) {
          if (!isClosed) outgoing.add(channelOf(key), JSON.stringify(message))
        },
        subscribe: (key, handler) => subscribe(channelOf(key), name, handler),
      }
    },
    up: connections.up,
    onBack(call) {
      backs.add(call)
      return () => void backs.delete(call)
    },
    settled: connections.settled,
    async close() {
      if (isClosed) return
      isClosed = true
      stop()
      if (connections.up()) await Promise.race([outgoing.empty(), pause(clock, closeGrace)])
      connections.close()
    },
  }
}
