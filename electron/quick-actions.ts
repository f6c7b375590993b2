import { reasonOf } from '../companion/failure.ts'
import { firstRecordingDefaults, switchedRecording } from '../contract/switched-recording.ts'
import type { Air, AirChannel, AirRoom } from './on-air-state.ts'
import type { OwnClient } from './local-client.ts'

/** Result of an action of the tray or a shortcut. */
export interface Outcome {
  readonly what: 'muted' | 'lifted' | 'recording' | 'recordingEnds' | 'failed' | 'noRoom' | 'noChannel'
  readonly about: string
}

/** What the actions need. */
export interface QuickActionPorts {
  readonly rpc: {
    readonly rooms: Pick<OwnClient['rooms'], 'act'>
    readonly channels: Pick<OwnClient['channels'], 'list'>
    readonly recordings: Pick<OwnClient['recordings'], 'configure'>
  }
  readonly air: () => Air
  readonly told: (outcome: Outcome) => void
  readonly log: (line: string) => void
}

const keyOf = (room: AirRoom): string => `${room.profileId} ${room.roomid}`

/** Creates the actions. A press during the same action is ignored. */
export function createQuickActions({ rpc, air, told, log }: QuickActionPorts) {
  const muted = new Set<string>()
  const busy = new Set<string>()

  const alone = async (name: string, about: string, work: () => Promise<Outcome>): Promise<void> => {
    if (busy.has(name)) return
    busy.add(name)
    try {
      told(await work())
    } catch (error) {
      log(`what was asked for outside the window failed: ${reasonOf(error)}`)
      told({ what: 'failed', about })
    } finally {
      busy.delete(name)
    }
  }
  const mute = async (rooms: readonly AirRoom[], on: boolean): Promise<Outcome> => {
    // One failure does not stop the others.
    const answers = await Promise.allSettled(
      rooms.map(({ profileId, roomid }) =>
        rpc.rooms.act({ profileId, roomid, measure: { kind: 'muteRoom', on }, why: '' }),
      ),
    )
    const failed = rooms.filter((_room, index) => answers[index]?.status === 'rejected')
    for (const room of rooms) {
      if (failed.includes(room)) continue
      if (on) muted.add(keyOf(room))
      else muted.delete(keyOf(room))
    }
    const names = (of: readonly AirRoom[]): string => of.map(({ name }) => name).join(', ')
    return failed.length > 0
      ? { what: 'failed', about: names(failed) }
      : { what: on ? 'muted' : 'lifted', about: names(rooms) }
  }
  const record = (channel: AirChannel, on: boolean): Promise<void> =>
    alone(`record ${channel.cid}`, channel.name, async () => {
      const { profileId, cid } = channel
      const { channels } = await rpc.channels.list({ profileId })
      const found = channels.find((one) => one.cid === cid)
      if (!found) return { what: 'failed', about: channel.name }
      const switched = switchedRecording(found, on, air().settings?.recording ?? firstRecordingDefaults)
      await rpc.recordings.configure({ profileId, cid, ...switched })
      return { what: on ? 'recording' : 'recordingEnds', about: found.name }
    })

  return {
    muteRoom: (room: AirRoom, on: boolean) => alone('rooms', room.name, () => mute([room], on)),
    /** Mutes every open room; when all are muted, unmutes those that it muted, or all. */
    panic: () =>
      alone('rooms', '', async () => {
        const { rooms } = air()
        if (rooms.length === 0) return { what: 'noRoom', about: '' }
        const open = rooms.filter((room) => !room.muted)
        if (open.length > 0) return mute(open, true)
        const ours = rooms.filter((room) => muted.has(keyOf(room)))
        return mute(ours.length > 0 ? ours : rooms, false)
      }),
    record,
    /** Starts or stops recording of the channel that has been on air longest. */
    toggleRecord: async () => {
      const [channel] = air().channels
      if (channel) return record(channel, !channel.recording)
      told({ what: 'noChannel', about: '' })
    },
  }
}
