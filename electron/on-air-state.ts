import type { EventFor, RoomPanel, Settings } from '../contract/rpc/index.ts'
import { onAirOf, type OnAirChannel, type ToldTallies } from '../contract/on-air.ts'
import { createLru } from '../platform/lru.ts'

/** A channel on air, or last known to be. */
export interface AirChannel extends OnAirChannel {
  readonly name: string
}

/** A room that the app has entered. */
export type AirRoom = Readonly<Pick<RoomPanel, 'profileId' | 'roomid' | 'name' | 'muted'>>

/** What the tray, shortcuts and notifications show: tally, channels on air, open rooms. */
export interface Air {
  readonly lamp: 'idle' | 'live' | 'recording' | 'fault'
  /** The channel of the tally first, then by time on air, longest first. */
  readonly channels: readonly AirChannel[]
  readonly rooms: readonly AirRoom[]
  /** Viewers of one of the channels get a held picture. */
  readonly held?: boolean
  readonly settings: Settings | undefined
}

/** Maximum of remembered names; the oldest is dropped. */
const maxNames = 5_000

/** Reduces the companion's events to the state that the desktop integration needs. */
export function createOnAirBoard(clock: { readonly now: () => number }) {
  const tallies = new Map<string, ToldTallies>()
  const rooms = new Map<string, AirRoom>()
  const names = createLru<string>(maxNames)
  const held = new Set<string>()
  let settings: Settings | undefined
  let isServiceDown = false
  let opened: string | null = null

  const named = (channel: OnAirChannel): AirChannel => ({
    ...channel,
    name: names.get(`${channel.profileId} ${channel.cid}`) ?? '',
  })
  return {
    take: (event: EventFor<'desktop'>): void => {
      switch (event.type) {
        case 'service':
          isServiceDown = event.service.phase === 'restarting' || event.service.phase === 'stopped'
          return
        case 'settings':
          settings = event.settings
          return
        case 'profiles':
          for (const id of tallies.keys()) if (!event.profiles.some((profile) => profile.id === id)) tallies.delete(id)
          return
        case 'tallies': {
          const { profileId, source, fault, tallies: told } = event
          const heard = fault === null ? clock.now() : (tallies.get(profileId)?.heard ?? Number.NEGATIVE_INFINITY)
          tallies.set(profileId, { source, fault, heard, tallies: told })
          return
        }
        case 'opened':
          opened = event.cid
          return
        case 'room': {
          const { profileId, roomid, name, muted, phase } = event.panel
          const key = `${profileId} ${roomid}`
          if (phase === 'off' || phase === 'refused') rooms.delete(key)
          else rooms.set(key, { profileId, roomid, name, muted })
          return
        }
        case 'hold': {
          const key = `${event.profileId} ${event.cid}`
          if (event.hold?.holding) held.add(key)
          else held.delete(key)
          return
        }
        default:
      }
    },
    call: (profileId: string, cid: string, name: string): void => names.set(`${profileId} ${cid}`, name),
    now: (): Air => {
      const { lamp, channel, channels } = onAirOf(tallies, { isServiceDown, opened, now: clock.now() })
      const ordered = [...(channel ? [channel] : []), ...channels.filter((each) => each !== channel)]
      const isHeld = ordered.some(({ profileId, cid }) => held.has(`${profileId} ${cid}`))
      return { lamp, channels: ordered.map(named), rooms: [...rooms.values()], held: isHeld, settings }
    },
  }
}

/** The on-air state. */
export type OnAirBoard = ReturnType<typeof createOnAirBoard>
