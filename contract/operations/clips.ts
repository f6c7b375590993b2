import { integer, list, object, text, type Fields } from '../field.ts'
import { extension } from './extension.ts'
import { clipNamePattern, clipSeconds } from './limits.ts'
import { liveCodesWith } from './live.ts'

const name = {
  pattern: clipNamePattern,
  allowed: '1 to 128 characters without control characters, and no white space at its ends',
} as const
const vid = integer({ summary: 'File id.', required: true, min: 1 })

/** What a clip is of. */
export const clipDetails = {
  vids: list(integer(), {
    summary: 'The files that it was cut out of, in order; none of a clip of what was on air.',
  }),
  from: integer({ summary: 'Where it begins in the first of them, in ms.' }),
  to: integer({ summary: 'Where it ends in the last of them, in ms.' }),
  early: integer({ summary: 'By how many ms a player that ignores edit lists begins earlier.' }),
  begin: integer({
    summary: 'When its first picture was recorded, in ms; absent where it is not known.',
    optional: true,
  }),
} as const satisfies Fields

/** Clips: what was on air just now, and cuts of recorded files. */
export const clipOperations = {
  takeClip: extension(
    'clip/take',
    'clip',
    'Makes a file of the last seconds of a channel on air, from the key frame before, recorded or not. ' +
      'Answers when it is made; 631 when nothing is on air, and 639 while three are being made.',
    {
      cid: text({ summary: 'Channel id.', required: true, max: 64 }),
      seconds: integer({
        summary: 'How much.',
        default: clipSeconds.usual,
        min: clipSeconds.min,
        max: clipSeconds.max,
      }),
      name: text({ summary: 'Its name; the one of a recording of that time when absent.', ...name }),
    },
    {
      ret: object({
        vid: integer(),
        name: text(),
        begin: integer({ summary: 'When its first picture came, in ms.' }),
        duration: integer({ summary: 'In ms: more than was asked for by what is before it up to the key frame.' }),
        bytes: integer(),
      }),
    },
    { codes: liveCodesWith(501, 617, 618, 631, 639) },
  ),
  trim: extension(
    'clip/trim',
    'clip',
    'Cuts a range out of an MP4 file, or from within one to within a later one of its channel, in a task of ' +
      'merge/list. Exact by an edit list, without an encoder: the file begins with the key frame before.',
    {
      vidList: list(integer({ min: 1 }), { summary: 'File ids in order.', required: true, min: 1, max: 100 }),
      from: integer({ summary: 'Begin in the first file, in ms.', required: true, min: 0 }),
      to: integer({ summary: 'End in the last file, in ms.', required: true, min: 1 }),
      name: text({ summary: 'Name of the clip.', required: true, ...name }),
    },
    { ret: object({ taskId: integer(), vid: integer({ summary: 'The file that is being made.' }) }) },
    { codes: liveCodesWith(501, 618, 631, 639), foreign: 618 },
  ),
  renameClip: extension(
    'clip/rename',
    'clip',
    'Gives a clip another name.',
    { vid, name: text({ required: true, ...name }) },
    {},
  ),
} as const
