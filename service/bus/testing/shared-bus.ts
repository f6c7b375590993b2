import { silentLog } from '../../log.ts'
import type { Bus, Topic } from '../bus.ts'
import { createMemoryBus } from '../memory-bus.ts'

/** A bus in memory for several services of one process: each has the topics of all. */
export function createSharedBus(): Bus {
  const bus = createMemoryBus({ log: silentLog })
  const topics = new Map<string, Topic<unknown>>()
  return {
    ...bus,
    topic<Message>(name: string): Topic<Message> {
      let topic = topics.get(name)
      if (!topic) topics.set(name, (topic = bus.topic<unknown>(name)))
      return topic as Topic<Message>
    },
  }
}
