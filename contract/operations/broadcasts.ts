import { flag, integer, list, object, text } from '../field.ts'
import { pushEnds } from '../push-ends.ts'
import { extension, general } from './extension.ts'

/** How a broadcast or one of its pushes ended: as pushes end, or the service was started anew without its end. */
export const broadcastEnds = [...pushEnds, 'restarted'] as const
/** One of them. */
export type BroadcastEnd = (typeof broadcastEnds)[number]
/** What events tell of a broadcast. */
export const broadcastChanges = ['began', 'wentOn', 'ended', 'changed', 'removed'] as const

const clean: ReadonlySet<BroadcastEnd> = new Set(['stopped', 'disabled', 'deleted'])
/** Whether somebody ended it: with the encoder, or by pausing or deleting the channel. */
export const isCleanEnd = (how: BroadcastEnd): boolean => clean.has(how)

/** A push that begins so soon after the last one ended is of the same broadcast; ms. */
export const sameBroadcastWithin = 120_000
/** Longest title in characters. */
export const maxBroadcastTitle = 128
/** Pushes in one answer, samples and events of a broadcast at most. */
export const [maxPushes, maxSamples, maxBroadcastEvents] = [1000, 720, 1000] as const
/** What is kept by default: for so many days, and so many of an application. */
export const [broadcastDays, maxBroadcasts] = [400, 2000] as const

const broadcastId = text({ summary: 'A broadcast.', required: true, max: 32 })
const how = text({
  summary: `How it ended: ${broadcastEnds.join(', ')}; absent while it is on air.`,
  optional: true,
})

/** A broadcast, as lists have it. */
export const broadcastFacts = {
  broadcastId: text(),
  cid: text({ summary: 'Its channel, which may be deleted since.' }),
  channel: text({ summary: 'Name of the channel as the broadcast began.' }),
  title: text({ summary: 'The title that was set, or the name of the channel.' }),
  began: integer({ summary: 'Begin of its first push, in ms.' }),
  ended: integer({ summary: 'End of its last push, in ms; absent while it is on air.', optional: true }),
  how,
  clean: flag({
    summary: 'Somebody ended it: with the encoder, or by pausing or deleting the channel.',
    optional: true,
  }),
  pushes: integer({ summary: 'Its pushes: one, and each that came back within 2 min.' }),
  viewers: integer({ summary: 'Viewers over all protocols on average, in thousandths.' }),
  peak: integer({ summary: 'Most viewers at once.' }),
} as const

/** What was measured of a broadcast in some seconds. */
const sample = object({
  at: integer({ summary: 'Begin in ms.' }),
  seconds: integer({ summary: 'Measurements, one a second; a pause between samples is one of the broadcast.' }),
  viewers: integer({ summary: 'On average, in thousandths.' }),
  peak: integer({ summary: 'Most viewers at once.' }),
  kbps: integer({
    summary: 'Average bitrate; absent where nothing came, as while the picture was held.',
    optional: true,
  }),
  kbpsLow: integer({ summary: 'Lowest bitrate.', optional: true }),
  millifps: integer({ summary: 'Average frames per 1,000 s; 0 without a picture.', optional: true }),
  millifpsLow: integer({ summary: 'Fewest frames per 1,000 s.', optional: true }),
  keyFrameGap: integer({ summary: 'Longest media time between key frames, in ms.', optional: true }),
  audioGap: integer({ summary: 'Longest media time without sound, in ms.', optional: true }),
})

const event = object({
  at: integer({ summary: 'In ms.' }),
  kind: text({
    summary:
      'held (detail: hand or lost), wentOn, target, recording, stalled (detail: ms), retimed or leftOut (detail: the ' +
      'remedy of the push event).',
  }),
  state: text({ summary: 'Of a target or of the recording, as their events have it.', optional: true }),
  detail: text({ summary: 'Of a target or of the recording the reason.', optional: true }),
  targetId: integer({ optional: true }),
  target: text({ summary: 'Name of the target then.', optional: true }),
})

/** Broadcasts: what a channel sent from its first push to its end (behaviour.md#broadcasts). */
export const broadcastOperations = {
  broadcasts: extension(
    'broadcast/list',
    'broadcast',
    'Lists broadcasts that began within a range, of one channel or of all, deleted channels included, newest first.',
    {
      cid: text({ summary: 'Of this channel alone.', max: 64 }),
      beginTime: integer({ default: 0, min: 0 }),
      endTime: integer({ summary: 'Without an end when absent.', min: 0 }),
      limit: integer({ summary: 'Entries at most.', default: 100, min: 1, max: 1000 }),
      beforeBegan: integer({ summary: 'To read on: `began` of the last entry that was read.', min: 0 }),
      beforeId: text({ summary: 'To read on: `broadcastId` of the last entry that was read.', max: 32 }),
    },
    { ret: object({ list: list(object(broadcastFacts)), more: flag({ summary: 'There are further entries.' }) }) },
    general,
  ),
  broadcast: extension(
    'broadcast/get',
    'broadcast',
    'Reads a broadcast with its pushes, figures over time, events, recorded files, markers and figures of the chat.',
    { broadcastId },
    {
      ret: object({
        ...broadcastFacts,
        pushList: list(
          object({
            began: integer({ summary: 'In ms.' }),
            ended: integer({ summary: 'In ms; absent while it is on air.', optional: true }),
            how,
          }),
          { summary: `Oldest first, the first ${maxPushes}.` },
        ),
        samples: list(sample, {
          summary: `Oldest first; of 10 s each, longer ones in longer broadcasts, ${maxSamples} at most.`,
        }),
        events: list(event, { summary: `Oldest first, the first ${maxBroadcastEvents}.` }),
        eventsLeftOut: integer({ summary: 'Events beyond those.' }),
        vids: list(integer(), { summary: 'Recorded files of the channel from its time, without merged ones.' }),
        markers: list(object({ markerId: integer(), at: integer(), label: text() })),
        chat: object(
          {
            roomid: integer(),
            lines: integer({ summary: 'Lines that everybody saw, removed ones included.' }),
            people: integer({ summary: 'Who said those that were not removed.' }),
            held: integer({ summary: 'Lines that waited for a moderator and were let through, or wait still.' }),
            caught: integer({ summary: 'Lines that the word list caught or a moderator dropped.' }),
            removed: integer({ summary: 'Lines that were removed after they were seen.' }),
            measures: integer({ summary: 'What leaders of the room did, as its history has it.' }),
          },
          { summary: 'Of the linked room; absent without one.', optional: true },
        ),
      }),
    },
  ),
  setBroadcastTitle: extension(
    'broadcast/setTitle',
    'broadcast',
    'Sets the title of a broadcast, on air or over; without one it has the name of its channel. Viewers read ' +
      'that of the one on air.',
    { broadcastId, title: text({ max: maxBroadcastTitle }) },
    {},
  ),
  removeBroadcast: extension(
    'broadcast/remove',
    'broadcast',
    'Deletes a broadcast that is over, without its recorded files, markers and chat; 631 while it is on air.',
    { broadcastId },
    {},
  ),
} as const
