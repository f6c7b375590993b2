import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../log.ts'
import { openRedisClients, reasonOf } from '../redis/redis-clients.ts'

/**
 * Opens a connection that publishes and one that hears, as one that hears waits for nobody's answers. `handle` must not
 * throw. `opened` is told when both are there, `back` afterwards where messages may have been missed.
 */
export async function openRedisConnections(options: {
  readonly url: string
  readonly clock: Clock
  readonly log: Pick<Log, 'error' | 'warn' | 'info'>
  readonly handle: (channel: string, text: string) => void
  readonly opened: () => void
  readonly back: () => void
}) {
  const { url, clock, log, handle, opened, back } = options
  const channels = new Set<string>()
  /** Those whose subscription failed with the connection. */
  const missing = new Set<string>()
  const coming = new Set<Promise<void>>()

  const settled = async (): Promise<void> => {
    while (connections.up() && coming.size > 0) await Promise.all(coming)
  }
  const connections = await openRedisClients({
    url,
    count: 2,
    clock,
    log,
    away: 'messages to other services wait',
    rose() {
      hearMissing()
      opened()
    },
    async check() {
      await settled()
      return false
    },
    back,
  })
  const [out, into] = [connections.clients[0]!, connections.clients[1]!]

  // The library throws what a listener throws at the connection.
  const onMessage = (text: string, channel: string): void => {
    if (channels.has(channel)) handle(channel, text)
    else release(channel)
  }
  function release(channel: string): void {
    into.unsubscribe(channel, onMessage).catch(() => undefined)
  }
  const hear = (channel: string): void => {
    const made = into.subscribe(channel, onMessage).then(
      () => void coming.delete(made),
      (error: unknown) => {
        coming.delete(made)
        if (!channels.has(channel)) return
        missing.add(channel)
        if (into.isReady) log.error({ channel, reason: reasonOf(error) }, 'Redis refused a subscription')
      },
    )
    coming.add(made)
  }
  function hearMissing(): void {
    const again = [...missing]
    missing.clear()
    for (const channel of again) hear(channel)
  }

  return {
    /** Whether messages pass. */
    up: connections.up,
    publish: (channel: string, text: string): Promise<unknown> => out.publish(channel, text),
    hear(channel: string): void {
      channels.add(channel)
      hear(channel)
    },
    leave(channel: string): void {
      channels.delete(channel)
      missing.delete(channel)
      release(channel)
    },
    settled,
    look: connections.look,
    begun: connections.begun,
    close: connections.close,
  }
}
