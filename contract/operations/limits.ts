/** Limits that the page checks before a call, apart from the operations, so that its entry has none of these. */

/** Longest temporary mute in seconds: 30 days (3-chatrooms Limits). */
export const maxMute = 2_592_000
/** Longest name of a channel in characters (1-live Channel). */
export const maxChannelName = 64
/** Channel names: Chinese characters, letters, digits and underscore (1-live Channel; behaviour.md#characters). */
export const channelNamePattern = '^[\\p{Script=Han}A-Za-z0-9_]{1,64}$'
/** Longest label of a marker, in characters. */
export const maxMarkerLabel = 128
