import type { Clock } from '../../platform/clock.ts'

interface Line {
  target: string
  state: 'ready' | 'running' | 'blocked'
  /** A message was added since the last read. */
  again: boolean
  /** The message that blocks the line. */
  head?: string
}

/** Messages delivered in sequence (behaviour.md#message-copies); a failed one blocks its line for a while. */
export type Lines = ReturnType<typeof createLines>

/** Makes it; `patience` in ms. `ended` is told of a line in which nothing can be sent any more. */
export function createLines({
  clock,
  patience,
  ended,
}: {
  readonly clock: Pick<Clock, 'now'>
  readonly patience: number
  readonly ended?: (name: string) => void
}) {
  const lines = new Map<string, Line>()
  const ready = new Map<string, Set<string>>()
  /** Blocked lines with their end, in order of it. */
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
    touched(name: string, target: string) {
      const line = lines.get(name)
      if (line) {
        line.again = true
        return
      }
      const fresh: Line = { target, state: 'ready', again: false }
      lines.set(name, fresh)
      goOn(name, fresh)
    },
    /** Targets with a line ready to run. */
    targets: (): Iterable<string> => ready.keys(),
    /** Takes up to `room` ready lines of a target; each runs until `ran`. */
    take(target: string, room: number): string[] {
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
    /** A run has ended and left nothing or `more`. The line goes to the end of its target's queue. */
    ran(name: string, left: 'nothing' | 'more', target: string) {
      const line = lines.get(name)
      if (!line) return
      line.target = target
      if (left === 'more' || line.again) goOn(name, line)
      else {
        lines.delete(name)
        ended?.(name)
      }
    },
    /** Others send the line now. */
    forget(name: string) {
      const line = lines.get(name)
      if (!line) return
      const those = ready.get(line.target)
      those?.delete(name)
      if (those?.size === 0) ready.delete(line.target)
      blocked.delete(name)
      lines.delete(name)
    },
    /** Lines of each target that are not blocked. */
    active(): ReadonlyMap<string, number> {
      const counts = new Map<string, number>()
      for (const { state, target } of lines.values())
        if (state !== 'blocked') counts.set(target, (counts.get(target) ?? 0) + 1)
      return counts
    },
    block(name: string, head: string, target: string) {
      const line: Line = lines.get(name) ?? { target, state: 'blocked', again: true }
      ready.get(line.target)?.delete(name)
      lines.set(name, Object.assign(line, { state: 'blocked' as const, target, head }))
      blocked.set(name, clock.now() + patience)
    },
    /** The blocking message was delivered: returns the target under which its line continues. */
    delivered(name: string, nId: string): string | undefined {
      const line = lines.get(name)
      if (line?.state !== 'blocked' || line.head !== nId) return undefined
      goOn(name, line)
      return line.target
    },
    /** Unblocks lines whose patience is over, or whose name has the prefix. */
    release(prefix?: string) {
      const now = clock.now()
      for (const [name, until] of blocked) {
        // More than the full patience ahead: the clock was set back.
        if (prefix === undefined && until > now && until - now <= patience) break
        if (prefix === undefined || name.startsWith(prefix)) goOn(name, lines.get(name)!)
      }
    },
    /** Next end of a patience, in ms. */
    nextRelease: (): number | undefined => blocked.values().next().value,
  }
}
