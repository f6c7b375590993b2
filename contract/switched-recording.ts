import type { RecordingDefaults } from './rpc/recording-state.ts'
import type { Channel } from './rpc/state.ts'

/** Recording settings of a channel. */
type Setting = Pick<Channel, 'needRecord' | 'format' | 'duration' | 'filename'>

const foreign = /[^\p{Script=Han}A-Za-z0-9]/gu
/** Longest base name of a recorded file in characters (1-live, Recorded file entries). */
const maxName = 64
/** Defaults of the service: FLV in slices of two hours, named by the channel's id. */
const isUntouched = ({ format, duration, filename }: Setting): boolean =>
  format === 'flv' && duration === 120 && filename === ''

/** Defaults of the app: every push, in mergeable files named like the channel. */
export const firstRecordingDefaults: RecordingDefaults = { everyPush: true, format: 'mp4', minutes: 60, named: true }

/** Letters, digits and Chinese characters of a channel's name, as allowed in file names; may be empty. */
export const recordNameOf = (name: string): string => [...name.replace(foreign, '')].slice(0, maxName).join('')

/** Settings by the app's defaults for a channel of that name. */
export const recordingBy = (
  defaults: RecordingDefaults,
  name: string,
): Pick<Setting, 'format' | 'duration' | 'filename'> => ({
  format: defaults.format,
  duration: defaults.minutes,
  filename: defaults.named ? recordNameOf(name) : '',
})

/** Settings for recording a channel: its own if changed, else the app's. */
export const usualRecording = (
  channel: Setting & Pick<Channel, 'name'>,
  defaults: RecordingDefaults,
): Pick<Setting, 'format' | 'duration' | 'filename'> => {
  const { format, duration, filename } = channel
  return isUntouched(channel) ? recordingBy(defaults, channel.name) : { format, duration, filename }
}

/** Request of the app's recording switch. */
export const switchedRecording = (
  channel: Setting & Pick<Channel, 'name'>,
  on: boolean,
  defaults: RecordingDefaults,
): Setting => ({
  needRecord: on,
  ...(on
    ? usualRecording(channel, defaults)
    : { format: channel.format, duration: channel.duration, filename: channel.filename }),
})
