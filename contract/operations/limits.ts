/** Limits that the page checks before a call, apart from the operations, so that its entry has none of these. */

/** Longest temporary mute in seconds: 30 days (3-chatrooms Limits). */
export const maxMute = 2_592_000
/** Longest name of a channel in characters (1-live Channel). */
export const maxChannelName = 64
/** Channel names: Chinese characters, letters, digits and underscore (1-live Channel; behaviour.md#characters). */
export const channelNamePattern = '^[\\p{Script=Han}A-Za-z0-9_]{1,64}$'
/** Seconds of a clip of what is on air. */
export const clipSeconds = { min: 1, max: 600, usual: 60 } as const
/** Longest name of a clip in characters. */
export const maxClipName = 128
/** Names of clips: no control characters, and white space only within. */
export const clipNamePattern = '^[^\\s\\p{Cc}](?:[^\\p{Cc}]{0,126}[^\\s\\p{Cc}])?$'
/** Longest label of a marker, in characters. */
export const maxMarkerLabel = 128
