import { eventFault, type AppEvent } from '../../contract/rpc/events.ts'
import { createListeners } from '../listeners.ts'
import { type AppState, createAppState, sliceOf } from './app-state.ts'

/** The newest event of each slice, and a queue for each subscription. */
export type EventHub = Readonly<ReturnType<typeof createEventHub>>

/** Events without a slice waiting for one page; the oldest is dropped. */
const waitingPushes = 200

/** Anybody who knows a channel can be refused: refusals do not drop other events. */
const waitingRefusals = 50
const isRefusal = (event: AppEvent): boolean => event.type === 'push' && event.kind === 'refused'
const dropOldest = (events: AppEvent[]): void => {
  const tooMany = events.filter(isRefusal).length > waitingRefusals
  events.splice(tooMany ? events.findIndex(isRefusal) : 0, 1)
}

interface Queue {
  readonly states: Map<string, AppEvent>
  readonly pushes: AppEvent[]
  wake: () => void
}

/** Kinds of faults that are told, each once. */
const mostFaults = 100

/**
 * Creates an empty hub. A slow page holds one event per slice and 200 push events. An event with members that the
 * contract does not have so is left out, as it would end every subscription: it may come of what a service elsewhere
 * answered. `unfit` is told of it.
 */
export function createEventHub(unfit: (fault: string) => void = () => undefined) {
  const state = createAppState()
  const queues = new Set<Queue>()
  const counted = createListeners<[number]>()
  const faults = new Set<string>()
  const tell = (): void => counted.tell(queues.size)

  return {
    post: (event: AppEvent) => {
      const fault = eventFault(event)
      if (fault !== undefined) {
        if (faults.size >= mostFaults || faults.has(fault)) return
        faults.add(fault)
        return unfit(fault)
      }
      const slice = sliceOf(event)
      state.put(event)
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
    forget: (profileId: string) => state.forget(profileId),
    /** Begins with the present state; ends when the signal aborts. */
    async *subscribe(signal: AbortSignal): AsyncGenerator<AppEvent, void> {
      let wake = Promise.withResolvers<void>()
      const queue: Queue = {
        states: state.slices(),
        pushes: [],
        wake: () => wake.resolve(),
      }
      const stop = (): void => wake.resolve()
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
    state: state as AppState,
    subscribers: (): number => queues.size,
    /** Called when a subscription begins or ends. */
    onSubscribers: counted.on,
  }
}
