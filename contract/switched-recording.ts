import type { Channel } from './rpc/state.ts'

/** How a channel is recorded. */
type Setting = Pick<Channel, 'needRecord' | 'format' | 'duration' | 'filename'>

const foreign = /[^\p{Script=Han}A-Za-z0-9]/gu
/** Longest base name of a recorded file in characters (1-live, Recorded file entries). */
const nameMost = 64
/** What the service begins with: FLV in slices of two hours, named by the channel's id. */
const isUntouched = ({ format, duration, filename }: Setting): boolean => format === 'flv' && duration === 120 && filename === ''

/** The letters, digits and Chinese characters of a channel's name, as files may be called; empty when it has none. */
export const recordNameOf = (name: string): string => [...name.replace(foreign, '')].slice(0, nameMost).join('')

/** How the app records a channel that nobody has set: files that can be merged, called like the channel. What was set stays. */
export const usualRecording = (channel: Setting & Pick<Channel, 'name'>): Pick<Setting, 'format' | 'duration' | 'filename'> => {
  const { format, duration, filename } = channel
  return isUntouched(channel) ? { format: 'mp4', duration, filename: recordNameOf(channel.name) } : { format, duration, filename }
}

/** What the app's own switch asks of the service. */
export const switchedRecording = (channel: Setting & Pick<Channel, 'name'>, on: boolean): Setting => ({
  needRecord: on,
  ...(on ? usualRecording(channel) : { format: channel.format, duration: channel.duration, filename: channel.filename }),
})
