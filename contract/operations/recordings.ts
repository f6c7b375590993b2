import { flag, integer, list, object, text } from '../field.ts'
import { operation } from '../operation.ts'
import { liveCodesWith, recordNamePattern } from './live.ts'

const cid = text({ summary: 'Channel id.', required: true, max: 64 })
const result = { ret: object({ result: flag() }) } as const
const group = { document: 1, group: 'recordings', encoding: 'json', invalid: 631, unknown: 618, fault: 501 } as const

/** Concurrent merges of an application, and the longest total of one in ms (1-live Limits). */
export const mergeLimits = { atOnce: 3, duration: 4 * 3600 * 1000 } as const
/** Longest range of `vodvideolist` in ms (1-live Limits). */
export const maxListRange = 7 * 24 * 3600 * 1000

/** Operations on recording, recorded files, callbacks and merging (1-live Endpoints). */
export const recordings = {
  setAlwaysRecord: operation({
    ...group,
    path: '/app/channel/setAlwaysRecord',
    summary: 'Switches recording of a channel on or off.',
    parameters: {
      cid,
      needRecord: integer({ summary: '1 on, 0 off.', required: true, oneOf: [0, 1] }),
      format: integer({ summary: '1 flv, 0 mp4; the stored value when absent.', oneOf: [0, 1] }),
      duration: integer({ summary: 'Slice length in minutes; the stored value when absent.', min: 5, max: 120 }),
      filename: text({
        summary: 'Base name: Chinese characters, letters, digits; the stored value when absent.',
        pattern: recordNamePattern,
        allowed: 'at most 64 Chinese characters, letters and digits',
      }),
    },
    answer: {},
    codes: liveCodesWith(501, 617, 618, 631, 723),
    foreign: 617,
  }),
  videoList: operation({
    ...group,
    path: '/app/videolist',
    summary: 'Lists files of a channel completed within the last 7 days.',
    parameters: {
      cid,
      records: integer({
        summary: 'Files of a page; everything is answered when both are absent.',
        min: 1,
        lowerTo: 1000,
      }),
      pnum: integer({ summary: 'Page, from 1; one beyond the last is empty.', min: 1 }),
    },
    answer: {
      ret: object({
        videoList: list(object({ video_name: text(), orig_video_key: text(), uid: integer(), vid: integer() })),
        pnum: integer({ summary: 'With records or pnum, as the three that follow.', optional: true }),
        records: integer({ optional: true }),
        totalPnum: integer({ optional: true }),
        totalRecords: integer({ optional: true }),
      }),
    },
    codes: liveCodesWith(501, 618, 631),
    foreign: 618,
  }),
  videoListInRange: operation({
    ...group,
    path: '/app/vodvideolist',
    summary: 'Lists files of a channel that began within a range of at most 1 week.',
    parameters: {
      cid,
      beginTime: integer({ summary: 'Begin of the range in ms.', required: true, min: 0, whole: true }),
      endTime: integer({ summary: 'End of the range in ms.', required: true, min: 0, whole: true }),
    },
    answer: { ret: object({ videoList: list(object({ name: text(), url: text(), vid: integer() })) }) },
    codes: liveCodesWith(501, 618, 631),
    foreign: 618,
  }),
  setCallback: operation({
    ...group,
    path: '/app/record/setcallback',
    summary: 'Sets the address that is notified of recorded files.',
    parameters: {
      recordClk: text({
        summary: 'Address starting with http.',
        required: true,
        max: 1024,
        pattern: '^https?://',
        allowed: 'an address that begins with http:// or https://',
      }),
    },
    answer: result,
    codes: liveCodesWith(501, 618, 631),
    foreign: 618,
  }),
  setSignKey: operation({
    ...group,
    path: '/app/callback/setSignKey',
    summary: 'Sets the key that signs callbacks.',
    parameters: { signKey: text({ summary: 'Signing key.', required: true, max: 128, secret: true }) },
    answer: result,
    codes: liveCodesWith(501, 618, 631),
    foreign: 618,
  }),
  merge: operation({
    ...group,
    path: '/app/video/merge',
    summary: 'Merges MP4 files, in the order given, into one.',
    parameters: {
      outputName: text({
        summary: 'Name of the result: no white space or control characters.',
        required: true,
        max: 128,
        pattern: '^[^\\s\\p{Cc}]{1,128}$',
        allowed: '1 to 128 characters without white space and control characters',
      }),
      vidList: list(integer({ min: 1 }), {
        summary: 'File ids in order; an id may repeat.',
        required: true,
        min: 1,
        max: 1000,
      }),
    },
    answer: result,
    codes: liveCodesWith(501, 618, 631, 638, 639),
    foreign: 618,
    rates: [{ per: 'application', calls: 10, seconds: 60, code: 638, block: 0 }],
  }),
} as const
