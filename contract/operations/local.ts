// Long because it is one table of the operations beyond the three documents.
import { maxMarkerLabel } from './limits.ts'
import { reasonField } from '../catalogue/reasons.ts'
import { copyKinds } from './copy-kinds.ts'
import type { Code } from '../errors.ts'
import type { Fields } from '../field.ts'
import { flag, integer, list, object, text } from '../field.ts'
import { accessOperations } from './access.ts'
import { broadcastOperations } from './broadcasts.ts'
import { clipDetails, clipOperations } from './clips.ts'
import { extension, general } from './extension.ts'
import { heldAnswer } from './live.ts'
import { holdOperations } from './hold.ts'
import { liveCodesWith } from './live.ts'
import { reachOperations } from './reach.ts'
import { targetOperations } from './targets.ts'

const cid = text({ summary: 'Channel id.', required: true, max: 64 })
const roomid = integer({ summary: 'Room id.', required: true, min: 1 })
const accid = text({ summary: 'Account.', required: true, max: 32, fold: true })
const vid = integer({ summary: 'File id.', required: true, min: 1 })
const markerLabel = text({ max: maxMarkerLabel })
const limit = integer({ summary: 'Entries at most.', default: 100, min: 1, max: 1000 })
const before = integer({ summary: 'Only entries before this time in ms.', min: 0 })
/** Lines of a room in one answer, in bytes of JSON, so that callers can hold it. */
export const maxLinesBytes = 1_048_576
/** Accounts in one answer about a room. */
export const maxAccounts = 10_000
const beforeLine = text({ summary: 'Only lines that stand before the one with this msgid.', max: 64 })
const linesSummary = `The latest first; as many as were asked for, or fewer with ${maxLinesBytes / 1_048_576} MiB together.`
const moreLines = flag({ summary: 'There are earlier ones: ask for those before the last one given.' })
const afterAccid = text({ summary: 'Only accounts behind this one, by their names.', max: 32, fold: true })
const accountsSummary = `At most ${maxAccounts}.`
const moreAccounts = flag({ summary: 'There are more: ask for those behind the last one given.' })

/** Values of `change` of room/queue. */
export const queueChanges = { put: 1, take: 2, empty: 3 } as const
/** Contents and sender of a line. */
const lineThen = object({ from: text(), nick: text(), type: integer({ summary: 'Kind of message.' }), attach: text() })
/** Codes that fault injection may use (behaviour.md#fault-injection). */
const internalCodes = [500, 501, 514, 602, 603, 604, 605, 629, 630] as const satisfies readonly Code[]
/** Details of a recorded file beyond 1-live. */
export const recordedFileDetails = {
  vid: integer(),
  name: text(),
  key: text({ summary: 'Storage path.' }),
  begin: integer({ summary: 'Begin in ms; of a merged file the completion.' }),
  end: integer({ summary: 'End in ms; of a merged file the completion.' }),
  completed: integer({ summary: 'Completion in ms.' }),
  format: integer({ summary: '1 flv, 0 mp4.' }),
  bytes: integer(),
  duration: integer({ summary: 'Length of the media in ms.' }),
  codecs: text({ summary: 'Files can be merged when these are equal.' }),
  merged: flag({ summary: 'Made of others, by a merge or as a clip.' }),
  clip: object(clipDetails, { summary: 'Of a clip: what it is of.', optional: true }),
} as const
/** State of a listener. */
const listener = object({
  name: text({ summary: 'api, media or rtmp.' }),
  address: text({ summary: 'Address that it is bound to.' }),
  port: integer({ summary: 'Port in use.' }),
  wanted: integer({ summary: 'Port that was asked for; 0 for any.' }),
  holder: text({ summary: 'Who held the port that was asked for, where known.', optional: true }),
})

/** What a channel's recording state says in an answer as in an event. */
export const recordingProgress = {
  reason: text({ summary: 'Why it is stopped: space, readonly, folder, slow or error.', optional: true }),
  since: integer({ summary: 'Begin of the recording in ms.', optional: true }),
  recorded: integer({ summary: 'Length of what was recorded since then, in ms of media.', optional: true }),
  cut: integer({ summary: 'When the next slice begins at the earliest, in ms, while it is recorded.', optional: true }),
} as const satisfies Fields

/** Details of a channel beyond 1-live. */
export const channelDetails = {
  cid: text(),
  status: integer({ summary: '0 idle, 1 live, 2 disabled, 3 live and recording.' }),
  since: integer({ summary: 'Start of the push on air in ms.', optional: true }),
  keyExpires: integer({ summary: 'Until when the newest push address is valid, in ms.' }),
  viewers: integer({ summary: 'Players over all protocols.' }),
  broadcastId: text({ summary: 'The broadcast on air.', optional: true }),
  broadcastTitle: text({ summary: 'Its title, as viewers read it; absent without one.', optional: true }),
  nextTitle: text({ summary: 'The title that the next broadcast takes; absent without one.', optional: true }),
} as const

type AllOptional<F> = { readonly [K in keyof F]: F[K] & { readonly optional: true } }
const allOptional = <const F extends Fields>(fields: F): AllOptional<F> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, { ...field, optional: true }]),
  ) as unknown as AllOptional<F>

/** A room as lists of them have it. */
const listedRoom = object({
  roomid: integer(),
  name: text(),
  valid: flag(),
  online: integer(),
  creator: text(),
  created: integer({ summary: 'In ms; no two have the same.' }),
  cid: text({ summary: 'The channel that it is linked to.', optional: true }),
})

const settings = allOptional({
  ownerPresent: flag({ summary: 'The owner is known; off answers 607.' }),
  liveEnabled: flag({ summary: 'Live is activated; off answers 635 on create.' }),
  vodEnabled: flag({ summary: 'On-demand video is activated; off answers 723.' }),
  frozen: flag({ summary: 'The application is frozen; on answers 403 in messaging.' }),
  oneTimeCheckSum: flag({ summary: 'A CheckSum may be used once only.' }),
  pushLifeDays: integer({ summary: 'Life of a push address in days.', min: 1, max: 3650 }),
  localTargets: flag({
    summary:
      'Callbacks may go to this computer and its network; until it is set, on while every listener is on loopback.',
  }),
  recordingDays: integer({ summary: 'Days that recordings are kept; 0 without a limit.', min: 0, max: 36_500 }),
  recordingGigabytes: integer({
    summary: 'Gigabytes (10^9 bytes) that recordings may fill, the oldest go first; 0 without a limit.',
    min: 0,
    max: 1_000_000,
  }),
  recordingLinkHours: integer({
    summary: 'Hours for which the address of a file in a recording callback is good.',
    min: 1,
    max: 720,
  }),
  callsPerMinute: integer({
    summary:
      'Calls of all messaging operations together that the application may make in any 60 s, 416 beyond; 0 without a limit.',
    min: 0,
    max: 100_000,
  }),
  blockSeconds: integer({
    summary: 'Seconds for which a caller is refused after a 416 with a block.',
    min: 0,
    max: 3600,
  }),
  recallMinutes: integer({ summary: 'Minutes within which a message may be recalled.', min: 1, max: 10_080 }),
  historyDays: integer({ summary: 'Days that messages stay in the history.', min: 1, max: 3650 }),
  roamingDays: integer({ summary: 'Days that a message roams to devices that come later.', min: 0, max: 365 }),
  offlineDays: integer({ summary: 'Days that a message waits for an account that is offline.', min: 0, max: 365 }),
  teamSize: integer({ summary: 'Members of a team at most, the owner included.', min: 2, max: 5000 }),
  teamsPerOwner: integer({ summary: 'Teams that one account may own.', min: 0, max: 100_000 }),
  roomsPerCreator: integer({ summary: 'Open rooms that one account may have.', min: 0, max: 100_000 }),
  roomAdmins: integer({ summary: 'Admins of a room.', min: 0, max: 10_000 }),
  roomLimited: integer({ summary: 'People of a room who are blacklisted or muted.', min: 0, max: 100_000 }),
  roomRobots: integer({ summary: 'Robots of a room.', min: 0, max: 10_000 }),
  roomNotices: integer({
    summary:
      'People inside up to whom all are told who comes and goes (301, 302, 316); beyond, creator and admins are, and all others how many are online.',
    min: 0,
    max: 100_000,
  }),
})

/**
 * Operations of the embedded service beyond the three documents (behaviour.md#extension-operations). Their paths,
 * parameters and codes are frozen. Used on extended profiles only.
 */
export const local = {
  info: extension(
    'service/info',
    'service',
    'Describes the running service; who is answered so has the extension operations.',
    {},
    {
      ret: object({
        version: text(),
        uid: integer(),
        startedAt: integer({ summary: 'Start of the process in ms.' }),
        time: integer({ summary: 'Clock of the service in ms.' }),
        timeZone: text(),
        dataDir: text(),
        diskFree: integer({ summary: 'Free bytes where the data lie.' }),
        recordingRoom: integer({
          summary: 'Bytes that may still be recorded: what is free beyond the reserve. Absent while it is not known.',
          optional: true,
        }),
        recordingNeeds: integer({
          summary: 'Bytes that must become free until recording goes on, while it is stopped for want of room.',
          optional: true,
        }),
        recordingReserve: integer({ summary: 'Bytes that recording leaves free.' }),
        media: text({ summary: 'Root of the media side as others reach it.', optional: true }),
        link: text({ summary: 'Address of the client link as others reach it.', optional: true }),
        listeners: list(listener),
      }),
    },
    general,
  ),
  events: extension(
    'service/events',
    'service',
    'Streams tallies, ingest figures and push events as JSON lines, beginning with a snapshot.',
    {
      after: integer({
        summary:
          'Place of the last event that was heard: pushes, holds and files since then are told, the newest 1,000.',
        optional: true,
      }),
    },
    {},
    { ...general, stream: true },
  ),
  settings: extension(
    'service/settings',
    'service',
    'Reads the settings of the application.',
    {},
    { ret: object(settings) },
    general,
  ),
  updateSettings: extension(
    'service/updateSettings',
    'service',
    'Changes settings of the application; absent ones stay.',
    settings,
    { ret: object(settings) },
    general,
  ),
  channelDetails: extension(
    'channel/details',
    'channel',
    'Reads tally, start, viewers and expiry of channels.',
    { cidList: list(text({ max: 64 }), { required: true, max: 1000 }) },
    { ret: object({ list: list(object(channelDetails)) }) },
    general,
  ),
  deletedChannels: extension(
    'channel/deleted',
    'channel',
    'Lists deleted channels that have recorded files, last deleted first; 10,000 at most.',
    {},
    {
      ret: object({
        list: list(
          object({
            cid: text(),
            name: text({ summary: 'Its last name; absent where it is not known.', optional: true }),
            deleted: integer({
              summary:
                'When it was deleted, in ms; of one deleted by an early version when its last file was completed.',
            }),
          }),
        ),
      }),
    },
    general,
  ),
  replaceKey: extension(
    'channel/replaceKey',
    'channel',
    'Makes a new per-channel key: every address given out so far stops working for new pushes.',
    { cid },
    { ret: object({ pushUrl: text({ secret: true }) }), ...heldAnswer },
  ),

  faults: extension(
    'service/faults',
    'service',
    'Makes the next calls of an operation fail with an internal code; only with the start flag --faults.',
    {
      path: text({ summary: 'Path of the operation.', required: true, max: 128 }),
      code: integer({
        summary: 'Code of an internal failure that the operation lists; 629 and 630 as internal failures.',
        required: true,
        oneOf: internalCodes,
      }),
      times: integer({
        summary: 'How many calls fail; 0 takes back what was asked for.',
        default: 1,
        min: 0,
        max: 1000,
      }),
    },
    {},
    { codes: liveCodesWith(501, 618, 631), foreign: 618, startFlag: 'faults' },
  ),
  playbackTicket: extension(
    'recording/ticket',
    'recording',
    'Gives an address of 10 minutes at which a file plays.',
    { vid },
    {
      ret: object({
        url: text({ secret: true }),
        expires: integer({ summary: 'Until when, in ms.' }),
        file: text({ summary: 'Where the file lies on the computer of the service.', optional: true }),
      }),
    },
  ),
  recordedFiles: extension(
    'recording/list',
    'recording',
    'Lists files of a channel, also of a deleted one, that were being recorded within a range, with what the lists of 1-live leave out; 10,000 at most, oldest first.',
    { cid, beginTime: integer({ required: true, min: 0 }), endTime: integer({ required: true, min: 0 }) },
    {
      ret: object({
        list: list(
          object({
            ...recordedFileDetails,
            missing: flag({
              summary: 'Its file is not in its place on the disk of the service that answers; absent otherwise.',
              optional: true,
            }),
          }),
        ),
      }),
    },
  ),
  allRecordedFiles: extension(
    'recording/all',
    'recording',
    'Lists files of all channels that were being recorded within a range, deleted channels included, newest first.',
    {
      beginTime: integer({ default: 0, min: 0 }),
      endTime: integer({ summary: 'Without an end when absent.', min: 0 }),
      deletedOnly: flag({ summary: 'Only files of channels that were deleted.', default: false }),
      limit: integer({ summary: 'Entries at most.', default: 1000, min: 1, max: 10_000 }),
      beforeBegin: integer({ summary: 'To read on: begin of the last entry that was read.', min: 0 }),
      beforeVid: integer({ summary: 'To read on: vid of the last entry that was read.', min: 1 }),
    },
    {
      ret: object({
        list: list(
          object({
            ...recordedFileDetails,
            cid: text(),
            channel: text({
              summary: 'Name of the channel, the last one of a deleted channel; absent where it is not known.',
              optional: true,
            }),
            deleted: flag({ summary: 'The channel was deleted.' }),
          }),
        ),
        more: flag({ summary: 'There are further entries.' }),
      }),
    },
    general,
  ),
  removeRecordings: extension(
    'recording/remove',
    'recording',
    'Deletes files; those that a merge reads stay.',
    { vidList: list(integer({ min: 1 }), { required: true, max: 1000 }) },
    { ret: object({ successList: list(integer()) }) },
    general,
  ),
  recordingState: extension(
    'recording/state',
    'recording',
    'Reads what is being recorded of a channel, and the room left on disk.',
    { cid },
    {
      ret: object({
        recording: flag(),
        state: text({ summary: 'off, asked (it waits for a key frame), recording, or stopped.' }),
        ...recordingProgress,
        bytes: integer({ summary: 'Size of the slice being written.' }),
        diskFree: integer(),
      }),
    },
  ),
  mergeTasks: extension(
    'merge/list',
    'recording',
    'Lists merge tasks with their progress in bytes, newest first.',
    {},
    {
      ret: object({
        list: list(
          object({
            taskId: integer(),
            vid: integer({ summary: 'The file that it makes.' }),
            outputName: text(),
            state: text({ summary: 'running, done, failed or cancelled.' }),
            reason: reasonField('merge', 'Why it failed.'),
            done: integer(),
            total: integer(),
            clip: flag({ summary: 'It cuts a range out (clip/trim).' }),
          }),
        ),
      }),
    },
    general,
  ),
  cancelMerge: extension(
    'merge/cancel',
    'recording',
    'Cancels a merge task that runs.',
    { taskId: integer({ required: true, min: 1 }) },
    {},
  ),
  addMarker: extension(
    'marker/add',
    'recording',
    'Marks a moment of a channel; now when no time is given. A channel has 10,000 at most.',
    { cid, at: integer({ summary: 'Moment in ms.', min: 0 }), label: markerLabel },
    { ret: object({ markerId: integer() }) },
  ),
  markers: extension(
    'marker/list',
    'recording',
    'Lists markers of a channel in a range, also of a deleted one that has files.',
    { cid, beginTime: integer({ required: true, min: 0 }), endTime: integer({ required: true, min: 0 }) },
    { ret: object({ list: list(object({ markerId: integer(), at: integer(), label: text() })) }) },
  ),
  renameMarker: extension(
    'marker/rename',
    'recording',
    'Gives a marker another label; none when it is absent.',
    { markerId: integer({ required: true, min: 1 }), label: markerLabel },
    {},
  ),
  removeMarker: extension(
    'marker/remove',
    'recording',
    'Removes a marker.',
    { markerId: integer({ required: true, min: 1 }) },
    {},
  ),
  quarantine: extension(
    'quarantine/list',
    'quarantine',
    'Lists what was set aside in the data folder, in a cluster in those of all nodes, instead of being deleted or written over, newest first; 1,000 at most. Kept for 30 days.',
    {},
    {
      ret: object({
        list: list(
          object({
            id: text(),
            at: integer({ summary: 'When, in ms.' }),
            reason: text({
              summary: 'unknown, unfinished, damaged, newer, notAFile, unreadable, missing or replaced.',
            }),
            detail: text({ summary: 'What was wrong, in words.' }),
            paths: list(text(), { summary: 'Where it was, relative to the data folder; the first 20.' }),
            count: integer({ summary: 'Files in all.' }),
            bytes: integer(),
            seen: flag({ summary: 'Somebody was told.' }),
            until: integer({ summary: 'When it is thrown away, in ms.' }),
            node: text({ summary: 'Node that has it, in a cluster.', optional: true }),
          }),
        ),
        count: integer({ summary: 'Entries in all.' }),
        bytes: integer({ summary: 'Bytes in all.' }),
        silent: list(text(), { summary: 'Nodes of a cluster that did not answer.', optional: true }),
      }),
    },
    general,
  ),
  restoreQuarantined: extension(
    'quarantine/restore',
    'quarantine',
    'Puts an entry back; uploads and recordings get rows again, recordings a callback. Nothing is written over.',
    { id: text({ required: true, max: 64 }) },
    {
      ret: object({
        restored: integer({ summary: 'Files in their place again.' }),
        taken: list(text(), { summary: 'Paths whose place is taken; the first 20.' }),
      }),
    },
    { codes: liveCodesWith(501, 618, 631), foreign: 618 },
  ),
  removeQuarantined: extension(
    'quarantine/remove',
    'quarantine',
    'Deletes an entry before its time.',
    { id: text({ required: true, max: 64 }) },
    {},
    { codes: liveCodesWith(501, 618, 631), foreign: 618 },
  ),
  seeQuarantined: extension(
    'quarantine/seen',
    'quarantine',
    'Notes that somebody was told of entries.',
    { idList: list(text({ max: 64 }), { required: true, max: 1000 }) },
    {},
    general,
  ),
  callback: extension(
    'callback/get',
    'callback',
    'Reads the callback addresses and the signing key.',
    {},
    {
      ret: object({
        recordClk: text({ optional: true }),
        signKey: text({ secret: true }),
        liveUrl: text({ summary: 'Address of live callbacks.', optional: true }),
      }),
    },
    general,
  ),
  setLiveCallback: extension(
    'callback/setLive',
    'callback',
    'Sets the address that is told when a broadcast begins and ends, as recording callbacks are; none without it.',
    { url: text({ max: 1024 }) },
    {},
    general,
  ),
  deliveries: extension(
    'delivery/list',
    'callback',
    'Lists deliveries of callbacks and message copies, newest first.',
    {
      limit,
      before,
      kind: text({ summary: 'Only those of a kind.', pattern: '^(recording|live|copy)$' }),
    },
    {
      ret: object({
        list: list(
          object({
            nId: text({ summary: 'Message id.' }),
            vid: integer({ summary: 'The file that it tells of.', optional: true }),
            kind: text({ summary: 'recording, live or copy.' }),
            url: text({ summary: 'Where it goes or went.' }),
            state: text({ summary: 'waiting, delivered, or failed when the schedule is used up.' }),
            attempts: integer({ summary: 'Attempts made.' }),
            at: integer({ summary: 'When it was put in, in ms. All of one ms are on one page, even beyond limit.' }),
            due: integer({ summary: 'When the next attempt is due, in ms, while it waits.', optional: true }),
            result: reasonField('delivery', 'What the last attempt came to.'),
          }),
        ),
        waiting: integer({ summary: 'How many of them wait in all.', optional: true }),
      }),
    },
    general,
  ),
  resend: extension(
    'delivery/resend',
    'callback',
    'Delivers an entry of the log again, with the same nId, to the address that is set now.',
    { nId: text({ required: true, max: 64 }) },
    {},
  ),
  copyTarget: extension(
    'copy/get',
    'copy',
    'Reads the receive address of message copies and the kinds that are active.',
    {},
    { ret: object({ url: text({ optional: true }), kinds: list(integer()) }) },
    general,
  ),
  setCopyTarget: extension(
    'copy/set',
    'copy',
    'Sets the receive address of message copies, checked with a POST of {}; without one copying ends. Absent kinds stay.',
    {
      url: text({ max: 1024 }),
      kinds: list(integer({ oneOf: copyKinds }), {
        summary: '1 messages, 2 log-ins, 3 log-outs, 4 room messages.',
        max: 4,
      }),
    },
    {},
    general,
  ),
  accounts: extension(
    'account/list',
    'account',
    'Lists accounts by page.',
    { search: text({ max: 64 }), after: text({ max: 32 }), limit },
    { ret: object({ list: list(object({ accid: text(), name: text(), blocked: flag(), online: flag() })) }) },
    general,
  ),
  endSessions: extension(
    'account/endSessions',
    'account',
    'Ends the link sessions of an account.',
    { accid },
    {},
    { codes: liveCodesWith(501, 618, 631), foreign: 618 },
  ),
  words: extension(
    'words/get',
    'words',
    'Reads the word list of the application.',
    {},
    { ret: object({ words: list(text()), hold: flag() }) },
    general,
  ),
  setWords: extension(
    'words/set',
    'words',
    'Sets the word list; with hold, caught lines of rooms wait for a moderator. A word is found as a whole word, in scripts without spaces anywhere; * at its begin or end stands for any letters.',
    { words: list(text({ max: 64 }), { required: true, max: 10_000 }), hold: flag({ default: false }) },
    {},
    general,
  ),
  rooms: extension(
    'room/list',
    'room',
    'Lists rooms by page, newest first.',
    { before, limit },
    { ret: object({ list: list(listedRoom) }) },
    general,
  ),
  roomDetails: extension(
    'room/details',
    'room',
    'Reads rooms as the list has them, in the order asked for; unknown ones are left out.',
    { roomidList: list(integer({ min: 1 }), { required: true, max: 1000 }) },
    { ret: object({ list: list(listedRoom) }) },
    general,
  ),
  roomHistory: extension(
    'room/history',
    'room',
    'Reads lines of a room by time, and of one account.',
    {
      roomid,
      beginTime: integer({ min: 0 }),
      endTime: integer({ min: 0 }),
      before: beforeLine,
      accid: text({ max: 32 }),
      limit,
      notices: flag({
        summary: 'Also what was done there, as lines of type 5 whose sender is the operator.',
        default: false,
      }),
    },
    {
      ret: object({
        list: list(
          object({
            msgid: text(),
            at: integer(),
            from: text(),
            type: integer(),
            attach: text(),
            removed: flag(),
            nick: text(),
            clientId: text(),
            heldAt: integer({
              summary: 'When a line was said that waited for review and was let through at its time.',
              optional: true,
            }),
          }),
          { summary: linesSummary },
        ),
        more: moreLines,
      }),
    },
  ),
  roomLine: extension(
    'room/line',
    'room',
    'Reads one line that people said, whatever became of it: shown, deleted, held or dropped.',
    { roomid, msgid: text({ required: true, max: 64 }) },
    { ret: lineThen },
  ),
  removeLine: extension(
    'room/removeLine',
    'room',
    'Deletes one line of a room; clients see a recall. 417 for one that was deleted before, 618 where `sender` has not said it.',
    {
      roomid,
      operator: accid,
      msgid: text({ required: true, max: 64 }),
      sender: text({ max: 32 }),
      notifyExt: text({ max: 2048 }),
    },
    { ret: lineThen },
    { codes: liveCodesWith(417, 501, 617, 618, 631) },
  ),
  muted: extension(
    'room/muted',
    'room',
    'Lists muted accounts, with the seconds that remain.',
    { roomid, after: afterAccid },
    {
      ret: object({
        list: list(object({ accid: text(), permanent: flag(), seconds: integer() }), { summary: accountsSummary }),
        more: moreAccounts,
      }),
    },
  ),
  blacklisted: extension(
    'room/blacklisted',
    'room',
    'Lists blacklisted accounts.',
    { roomid, after: afterAccid },
    {
      ret: object({
        list: list(object({ accid: text(), at: integer() }), { summary: accountsSummary }),
        more: moreAccounts,
      }),
    },
  ),
  roomPeople: extension(
    'room/people',
    'room',
    'Reads what accounts are in a room, what they are called there and how long they are muted, whether they are inside or not.',
    { roomid, accids: list(text({ max: 32, fold: true }), { summary: 'Accounts.', required: true, min: 1, max: 200 }) },
    {
      ret: object({
        list: list(
          object({
            accid: text(),
            type: integer({ summary: '-1 limited, 0 ordinary, 1 creator, 2 admin, 3 temporary.' }),
            nick: text({ summary: 'As lists of members have it; empty where nobody knows.' }),
            seconds: integer({ summary: 'That remain of a timed mute; 0 without one.' }),
          }),
        ),
      }),
    },
  ),
  changeRoom: extension(
    'room/change',
    'room',
    'Changes name or announcement as somebody who leads the room, whom those inside are told of.',
    {
      roomid,
      operator: accid,
      name: text({ max: 128 }),
      announcement: text({ max: 4096 }),
      was: text({ summary: 'The announcement that was read: 417 when it is another one now.', max: 4096 }),
      notifyExt: text({ max: 2048 }),
    },
    {},
    { codes: liveCodesWith(403, 417, 501, 617, 618, 631, 13002) },
  ),
  changeQueue: extension(
    'room/queue',
    'room',
    'Puts an element into the queue, takes the first or the one with the key, or empties it, as somebody who leads the room, whom those inside are told of.',
    {
      roomid,
      operator: accid,
      change: integer({ summary: '1 put, 2 take, 3 empty.', required: true, oneOf: Object.values(queueChanges) }),
      key: text({ summary: 'Needed to put one.', max: 128 }),
      value: text({ summary: 'Needed to put one.', max: 4096 }),
      fresh: flag({ summary: '417 when there is an element with the key.', default: false }),
    },
    { ret: object({ key: text({ optional: true }), value: text({ optional: true }) }) },
    { codes: liveCodesWith(403, 404, 414, 417, 501, 617, 618, 631) },
  ),
  slowMode: extension(
    'room/slowMode',
    'room',
    'Sets the seconds between two lines of an ordinary person; 0 for none.',
    {
      roomid,
      operator: text({ summary: 'Who acts; the creator when absent.', max: 32, fold: true }),
      seconds: integer({ required: true, min: 0, max: 3600 }),
    },
    {},
    { codes: liveCodesWith(403, 501, 617, 618, 631) },
  ),
  held: extension(
    'room/held',
    'room',
    'Lists lines that wait for review.',
    { roomid, before: beforeLine, limit },
    {
      ret: object({
        list: list(
          object({
            msgid: text(),
            at: integer(),
            from: text(),
            type: integer({ summary: 'Kind of message.' }),
            attach: text(),
            ext: text({ summary: 'What came with it, which the word list reads too.', optional: true }),
            nick: text(),
          }),
          { summary: linesSummary },
        ),
        more: moreLines,
      }),
    },
  ),
  decideHeld: extension(
    'room/decideHeld',
    'room',
    'Lets a held line through or drops it. A line of somebody who may not speak now, as after a mute, is not let through: 403. 417 for one that waits no more, 618 where `sender` has not said it.',
    { roomid, msgid: text({ required: true, max: 64 }), sender: text({ max: 32 }), allow: flag({ required: true }) },
    { ret: lineThen },
    { codes: liveCodesWith(403, 417, 501, 617, 618, 631) },
  ),
  linkRoom: extension(
    'room/link',
    'room',
    'Links a room to a channel; without a room the link ends.',
    { cid, roomid: integer({ min: 1 }) },
    {},
  ),
  linkedRoom: extension(
    'room/linked',
    'room',
    'Reads the room linked to a channel.',
    { cid },
    { ret: object({ roomid: integer({ optional: true }) }) },
  ),
  guests: extension(
    'room/guests',
    'room',
    'Allows or refuses guests of the watch page.',
    { roomid, allow: flag({ required: true }) },
    {},
  ),
  ...accessOperations,
  ...reachOperations,
  ...targetOperations,
  ...holdOperations,
  ...broadcastOperations,
  ...clipOperations,
} as const
