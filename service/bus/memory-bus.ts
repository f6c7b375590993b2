import type { Log } from '../log.ts'
import type { Bus, Topic } from './bus.ts'
import { createSubscribers, type Subscribers } from './subscribers.ts'

/** Messages of a key that wait while one is handled. */
const mostWaiting = 10_000

interface Heard<Message> {
  readonly subscribers: Subscribers<Message>
  /** What was published by a handler of the key. */
  readonly waiting: Message[]
  isHanding: boolean
}

/** Makes the bus of a service that is alone: a message is the value itself, handed over before `publish` returns. */
export function createMemoryBus({ log }: { readonly log: Pick<Log, 'error'> }): Bus {
  const names = new Set<string>()
  let isClosed = false
  return {
    topic<Message>(name: string): Topic<Message> {
      if (names.has(name)) throw new Error(`there is a topic named ${name} already`)
      names.add(name)
      const keys = new Map<string, Heard<Message>>()
      const failed = (error: unknown): void => log.error({ err: error, topic: name }, 'a message could not be handled')
      return {
        isHeard: (key) => keys.has(String(key)),
        publish(key, message) {
          const heard = keys.get(String(key))
          if (!heard || isClosed) return
          const { subscribers, waiting } = heard
          waiting.push(message)
          if (waiting.length > mostWaiting) {
            waiting.shift()
            log.error({ topic: name }, 'a message was dropped: its handlers publish faster than they end')
          }
          // Handled after the one that is, so that all get them in one order.
          if (heard.isHanding) return
          heard.isHanding = true
          while (waiting.length > 0) subscribers.hand(waiting.shift()!)
          heard.isHanding = false
        },
        subscribe(key, handler) {
          const name = String(key)
          let heard = keys.get(name)
          if (!heard) {
            heard = { subscribers: createSubscribers(failed), waiting: [], isHanding: false }
            keys.set(name, heard)
          }
          const { subscribers } = heard
          const leave = subscribers.add(handler)
          return () => {
            leave()
            if (subscribers.size() === 0 && keys.get(name) === heard) keys.delete(name)
          }
        },
      }
    },
    up: () => true,
    onBack: () => () => undefined,
    settled: () => Promise.resolve(),
    close() {
      isClosed = true
      return Promise.resolve()
    },
  }
}
