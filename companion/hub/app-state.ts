import type { AppEvent } from '../../contract/rpc/index.ts'

/** The events of one type. */
type EventOf<T extends AppEvent['type']> = Extract<AppEvent, { readonly type: T }>

/** What the app knows now: of everything that pages are told as state the newest. */
export interface AppState {
  /** The newest event of a type for each thing that it tells of: profile, channel, room or account. */
  newest<T extends AppEvent['type']>(type: T): readonly EventOf<T>[]
}

/** The same, to be kept up to date. */
export interface AppStateStore extends AppState {
  /** Takes an event in. */
  put(event: AppEvent): void
  /** Drops what is known of a profile that was removed. */
  forget(profileId: string): void
  /** All of it, by slices. */
  slices(): Map<string, AppEvent>
}

/** The slice of an event: a newer event replaces an older one of its slice. Push events, finished files and deliveries are no state and have none. */
export function sliceOf(event: AppEvent): string | undefined {
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

/** Whether an event says that there is nothing to tell any more. */
const isOver = (event: AppEvent): boolean =>
  (event.type === 'figures' && event.figures === null) ||
  (event.type === 'recording' && event.recording.state === 'off') ||
  (event.type === 'linkSession' && event.session.phase === 'off') ||
  (event.type === 'room' && event.desk.phase === 'off')

/** Makes it with nothing known. */
export function createAppState(): AppStateStore {
  const byType = new Map<AppEvent['type'], Map<string, AppEvent>>()
  return {
    newest: <T extends AppEvent['type']>(type: T) => [...(byType.get(type)?.values() ?? [])] as EventOf<T>[],
    put: (event) => {
      const slice = sliceOf(event)
      // A list that must be fetched again is news, not state: a page that subscribes later fetches it anyway.
      if (slice === undefined || event.type === 'channels') return
      const ofType = byType.get(event.type) ?? new Map<string, AppEvent>()
      byType.set(event.type, ofType)
      if (isOver(event)) ofType.delete(slice)
      else ofType.set(slice, event)
    },
    forget: (profileId) => {
      for (const ofType of byType.values())
        for (const [slice, event] of ofType) if (profileOf(event) === profileId) ofType.delete(slice)
    },
    slices: () => new Map([...byType.values()].flatMap((ofType) => [...ofType])),
  }
}
