import type { Code } from '../errors.ts'
import { integer, list, object, text } from '../field.ts'
import { operation } from '../operation.ts'
import { channelNamePattern, maxChannelName } from './limits.ts'

/** Codes of every operation of document 1 (1-live Errors). */
export const liveCodes = [409, 613, 614, 615] as const satisfies readonly Code[]
/** Codes of a live operation: success, the common ones and its own, ascending. */
export const liveCodesWith = (...own: readonly Code[]): Code[] =>
  [200 as Code, ...liveCodes, ...own].sort((a, b) => a - b)

/** Base names of files: as channel names, without underscore (behaviour.md#characters). */
export const recordNamePattern = '^[\\p{Script=Han}A-Za-z0-9]{0,64}$'

const cid = text({
  summary: 'Channel id, 32 lowercase hexadecimal characters.',
  required: true,
  whenEmpty: 609,
  max: 64,
})
const cidOnly = text({ summary: 'Channel id.', required: true, max: 64 })
const name = text({
  summary: 'Channel name: Chinese characters, letters, digits and underscore, at most 64.',
  required: true,
  whenEmpty: 610,
  max: maxChannelName,
  pattern: channelNamePattern,
  allowed: '1 to 64 Chinese characters, letters, digits and _',
})
const type = integer({ summary: 'Kind of channel; 0 is rtmp.', default: 0, oneOf: [0], whenInvalid: 612 })
const cidList = list(text({ max: 64 }), { summary: 'Channel ids.', required: true, min: 1, max: 1000 })

const addresses = {
  pushUrl: text({ summary: 'Push address with wsSecret and wsTime.', secret: true }),
  httpPullUrl: text({ summary: 'HTTP-FLV pull address.' }),
  hlsPullUrl: text({ summary: 'HLS pull address.' }),
  rtmpPullUrl: text({ summary: 'RTMP pull address.' }),
} as const

/** A channel in answers (1-live Channel). */
export const channelMembers = {
  ctime: integer({ summary: 'Creation time in ms.' }),
  cid: text({ summary: 'Channel id.' }),
  name: text({ summary: 'Channel name.' }),
  status: integer({ summary: '0 idle, 1 live, 2 disabled, 3 live and recording.', oneOf: [0, 1, 2, 3] }),
  type: integer({ summary: '0 rtmp, 1 hls, 2 http.' }),
  uid: integer({ summary: 'Owner user id.' }),
  needRecord: integer({ summary: '1 recording on, 0 off.' }),
  format: integer({ summary: 'Recording file format: 1 flv, 0 mp4.' }),
  duration: integer({ summary: 'Slice length in minutes.' }),
  filename: text({ summary: 'Recorded file name.' }),
} as const

/** Member of answers to what takes access away (behaviour.md#held-changes). */
export const heldAnswer = {
  msg: text({
    summary: 'That it is in force but not stored, as the disk refuses it; absent when it is stored.',
    optional: true,
  }),
} as const

/** Operations on channels (1-live Endpoints). 631 and 618 are used only where they are listed. */
export const live = {
  create: operation({
    path: '/app/channel/create',
    document: 1,
    group: 'live',
    encoding: 'json',
    summary: 'Creates a channel.',
    parameters: { name, type },
    answer: { ret: object({ cid: text(), ctime: integer(), name: text(), ...addresses }) },
    codes: liveCodesWith(604, 607, 610, 611, 612, 635),
    invalid: 604,
    unknown: 604,
    foreign: 604,
    fault: 604,
  }),
  update: operation({
    path: '/app/channel/update',
    document: 1,
    group: 'live',
    encoding: 'json',
    summary: 'Renames a channel.',
    parameters: { cid, name, type },
    answer: { ret: object({}) },
    codes: liveCodesWith(605, 607, 609, 610, 611, 612),
    invalid: 605,
    unknown: 605,
    foreign: 605,
    fault: 605,
  }),
  remove: operation({
    path: '/app/channel/delete',
    document: 1,
    group: 'live',
    encoding: 'json',
    summary: 'Deletes a channel; a push in progress is cut.',
    parameters: { cid },
    answer: { ret: object({}) },
    codes: liveCodesWith(603, 607, 609),
    invalid: 603,
    unknown: 603,
    foreign: 603,
    fault: 603,
  }),
  state: operation({
    path: '/app/channelstats',
    document: 1,
    group: 'live',
    encoding: 'json',
    summary: 'Reads a channel and its state.',
    parameters: { cid },
    answer: { ret: object(channelMembers) },
    codes: liveCodesWith(602, 607, 609, 617),
    invalid: 602,
    unknown: 602,
    foreign: 617,
    fault: 602,
  }),
  list: operation({
    path: '/app/channellist',
    document: 1,
    group: 'live',
    encoding: 'json',
    summary: 'Lists channels by page.',
    parameters: {
      records: integer({ summary: 'Page size.', default: 10, min: 1, lowerTo: 1000 }),
      pnum: integer({ summary: 'Page number, from 1.', default: 1, min: 1 }),
      ofield: text({ summary: 'Sort field; only ctime.', default: 'ctime', pattern: '^(ctime)$' }),
      sort: integer({ summary: '1 ascending, 0 descending.', default: 0, oneOf: [0, 1] }),
    },
    answer: {
      ret: object({
        pnum: integer(),
        totalPnum: integer(),
        records: integer(),
        totalRecords: integer(),
        list: list(object(channelMembers)),
      }),
    },
    codes: liveCodesWith(602, 607, 618, 631),
    invalid: 631,
    unknown: 618,
    foreign: 618,
    fault: 602,
  }),
  address: operation({
    path: '/app/address',
    document: 1,
    group: 'live',
    encoding: 'json',
    summary:
      'Obtains the addresses of a channel again; a new push address when the newest has less than half of its life left.',
    parameters: { cid },
    answer: { ret: object({ ...addresses, name: text() }) },
    codes: liveCodesWith(602, 607, 609, 617),
    invalid: 602,
    unknown: 602,
    foreign: 617,
    fault: 602,
  }),
  pause: operation({
    path: '/app/channel/pause',
    document: 1,
    group: 'live',
    encoding: 'json',
    summary: 'Disables a channel; a push in progress is cut within 1 s.',
    parameters: { cid: cidOnly },
    answer: heldAnswer,
    codes: liveCodesWith(501, 617, 618, 629, 631),
    invalid: 631,
    unknown: 618,
    foreign: 617,
    fault: 501,
  }),
  pauseMany: operation({
    path: '/app/channellist/pause',
    document: 1,
    group: 'live',
    encoding: 'json',
    summary: 'Disables several channels and names those that were disabled.',
    parameters: { cidList },
    answer: { ret: object({ successList: list(text()) }), ...heldAnswer },
    codes: liveCodesWith(501, 631),
    invalid: 631,
    unknown: 631,
    foreign: 631,
    fault: 501,
  }),
  resume: operation({
    path: '/app/channel/resume',
    document: 1,
    group: 'live',
    encoding: 'json',
    summary: 'Makes a disabled channel usable again.',
    parameters: { cid: cidOnly },
    answer: {},
    codes: liveCodesWith(501, 617, 618, 630, 631),
    invalid: 631,
    unknown: 618,
    foreign: 617,
    fault: 501,
  }),
  resumeMany: operation({
    path: '/app/channellist/resume',
    document: 1,
    group: 'live',
    encoding: 'json',
    summary: 'Resumes several channels and names those that were resumed.',
    parameters: { cidList },
    answer: { ret: object({ successList: list(text()) }) },
    codes: liveCodesWith(501, 631),
    invalid: 631,
    unknown: 631,
    foreign: 631,
    fault: 501,
  }),
} as const
