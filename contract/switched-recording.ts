import type { RecordingDefaults } from './rpc/recording-state.ts'
import type { Channel } from './rpc/state.ts'

/** How a channel is recorded. */
type Setting = Pick<Channel, 'needRecord' | 'format' | 'duration' | 'filename'>

const foreign = /[^\p{Script=Han}A-Za-z0-9]/gu
/** Longest base name of a recorded file in characters (1-live, Recorded file entries). */
const maxName = 64
/** What the service begins with: FLV in slices of two hours, named by the channel's id. */
const isUntouched = ({ format, duration, filename }: Setting): boolean =>
  format === 'flv' && duration === 120 && filename === ''

/** What the app records by until its settings say otherwise: files that can be merged, called like the channel. */
export const firstRecordingDefaults: RecordingDefaults = { everyPush: false, format: 'mp4', minutes: 120, named: true }

/** The letters, digits and Chinese characters of a channel's name, as files may be called; empty when it has none. */
export const recordNameOf = (name: string): string => [...name.replace(foreign, '')].slice(0, maxName).join('')

/** How a channel of that name is recorded by the app's settings. */
export const recordingBy = (
  defaults: RecordingDefaults,
  name: string,
): Pick<Setting, 'format' | 'duration' | 'filename'> => ({
  format: defaults.format,
  duration: defaults.minutes,
  filename: defaults.named ? recordNameOf(name) : '',
})

/** How the app records a channel: by its settings where nobody has set the channel, and as it was set otherwise. */
export const usualRecording = (
  channel: Setting & Pick<Channel, 'name'>,
  defaults: RecordingDefaults,
): Pick<Setting, 'format' | 'duration' | 'filename'> => {
  const { format, duration, filename } = channel
  return isUntouched(channel) ? recordingBy(defaults, channel.name) : { format, duration, filename }
}

/** What the app's own switch asks of the service. */
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
