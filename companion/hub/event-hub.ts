import type { AppEvent } from '../../contract/rpc/index.ts'

/** What pages are told: the newest event of each slice, and one queue per subscription. */
export interface EventHub {
  /** Keeps the event as its slice's newest state and hands it to every subscription. */
  post(event: AppEvent): void
  /** Drops the slices of a profile that was removed. */
  forget(profileId: string): void
  /** Events from now on, beginning with the present state of every slice; ends when the signal aborts. */
  subscribe(signal: AbortSignal): AsyncGenerator<AppEvent, void>
  /** Whether the newest state of some slice is like this. */
  some(is: (event: AppEvent) => boolean): boolean
  /** How many subscriptions are open. */
  subscribers(): number
  /** Told when the first subscription comes and when the last one goes. */
  onSubscribers(listener: (count: number) => void): () => void
}

/** Push events waiting for one page at most; the oldest is dropped, the page's log then has a gap. */
const waitingPushes = 200

/** Refusals among them: anybody who knows a channel can be refused, and pushes out nothing else. */
const waitingRefusals = 50
const isRefusal = (event: AppEvent): boolean => event.type === 'push' && event.kind === 'refused'
const dropOldest = (events: AppEvent[]): void => {
  const tooMany = events.filter(isRefusal).length > waitingRefusals
  events.splice(tooMany ? events.findIndex(isRefusal) : 0, 1)
}

/** The slice of an event: a newer event replaces an older one of its slice, in the queues too. Push events, finished files and deliveries are no state and have none. */
function sliceOf(event: AppEvent): string | undefined {
  switch (event.type) {
    case 'push':
    case 'recorded':
    case 'unrecorded':
    case 'delivery':
    case 'copy':
    case 'link':
    case 'roomPush':
      return undefined
    case 'receiver':
    case 'copyReceiver':
      return `${event.type} ${event.receiver.profileId}`
    case 'linkSession':
      return `linkSession ${event.session.profileId} ${event.session.accid}`
    case 'room':
      return `room ${event.desk.profileId} ${event.desk.roomid}`
    case 'tallies':
    case 'channels':
      return `${event.type} ${event.profileId}`
    case 'figures':
    case 'recording':
      return `${event.type} ${event.profileId} ${event.cid}`
    default:
      return event.type
  }
}

/** Whose state an event is; undefined for the app's own. */
function profileOf(event: AppEvent): string | undefined {
  switch (event.type) {
    case 'receiver':
    case 'copyReceiver':
      return event.receiver.profileId
    case 'linkSession':
      return event.session.profileId
    case 'room':
      return event.desk.profileId
    default:
      return 'profileId' in event ? event.profileId : undefined
  }
}

interface Queue {
  readonly states: Map<string, AppEvent>
  readonly pushes: AppEvent[]
  wake: () => void
}

/** Creates an empty board. A slow page holds at most one event per slice and 200 push events. */
export function createEventHub(): EventHub {
  const newest = new Map<string, AppEvent>()
  const queues = new Set<Queue>()
  const counted = new Set<(count: number) => void>()
  const tell = (): void => {
    for (const listener of counted) listener(queues.size)
  }

  return {
    post: (event) => {
      const slice = sliceOf(event)
      if (slice !== undefined) {
        // A list that must be fetched again is news, not state: a page that subscribes later fetches it anyway. Gone figures need no slice either.
        if (
          (event.type === 'figures' && event.figures === null) ||
          (event.type === 'recording' && event.recording.state === 'off') ||
          (event.type === 'linkSession' && event.session.phase === 'off') ||
          (event.type === 'room' && event.desk.phase === 'off')
        )
          newest.delete(slice)
        else if (event.type !== 'channels') newest.set(slice, event)
      }
      for (const queue of queues) {
        if (slice === undefined) {
          queue.pushes.push(event)
          if (queue.pushes.length > waitingPushes) dropOldest(queue.pushes)
        } else {
          queue.states.delete(slice)
          queue.states.set(slice, event)
        }
        queue.wake()
      }
    },
    forget: (profileId) => {
      for (const [slice, event] of newest) {
        if (profileOf(event) === profileId) newest.delete(slice)
      }
    },
    async *subscribe(signal) {
      let wake = Promise.withResolvers<void>()
      const queue: Queue = {
        states: new Map(newest),
        pushes: [],
        wake: () => {
          wake.resolve()
        },
      }
      const stop = (): void => {
        wake.resolve()
      }
      signal.addEventListener('abort', stop)
      queues.add(queue)
      tell()
      try {
        while (!signal.aborted) {
          const [slice] = queue.states.keys()
          const event = queue.pushes.shift() ?? (slice === undefined ? undefined : queue.states.get(slice))
          if (event === undefined) {
            wake = Promise.withResolvers<void>()
            await wake.promise
            continue
          }
          if (slice !== undefined && sliceOf(event) === slice) queue.states.delete(slice)
          yield event
        }
      } finally {
        queues.delete(queue)
        signal.removeEventListener('abort', stop)
        tell()
      }
    },
    some: (is) => [...newest.values()].some(is),
    subscribers: () => queues.size,
    onSubscribers: (listener) => {
      counted.add(listener)
      return () => {
        counted.delete(listener)
      }
    },
  }
}
