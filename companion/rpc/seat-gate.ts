import type { AppEvent, RoomDesk } from '../../contract/rpc/index.ts'
import type { ConnectedSeat } from '../lines/connected-seat.ts'
import { firstRecordingDefaults } from '../../contract/switched-recording.ts'

type Members = Readonly<Record<string, unknown>>
type Check = (input: Members, seat: ConnectedSeat) => boolean

const members = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}
const always: Check = () => true
const itsProfile: Check = ({ profileId }, seat) => profileId === seat.profileId
const itsRoom: Check = (input, seat) => itsProfile(input, seat) && input['roomid'] === seat.roomid
const itsCall: Check = (input, seat) => itsProfile(input, seat) && members(input['call'])['roomid'] === seat.roomid
const itsChannel: Check = (input, seat) => itsProfile(input, seat) && seat.cid() !== null && input['cid'] === seat.cid()

/** Every procedure that a moderator's page may call, and what must be true of its input; any other is refused. */
const allowed: Readonly<Record<string, Check>> = {
  'app.about': always,
  'app.events': always,
  'channels.list': itsProfile,
  'preview.open': itsChannel,
  'rooms.list': itsProfile,
  'operations.chatrooms.get': itsCall,
  'rooms.linked': itsChannel,
  // With a new token of the host the one kept would end.
  'rooms.enter': (input, seat) => itsRoom(input, seat) && input['renew'] === false,
  'rooms.leave': itsRoom,
  'rooms.desks': itsProfile,
  'rooms.say': itsRoom,
  // Robots are put into rooms by the developer's server, not by a role of the room.
  'rooms.act': (input, seat) => itsRoom(input, seat) && members(input['measure'])['kind'] !== 'robots',
  'rooms.actions': itsRoom,
  'operations.chatrooms.membersByPage': itsCall,
  'operations.chatrooms.queryMembers': itsCall,
  'operations.queue.list': itsCall,
  'rooms.history': itsCall,
  'operations.local.muted': itsCall,
  'operations.local.blacklisted': itsCall,
  'operations.local.held': itsCall,
}

/** Procedures that read nothing, or what is in memory. */
const noReads: ReadonlySet<string> = new Set([
  'app.about',
  'app.events',
  'rooms.leave',
  'rooms.desks',
  'rooms.say',
  'rooms.act',
])

/** Whether a procedure that a moderator's page may call reads something for it (seat-reads.ts). */
export const isSeatRead = (path: readonly string[]): boolean => !noReads.has(path.join('.'))

/** What only those who moderate read: who was one and is none any more has a page still. */
const ofModerators: ReadonlySet<string> = new Set([
  'rooms.actions',
  'rooms.history',
  'operations.local.muted',
  'operations.local.blacklisted',
  'operations.local.held',
])
/** Whether a procedure tells a moderator's page what viewers do not see. */
export const isOfModerators = (path: readonly string[]): boolean => ofModerators.has(path.join('.'))

/** Names of the procedures that a moderator's page may call. */
export const seatCalls: readonly string[] = Object.keys(allowed)

/** Whether a moderator's page may call a procedure with this input, which nobody has checked yet. */
export const mayCall = (seat: ConnectedSeat, path: readonly string[], input: unknown): boolean => {
  const name = path.join('.')
  return Object.hasOwn(allowed, name) && allowed[name]?.(members(input), seat) === true
}

/** The app's seat in a room as a moderator's page sees it: it sits there under its own name, and no address of this computer is told. */
export const deskFor = (desk: RoomDesk, seat: ConnectedSeat | undefined): RoomDesk =>
  seat ? { ...desk, accid: seat.accid, ...(desk.copies && { copies: { ...desk.copies, url: null } }) } : desk

/** What a moderator's page is told of an event; undefined for nothing. */
export function seatEvent(event: AppEvent, seat: ConnectedSeat): AppEvent | undefined {
  switch (event.type) {
    case 'service': {
      const { phase, since, attempt, attempts, nextAttempt, timeZone } = event.service
      return {
        type: 'service',
        service: {
          phase,
          since,
          attempt,
          attempts,
          nextAttempt,
          timeZone,
          busySince: null,
          reason: null,
          addresses: null,
          notes: [],
          diskFree: null,
          recordingRoom: null,
          database: null,
        },
      }
    }
    case 'profiles':
      return {
        type: 'profiles',
        profiles: event.profiles
          .filter(({ id }) => id === seat.profileId)
          .map(({ id, kind }) => ({
            id,
            kind,
            name: '',
            liveUrl: '',
            messagingUrl: '',
            appKey: '',
            secret: 'keychain' as const,
          })),
      }
    case 'settings': {
      const { mutePresets, roomKeys } = event.settings
      const own = {
        globalKeys: {},
        notices: [],
        startAtLogin: false,
        closeToTray: false,
        recording: firstRecordingDefaults,
      }
      return { type: 'settings', settings: { theme: 'system', language: 'system', mutePresets, roomKeys, ...own } }
    }
    case 'tallies': {
      if (event.profileId !== seat.profileId) return undefined
      const tallies = event.tallies
        .filter(({ cid }) => cid === seat.cid())
        .map((tally) => ({ ...tally, keyExpires: null }))
      // Why is the streamer's matter; that nobody vouches for the lamp is not.
      return { ...event, fault: event.fault === null ? null : 'not known', tallies }
    }
    case 'disk':
      return event
    case 'figures':
      return event.profileId === seat.profileId && event.cid === seat.cid() ? event : undefined
    case 'room':
      return event.desk.profileId === seat.profileId && event.desk.roomid === seat.roomid
        ? { ...event, desk: deskFor(event.desk, seat) }
        : undefined
    case 'roomPush':
      return event.profileId === seat.profileId && event.roomid === seat.roomid ? event : undefined
    default:
      return undefined
  }
}
