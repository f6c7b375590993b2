import type { Kysely } from 'kysely'
import type { Clock } from '../../platform/clock.ts'
import type { Bus } from '../bus/bus.ts'
import type { Log } from '../log.ts'
import type { Tables } from '../storage/schema.ts'
import type { EventSource, OrderedEvent } from './journal.ts'
import { createPlaces } from './places.ts'

/** A stored change. */
export interface Entry {
  readonly place: number
  readonly kind: string
  /** JSON. */
  readonly body: string
  /** Place of the event that brought it; null for none. */
  readonly event: number | null
}
/** An event of this service, with what it changes. */
export interface OwnEvent extends OrderedEvent {
  readonly entry: Entry | undefined
}

/** The last places that are stored. */
interface Ends {
  readonly changes: number
  readonly events: number
}

const noop = (): void => {}
/** As after a change to a copy of the database that lags behind. */
const lessThanHere =
  'the database has fewer changes than this service knows: it must be started again to read what is stored'
/** As after a day in which this service could not read them. */
const removed = 'changes of other services are gone that this one has not read: it must be started again'
/** In ms, between looks for what others stored and of which no word came. */
const lookEvery = 250
/** In ms; then an answer is given by what is known here. */
const longestFresh = 1000
/** Keys under which the last change and the last event are told. */
const newest = 'newest'
const newestEvent = 'event'
/** Entries and events per look. */
const most = 1000

/**
 * Makes the changes of all services of a database in memory, and hands on their events, in one order. Both have places
 * without gaps in the order of their commits, of two counters that a transaction takes in the same sequence: events
 * first. So the orders agree: a change that an event brings is made right before that event is handed on, after all
 * events before it. Other changes are made as soon as those before them are.
 */
export async function createSharedOrder(options: {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly log: Pick<Log, 'error' | 'warn'>
  readonly bus: Pick<Bus, 'topic' | 'onBack'>
  /** Makes a change in memory; does not throw. */
  readonly make: (entry: Entry) => void
  /** Called once where what is in memory is not what the database has any more. */
  readonly mustEnd?: ((why: string) => void) | undefined
}) {
  const { db, clock, log, bus, make, mustEnd } = options
  const topic = bus.topic<number>('journal')
  /** In one statement, so that each entry up to the first has its event up to the second, and the other way round. */
  const lastPlaces = db
    .selectFrom(['journalPosition', 'streamPosition'])
    .select(['journalPosition.value as changes', 'streamPosition.value as events'])
    .compile()
  const ends = async (): Promise<Ends> => (await db.executeQuery(lastPlaces)).rows[0]!
  const changes = createPlaces((await ends()).changes)
  const events = createPlaces(0)
  let source: EventSource | undefined
  let isStarted = false
  let isClosed = false
  let isLost = false

  const makeNext = (entry: Entry): void => {
    changes.at = entry.place
    make(entry)
  }
  const handOn = (event: OrderedEvent): void => {
    events.at = event.seq
    try {
      event.hand()
    } catch (error) {
      // It is stored: receivers find it at their next sync.
      log.error({ err: error, seq: event.seq }, 'an event could not be delivered')
    }
  }
  /** Goes on as far as what was read allows; `upTo` is the last place of the events that were read. */
  const merge = (entries: readonly Entry[], read: readonly OrderedEvent[], upTo: number, areAll: boolean): void => {
    let next = 0
    const handBefore = (place: number): void => {
      for (; next < read.length && read[next]!.seq < place; next++) if (read[next]!.seq > events.at) handOn(read[next]!)
    }
    for (const entry of entries) {
      // Own ones may have been made meanwhile.
      if (entry.place <= changes.at) continue
      const event = source ? (entry.event ?? 0) : 0
      if (event > events.at) {
        if (event > upTo) break
        handBefore(event)
        makeNext(entry)
        handBefore(event + 1)
        // Where its row is gone there was nothing to hand on.
        events.at = Math.max(events.at, event)
      } else makeNext(entry)
    }
    // Events after the last entry that was read may bring one that was not.
    if (!areAll) return
    handBefore(Infinity)
    events.at = Math.max(events.at, upTo)
  }
  const lose = (why: string): false => {
    isLost = true
    log.error({ applied: changes.at, handed: events.at }, why)
    mustEnd?.(why)
    return false
  }
  const lookOnce = async (): Promise<boolean> => {
    const before = [changes.at, events.at] as const
    const end = await ends()
    if (end.changes < before[0] || (source && end.events < before[1])) return lose(lessThanHere)
    const [made, handed] = [changes.at, events.at]
    const read = source && end.events > handed ? await source.read(handed, end.events, most) : []
    const entries =
      end.changes > made
        ? await db
            .selectFrom('journalEntry')
            .selectAll()
            .where('place', '>', made)
            .where('place', '<=', end.changes)
            .orderBy('place')
            .limit(most)
            .execute()
        : []
    if (end.changes > made && entries[0]?.place !== made + 1) return lose(removed)
    const upTo = read.length === most ? read.at(-1)!.seq : end.events
    // An entry beyond the events that were read is after all that is handed on now.
    const areAll = entries.length < most || entries.some(({ event }) => (event ?? 0) > upTo)
    merge(entries, read, source ? upTo : 0, areAll)
    changes.wake()
    events.wake()
    return read.length === most || entries.length === most
  }

  let looking: Promise<void> | undefined
  let isAsked = false
  let hasFailed = false
  const look = (): void => {
    if (!isStarted || isLost) return
    isAsked = true
    looking ??= (async () => {
      try {
        while (isAsked && !isClosed) {
          isAsked = false
          while (!isClosed && (await lookOnce()));
        }
        hasFailed = false
      } catch (error) {
        // Asked again soon; said once.
        if (!hasFailed && !isClosed) log.warn({ err: error }, 'the changes of other services cannot be read')
        hasFailed = true
      } finally {
        looking = undefined
      }
    })()
  }
  let cancel = (): void => {}
  let stopHearing = (): void => {}
  const lookAgain = (): void => {
    cancel = clock.after(lookEvery, () => {
      look()
      lookAgain()
    })
  }
  const reached = (places: typeof changes, place: number): Promise<void> => {
    // What is stored is loaded before the start.
    if (place <= places.at || !isStarted) return Promise.resolve()
    look()
    return places.reached(place)
  }

  /** The question that is asked now, and the one after it. */
  let asking: Promise<Ends> | undefined
  let next: Promise<Ends> | undefined
  const ask = (): Promise<Ends> => (asking = ends().finally(() => (asking = undefined)))
  // A question that was asked before may be answered without what was stored since.
  const askAnew = (): Promise<Ends> => (next ??= asking!.then(noop, noop).then(() => ((next = undefined), ask())))
  const catchUp = async (): Promise<void> => {
    const end = await (asking ? askAnew() : ask())
    await Promise.all([reached(changes, end.changes), source && reached(events, end.events)])
  }

  return {
    applied: () => changes.at,
    handed: () => events.at,
    /** Resolves once the changes up to a place are made here. */
    made: (place: number): Promise<void> => reached(changes, place),
    /** Resolves once the events up to a place are handed on here. */
    handedOn: (place: number): Promise<void> => reached(events, place),
    look,
    /** Resolves once all that was stored before the call is made and handed on here, or after a bound. */
    async fresh(): Promise<void> {
      const late = Promise.withResolvers<void>()
      const stop = clock.after(longestFresh, late.resolve)
      await Promise.race([catchUp().catch(noop), late.promise])
      stop()
    },
    /** Events are read from a source, after those that are handed on already. */
    attach(given: EventSource, handed: number): void {
      source = given
      events.at = handed
    },
    /** Changes were stored here. Resolves once they are made here. */
    async stored(entries: readonly Entry[]): Promise<void> {
      // At the start they are made again with those of others, in the order of all.
      if (!isStarted) entries.forEach(make)
      // Without a look where no other change is between.
      else for (const entry of entries) if (entry.place === changes.at + 1) makeNext(entry)
      const { place } = entries.at(-1)!
      topic.publish(newest, place)
      changes.wake()
      await reached(changes, place)
    },
    /** Events with places from `first` to `last` were stored here; some of these places may have none. */
    storedEvents(own: readonly OwnEvent[], first: number, last: number): void {
      // Without a look where nothing of others is between.
      const isNext = ({ entry }: OwnEvent): boolean => entry === undefined || entry.place === changes.at + 1
      if (isStarted && events.at === first - 1) {
        const areHanded = own.every((event) => {
          if (!isNext(event)) return false
          if (event.entry) makeNext(event.entry)
          handOn(event)
          return true
        })
        if (areHanded) events.at = last
      }
      topic.publish(newestEvent, last)
      changes.wake()
      events.wake()
      if (events.at < last) look()
    },
    /** Begins to look; resolves once everything that is stored by now is made and handed on here. */
    async start(): Promise<void> {
      isStarted = true
      const stops = [
        topic.subscribe(newest, (place) => place > changes.at && look()),
        topic.subscribe(newestEvent, (place) => place > events.at && look()),
        bus.onBack(look),
      ]
      stopHearing = () => stops.forEach((stop) => stop())
      lookAgain()
      await catchUp()
      // Also where nothing is behind: others may store at once.
      look()
    },
    async close(): Promise<void> {
      isClosed = true
      cancel()
      stopHearing()
      await looking
      for (const places of [changes, events]) places.close()
    },
  }
}
