import { isHeardBy, type AppEvent, type EventFor } from '../../contract/rpc/events.ts'
import type { RoomPanel } from '../../contract/rpc/index.ts'
import type { SeatRule } from '../../contract/rpc/procedure.ts'
import type { ConnectedSeat } from '../lines/connected-seat.ts'
import { procedureAt, procedures } from './procedures.ts'
import { firstRecordingDefaults } from '../../contract/switched-recording.ts'

type Members = Readonly<Record<string, unknown>>
type Check = (input: Members, seat: ConnectedSeat) => boolean

const members = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}
/** Checks of a rule's names. */
const namesSeat: Readonly<Record<SeatRule['names'], Check>> = {
  nothing: () => true,
  profile: ({ profileId }, seat) => profileId === seat.profileId,
  room: (input, seat) => input['profileId'] === seat.profileId && input['roomid'] === seat.roomid,
  channel: (input, seat) => input['profileId'] === seat.profileId && seat.cid() !== null && input['cid'] === seat.cid(),
  call: (input, seat) => input['profileId'] === seat.profileId && members(input['call'])['roomid'] === seat.roomid,
}

/** Whether a call counts as a read (seat-reads.ts). */
export const isSeatRead = (path: readonly string[]): boolean => procedureAt(path)?.seat?.isLight !== true

/** Whether a procedure shows more than viewers see. */
export const isOfModerators = (path: readonly string[]): boolean => procedureAt(path)?.seat?.isOfModerators === true

/** Procedures that moderators' pages may call. */
export const seatCalls: readonly string[] = [...procedures].flatMap(([name, { audience }]) =>
  audience.includes('moderator') ? [name] : [],
)

/** Whether a moderator's page may make this unvalidated call. */
export const mayCall = (seat: ConnectedSeat, path: readonly string[], input: unknown): boolean => {
  const { audience, seat: rule } = procedureAt(path) ?? {}
  if (!rule || !audience?.includes('moderator')) return false
  const given = members(input)
  return namesSeat[rule.names](given, seat) && rule.also?.(given) !== false
}

/** A room as a moderator sees it: under their own name, without addresses of this computer. */
export const panelFor = (panel: RoomPanel, seat: ConnectedSeat | undefined): RoomPanel =>
  seat ? { ...panel, accid: seat.accid, ...(panel.copies && { copies: { ...panel.copies, url: null } }) } : panel

const unseen = { name: '', liveUrl: '', messagingUrl: '', appKey: '', media: null, secret: 'keychain' } as const
/** What moderators' pages get of each event. */
const narrowed: {
  readonly [E in EventFor<'moderator'> as E['type']]: (event: E, seat: ConnectedSeat) => E | undefined
} = {
  service: ({ service: { phase, since, attempt, attempts, nextAttempt, timeZone } }) => ({
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
  }),
  profiles: ({ profiles }, seat) => ({
    type: 'profiles',
    profiles: profiles
      .filter(({ id }) => id === seat.profileId)
      .map(({ id, kind, extended }) => ({ ...unseen, id, kind, extended })),
  }),
  settings: ({ settings: { mutePresets, roomKeys } }) => {
    const own = { globalKeys: {}, notices: [], startAtLogin: false, closeToTray: false }
    const look = { theme: 'system', language: 'system' } as const
    return { type: 'settings', settings: { ...look, mutePresets, roomKeys, ...own, recording: firstRecordingDefaults } }
  },
  tallies: (event, seat) => {
    if (event.profileId !== seat.profileId) return undefined
    const tallies = event.tallies
      .filter(({ cid }) => cid === seat.cid())
      .map((tally) => ({ ...tally, keyExpires: null }))
    // The reason is the streamer's only.
    return { ...event, fault: event.fault === null ? null : 'withheld', tallies }
  },
  // Sent by the subscription itself.
  channels: () => undefined,
  disk: (event) => event,
  figures: (event, seat) => (event.profileId === seat.profileId && event.cid === seat.cid() ? event : undefined),
  room: (event, seat) =>
    event.panel.profileId === seat.profileId && event.panel.roomid === seat.roomid
      ? { ...event, panel: panelFor(event.panel, seat) }
      : undefined,
  roomPush: (event, seat) => (event.profileId === seat.profileId && event.roomid === seat.roomid ? event : undefined),
}

type Narrower = (event: AppEvent, seat: ConnectedSeat) => AppEvent | undefined
const narrowers = new Map(Object.entries(narrowed) as unknown as [string, Narrower][])

/** An event for a moderator's page; undefined for none. */
export const seatEvent = (event: AppEvent, seat: ConnectedSeat): AppEvent | undefined =>
  isHeardBy('moderator', event) ? narrowers.get(event.type)?.(event, seat) : undefined
