import type { Allowed } from './plan.ts'

const atStart = 'A start reads it whole into memory, before anything listens.'
const marks = 'A mark that few rows have otherwise; the read ends with its limit of rows.'
const inThread = 'Read by the thread of long reads, which has a limit of time.'
const some = 'As many rows as were named by their numbers, a few hundred at most.'

const service: Allowed = {
  small: {
    kysely_migration: 'One row for each change of the schema.',
    sqlite_sequence: 'One row for each table that numbers its rows.',
    application: 'One row for each key pair of a start.',
    callback: 'One row for each application.',
    copyTarget: 'One row for each application.',
    wordList: 'One row for each application.',
    watchLimit: 'One row for each application.',
    toldPush: 'One row for each push on air.',
    streamPosition: 'One row.',
    linePosition: 'One row.',
    guest: 'Twenty thousand at most, for a day each.',
    mergeTask: 'A hundred for each application, and those that run.',
    mergeLease: 'Merges that run, three for each application.',
  },
  filters: {
    'roomLine.type': 'Notices of the history are what leaders did: few among the lines.',
    'event.history': marks,
    'event.roam': marks,
    'event.offline': marks,
    'event.hidden': marks,
    'event.recalled': marks,
    'event.sync': marks,
    'event.badge': marks,
    'event.kind': 'Of a team there are messages and notifications, and the newest 2,000 are looked at.',
    'event.sender': 'Somebody’s own messages in one conversation.',
    'event.at': 'Within a range of seq that the days of the history bound.',
    'event.seq': 'Within a range of time that the days of the history bound.',
    'inbox.seq': 'Of the newest 2,000 of an account.',
    'inbox.counts': 'Of the newest 2,000 of an account.',
    'delivery.nId': 'Those under way, four at most for one target.',
    'delivery.state':
      'Ended ones are 10,000 of an application at most; those that wait are read a part at a time, or by the thread of long reads.',
    'delivery.kind': 'All but those of a newer release, from which this one was gone back to.',
    'delivery.url': some,
    'broadcast.ended': 'All but those on air.',
    'broadcast.cid': 'Of 2,000 of an application at most.',
    'broadcast.broadcastId': 'Of two that began at the same moment.',
    'recording.state': 'Files that are not listed yet, or not any more: those of this minute.',
    'recording.beginTime': inThread,
    'recording.endTime': inThread,
    'recording.node': 'With its number, or of files that are not listed: those of this minute.',
    'recording.cid': 'Joined by it: one row of a channel, or none.',
    'recording.vid': 'Of two files that began at the same moment.',
    'deviceCursor.device': 'An account has 50 devices at most.',
    'logInRecord.recordId': some,
    'upload.removed': 'Uploads of the same bytes.',
  },
  statements: {
    'select * from "channel"': atStart,
    'select * from "admission"': atStart,
    'select * from "channelAccess"': atStart,
    'select * from "namedLink" order by "linkId"': atStart,
    'select * from "channelHold"': atStart,
    'select * from "handHold"': atStart,
    'select * from "target" order by "targetId"': atStart,
    'select "roomid" from "guestRefusal"': atStart,
    'select * from "guest" order by "created"': atStart,
    'select * from "account"': atStart,
    'select * from "friend"': atStart,
    'select * from "friendRequest" order by "at"': atStart,
    'select * from "relation"': atStart,
    'select * from "team"': atStart,
    'select * from "teamMember" order by "tid", "place"': atStart,
    'select * from "teamRequest" order by "at"': atStart,
    'select * from "room"': atStart,
    'select "roomid", (select "roomLine"."at" from "roomLine"': `${atStart} One look into the index of lines for each room.`,
    'select * from "roomMember"': atStart,
    'select * from "roomRobot"': atStart,
    'select * from "roomQueue" order by "roomid", "place"': atStart,
    'select distinct "hash" from "upload"': atStart,
    'select "roomid", "accid" from "roomActive" where "period" = ?': atStart,
    'select distinct "line", "target" from "delivery"': atStart,
    'select "line", "target", "nId" from "delivery"': atStart,
    'update "delivery" set "due" = ? where "state" = ? and "kind" = ? and "step" = ?':
      'Once after a start, for each step of a schedule: those that wait for a time ahead.',
    'select "vid", "cid", "format", "state", "node", "stored" from "recording"': atStart,
    'select * from "formerChannel" where "uid" = ? and exists': 'Deleted channels whose files are still kept.',
    'select "device" from "deviceCursor"': 'An account has 50 devices at most.',
    'select * from "roomStat" where "uid" = ? and "period" = ? and "start" = ?': `One row for each room of an hour or a day. ${inThread}`,
    'select "event"."conversation", count(*) as "unread"': 'Groups the newest 2,000 of an account.',
    'select count(distinct "sender") as "people" from "roomLine"': `Lines of one broadcast. ${inThread}`,
    'select * from "recording" where "state" in':
      'Files that are not listed yet: those of this minute, read at a start.',
  },
}

const ids = 'Trimmed as it grows: 20,000 or 50,000 of a profile, the oldest found by their index.'
const log = 'Trimmed as it grows: some hundred of a profile.'
/** What statements may do although no index bounds it, by the file of their database, each with the reason why nothing grows by it. */
export const bounded: Readonly<Record<string, Allowed>> = {
  'sidestage.db': service,
  'actions.db': {
    small: {
      author: 'One row for each account that moderated and still has entries.',
      dropped: 'One row for each room of which entries were dropped.',
    },
    filters: {},
    statements: { 'insert into author select': 'Once, in a log of an earlier version.' },
  },
  'room-copies.db': {
    small: { line: 'Trimmed as it grows: 2,000 of a room and 20,000 of a profile at most.' },
    filters: {},
    statements: {},
  },
  'copies.db': { small: { place: 'One row for each profile.', copy: log, seen: ids }, filters: {}, statements: {} },
  'receivers.db': {
    small: { place: 'One row for each profile.', delivery: log, seen: ids },
    filters: {},
    statements: {},
  },
}
