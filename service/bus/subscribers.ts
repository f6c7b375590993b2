/** Makes the subscribers of a key; `failed` is told what a handler throws. */
export function createSubscribers<Message>(failed: (error: unknown) => void) {
  let all: readonly { readonly handler: (message: Message) => void; isOver: boolean }[] = []
  return {
    size: (): number => all.length,
    /** Adds a handler; the returned function takes it out. */
    add(handler: (message: Message) => void): () => void {
      const one = { handler, isOver: false }
      all = [...all, one]
      return () => {
        one.isOver = true
        all = all.filter((other) => other !== one)
      }
    },
    /** Calls all that were there before, except those that are taken out meanwhile. */
    hand(message: Message): void {
      for (const one of all) {
        if (one.isOver) continue
        try {
          one.handler(message)
        } catch (error) {
          failed(error)
        }
      }
    },
  }
}

/** The handlers of a key, in the order in which they came. */
export type Subscribers<Message> = ReturnType<typeof createSubscribers<Message>>
