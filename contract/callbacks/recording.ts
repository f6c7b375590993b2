import { text, type AnswerOf } from '../field.ts'
import { callbackContent, type Digest } from '../signing.ts'

/** Body of a recording callback; all values are strings (1-live Events). */
export const recordingCallback = {
  video_name: text({ summary: 'File name: <filename>_<begin>_<end>, or the name given to a merge.' }),
  orig_video_key: text({ summary: 'Storage path of the file.' }),
  uid: text({ summary: 'User id.' }),
  vid: text({ summary: 'File id.' }),
  cid: text({ summary: 'Channel id.' }),
  beginTime: text({ summary: 'Recording start in ms; absent for a merge.', optional: true }),
  endTime: text({ summary: 'Recording end in ms; absent for a merge.', optional: true }),
  origUrl: text({ summary: 'Address of the file, good for a bounded time from this attempt on.', optional: true }),
  nId: text({ summary: 'Message id: the same on every resend, never used twice.' }),
} as const

/** A recording callback's body. */
export type RecordingCallback = AnswerOf<typeof recordingCallback>

/** Header of the signature (1-live Events 1). */
export const signHeader = 'sign'
/** The only HTTP status that means delivered (1-live Events 2). */
export const deliveredStatus = 200
/** Time limit of a delivery in ms, from resolving the address to the status (behaviour.md#recording-callbacks). */
export const deliveryTimeout = 5_000
/** Delay of each resend in ms, from the end of the attempt before it (behaviour.md#recording-callbacks). */
export const resendAfter: readonly number[] = [
  5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 10_800_000, 21_600_000,
]

/** Lowercase MD5 of the fields, sorted by key, and the signing key (behaviour.md#recording-callbacks). */
export const callbackSign = (md5: Digest, fields: Readonly<Record<string, string>>, signKey: string): string =>
  md5(callbackContent(fields, signKey)).toLowerCase()
