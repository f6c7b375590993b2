// Longer than other files: all migrations in one place and order.
import { sql, type Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Statements of all migrations in order; a released one is never changed. Written for SQLite, in what PostgreSQL has too. */
const texts: Readonly<Record<string, string>> = {
  '001-channels': `
    create table "application" (
      "uid" bigint primary key, "name" varchar(64) not null unique, "created" bigint not null,
      "ownerPresent" integer default 1 not null, "liveEnabled" integer default 1 not null,
      "vodEnabled" integer default 1 not null, "frozen" integer default 0 not null,
      "oneTimeCheckSum" integer default 0 not null, "pushLifeDays" integer default 30 not null
    );
    create table "channel" (
      "cid" varchar(32) primary key, "uid" bigint not null references "application" ("uid"),
      "name" varchar(64) not null, "type" integer not null, "ctime" bigint not null, "disabled" integer not null,
      "needRecord" integer not null, "format" integer not null, "duration" integer not null,
      "filename" varchar(64) not null, "channelKey" varchar(64) not null, "keyExpires" bigint not null,
      constraint "channel_name" unique ("uid", "name")
    );
    create index "channel_order" on "channel" ("uid", "ctime", "cid");
    create table "admission" (
      "cid" varchar(32) not null, "wsTime" bigint not null, "lastPacket" bigint not null,
      constraint "admission_key" primary key ("cid", "wsTime")
    );
  `,
  '002-outbox': `
    alter table "application" add column "localTargets" integer;
    create table "callback" (
      "uid" bigint primary key references "application" ("uid"), "url" varchar(2048), "signKey" varchar(128) not null
    );
    create table "delivery" (
      "nId" varchar(64) primary key, "uid" bigint not null references "application" ("uid"),
      "kind" varchar(16) not null, "url" varchar(2048) not null, "target" varchar(300) not null, "body" text not null,
      "state" varchar(16) not null, "attempts" integer not null, "step" integer not null, "due" bigint not null,
      "created" bigint not null, "result" varchar(256),
      constraint "delivery_created" unique ("created")
    );
    create index "delivery_due" on "delivery" ("state", "due", "target");
    create index "delivery_target" on "delivery" ("state", "target", "due", "created");
    create index "delivery_log" on "delivery" ("uid", "created");
  `,
  '003-recordings': `
    alter table "application" add column "recordingDays" integer default 0 not null;
    alter table "application" add column "recordingGigabytes" integer default 0 not null;
    create table "recording" (
      "vid" integer primary key autoincrement, "cid" varchar(32) not null,
      "uid" bigint not null references "application" ("uid"), "state" varchar(16) not null, "format" integer not null,
      "merged" integer not null, "slice" integer not null, "beginTime" bigint not null,
      "filename" varchar(128) not null, "endTime" bigint default 0 not null, "completed" bigint default 0 not null,
      "name" varchar(256) default '' not null, "fileKey" varchar(256) default '' not null,
      "bytes" bigint default 0 not null, "duration" bigint default 0 not null,
      "codecs" varchar(256) default '' not null
    );
    create index "recording_completed" on "recording" ("cid", "completed");
    create index "recording_begin" on "recording" ("cid", "beginTime");
    create index "recording_state" on "recording" ("state", "uid", "completed");
    create table "mergeTask" (
      "taskId" integer primary key autoincrement, "uid" bigint not null references "application" ("uid"),
      "vid" bigint not null, "outputName" varchar(128) not null, "vidList" text not null,
      "state" varchar(16) not null, "reason" varchar(256) default '' not null, "attempts" integer default 0 not null,
      "created" bigint not null, "total" bigint not null
    );
    create index "mergeTask_owner" on "mergeTask" ("uid", "taskId");
    create table "marker" (
      "markerId" integer primary key autoincrement, "cid" varchar(32) not null, "uid" bigint not null,
      "at" bigint not null, "label" varchar(128) not null
    );
    create index "marker_time" on "marker" ("cid", "at");
  `,
  '004-accounts': `
    alter table "application" add column "callsPerMinute" integer default 0 not null;
    alter table "application" add column "blockSeconds" integer default 10 not null;
    alter table "application" add column "recallMinutes" integer default 2 not null;
    alter table "application" add column "historyDays" integer default 30 not null;
    alter table "application" add column "roamingDays" integer default 7 not null;
    alter table "application" add column "offlineDays" integer default 7 not null;
    alter table "application" add column "teamSize" integer default 200 not null;
    alter table "application" add column "teamsPerOwner" integer default 100 not null;
    create table "account" (
      "uid" bigint not null references "application" ("uid"), "accid" varchar(32) not null,
      "token" varchar(128) not null, "name" varchar(64) not null, "icon" varchar(1024) not null,
      "props" varchar(1024) not null, "sign" varchar(256) not null, "email" varchar(64) not null,
      "birth" varchar(16) not null, "mobile" varchar(32) not null, "ex" varchar(1024) not null, "gender" integer,
      "blocked" integer not null, "donnop" integer not null, "created" bigint not null,
      constraint "account_key" primary key ("uid", "accid")
    );
    create table "friend" (
      "uid" bigint not null, "accid" varchar(32) not null, "friend" varchar(32) not null,
      "alias" varchar(128) not null, "ex" varchar(256) not null, "changed" bigint not null,
      constraint "friend_key" primary key ("uid", "accid", "friend")
    );
    create table "friendRequest" (
      "uid" bigint not null, "accid" varchar(32) not null, "friend" varchar(32) not null, "at" bigint not null,
      constraint "friendRequest_key" primary key ("uid", "accid", "friend")
    );
    create table "relation" (
      "uid" bigint not null, "accid" varchar(32) not null, "target" varchar(32) not null, "kind" integer not null,
      constraint "relation_key" primary key ("uid", "accid", "target", "kind")
    );
  `,
  '005-teams': `
    create table "team" (
      "tid" bigint primary key, "uid" bigint not null references "application" ("uid"), "tname" varchar(64) not null,
      "owner" varchar(32) not null, "announcement" varchar(1024) not null, "announcer" varchar(32) not null,
      "announced" bigint not null, "intro" varchar(512) not null, "custom" varchar(1024) not null,
      "icon" varchar(1024) not null, "joinmode" integer not null, "beinvitemode" integer not null,
      "invitemode" integer not null, "uptinfomode" integer not null, "upcustommode" integer not null,
      "mute" integer not null, "created" bigint not null, "updated" bigint not null, "membersUpdated" bigint not null
    );
    create table "teamMember" (
      "tid" bigint not null, "accid" varchar(32) not null, "role" varchar(8) not null, "nick" varchar(32) not null,
      "muted" integer not null, "quiet" integer not null, "since" bigint not null, "place" bigint not null,
      constraint "teamMember_key" primary key ("tid", "accid")
    );
    create table "teamRequest" (
      "tid" bigint not null, "kind" varchar(16) not null, "accid" varchar(32) not null,
      "inviter" varchar(32) not null, "msg" varchar(150) not null, "attach" varchar(512) not null,
      "at" bigint not null,
      constraint "teamRequest_key" primary key ("tid", "kind", "accid")
    );
  `,
  '006-stream': `
    create table "streamPosition" ("value" bigint not null);
    insert into "streamPosition" values (0);
    create table "event" (
      "seq" bigint primary key, "uid" bigint not null, "at" bigint not null, "kind" varchar(16) not null,
      "conversation" varchar(80) not null, "sender" varchar(32) not null, "frame" text not null,
      "history" integer not null, "roam" integer not null, "offline" integer not null, "hidden" integer not null,
      "badge" integer not null, "sync" integer not null, "recalled" integer not null
    );
    create index "event_place" on "event" ("uid", "conversation", "seq");
    create index "event_time" on "event" ("uid", "conversation", "at", "seq");
    create table "inbox" (
      "uid" bigint not null, "accid" varchar(32) not null, "seq" bigint not null, "counts" integer not null,
      constraint "inbox_key" primary key ("uid", "accid", "seq")
    );
    create index "inbox_seq" on "inbox" ("seq");
    create table "sentOnce" (
      "uid" bigint not null, "sender" varchar(32) not null, "clientId" varchar(64) not null, "seq" bigint not null,
      "at" bigint not null,
      constraint "sentOnce_key" primary key ("uid", "sender", "clientId")
    );
    create index "sentOnce_seq" on "sentOnce" ("seq");
    create table "deviceCursor" (
      "uid" bigint not null, "accid" varchar(32) not null, "device" varchar(64) not null, "seq" bigint not null,
      constraint "deviceCursor_key" primary key ("uid", "accid", "device")
    );
    create table "readMark" (
      "uid" bigint not null, "accid" varchar(32) not null, "conversation" varchar(80) not null, "seq" bigint not null,
      constraint "readMark_key" primary key ("uid", "accid", "conversation")
    );
  `,
  '007-words': `
    create table "wordList" (
      "uid" bigint primary key references "application" ("uid"), "words" text not null, "hold" integer not null
    );
  `,
  '009-log-ins': `
    create table "logInRecord" (
      "recordId" integer primary key autoincrement, "uid" bigint not null, "accid" varchar(32) not null,
      "at" bigint not null, "eventType" integer not null, "clientIp" varchar(64) not null,
      "sdkVersion" varchar(32) not null, "clientType" varchar(16) not null, "code" integer not null
    );
    create index "logInRecord_time" on "logInRecord" ("uid", "accid", "at", "recordId");
    create index "logInRecord_age" on "logInRecord" ("at");
  `,
  '010-copies': `
    alter table "delivery" add column "line" varchar(200);
    create index "delivery_line" on "delivery" ("line", "due", "created") where state = 'waiting';
    create table "copyTarget" (
      "uid" bigint primary key references "application" ("uid"), "url" varchar(2048), "kinds" varchar(32) not null
    );
    create table "upload" (
      "channelid" integer primary key autoincrement, "uid" bigint not null references "application" ("uid"),
      "token" varchar(64) not null unique, "hash" varchar(64) not null, "bytes" bigint not null,
      "type" varchar(32) not null, "created" bigint not null, "removed" integer default 0 not null
    );
    create index "upload_hash" on "upload" ("hash", "removed");
  `,
  '011-rooms': `
    alter table "application" add column "roomsPerCreator" integer default 1000 not null;
    alter table "application" add column "roomAdmins" integer default 100 not null;
    alter table "application" add column "roomLimited" integer default 10000 not null;
    alter table "application" add column "roomRobots" integer default 1000 not null;
    create table "room" (
      "roomid" bigint primary key, "uid" bigint not null references "application" ("uid"),
      "creator" varchar(32) not null, "name" varchar(128) not null, "announcement" varchar(4096) not null,
      "broadcasturl" varchar(1024) not null, "ext" varchar(4096) not null, "valid" integer not null,
      "muted" integer not null, "slow" integer not null, "queueLimit" integer not null, "cid" varchar(32),
      "created" bigint not null
    );
    create table "roomMember" (
      "roomid" bigint not null, "accid" varchar(32) not null, "admin" integer not null, "ordinary" integer not null,
      "blacklisted" integer not null, "muted" integer not null, "mutedUntil" bigint not null,
      "updated" bigint not null,
      constraint "roomMember_key" primary key ("roomid", "accid")
    );
    create table "roomRobot" (
      "roomid" bigint not null, "accid" varchar(32) not null, "ext" varchar(4096) not null, "entered" bigint not null,
      constraint "roomRobot_key" primary key ("roomid", "accid")
    );
    create table "roomQueue" (
      "roomid" bigint not null, "element" varchar(128) not null, "value" varchar(4096) not null,
      "place" bigint not null,
      constraint "roomQueue_key" primary key ("roomid", "element")
    );
    create table "roomLine" (
      "line" bigint primary key, "uid" bigint not null, "roomid" bigint not null, "sender" varchar(32) not null,
      "clientId" varchar(64) not null, "at" bigint not null, "type" integer not null, "attach" varchar(4096) not null,
      "ext" varchar(4096) not null, "nick" varchar(64) not null, "avatar" varchar(1024) not null,
      "clientType" varchar(16) not null, "state" varchar(8) not null
    );
    create unique index "roomLine_once" on "roomLine" ("roomid", "sender", "clientId");
    create index "roomLine_time" on "roomLine" ("roomid", "at", "line");
    create index "roomLine_held" on "roomLine" ("roomid", "line") where state = 'held';
    create index "roomLine_age" on "roomLine" ("uid", "at");
    create table "roomStat" (
      "roomid" bigint not null, "uid" bigint not null, "period" varchar(4) not null, "start" bigint not null,
      "active" bigint not null, "enters" bigint not null, "msgs" bigint not null,
      constraint "roomStat_key" primary key ("roomid", "period", "start")
    );
    create index "roomStat_time" on "roomStat" ("uid", "period", "start");
    create table "roomActive" (
      "roomid" bigint not null, "period" varchar(4) not null, "start" bigint not null, "accid" varchar(32) not null,
      constraint "roomActive_key" primary key ("roomid", "period", "start", "accid")
    );
    create index "roomActive_time" on "roomActive" ("start");
  `,
  '012-guests': `
    create table "guestRefusal" ("roomid" bigint primary key);
  `,
  '013-kept-guests': `
    create table "guest" (
      "accid" varchar(32) primary key, "uid" bigint not null, "roomid" bigint not null, "kept" varchar(128) not null,
      "created" bigint not null
    );
    create index "guest_age" on "guest" ("created");
  `,
  '014-mute-ends': `
    alter table "roomMember" add column "mutedBy" varchar(32);
  `,
  '015-former-channels': `
    create table "formerChannel" (
      "cid" varchar(32) primary key, "uid" bigint not null, "name" varchar(64) not null, "deleted" bigint not null
    );
    create index "formerChannel_order" on "formerChannel" ("uid", "deleted", "cid");
    create index "recording_all" on "recording" ("uid", "state", "beginTime", "vid");
    -- Channels deleted before their names were kept.
    insert into "formerChannel" ("cid", "uid", "name", "deleted")
      select "cid", min("uid"), '', max("completed") from "recording"
      where "cid" not in (select "cid" from "channel") group by "cid";
  `,
  '016-room-names': `
    create table "roomName" (
      "roomid" bigint not null, "accid" varchar(32) not null, "name" varchar(64) not null, "at" bigint not null,
      constraint "roomName_key" primary key ("roomid", "accid")
    );
    create index "roomName_age" on "roomName" ("at");
    create table "guestKey" ("id" integer primary key, "secret" varchar(64) not null);
    alter table "application" add column "roomNotices" integer default 500 not null;
  `,
  '017-bounded-reads': `
    create index "roomLine_sender" on "roomLine" ("roomid", "sender", "at", "line");
    -- Old lines are found by number, those of a state by their part of the order.
    drop index "roomLine_age";
    drop index "roomLine_time";
    drop index "roomLine_held";
    create index "roomLine_order" on "roomLine" ("roomid", "state", "at", "line");
    create index "roomStat_age" on "roomStat" ("start");
    -- Application first: otherwise records of unserved applications are scanned each time.
    drop index "logInRecord_age";
    create index "logInRecord_age" on "logInRecord" ("uid", "at");
    -- Two indexes: with and without kind.
    drop index "delivery_log";
    create index "delivery_log" on "delivery" ("uid", "kind", "created");
    create index "recording_end" on "recording" ("cid", "endTime");
  `,
  '018-integrations': `
    create table "serviceKey" ("name" varchar(32) primary key, "key" varchar(64) not null);
    alter table "application" add column "recordingLinkHours" integer default 24 not null;
    alter table "team" add column "memberLimit" integer default 0 not null;
  `,
  '019-held-lines': `
    alter table "roomLine" add column "heldAt" bigint;
  `,
  '020-lines-by-sender': `
    -- With the state: otherwise SQLite may scan everybody's lines in that state.
    drop index "roomLine_sender";
    create index "roomLine_sender" on "roomLine" ("roomid", "sender", "state", "at", "line");
  `,
  '021-notices-apart': `
    -- Notices apart, so that any number of them does not slow down the search for lines.
    drop index "roomLine_order";
    create index roomLine_order on "roomLine" (roomid, state, (type = 5), at, line);
    drop index "roomLine_sender";
    create index roomLine_sender on "roomLine" (roomid, sender, state, (type = 5), at, line);
  `,
  '022-access': `
    create table "channelAccess" (
      "cid" varchar(32) primary key, "mode" varchar(16) not null, "closed" integer not null,
      "passphrase" varchar(128), "generation" integer not null, "embedOrigins" text not null,
      "next" bigint, "nextTitle" varchar(128)
    );
    create table "namedLink" (
      "linkId" integer primary key autoincrement, "cid" varchar(32) not null, "name" varchar(64) not null,
      "created" bigint not null, "expires" bigint, "maxViewers" integer, "lastUsed" bigint,
      "lastUsedBy" varchar(64), "revoked" bigint, "ended" integer
    );
    create index "namedLink_channel" on "namedLink" ("cid", "linkId");
    create table "watchLimit" (
      "uid" bigint primary key references "application" ("uid"), "maxViewers" integer not null,
      "maxKbps" integer not null, "maxGigabytes" integer not null
    );
    create table "sentMonth" (
      "uid" bigint not null references "application" ("uid"), "month" varchar(7) not null, "bytes" bigint not null,
      constraint "sentMonth_key" primary key ("uid", "month")
    );
  `,
  '023-targets': `
    create table "target" (
      "targetId" integer primary key autoincrement, "cid" varchar(32) not null, "name" varchar(64) not null,
      "preset" varchar(16) not null, "url" varchar(1024) not null, "start" varchar(8) not null,
      "stopped" integer not null
    );
    create index "target_channel" on "target" ("cid", "targetId");
  `,
  '024-hold': `
    create table "channelHold" (
      "cid" varchar(32) primary key, "holdSeconds" integer not null, "delaySeconds" integer not null
    );
  `,
  '025-reach': `
    create table "reach" (
      "id" integer primary key, "reach" varchar(16) not null, "rtmp" integer not null,
      "publicUrl" varchar(1024) not null, "port" integer not null, "forward" integer not null,
      "certificateFile" varchar(4096) not null, "keyFile" varchar(4096) not null, "proxies" varchar(2048) not null,
      "localName" integer not null
    );
  `,
  '026-stops': `
    -- A target that was stopped by hand is stopped for the push that ran.
    alter table "target" drop column "stopped";
  `,
  '027-own-links': `
    alter table "channelAccess" add column "ownSince" bigint default 0 not null;
  `,
  '028-hand-holds': `
    create table "handHold" ("cid" varchar(32) primary key, "since" bigint not null);
  `,
  '029-port-address': `
    alter table "reach" add column "portUrl" varchar(1024) default '' not null;
    -- Where neither reach was chosen it may be of either, as the command line may choose one.
    update "reach" set "portUrl" = "publicUrl" where "reach" <> 'proxy';
    update "reach" set "publicUrl" = '' where "reach" = 'port';
  `,
  '030-delivery-places': `
    -- Made anew: SQLite takes no constraint away and adds no numbers.
    create table "deliveryPlaced" (
      "place" integer primary key autoincrement, "nId" varchar(64) not null unique,
      "uid" bigint not null references "application" ("uid"), "kind" varchar(16) not null,
      "url" varchar(2048) not null, "target" varchar(300) not null, "line" varchar(200), "body" text not null,
      "state" varchar(16) not null, "attempts" integer not null, "step" integer not null, "due" bigint not null,
      "created" bigint not null, "result" varchar(256)
    );
    insert into "deliveryPlaced" ("nId", "uid", "kind", "url", "target", "line", "body", "state", "attempts", "step",
        "due", "created", "result")
      select "nId", "uid", "kind", "url", "target", "line", "body", "state", "attempts", "step", "due", "created",
        "result" from "delivery" order by "created";
    drop table "delivery";
    alter table "deliveryPlaced" rename to "delivery";
    create index "delivery_due" on "delivery" ("state", "due", "target");
    create index "delivery_target" on "delivery" ("state", "target", "due", "place");
    create index "delivery_line" on "delivery" ("line", "due", "place") where state = 'waiting';
    create index "delivery_log" on "delivery" ("uid", "kind", "created", "place");
  `,
  '031-line-position': `
    create table "linePosition" ("value" bigint not null);
    insert into "linePosition" ("value") select coalesce(max("line"), 0) from "roomLine";
  `,
  '032-journal': `
    create table "journalPosition" ("value" bigint not null);
    insert into "journalPosition" values (0);
    create table "journalEntry" (
      "place" bigint primary key, "kind" varchar(64) not null, "body" text not null, "event" bigint
    );
    create table "turn" ("name" varchar(300) primary key, "token" varchar(36) not null);
  `,
  '033-target-keys': `
    alter table "target" add column "keyState" varchar(9) default '' not null;
  `,
  '034-live-callbacks': `
    alter table "callback" add column "liveUrl" varchar(1024);
    create table "toldPush" (
      "cid" varchar(32) primary key, "uid" bigint not null, "began" bigint not null, "seen" bigint not null,
      "node" varchar(64) not null
    );
    create index "toldPush_seen" on "toldPush" ("seen");
  `,
  '035-journal-times': `
    alter table "journalEntry" add column "at" bigint default 0 not null;
    alter table "turn" add column "at" bigint default 0 not null;
  `,
  '036-claims': `
    alter table "delivery" add column "claimedBy" varchar(100);
    create table "deliveryLine" (
      "line" varchar(200) primary key, "owner" varchar(100) not null, "until" bigint not null
    );
  `,
  '037-jobs': `
    create table "job" (
      "name" varchar(64) primary key, "owner" varchar(128) not null, "until" bigint not null, "done" bigint not null
    );
  `,
  '038-nodes-of-files': `
    alter table "recording" add column "node" varchar(64) default '' not null;
    alter table "mergeTask" add column "node" varchar(64) default '' not null;
  `,
  '039-unused-files': `
    create table "unusedFile" ("hash" varchar(64) primary key, "since" bigint not null,
      "removing" bigint default 0 not null);
    create index "unusedFile_since" on "unusedFile" ("since");
  `,
  '040-stored-recordings': `
    alter table "recording" add column "stored" integer default 0 not null;
    create table "recordingUpload" (
      "vid" bigint primary key, "node" varchar(32) not null, "uploadId" text not null, "seen" bigint not null
    );
    create index "recordingUpload_node" on "recordingUpload" ("node");
    create index "recordingUpload_seen" on "recordingUpload" ("seen");
  `,
  '041-merge-leases': `
    create table "mergeLease" (
      "taskId" bigint primary key, "key" varchar(128) not null, "fileNode" varchar(64) not null,
      "run" varchar(64) not null, "until" bigint not null, "uploadId" text not null, "done" bigint not null
    );
    create index "mergeLease_until" on "mergeLease" ("until");
  `,
  '042-time-of-events': `
    alter table "streamPosition" add column "at" bigint default 0 not null;
  `,
  '043-target-key-versions': `
    alter table "target" add column "keyVersion" bigint default 0 not null;
  `,
  '044-broadcasts': `
    create table "broadcast" (
      "broadcastId" varchar(32) primary key, "uid" bigint not null, "cid" varchar(32) not null,
      "channel" varchar(64) not null, "title" varchar(128) not null, "began" bigint not null, "ended" bigint not null,
      "seen" bigint not null, "how" varchar(16) not null, "node" varchar(64) not null, "pushes" integer not null,
      "measured" bigint not null, "viewers" bigint not null, "peak" bigint not null, "leftOut" bigint not null
    );
    create index "broadcast_all" on "broadcast" ("uid", "began", "broadcastId");
    create index "broadcast_channel" on "broadcast" ("uid", "cid", "began", "broadcastId");
    create index "broadcast_open" on "broadcast" ("ended", "seen");
    create table "broadcastPush" (
      "broadcastId" varchar(32) not null, "number" integer not null, "began" bigint not null, "ended" bigint not null,
      "how" varchar(16) not null, primary key ("broadcastId", "number")
    );
    create table "broadcastSample" (
      "broadcastId" varchar(32) not null, "at" bigint not null, "measured" bigint not null, "viewers" bigint not null,
      "peak" bigint not null, "known" bigint not null, "kbps" bigint not null, "kbpsLow" bigint not null,
      "millifps" bigint not null, "millifpsLow" bigint not null, "keyFrameGap" bigint not null,
      "audioGap" bigint not null, primary key ("broadcastId", "at")
    );
    create table "broadcastEvent" (
      "broadcastId" varchar(32) not null, "number" integer not null, "at" bigint not null, "kind" varchar(16) not null,
      "state" varchar(16), "detail" varchar(64), "targetId" bigint, "target" varchar(64),
      primary key ("broadcastId", "number")
    );
    `,
  '045-clips': `
    alter table "recording" add column "clip" text default '' not null;
    alter table "mergeTask" add column "cut" text default '' not null;
  `,
}

/** A migration of SQL statements. Each runs in one line, as released: SQLite keeps the text of a schema. */
const statements = (text: string, spelled: (statement: string) => string): Migration => ({
  async up(db: Kysely<unknown>): Promise<void> {
    const lines = text.replaceAll(/--.*/g, '').replaceAll(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')')
    for (const statement of lines.split(';').map((each) => each.trim()))
      if (statement !== '') await sql.raw(spelled(statement)).execute(db)
  },
})

/** All migrations, spelled as an engine needs. */
export const migrationsAs = (spelled: (statement: string) => string): Record<string, Migration> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, statements(text, spelled)]))

/** All migrations of SQLite. */
export const migrations: Readonly<Record<string, Migration>> = migrationsAs((statement) => statement)
