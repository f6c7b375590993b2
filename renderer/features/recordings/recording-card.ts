import { computed, watch, type Ref } from 'vue'
import { inBackground } from '../../background.ts'
import type { Channel, RecordingState } from '../../../contract/rpc/index.ts'
import { recordNamePattern } from '../../../contract/operations/live.ts'
import { recordings as operations } from '../../../contract/operations/recordings.ts'
import { failureOf } from '../../data/failure.ts'
import { foreignCharacter } from '../channels/channel-name.ts'
import { useChannels } from '../channels/channels.ts'
import { useRecordings } from '../channels/recorded.ts'
import { useServices } from '../../data/services.ts'
import { useTask } from '../../data/task.ts'

/** Input for a channel's recording. */
export interface RecordingChoice {
  readonly needRecord: boolean
  readonly format: 'flv' | 'mp4'
  readonly duration: number
  readonly filename: string
}

const { min, max } = operations.setAlwaysRecord.parameters.duration
/** In minutes (1-live, setAlwaysRecord). */
export const sliceMinutes = { min, max } as const
const acceptable = new RegExp(recordNamePattern, 'u')

/** Null if only the length is wrong. */
export const foreignInFilename = (filename: string): string | null =>
  foreignCharacter(filename, (character) => acceptable.test(character))

/** Which fields are invalid. */
export const choiceFaults = (
  choice: Pick<RecordingChoice, 'duration' | 'filename'>,
): { readonly duration: boolean; readonly filename: boolean } => ({
  duration: !Number.isInteger(choice.duration) || choice.duration < min || choice.duration > max,
  filename: !acceptable.test(choice.filename),
})

/** At a bitrate; null if unknown. */
export const hoursLeft = (recordingRoom: number | null, kbps: number | null): number | null =>
  recordingRoom === null || kbps === null || kbps <= 0 ? null : (recordingRoom * 8) / (kbps * 1_000) / 3_600

/** Recorded or not by the tally, like the lamps; the rest from the service. */
export function shownState(
  told: RecordingState | null | undefined,
  channel: Pick<Channel, 'needRecord'>,
  status: number,
): RecordingState {
  const derived = { reason: null, since: null, bytes: 0, cut: null } as const
  if (told?.state === 'stopped') return told
  if (status === 3) return told?.state === 'recording' ? told : { ...derived, state: 'recording' }
  // Off air the service has no state: the setting applies to the next push.
  return { ...derived, state: channel.needRecord ? 'asked' : 'off' }
}

/** Recording of a channel: state and setting. */
export function useRecordingCard(profileId: Ref<string | null>, channel: Ref<Channel>) {
  const { rpc } = useServices()
  const channels = useChannels()
  const store = useRecordings()
  const { busy, failure, run, drop } = useTask()
  const told = computed(() =>
    profileId.value === null ? undefined : store.stateOf(profileId.value, channel.value.cid),
  )

  const load = async (): Promise<void> => {
    const [id, { cid }] = [profileId.value, channel.value]
    if (id === null) return
    try {
      const state = await rpc.recordings.state({ profileId: id, cid })
      if (state) store.put(id, cid, state)
    } catch (error) {
      failure.value = failureOf(error)
    }
  }
  watch(
    () => `${profileId.value ?? ''}/${channel.value.cid}`,
    () => {
      drop()
      inBackground(load())
    },
    { immediate: true },
  )

  return {
    told,
    failure,
    busy,
    load,
    configure: async (choice: RecordingChoice): Promise<boolean> => {
      const [id, { cid }] = [profileId.value, channel.value]
      if (id === null) return false
      return run('configure', async () => {
        await rpc.recordings.configure({ profileId: id, cid, ...choice })
        await channels.refresh(id)
        await load()
      })
    },
  }
}
