import { inBackground } from '../background.ts'
import type { DeliveryTable } from '../storage/schema.ts'
import type { Attempts } from './attempts.ts'
import type { Attempt } from './delivery-request.ts'
import { notYet, type Deliveries } from './deliveries.ts'
import type { Lines } from './lines.ts'
import type { OutboxOptions } from './outbox-options.ts'
import type { Outcomes } from './outcomes.ts'

/** Decides which messages are attempted when. */
export interface Dispatcher {
  /** Something was put into a line. It waits for the connection, which the caller's transaction has until it stands. */
  lineTouched(): void
  /** Something may be due for any target. It waits likewise. */
  anyTouched(): void
  /** Messages that wait were changed: what a run read before is not sent any more. */
  changed(): void
  start(): void
  /** Begins nothing any more, and waits for what is under way. */
  close(): Promise<void>
}

/** What dispatching works with. */
export interface DispatcherOptions extends Pick<OutboxOptions, 'clock' | 'after' | 'log' | 'gatherFor'> {
  readonly rows: Pick<Deliveries, 'targets' | 'due' | 'nextDue' | 'earlier' | 'held'>
  readonly lines: Lines
  readonly attempts: Pick<Attempts, 'make'>
  readonly outcomes: Outcomes
}

/** Attempts under way to one target (scheme, host and port) at once, and to all. What is beyond waits in the database. */
const perTarget = 4
const inAll = 32
/** Messages of a line that are read, and sent one after the other, before others have their turn. */
const maxRun = 16
/** How long it sleeps at most, in ms: after a clock was set, nothing is late by more than this. */
const maxSleep = 60_000
/** How long it waits after the database refused, in ms. */
const afterFault = 5_000

/** Makes the dispatcher. The database is asked what is due only where something may be: messages of lines go by the memory of lines. */
export function createDispatcher({
  rows,
  lines,
  attempts,
  outcomes,
  clock,
  after,
  log,
  gatherFor = 0,
}: DispatcherOptions): Dispatcher {
  /** Messages and lines that are under way, and how many of each target. */
  const underWay = new Set<string>()
  const counts = new Map<string, number>()
  const working = new Set<Promise<void>>()
  /** What takes the waking of a line back. */
  const resting = new Set<() => void>()
  /** Counts what changed messages that wait. */
  let changes = 0
  /** Targets to be looked at, those of them for which something may be due, and `all` when there may be others. */
  const wanted = new Set<string>()
  const dueFor = new Set<string>()
  let all = false
  /** Up to when every target was looked at. */
  let lookedUntil = 0
  /** Counts what may have given messages another time; when the next is due was asked for at a count. */
  let retimed = 0
  let askedAt = -1
  let nextDue = notYet
  /** Something is due that the bound on all attempts keeps waiting. */
  let held = false
  let looking = false
  let started = false
  let closed = false
  let isLineWaking = false
  let wakeAt = Infinity
  let cancelWake = (): void => {}

  const track = (work: Promise<void>): void => {
    working.add(work)
    inBackground(
      work.finally(() => working.delete(work)),
      log,
      'a delivery',
    )
  }
  /** Looks at everything after ms, or earlier when that was asked for before. */
  const wakeAfter = (ms: number): void => {
    const at = clock() + ms
    if (!started || closed || at >= wakeAt) return
    cancelWake()
    wakeAt = at
    cancelWake = after(ms, () => {
      wakeAt = Infinity
      pump()
    })
  }
  const begin = (id: string, target: string): void => {
    underWay.add(id)
    counts.set(target, (counts.get(target) ?? 0) + 1)
  }
  const end = (id: string, target: string): void => {
    underWay.delete(id)
    const left = (counts.get(target) ?? 1) - 1
    if (left > 0) counts.set(target, left)
    else counts.delete(target)
    pump(held ? undefined : target)
  }

  const deliver = async (row: DeliveryTable): Promise<void> => {
    const outcome = await attempts.make(row)
    // One that the closing cut off stays as it was and is made again at the next start.
    if (outcome) {
      const target = await outcomes.keep(row, outcome)
      for (const each of [target, row.target]) {
        wanted.add(each)
        dueFor.add(each)
      }
      if (!outcome.delivered) retimed++
      const goesOn = row.line !== null && outcome.delivered ? lines.delivered(row.line, row.nId) : undefined
      if (goesOn !== undefined) wanted.add(goesOn)
    }
    end(row.nId, row.target)
  }
  /** Lets a line that was sent gather what comes next: together they cost few questions and marks. The first after a while goes at once. */
  const rest = (line: string, target: string): void => {
    const cancel = after(gatherFor, () => {
      resting.delete(cancel)
      lines.ran(line, 'nothing', target)
      pump(target)
    })
    resting.add(cancel)
  }
  /** Sends the next of a line in their order until one is not delivered. */
  const run = async (line: string, first: string): Promise<void> => {
    let target = first
    const next = await rows.held(line, maxRun)
    const read = changes
    const kept: Promise<string>[] = []
    let ended: [DeliveryTable, Attempt][] = []
    let endedAt = 0
    const keep = (): void => {
      for (const [each, outcome] of ended) kept.push(outcomes.keep(each, outcome))
      ended = []
    }
    let hasFailed = false
    let left: 'nothing' | 'more' | 'blocked' = next.length === maxRun ? 'more' : 'nothing'
    for (const row of next) {
      const elsewhere = row.target !== target
      if (elsewhere || changes !== read || closed) {
        if (elsewhere) wanted.add((target = row.target))
        left = 'more'
        break
      }
      const outcome = await attempts.make(row)
      if (!outcome) break
      if (ended.push([row, outcome]) === 1) endedAt = clock()
      if (!outcome.delivered || clock() - endedAt >= gatherFor) keep()
      if (outcome.delivered) continue
      hasFailed = true
      left = changes === read ? 'blocked' : 'more'
      if (left === 'blocked') lines.block(line, row.nId, target)
      break
    }
    keep()
    await Promise.all(kept)
    if (hasFailed) retimed++
    if (left === 'nothing' && next.length > 0 && gatherFor > 0 && !closed) rest(line, target)
    else if (left !== 'blocked') lines.ran(line, left, target)
  }

  const lookAt = async (target: string): Promise<void> => {
    const free = perTarget - (counts.get(target) ?? 0)
    const room = Math.min(free, inAll - underWay.size)
    if (room < free) held = true
    if (room <= 0) return
    let taken = 0
    if (dueFor.has(target)) {
      const due = await rows.due(target, clock(), [...underWay], room)
      if (closed) return
      taken = due.length
      if (taken < room) dueFor.delete(target)
      for (const row of due) {
        begin(row.nId, target)
        track(deliver(row))
      }
    }
    for (const line of lines.take(target, room - taken)) {
      begin(line, target)
      const running = run(line, target).catch((error: unknown) => {
        log.error({ err: error }, 'a line of deliveries could not be read')
        lines.block(line, '', target)
      })
      track(running.then(() => end(line, target)))
    }
  }
  const look = async (): Promise<void> => {
    while ((all || wanted.size > 0) && !closed) {
      const everything = all
      const targets = new Set(wanted)
      all = false
      wanted.clear()
      lines.release()
      if (everything) {
        const now = clock()
        // The clock was set back: what waits for its resend would wait for as much longer.
        if (now < lookedUntil) await rows.earlier(lookedUntil - now, now)
        held = false
        retimed++
        for (const target of await rows.targets(now)) dueFor.add(target)
        lookedUntil = now
        for (const target of [...dueFor, ...lines.targets()]) targets.add(target)
      }
      for (const target of targets) await lookAt(target)
    }
    if (askedAt !== retimed) {
      // What is counted meanwhile looks again by itself.
      askedAt = retimed
      nextDue = (await rows.nextDue(lookedUntil)) ?? notYet
    }
    wakeAfter(Math.min(Math.max(Math.min(nextDue, lines.nextRelease() ?? notYet) - clock(), 0), maxSleep))
  }
  /** Looks what there is for a target that has room again, or for all. */
  const pump = (target?: string): void => {
    if (target === undefined) all = true
    else wanted.add(target)
    if (looking || !started || closed) return
    looking = true
    track(
      look()
        .catch((error: unknown) => {
          log.error({ err: error }, 'the outbox could not be read')
          all = false
          wanted.clear()
          askedAt = -1
          wakeAfter(afterFault)
        })
        .finally(() => {
          looking = false
          if (all || wanted.size > 0) pump(wanted.values().next().value)
        }),
    )
  }

  return {
    lineTouched() {
      if (isLineWaking || !started) return
      isLineWaking = true
      // Those of one transaction together.
      setImmediate(() => {
        isLineWaking = false
        for (const target of lines.targets()) pump(target)
      })
    },
    anyTouched: () => wakeAfter(0),
    changed() {
      changes++
      wakeAfter(0)
    },
    start() {
      started = true
      pump()
    },
    async close() {
      closed = true
      cancelWake()
      for (const cancel of resting) cancel()
      while (working.size > 0) await Promise.allSettled(working)
    },
  }
}
