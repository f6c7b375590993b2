import { z } from 'zod'
import { embeddedEvents } from './embedded-events.ts'
import { event, everybody, news, onChannel, pages, shell, state, type EventAudience, type EventFacts } from './event.ts'
import { CopyReceiver, ReceivedCopy } from './copies.ts'
import { DesktopState } from './desktop.ts'
import { KeptAside } from './keeping.ts'
import { JoinedSeat } from './joined.ts'
import { LinkPushed, LinkSession } from './messaging.ts'
import { ObsState } from './obs.ts'
import { FailureData } from './procedure.ts'
import { Delivery, Receiver } from './receivers.ts'
import { RecordingState } from './recording-state.ts'
import { RoomPanel, RoomPushed } from './rooms.ts'
import { SeatBoard } from './seats.ts'
import { Download, Figures, Profile, ServiceState, Settings, Tally, Update } from './state.ts'
import { ThisComputer } from './this-computer.ts'

/** Events of the companion. A subscription begins with the newest of each part. */
export const events = {
  service: event(
    'service',
    { service: ServiceState },
    { docs: 'How far the embedded service is.', audience: everybody, ...state },
  ),
  profiles: event(
    'profiles',
    { profiles: z.array(Profile) },
    { docs: 'The services that the app can drive.', audience: everybody, ...state },
  ),
  settings: event('settings', { settings: Settings }, { docs: 'Settings of the app.', audience: everybody, ...state }),
  download: event(
    'download',
    { download: Download },
    { docs: "The fetch of the desktop window's binary.", audience: pages, ...state },
  ),
  update: event('update', { update: Update }, { docs: 'Newer versions of the app.', audience: pages, ...state }),
  desktop: event(
    'desktop',
    { desktop: DesktopState },
    { docs: "What became of wishes that only the desktop's system can fulfil.", audience: pages, ...state },
  ),
  tallies: event(
    'tallies',
    {
      profileId: z.string(),
      at: z.number().nullable(),
      source: z.enum(['event', 'poll']),
      /** Service down, computer slept, event stream lost, poll failed (`failure`), or `withheld` from a moderator. */
      fault: z.enum(['down', 'slept', 'lost', 'poll', 'withheld']).nullable(),
      /** Of the last poll. */
      failure: FailureData.optional(),
      tallies: z.array(Tally),
    },
    { docs: 'Tallies of one profile.', audience: everybody, slice: ['profileId'], kept: true },
  ),
  opened: event(
    'opened',
    { cid: z.string() },
    {
      docs:
        'The channel that Studio opened last, in any window: of several on air it has the lamp of the tray. ' +
        'Each window keeps its own.',
      audience: shell,
      ...state,
    },
  ),
  channels: event(
    'channels',
    { profileId: z.string() },
    {
      docs: 'The list of channels of a profile changed beyond tallies: fetch it again.',
      audience: everybody,
      slice: ['profileId'],
      kept: false,
    },
  ),
  figures: event(
    'figures',
    { ...onChannel, figures: Figures.nullable() },
    {
      docs: 'What the ingest measures of a running push, once a second.',
      audience: ['page', 'moderator'],
      slice: ['profileId', 'cid'],
      kept: true,
      ended: ({ figures }) => figures === null,
    },
  ),
  push: event(
    'push',
    {
      ...onChannel,
      kind: z.enum([
        'started',
        'firstKeyFrame',
        'codecs',
        'ended',
        'refused',
        'replaced',
        'stalled',
        'retimed',
        'leftOut',
      ]),
      /** A code for `ended` and `replaced` (contract/push-ends.ts). */
      detail: z.string().nullable(),
      remedy: z.string().nullable(),
      /** Address that a refused push came from, if known. */
      from: z.string().optional(),
    },
    { docs: "Something happened to a push; kept for the Studio's log by the page.", audience: pages, ...news },
  ),
  recording: event(
    'recording',
    { ...onChannel, recording: RecordingState },
    {
      docs: 'What is being recorded of a channel of an own service; while written or stopped also every 2 s.',
      audience: shell,
      slice: ['profileId', 'cid'],
      kept: true,
      ended: ({ recording }) => recording.state === 'off',
    },
  ),
  recorded: event(
    'recorded',
    {
      ...onChannel,
      vid: z.number(),
      name: z.string(),
      bytes: z.number(),
      /** Made of others, by a merge or as a clip. */
      merged: z.boolean(),
      clip: z.boolean().optional(),
    },
    { docs: 'A recorded or merged file, or a clip, is ready.', audience: pages, ...news },
  ),
  unrecorded: event(
    'unrecorded',
    { profileId: z.string(), vids: z.array(z.number()) },
    { docs: 'Recorded files were deleted, by whoever it was.', audience: pages, ...news },
  ),
  ...embeddedEvents,
  linkSession: event(
    'linkSession',
    { session: LinkSession },
    {
      docs: 'The link session of an account changed.',
      audience: pages,
      slice: ['session.profileId', 'session.accid'],
      kept: true,
      ended: ({ session }) => session.phase === 'off',
    },
  ),
  link: event('link', LinkPushed.shape, {
    docs: 'Something came over the link for an account that is signed in.',
    audience: pages,
    ...news,
  }),
  room: event(
    'room',
    { panel: RoomPanel },
    {
      docs: 'A room that the app sits in changed.',
      audience: everybody,
      slice: ['panel.profileId', 'panel.roomid'],
      kept: true,
      ended: ({ panel }) => panel.phase === 'off',
    },
  ),
  chat: event(
    'chat',
    { profileId: z.string(), cid: z.string() },
    {
      docs: 'The chat for viewers of a channel was switched: read it again.',
      audience: pages,
      ...news,
    },
  ),
  roomPush: event('roomPush', RoomPushed.shape, {
    docs: 'A line, a notification or a recall came from a room that the app sits in.',
    audience: ['page', 'moderator'],
    ...news,
  }),
  seats: event(
    'seats',
    { board: SeatBoard },
    { docs: 'Moderators and the listener that they come to.', audience: shell, ...state },
  ),
  joined: event(
    'joined',
    { seats: z.array(JoinedSeat) },
    { docs: 'Rooms on other computers that are moderated from here.', audience: pages, ...state },
  ),
  obs: event(
    'obs',
    { obs: ObsState },
    { docs: 'OBS on or beside this computer; its figures at most every 2 s.', audience: pages, ...state },
  ),
  disk: event(
    'disk',
    { refuses: z.boolean() },
    {
      docs:
        'Whether a disk of this app or of its service can only be read or answers with errors; ' +
        'it is looked at since one refused.',
      audience: ['page', 'moderator'],
      ...state,
    },
  ),
  computer: event(
    'computer',
    { computer: ThisComputer },
    {
      docs: 'What is set for this computer; also at most four times a second while the data folder is moved.',
      audience: pages,
      ...state,
    },
  ),
  setAside: event(
    'setAside',
    { kept: KeptAside },
    { docs: 'Something was set aside, put back or deleted there.', audience: pages, ...state },
  ),
  receiver: event(
    'receiver',
    { receiver: Receiver },
    {
      docs: "The app's receiver of recording callbacks of one profile changed.",
      audience: pages,
      slice: ['receiver.profileId'],
      kept: true,
    },
  ),
  copyReceiver: event(
    'copyReceiver',
    { receiver: CopyReceiver },
    {
      docs: "The app's receiver of message copies of one profile changed.",
      audience: pages,
      slice: ['receiver.profileId'],
      kept: true,
    },
  ),
  copy: event(
    'copy',
    { profileId: z.string(), copy: ReceivedCopy },
    { docs: 'A message copy came in: for the list where it is open.', audience: pages, ...news },
  ),
  delivery: event(
    'delivery',
    { profileId: z.string(), delivery: Delivery },
    { docs: 'A callback came in: for a notification, and for the list where it is open.', audience: pages, ...news },
  ),
} as const

type Events = typeof events
/** The type of an event. */
export type EventType = keyof Events
/** An event of the companion. */
export type AppEvent = { [K in EventType]: z.infer<Events[K]['schema']> }[EventType]
/** Validates any event. */
export const AppEvent = z.discriminatedUnion(
  'type',
  Object.values(events).map(({ schema }) => schema) as unknown as [z.ZodObject<{ type: z.ZodLiteral<EventType> }>],
) as unknown as z.ZodType<AppEvent, AppEvent>

/** What of an event is not as its type has it, without values; undefined for an event that is right. */
export function eventFault(told: AppEvent): string | undefined {
  const known = events[told.type] as Events[EventType] | undefined
  if (!known) return `no event ${told.type}`
  const issue = known.schema.safeParse(told).error?.issues[0]
  return issue && `${told.type}: ${issue.path.join('.')}: ${issue.message}`
}

type HeardBy<A extends EventAudience> = {
  [K in EventType]: A extends Events[K]['audience'][number] ? K : never
}[EventType]
/** Events for a receiver. */
export type EventFor<A extends EventAudience> = Extract<AppEvent, { readonly type: HeardBy<A> }>

/** Facts of an event's type. */
export const factsOf = ({ type }: AppEvent): EventFacts<AppEvent> => events[type] as unknown as EventFacts<AppEvent>

/** Whether a receiver gets an event. */
export const isHeardBy = <A extends EventAudience>(audience: A, told: AppEvent): told is EventFor<A> =>
  factsOf(told).audience.includes(audience)
