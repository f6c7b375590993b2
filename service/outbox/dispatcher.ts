import { inBackground } from '../background.ts'
import type { DeliveryTable } from '../storage/schema.ts'
import type { Attempts } from './attempts.ts'
import type { Attempt } from './delivery-request.ts'
import { notYet, type Deliveries } from './deliveries.ts'
import type { Lines } from './lines.ts'
import type { OutboxOptions } from './outbox-options.ts'
import type { Outcomes } from './outcomes.ts'

/** Concurrent attempts per target (scheme, host, port), and in all. The rest waits in the database. */
const perTarget = 4
const inAll = 32
/** Messages of a line sent in sequence before other lines get a turn. */
const maxRun = 16
/** Longest sleep in ms, the largest delay after a clock change. */
const maxSleep = 60_000
/** Wait after a database error, in ms. */
const afterFault = 5_000

/** Schedules delivery attempts. Queries only targets that may have due messages; lines are tracked in memory. */
export function createDispatcher(
  options: Pick<OutboxOptions, 'clock' | 'log' | 'gatherFor'> & {
    readonly rows: Pick<Deliveries, 'targets' | 'due' | 'nextDue' | 'earlier' | 'notLater' | 'held'>
    /** Longest waits in ms that each kind of message may have, by the resends that were made. */
    readonly waits: Readonly<Record<string, readonly number[]>>
    readonly lines: Lines
    /** Where several processes send: claims lines, and says whether one still is this process's. */
    readonly claims?: { take(): Promise<void>; has(line: string): boolean; readonly lookEvery: number } | undefined
    readonly attempts: Pick<Attempts, 'make'>
    readonly outcomes: Pick<Outcomes, 'keep'>
  },
) {
  const { rows, lines, attempts, outcomes, waits, clock, log, claims, gatherFor = 0 } = options
  const longest = claims?.lookEvery ?? maxSleep
  /** Running messages and lines, and their number per target. */
  const underWay = new Set<string>()
  const counts = new Map<string, number>()
  const working = new Set<Promise<void>>()
  /** Cancels wake-ups of lines. */
  const resting = new Set<() => void>()
  /** Version of the waiting messages. */
  let changes = 0
  /** Targets to check, those of them that may have due messages, and `all` for any target. */
  const wanted = new Set<string>()
  const dueFor = new Set<string>()
  let all = false
  /** Time up to which all targets were checked. */
  let lookedUntil = 0
  /** Latest time of any check, to notice that the clock was set back. */
  let latest = 0
  /** Version of the due times, and that of the last query for the next one. */
  let retimed = 0
  let askedAt = -1
  let nextDue = notYet
  /** Due messages are blocked by the limit on all attempts. */
  let held = false
  let looking = false
  /** The last look at what waits failed. */
  let isBroken = false
  let looked: Promise<void> = Promise.resolve()
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
  /** Checks everything after ms, unless an earlier check is set. */
  const wakeAfter = (ms: number): void => {
    // By a clock that is never set: otherwise a message that comes while the time is ahead would not be looked at.
    const at = clock.monotonic() + ms
    if (!started || closed || at >= wakeAt) return
    cancelWake()
    wakeAt = at
    cancelWake = clock.after(ms, () => {
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
    // A cancelled attempt is repeated at the next start.
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
  /** Pauses a line after sending, so that more messages are handled together. After a pause the first goes at once. */
  const rest = (line: string, target: string): void => {
    const cancel = clock.after(gatherFor, () => {
      resting.delete(cancel)
      lines.ran(line, 'nothing', target)
      pump(target)
    })
    resting.add(cancel)
  }
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
      if (claims && !claims.has(line)) {
        // It was held up for so long that others may send it.
        keep()
        await Promise.all(kept)
        return lines.forget(line)
      }
      if (elsewhere || changes !== read || closed) {
        if (elsewhere) wanted.add((target = row.target))
        left = 'more'
        break
      }
      const outcome = await attempts.make(row)
      if (!outcome) break
      if (ended.push([row, outcome]) === 1) endedAt = clock.now()
      if (!outcome.delivered || clock.now() - endedAt >= gatherFor) keep()
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
    // What ends while the rows are read adds the target again.
    if (dueFor.delete(target)) {
      const due = await rows.due(target, clock.now(), [...underWay], room)
      if (closed) return
      taken = due.length
      if (taken === room) dueFor.add(target)
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
      const now = clock.now()
      // The clock was set back: resends would be late by as much.
      const wasSetBack = now < latest
      if (wasSetBack) await rows.earlier(latest - now, now)
      // It may have been ahead before this start.
      else if (latest === 0) for (const [kind, steps] of Object.entries(waits)) await rows.notLater(kind, steps, now)
      latest = now
      const everything = all || wasSetBack
      const targets = new Set(wanted)
      all = false
      wanted.clear()
      lines.release()
      if (everything) {
        held = false
        retimed++
        for (const target of await rows.targets(now)) dueFor.add(target)
        lookedUntil = now
        await claims?.take()
        for (const target of [...dueFor, ...lines.targets()]) targets.add(target)
      }
      for (const target of targets) await lookAt(target)
    }
    if (askedAt !== retimed) {
      // Changes during the query trigger another check.
      askedAt = retimed
      nextDue = (await rows.nextDue(lookedUntil)) ?? notYet
    }
    wakeAfter(Math.min(Math.max(Math.min(nextDue, lines.nextRelease() ?? notYet) - clock.now(), 0), longest))
  }
  /** Starts attempts for a target with free capacity, or for all. */
  const pump = (target?: string): void => {
    if (target === undefined) all = true
    else wanted.add(target)
    if (looking || !started || closed) return
    looking = true
    looked = look()
      .then(() => {
        isBroken = false
      })
      .catch((error: unknown) => {
        isBroken = true
        log.error({ err: error }, 'the outbox could not be read')
        all = false
        wanted.clear()
        askedAt = -1
        wakeAfter(afterFault)
      })
      .finally(() => {
        looking = false
        if (all || wanted.size > 0) pump(wanted.values().next().value)
      })
    track(looked)
  }

  return {
    /** A message was put into a line. */
    lineTouched() {
      if (isLineWaking || !started) return
      isLineWaking = true
      // Collects the messages of one turn.
      setImmediate(() => {
        isLineWaking = false
        for (const target of lines.targets()) pump(target)
      })
    },
    /** Any target may have due messages. */
    anyTouched: () => wakeAfter(0),
    /** Waiting messages changed: running batches must read them again. */
    changed() {
      changes++
      wakeAfter(0)
    },
    start() {
      started = true
      pump()
    },
    /** The outbox could not be read; it is tried again. */
    isBroken: (): boolean => isBroken,
    /** Resolves when the present look at what waits has ended. */
    looked: (): Promise<void> => looked,
    /** Starts nothing more and waits for running attempts. */
    async close() {
      closed = true
      cancelWake()
      for (const cancel of resting) cancel()
      while (working.size > 0) await Promise.allSettled(working)
    },
  }
}
