import type { AppEvent, Settings } from '../contract/rpc/index.ts'

/** A channel that is on air. */
export interface AirChannel {
  readonly profileId: string
  readonly cid: string
  /** Empty until it is known. */
  readonly name: string
  readonly since: number | null
  readonly recording: boolean
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
  /** The longest on air first. */
  readonly channels: readonly AirChannel[]
  readonly rooms: readonly AirRoom[]
  /** Undefined until the companion told them. */
  readonly settings: Settings | undefined
}

const statusLive = 1
const statusRecorded = 3
/** Names that are remembered; beyond, the oldest is forgotten. */
const namesMost = 5_000

/** Follows the companion's events as far as the desktop outside its windows needs them. */
export function createAir() {
  const tallies = new Map<string, readonly AirChannel[]>()
  const rooms = new Map<string, AirRoom>()
  const names = new Map<string, string>()
  let settings: Settings | undefined
  let fault = false

  const named = (channel: AirChannel): AirChannel => ({ ...channel, name: names.get(`${channel.profileId} ${channel.cid}`) ?? '' })
  return {
    take: (event: AppEvent): void => {
      switch (event.type) {
        case 'service':
          fault = event.service.phase === 'restarting' || event.service.phase === 'stopped'
          return
        case 'settings':
          settings = event.settings
          return
        case 'profiles':
          for (const id of tallies.keys()) if (!event.profiles.some((profile) => profile.id === id)) tallies.delete(id)
          return
        case 'tallies': {
          const { profileId } = event
          const onAir = event.tallies.filter(({ status }) => status === statusLive || status === statusRecorded)
          tallies.set(
            profileId,
            onAir.map(({ cid, since, status }) => ({ profileId, cid, since, name: '', recording: status === statusRecorded })),
          )
          return
        }
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
      if (names.size > namesMost && oldest !== undefined) names.delete(oldest)
    },
    now: (): Air => {
      const channels = [...tallies.values()]
        .flat()
        .map(named)
        .sort((a, b) => (a.since ?? Number.MAX_SAFE_INTEGER) - (b.since ?? Number.MAX_SAFE_INTEGER))
      const lamp = fault ? 'fault' : channels.some(({ recording }) => recording) ? 'recording' : channels.length > 0 ? 'live' : 'idle'
      return { lamp, channels, rooms: [...rooms.values()], settings }
    },
  }
}

/** Events gathered to what is on air. */
export type AirBoard = ReturnType<typeof createAir>
