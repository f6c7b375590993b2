import type { AppEvent, Settings } from '../contract/rpc/index.ts'
import { onAirOf, type OnAirChannel, type ToldTallies } from '../contract/on-air.ts'

/** A channel that is on air, or was so by the last word of a service. */
export interface AirChannel extends OnAirChannel {
  /** Empty until it is known. */
  readonly name: string
}

/** A room that the app sits in. */
export interface AirRoom {
  readonly profileId: string
  readonly roomid: number
  readonly name: string
  readonly muted: boolean
}

/** What the tray, the keys and the notifications know: the lamp, what is on air, the rooms that are open. */
export interface Air {
  readonly lamp: 'idle' | 'live' | 'recording' | 'fault'
  /** Whose lamp it is first, then the longest on air first. */
  readonly channels: readonly AirChannel[]
  readonly rooms: readonly AirRoom[]
  /** Undefined until the companion told them. */
  readonly settings: Settings | undefined
}

/** Names that are remembered; beyond, the oldest is forgotten. */
const maxNames = 5_000

/** Follows the companion's events as far as the desktop outside its windows needs them. */
export function createAir(clock: { readonly now: () => number }) {
  const tallies = new Map<string, ToldTallies>()
  const rooms = new Map<string, AirRoom>()
  const names = new Map<string, string>()
  let settings: Settings | undefined
  let isServiceDown = false
  let opened: string | null = null

  const named = (channel: OnAirChannel): AirChannel => ({
    ...channel,
    name: names.get(`${channel.profileId} ${channel.cid}`) ?? '',
  })
  return {
    take: (event: AppEvent): void => {
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
          const { profileId, roomid, name, muted, phase } = event.desk
          const key = `${profileId} ${roomid}`
          if (phase === 'off' || phase === 'refused') rooms.delete(key)
          else rooms.set(key, { profileId, roomid, name, muted })
          return
        }
        default:
      }
    },
    /** Remembers what a channel is called. */
    call: (profileId: string, cid: string, name: string): void => {
      names.delete(`${profileId} ${cid}`)
      names.set(`${profileId} ${cid}`, name)
      const [oldest] = names.keys()
      if (names.size > maxNames && oldest !== undefined) names.delete(oldest)
    },
    now: (): Air => {
      const { lamp, channel, channels } = onAirOf(tallies, { isServiceDown, opened, now: clock.now() })
      const ordered = [...(channel ? [channel] : []), ...channels.filter((each) => each !== channel)]
      return { lamp, channels: ordered.map(named), rooms: [...rooms.values()], settings }
    },
  }
}

/** Events gathered to what is on air. */
export type AirBoard = ReturnType<typeof createAir>
