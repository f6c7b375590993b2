/** What waits at most, in messages and in characters, and what is under way. */
export interface OutgoingBounds {
  readonly messages: number
  readonly length: number
  readonly underWay: number
}

interface Item {
  readonly channel: string
  readonly text: string
}

const usual: OutgoingBounds = { messages: 20_000, length: 32 * 1024 * 1024, underWay: 1000 }
/** Sent entries that are kept before the list is made shorter. */
const maxSent = 1024

/** Makes messages that wait to be sent, in order. Beyond a bound the oldest are dropped. */
export function createOutgoing(options: {
  readonly send: (channel: string, text: string) => Promise<unknown>
  readonly isOpen: () => boolean
  /** A message was dropped, or it is unknown whether it arrived. */
  readonly lost: (error?: unknown) => void
  readonly bounds?: OutgoingBounds
}) {
  const { send, isOpen, lost, bounds = usual } = options
  let waiting: Item[] = []
  /** Place of the first that waits. */
  let first = 0
  let length = 0
  let underWay = 0
  let whenEmpty: (() => void)[] = []

  const take = (): Item | undefined => {
    const item = waiting[first]
    if (!item) return undefined
    first += 1
    length -= item.text.length
    if (first > maxSent && first * 2 > waiting.length) {
      waiting = waiting.slice(first)
      first = 0
    }
    return item
  }
  const ended = (): void => {
    underWay -= 1
    go()
    if (underWay > 0 || waiting.length > first) return
    for (const call of whenEmpty) call()
    whenEmpty = []
  }
  function go(): void {
    while (underWay < bounds.underWay && isOpen()) {
      const item = take()
      if (!item) return
      underWay += 1
      send(item.channel, item.text).then(ended, (error: unknown) => {
        lost(error)
        ended()
      })
    }
  }
  return {
    go,
    add(channel: string, text: string): void {
      waiting.push({ channel, text })
      length += text.length
      go()
      while (waiting.length - first > bounds.messages || length > bounds.length) {
        take()
        lost()
      }
    },
    /** Resolves once nothing waits or is under way. */
    empty: (): Promise<void> =>
      underWay === 0 && waiting.length === first
        ? Promise.resolve()
        : new Promise((resolve) => void whenEmpty.push(resolve)),
  }
}
