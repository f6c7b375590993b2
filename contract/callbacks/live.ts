import { text, type AnswerOf } from '../field.ts'

/** What a live callback tells of. */
export type LiveEventName = 'live.started' | 'live.ended'

/** Body of a live callback, signed as a recording callback; all values are strings (behaviour.md#live-callbacks). */
export const liveCallback = {
  event: text({ summary: 'live.started or live.ended.', pattern: '^live\\.(started|ended)$' }),
  uid: text({ summary: 'User id.' }),
  cid: text({ summary: 'Channel id.' }),
  name: text({ summary: 'Name of the channel; empty when it was deleted.' }),
  beginTime: text({ summary: 'When the broadcast began, in ms: the same in both.' }),
  endTime: text({ summary: 'When it ended, in ms; of live.ended.', optional: true }),
  reason: text({
    summary: 'Why it ended: lost, silent, stopped, disabled, deleted or codec; of live.ended.',
    optional: true,
  }),
  nId: text({ summary: 'Message id: the same on every resend, never used twice.' }),
} as const

/** A live callback's body. */
export type LiveCallback = AnswerOf<typeof liveCallback>
