/** What is known of a line that has messages waiting. */
interface Line {
  target: string
  state: 'ready' | 'running' | 'blocked'
  /** Something was put in since it was last read. */
  again: boolean
  /** The message that the line waits for. */
  head?: string
}

/**
 * Lines of messages that are delivered one after the other, such as the copies of a conversation (behaviour.md#message-copies). A line waits for a
 * message that was not delivered, for `patience` at most, then goes past it. This is memory only: what waits stands in the database.
 */
export interface Lines {
  /** Something waits in a line, for a target. */
  touched(line: string, target: string): void
  /** Targets with a line that may go on. */
  targets(): Iterable<string>
  /** Takes up to `room` lines of a target that may go on; each is running until `ran`. */
  take(target: string, room: number): string[]
  /** A run read all there was, or left something (`more`). The line goes to the end of its target's. */
  ran(line: string, left: 'nothing' | 'more', target: string): void
  /** A line waits for a message from now on. */
  block(line: string, head: string, target: string): void
  /** A message was delivered after all: the line that waits for it goes on, to be looked at under the target returned. */
  delivered(line: string, nId: string): string | undefined
  /** Lets those go on whose patience is over, or whose name begins as given. */
  release(prefix?: string): void
  /** When the next patience is over, in ms. */
  nextRelease(): number | undefined
}

/** Makes the memory of lines. `patience` in ms. */
export function createLines({ clock, patience }: { readonly clock: () => number; readonly patience: number }): Lines {
  const lines = new Map<string, Line>()
  const ready = new Map<string, Set<string>>()
  /** Waiting lines with the end of their patience, in the order of it. */
  const blocked = new Map<string, number>()

  const goOn = (name: string, line: Line): void => {
    line.state = 'ready'
    delete line.head
    blocked.delete(name)
    let those = ready.get(line.target)
    if (!those) ready.set(line.target, (those = new Set()))
    those.add(name)
  }

  return {
    touched(name, target) {
      const line = lines.get(name)
      if (line) {
        line.again = true
        return
      }
      const fresh: Line = { target, state: 'ready', again: false }
      lines.set(name, fresh)
      goOn(name, fresh)
    },
    targets: () => ready.keys(),
    take(target, room) {
      const those = ready.get(target)
      if (!those) return []
      const taken: string[] = []
      for (const name of those) {
        if (taken.length >= room) break
        those.delete(name)
        const line = lines.get(name)!
        line.state = 'running'
        line.again = false
        taken.push(name)
      }
      if (those.size === 0) ready.delete(target)
      return taken
    },
    ran(name, left, target) {
      const line = lines.get(name)
      if (!line) return
      line.target = target
      if (left === 'more' || line.again) goOn(name, line)
      else lines.delete(name)
    },
    block(name, head, target) {
      const line: Line = lines.get(name) ?? { target, state: 'blocked', again: true }
      ready.get(line.target)?.delete(name)
      lines.set(name, Object.assign(line, { state: 'blocked' as const, target, head }))
      blocked.set(name, clock() + patience)
    },
    delivered(name, nId) {
      const line = lines.get(name)
      if (line?.state !== 'blocked' || line.head !== nId) return undefined
      goOn(name, line)
      return line.target
    },
    release(prefix) {
      const now = clock()
      for (const [name, until] of blocked) {
        // More than the whole patience ahead: the clock was set back since, and the line has waited long enough.
        if (prefix === undefined && until > now && until - now <= patience) break
        if (prefix === undefined || name.startsWith(prefix)) goOn(name, lines.get(name)!)
      }
    },
    nextRelease: () => blocked.values().next().value,
  }
}
