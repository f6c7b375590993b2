import { flag, integer, list, object, text, type Fields, type AnswerOf } from './field.ts'
import { accessFacts, watchLimitFacts } from './operations/access.ts'
import { broadcastChanges, broadcastEnds } from './operations/broadcasts.ts'
import { holdFacts } from './operations/hold.ts'
import { channelDetails, recordingProgress } from './operations/local.ts'
import { reachFacts, visitFacts } from './operations/reach.ts'
import { targetProgress } from './operations/targets.ts'
import { membersFault } from './validate.ts'

/** Measurements of a push, once a second. A member is absent until known. */
export const ingestFigures = {
  kbps: integer({ summary: 'Payload of all tracks over the last 2 s.', optional: true }),
  millifps: integer({ summary: 'Video frames per 1,000 s, over the last 2 s.', optional: true }),
  keyFrameGap: integer({ summary: 'Media time between the last two key frames in ms.', optional: true }),
  keyFrameGapMax: integer({
    summary:
      'Longest media time between key frames over the last minute, the running one included, without pauses of the picture over 1 s; ms.',
    optional: true,
  }),
  kbpsDeviation: integer({
    summary: 'Standard deviation of the bitrate between key frames, at least 2 s apart, over the last 8 of them.',
    optional: true,
  }),
  millifpsDeclared: integer({ summary: 'Video frames per 1,000 s that the publisher says it sends.', optional: true }),
  drift: integer({
    summary: 'By how much media time fell behind the clock within the last minute, in ms; negative when it runs ahead.',
    optional: true,
  }),
  audioGap: integer({
    summary:
      'Longest media time without sound over the last 10 s, the running one included; ms. Absent without a sound so far.',
    optional: true,
  }),
  width: integer({ optional: true }),
  height: integer({ optional: true }),
  videoCodec: text({ summary: 'For example H.264 High 4.1.', optional: true }),
  audioCodec: text({ summary: 'For example AAC-LC.', optional: true }),
  sampleRate: integer({ optional: true }),
  audioChannels: integer({ optional: true }),
  encoder: text({ summary: 'What the publisher calls itself.', optional: true }),
  viewers: integer({ summary: 'Players over all protocols.' }),
  droppedForReaders: integer({ summary: 'Packets dropped for slow players since the push began.' }),
} as const

/** Of what is told again after a gap. */
const kept = { place: integer({ summary: 'Ascends, over a restart too: for `after` of the stream.', optional: true }) }

/** Lines of the event stream `/local/service/events` by `type`. */
export const localEventMembers = {
  /** The first line. */
  snapshot: {
    at: integer(),
    channels: list(object(channelDetails)),
    owed: text({ summary: 'As reason of owed; absent when all is stored.', optional: true }),
  },
  /** Something that takes access away is in force but not on the disk, or all is stored. */
  owed: {
    at: integer(),
    reason: text({ summary: 'full, readOnly, broken or other; absent when all is stored.', optional: true }),
  },
  /** The tally of a channel changed. */
  tally: { at: integer(), ...channelDetails },
  ingest: { at: integer(), cid: text(), figures: object(ingestFigures) },
  /**
   * An event of a push: `started`, `firstKeyFrame`, `codecs`, `ended`, `refused`, `replaced`, `stalled` (no data for
   * `detail` ms), `retimed` (timestamps were corrected by arrival times), `leftOut` (media was not passed on or kept).
   */
  push: {
    at: integer(),
    cid: text(),
    kind: text(),
    detail: text({
      summary: 'Without secrets: why it ended or was replaced, as a code (push-ends.ts); else in words.',
      optional: true,
    }),
    remedy: text({
      summary:
        'What a person should change, as a stable name: hevc, aac, key, expired, disabled, busy, pace; of retimed and leftOut what it was, for example retimed_jump.',
      optional: true,
    }),
    from: text({ summary: 'The address that a refused push came from.', optional: true }),
    ...kept,
  },
  /** The recording state of a channel changed, or a file is ready; while writing or stopped also every 2 s. */
  recording: {
    at: integer(),
    cid: text(),
    state: text({ summary: 'off, asked (it waits for a key frame), recording, stopped, or fileReady.' }),
    ...recordingProgress,
    bytes: integer({ summary: 'Size of the slice being written, or of the file.', optional: true }),
    vid: integer({ summary: 'The file that is ready.', optional: true }),
    name: text({ summary: 'Its name.', optional: true }),
    merged: flag({ summary: 'It was made of others, by a merge or as a clip.', optional: true }),
    clip: flag({ summary: 'It is a clip.', optional: true }),
    diskFree: integer({ summary: 'Free bytes where recordings lie.', optional: true }),
    ...kept,
  },
  /** Recorded files were deleted, on request or by age and size. */
  unrecorded: { at: integer(), vids: list(integer()) },
  /** A channel was created, updated or deleted, or its key replaced. */
  channel: { at: integer(), cid: text(), change: text() },
  /** Who may watch a channel changed, or a named link was used or revoked. */
  access: { at: integer(), cid: text(), ...accessFacts },
  /** Limits of what viewers may take changed, or how many pages wait for their turn; at most once a second. */
  limits: { at: integer(), ...watchLimitFacts },
  /** How far the service is reached changed. */
  reach: { at: integer(), ...reachFacts },
  /** A visit from outside went on. */
  visit: { at: integer(), ...visitFacts },
  /** State of a target changed; while one is wanted also every 2 s. */
  target: { at: integer(), cid: text(), ...targetProgress },
  /** Hold or delay of a channel changed, or at the begin of the stream, without a place, what they are on air. */
  hold: { at: integer(), cid: text(), ...holdFacts, ...kept },
  /** A broadcast began, went on after a pause, ended, was named otherwise, or was deleted. */
  broadcast: {
    at: integer(),
    cid: text(),
    broadcastId: text(),
    change: text({ summary: `${broadcastChanges.join(', ')}.` }),
    how: text({ summary: `How it ended: ${broadcastEnds.join(', ')}.`, optional: true }),
    ...kept,
  },
  /** Every 5 s, to detect a dead connection. */
  heartbeat: { at: integer(), settled: flag({ optional: true }) },
} as const satisfies Record<string, Fields>

/** Figures of a push on air. */
export type IngestFigures = AnswerOf<typeof ingestFigures>
/** A line of the event stream. */
export type LocalEvent = {
  [K in keyof typeof localEventMembers]: { type: K } & AnswerOf<(typeof localEventMembers)[K]>
}[keyof typeof localEventMembers]

/** Validates a parsed line; undefined for an unknown or invalid event. */
export function readLocalEvent(value: unknown): LocalEvent | undefined {
  const type = typeof value === 'object' && value !== null ? (value as { type?: unknown }).type : undefined
  if (typeof type !== 'string' || !Object.hasOwn(localEventMembers, type)) return undefined
  return membersFault(localEventMembers[type as keyof typeof localEventMembers], value)
    ? undefined
    : (value as LocalEvent)
}
