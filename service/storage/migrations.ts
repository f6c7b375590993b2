// Longer than other files: all migrations in one place and order.
import { sql, type Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** All migrations in order; a released one is never changed. Column types are those common to SQLite and PostgreSQL. */
export const migrations: Readonly<Record<string, Migration>> = {
  '001-channels': {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('application')
        .addColumn('uid', 'bigint', (column) => column.primaryKey())
        .addColumn('name', 'varchar(64)', (column) => column.notNull().unique())
        .addColumn('created', 'bigint', (column) => column.notNull())
        .addColumn('ownerPresent', 'integer', (column) => column.notNull().defaultTo(1))
        .addColumn('liveEnabled', 'integer', (column) => column.notNull().defaultTo(1))
        .addColumn('vodEnabled', 'integer', (column) => column.notNull().defaultTo(1))
        .addColumn('frozen', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('oneTimeCheckSum', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('pushLifeDays', 'integer', (column) => column.notNull().defaultTo(30))
        .execute()
      await db.schema
        .createTable('channel')
        .addColumn('cid', 'varchar(32)', (column) => column.primaryKey())
        .addColumn('uid', 'bigint', (column) => column.notNull().references('application.uid'))
        .addColumn('name', 'varchar(64)', (column) => column.notNull())
        .addColumn('type', 'integer', (column) => column.notNull())
        .addColumn('ctime', 'bigint', (column) => column.notNull())
        .addColumn('disabled', 'integer', (column) => column.notNull())
        .addColumn('needRecord', 'integer', (column) => column.notNull())
        .addColumn('format', 'integer', (column) => column.notNull())
        .addColumn('duration', 'integer', (column) => column.notNull())
        .addColumn('filename', 'varchar(64)', (column) => column.notNull())
        .addColumn('channelKey', 'varchar(64)', (column) => column.notNull())
        .addColumn('keyExpires', 'bigint', (column) => column.notNull())
        .addUniqueConstraint('channel_name', ['uid', 'name'])
        .execute()
      await db.schema.createIndex('channel_order').on('channel').columns(['uid', 'ctime', 'cid']).execute()
      await db.schema
        .createTable('admission')
        .addColumn('cid', 'varchar(32)', (column) => column.notNull())
        .addColumn('wsTime', 'bigint', (column) => column.notNull())
        .addColumn('lastPacket', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('admission_key', ['cid', 'wsTime'])
        .execute()
    },
  },
  '002-outbox': {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable('application').addColumn('localTargets', 'integer').execute()
      await db.schema
        .createTable('callback')
        .addColumn('uid', 'bigint', (column) => column.primaryKey().references('application.uid'))
        .addColumn('url', 'varchar(2048)')
        .addColumn('signKey', 'varchar(128)', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('delivery')
        .addColumn('nId', 'varchar(64)', (column) => column.primaryKey())
        .addColumn('uid', 'bigint', (column) => column.notNull().references('application.uid'))
        .addColumn('kind', 'varchar(16)', (column) => column.notNull())
        .addColumn('url', 'varchar(2048)', (column) => column.notNull())
        .addColumn('target', 'varchar(300)', (column) => column.notNull())
        .addColumn('body', 'text', (column) => column.notNull())
        .addColumn('state', 'varchar(16)', (column) => column.notNull())
        .addColumn('attempts', 'integer', (column) => column.notNull())
        .addColumn('step', 'integer', (column) => column.notNull())
        .addColumn('due', 'bigint', (column) => column.notNull())
        .addColumn('created', 'bigint', (column) => column.notNull())
        .addColumn('result', 'varchar(256)')
        .addUniqueConstraint('delivery_created', ['created'])
        .execute()
      await db.schema.createIndex('delivery_due').on('delivery').columns(['state', 'due', 'target']).execute()
      await db.schema
        .createIndex('delivery_target')
        .on('delivery')
        .columns(['state', 'target', 'due', 'created'])
        .execute()
      await db.schema.createIndex('delivery_log').on('delivery').columns(['uid', 'created']).execute()
    },
  },
  '003-recordings': {
    async up(db: Kysely<unknown>): Promise<void> {
      for (const name of ['recordingDays', 'recordingGigabytes'])
        await db.schema
          .alterTable('application')
          .addColumn(name, 'integer', (column) => column.notNull().defaultTo(0))
          .execute()
      await db.schema
        .createTable('recording')
        .addColumn('vid', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('cid', 'varchar(32)', (column) => column.notNull())
        .addColumn('uid', 'bigint', (column) => column.notNull().references('application.uid'))
        .addColumn('state', 'varchar(16)', (column) => column.notNull())
        .addColumn('format', 'integer', (column) => column.notNull())
        .addColumn('merged', 'integer', (column) => column.notNull())
        .addColumn('slice', 'integer', (column) => column.notNull())
        .addColumn('beginTime', 'bigint', (column) => column.notNull())
        .addColumn('filename', 'varchar(128)', (column) => column.notNull())
        .addColumn('endTime', 'bigint', (column) => column.notNull().defaultTo(0))
        .addColumn('completed', 'bigint', (column) => column.notNull().defaultTo(0))
        .addColumn('name', 'varchar(256)', (column) => column.notNull().defaultTo(''))
        .addColumn('fileKey', 'varchar(256)', (column) => column.notNull().defaultTo(''))
        .addColumn('bytes', 'bigint', (column) => column.notNull().defaultTo(0))
        .addColumn('duration', 'bigint', (column) => column.notNull().defaultTo(0))
        .addColumn('codecs', 'varchar(256)', (column) => column.notNull().defaultTo(''))
        .execute()
      await db.schema.createIndex('recording_completed').on('recording').columns(['cid', 'completed']).execute()
      await db.schema.createIndex('recording_begin').on('recording').columns(['cid', 'beginTime']).execute()
      await db.schema.createIndex('recording_state').on('recording').columns(['state', 'uid', 'completed']).execute()
      await db.schema
        .createTable('mergeTask')
        .addColumn('taskId', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('uid', 'bigint', (column) => column.notNull().references('application.uid'))
        .addColumn('vid', 'bigint', (column) => column.notNull())
        .addColumn('outputName', 'varchar(128)', (column) => column.notNull())
        .addColumn('vidList', 'text', (column) => column.notNull())
        .addColumn('state', 'varchar(16)', (column) => column.notNull())
        .addColumn('reason', 'varchar(256)', (column) => column.notNull().defaultTo(''))
        .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('created', 'bigint', (column) => column.notNull())
        .addColumn('total', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('mergeTask_owner').on('mergeTask').columns(['uid', 'taskId']).execute()
      await db.schema
        .createTable('marker')
        .addColumn('markerId', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('cid', 'varchar(32)', (column) => column.notNull())
        .addColumn('uid', 'bigint', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('label', 'varchar(128)', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('marker_time').on('marker').columns(['cid', 'at']).execute()
    },
  },
  '004-accounts': {
    async up(db: Kysely<unknown>): Promise<void> {
      const settings = {
        callsPerMinute: 0,
        blockSeconds: 10,
        recallMinutes: 2,
        historyDays: 30,
        roamingDays: 7,
        offlineDays: 7,
        teamSize: 200,
        teamsPerOwner: 100,
      }
      for (const [name, value] of Object.entries(settings))
        await db.schema
          .alterTable('application')
          .addColumn(name, 'integer', (column) => column.notNull().defaultTo(value))
          .execute()
      await db.schema
        .createTable('account')
        .addColumn('uid', 'bigint', (column) => column.notNull().references('application.uid'))
        .addColumn('accid', 'varchar(32)', (column) => column.notNull())
        .addColumn('token', 'varchar(128)', (column) => column.notNull())
        .addColumn('name', 'varchar(64)', (column) => column.notNull())
        .addColumn('icon', 'varchar(1024)', (column) => column.notNull())
        .addColumn('props', 'varchar(1024)', (column) => column.notNull())
        .addColumn('sign', 'varchar(256)', (column) => column.notNull())
        .addColumn('email', 'varchar(64)', (column) => column.notNull())
        .addColumn('birth', 'varchar(16)', (column) => column.notNull())
        .addColumn('mobile', 'varchar(32)', (column) => column.notNull())
        .addColumn('ex', 'varchar(1024)', (column) => column.notNull())
        .addColumn('gender', 'integer')
        .addColumn('blocked', 'integer', (column) => column.notNull())
        .addColumn('donnop', 'integer', (column) => column.notNull())
        .addColumn('created', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('account_key', ['uid', 'accid'])
        .execute()
      await db.schema
        .createTable('friend')
        .addColumn('uid', 'bigint', (column) => column.notNull())
        .addColumn('accid', 'varchar(32)', (column) => column.notNull())
        .addColumn('friend', 'varchar(32)', (column) => column.notNull())
        .addColumn('alias', 'varchar(128)', (column) => column.notNull())
        .addColumn('ex', 'varchar(256)', (column) => column.notNull())
        .addColumn('changed', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('friend_key', ['uid', 'accid', 'friend'])
        .execute()
      await db.schema
        .createTable('friendRequest')
        .addColumn('uid', 'bigint', (column) => column.notNull())
        .addColumn('accid', 'varchar(32)', (column) => column.notNull())
        .addColumn('friend', 'varchar(32)', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('friendRequest_key', ['uid', 'accid', 'friend'])
        .execute()
      await db.schema
        .createTable('relation')
        .addColumn('uid', 'bigint', (column) => column.notNull())
        .addColumn('accid', 'varchar(32)', (column) => column.notNull())
        .addColumn('target', 'varchar(32)', (column) => column.notNull())
        .addColumn('kind', 'integer', (column) => column.notNull())
        .addPrimaryKeyConstraint('relation_key', ['uid', 'accid', 'target', 'kind'])
        .execute()
    },
  },
  '005-teams': {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('team')
        .addColumn('tid', 'bigint', (column) => column.primaryKey())
        .addColumn('uid', 'bigint', (column) => column.notNull().references('application.uid'))
        .addColumn('tname', 'varchar(64)', (column) => column.notNull())
        .addColumn('owner', 'varchar(32)', (column) => column.notNull())
        .addColumn('announcement', 'varchar(1024)', (column) => column.notNull())
        .addColumn('announcer', 'varchar(32)', (column) => column.notNull())
        .addColumn('announced', 'bigint', (column) => column.notNull())
        .addColumn('intro', 'varchar(512)', (column) => column.notNull())
        .addColumn('custom', 'varchar(1024)', (column) => column.notNull())
        .addColumn('icon', 'varchar(1024)', (column) => column.notNull())
        .addColumn('joinmode', 'integer', (column) => column.notNull())
        .addColumn('beinvitemode', 'integer', (column) => column.notNull())
        .addColumn('invitemode', 'integer', (column) => column.notNull())
        .addColumn('uptinfomode', 'integer', (column) => column.notNull())
        .addColumn('upcustommode', 'integer', (column) => column.notNull())
        .addColumn('mute', 'integer', (column) => column.notNull())
        .addColumn('created', 'bigint', (column) => column.notNull())
        .addColumn('updated', 'bigint', (column) => column.notNull())
        .addColumn('membersUpdated', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('teamMember')
        .addColumn('tid', 'bigint', (column) => column.notNull())
        .addColumn('accid', 'varchar(32)', (column) => column.notNull())
        .addColumn('role', 'varchar(8)', (column) => column.notNull())
        .addColumn('nick', 'varchar(32)', (column) => column.notNull())
        .addColumn('muted', 'integer', (column) => column.notNull())
        .addColumn('quiet', 'integer', (column) => column.notNull())
        .addColumn('since', 'bigint', (column) => column.notNull())
        .addColumn('place', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('teamMember_key', ['tid', 'accid'])
        .execute()
      await db.schema
        .createTable('teamRequest')
        .addColumn('tid', 'bigint', (column) => column.notNull())
        .addColumn('kind', 'varchar(16)', (column) => column.notNull())
        .addColumn('accid', 'varchar(32)', (column) => column.notNull())
        .addColumn('inviter', 'varchar(32)', (column) => column.notNull())
        .addColumn('msg', 'varchar(150)', (column) => column.notNull())
        .addColumn('attach', 'varchar(512)', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('teamRequest_key', ['tid', 'kind', 'accid'])
        .execute()
    },
  },
  '006-stream': {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('streamPosition')
        .addColumn('value', 'bigint', (column) => column.notNull())
        .execute()
      await sql`insert into ${sql.table('streamPosition')} values (0)`.execute(db)
      await db.schema
        .createTable('event')
        .addColumn('seq', 'bigint', (column) => column.primaryKey())
        .addColumn('uid', 'bigint', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('kind', 'varchar(16)', (column) => column.notNull())
        .addColumn('conversation', 'varchar(80)', (column) => column.notNull())
        .addColumn('sender', 'varchar(32)', (column) => column.notNull())
        .addColumn('frame', 'text', (column) => column.notNull())
        .addColumn('history', 'integer', (column) => column.notNull())
        .addColumn('roam', 'integer', (column) => column.notNull())
        .addColumn('offline', 'integer', (column) => column.notNull())
        .addColumn('hidden', 'integer', (column) => column.notNull())
        .addColumn('badge', 'integer', (column) => column.notNull())
        .addColumn('sync', 'integer', (column) => column.notNull())
        .addColumn('recalled', 'integer', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('event_place').on('event').columns(['uid', 'conversation', 'seq']).execute()
      await db.schema.createIndex('event_time').on('event').columns(['uid', 'conversation', 'at', 'seq']).execute()
      await db.schema
        .createTable('inbox')
        .addColumn('uid', 'bigint', (column) => column.notNull())
        .addColumn('accid', 'varchar(32)', (column) => column.notNull())
        .addColumn('seq', 'bigint', (column) => column.notNull())
        .addColumn('counts', 'integer', (column) => column.notNull())
        .addPrimaryKeyConstraint('inbox_key', ['uid', 'accid', 'seq'])
        .execute()
      await db.schema.createIndex('inbox_seq').on('inbox').columns(['seq']).execute()
      await db.schema
        .createTable('sentOnce')
        .addColumn('uid', 'bigint', (column) => column.notNull())
        .addColumn('sender', 'varchar(32)', (column) => column.notNull())
        .addColumn('clientId', 'varchar(64)', (column) => column.notNull())
        .addColumn('seq', 'bigint', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('sentOnce_key', ['uid', 'sender', 'clientId'])
        .execute()
      await db.schema.createIndex('sentOnce_seq').on('sentOnce').columns(['seq']).execute()
      await db.schema
        .createTable('deviceCursor')
        .addColumn('uid', 'bigint', (column) => column.notNull())
        .addColumn('accid', 'varchar(32)', (column) => column.notNull())
        .addColumn('device', 'varchar(64)', (column) => column.notNull())
        .addColumn('seq', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('deviceCursor_key', ['uid', 'accid', 'device'])
        .execute()
      await db.schema
        .createTable('readMark')
        .addColumn('uid', 'bigint', (column) => column.notNull())
        .addColumn('accid', 'varchar(32)', (column) => column.notNull())
        .addColumn('conversation', 'varchar(80)', (column) => column.notNull())
        .addColumn('seq', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('readMark_key', ['uid', 'accid', 'conversation'])
        .execute()
    },
  },
  '007-words': {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('wordList')
        .addColumn('uid', 'bigint', (column) => column.primaryKey().references('application.uid'))
        .addColumn('words', 'text', (column) => column.notNull())
        .addColumn('hold', 'integer', (column) => column.notNull())
        .execute()
    },
  },
  '009-log-ins': {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('logInRecord')
        .addColumn('recordId', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('uid', 'bigint', (column) => column.notNull())
        .addColumn('accid', 'varchar(32)', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('eventType', 'integer', (column) => column.notNull())
        .addColumn('clientIp', 'varchar(64)', (column) => column.notNull())
        .addColumn('sdkVersion', 'varchar(32)', (column) => column.notNull())
        .addColumn('clientType', 'varchar(16)', (column) => column.notNull())
        .addColumn('code', 'integer', (column) => column.notNull())
        .execute()
      await db.schema
        .createIndex('logInRecord_time')
        .on('logInRecord')
        .columns(['uid', 'accid', 'at', 'recordId'])
        .execute()
      await db.schema.createIndex('logInRecord_age').on('logInRecord').columns(['at']).execute()
    },
  },
  '010-copies': {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable('delivery').addColumn('line', 'varchar(200)').execute()
      await db.schema
        .createIndex('delivery_line')
        .on('delivery')
        .columns(['line', 'due', 'created'])
        .where(sql<boolean>`state = 'waiting'`)
        .execute()
      await db.schema
        .createTable('copyTarget')
        .addColumn('uid', 'bigint', (column) => column.primaryKey().references('application.uid'))
        .addColumn('url', 'varchar(2048)')
        .addColumn('kinds', 'varchar(32)', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('upload')
        .addColumn('channelid', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('uid', 'bigint', (column) => column.notNull().references('application.uid'))
        .addColumn('token', 'varchar(64)', (column) => column.notNull().unique())
        .addColumn('hash', 'varchar(64)', (column) => column.notNull())
        .addColumn('bytes', 'bigint', (column) => column.notNull())
        .addColumn('type', 'varchar(32)', (column) => column.notNull())
        .addColumn('created', 'bigint', (column) => column.notNull())
        .addColumn('removed', 'integer', (column) => column.notNull().defaultTo(0))
        .execute()
      await db.schema.createIndex('upload_hash').on('upload').columns(['hash', 'removed']).execute()
    },
  },
  '011-rooms': {
    async up(db: Kysely<unknown>): Promise<void> {
      for (const [name, value] of Object.entries({
        roomsPerCreator: 1000,
        roomAdmins: 100,
        roomLimited: 10_000,
        roomRobots: 1000,
      }))
        await db.schema
          .alterTable('application')
          .addColumn(name, 'integer', (column) => column.notNull().defaultTo(value))
          .execute()
      await db.schema
        .createTable('room')
        .addColumn('roomid', 'bigint', (column) => column.primaryKey())
        .addColumn('uid', 'bigint', (column) => column.notNull().references('application.uid'))
        .addColumn('creator', 'varchar(32)', (column) => column.notNull())
        .addColumn('name', 'varchar(128)', (column) => column.notNull())
        .addColumn('announcement', 'varchar(4096)', (column) => column.notNull())
        .addColumn('broadcasturl', 'varchar(1024)', (column) => column.notNull())
        .addColumn('ext', 'varchar(4096)', (column) => column.notNull())
        .addColumn('valid', 'integer', (column) => column.notNull())
        .addColumn('muted', 'integer', (column) => column.notNull())
        .addColumn('slow', 'integer', (column) => column.notNull())
        .addColumn('queueLimit', 'integer', (column) => column.notNull())
        .addColumn('cid', 'varchar(32)')
        .addColumn('created', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('roomMember')
        .addColumn('roomid', 'bigint', (column) => column.notNull())
        .addColumn('accid', 'varchar(32)', (column) => column.notNull())
        .addColumn('admin', 'integer', (column) => column.notNull())
        .addColumn('ordinary', 'integer', (column) => column.notNull())
        .addColumn('blacklisted', 'integer', (column) => column.notNull())
        .addColumn('muted', 'integer', (column) => column.notNull())
        .addColumn('mutedUntil', 'bigint', (column) => column.notNull())
        .addColumn('updated', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('roomMember_key', ['roomid', 'accid'])
        .execute()
      await db.schema
        .createTable('roomRobot')
        .addColumn('roomid', 'bigint', (column) => column.notNull())
        .addColumn('accid', 'varchar(32)', (column) => column.notNull())
        .addColumn('ext', 'varchar(4096)', (column) => column.notNull())
        .addColumn('entered', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('roomRobot_key', ['roomid', 'accid'])
        .execute()
      await db.schema
        .createTable('roomQueue')
        .addColumn('roomid', 'bigint', (column) => column.notNull())
        .addColumn('element', 'varchar(128)', (column) => column.notNull())
        .addColumn('value', 'varchar(4096)', (column) => column.notNull())
        .addColumn('place', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('roomQueue_key', ['roomid', 'element'])
        .execute()
      await db.schema
        .createTable('roomLine')
        .addColumn('line', 'bigint', (column) => column.primaryKey())
        .addColumn('uid', 'bigint', (column) => column.notNull())
        .addColumn('roomid', 'bigint', (column) => column.notNull())
        .addColumn('sender', 'varchar(32)', (column) => column.notNull())
        .addColumn('clientId', 'varchar(64)', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('type', 'integer', (column) => column.notNull())
        .addColumn('attach', 'varchar(4096)', (column) => column.notNull())
        .addColumn('ext', 'varchar(4096)', (column) => column.notNull())
        .addColumn('nick', 'varchar(64)', (column) => column.notNull())
        .addColumn('avatar', 'varchar(1024)', (column) => column.notNull())
        .addColumn('clientType', 'varchar(16)', (column) => column.notNull())
        .addColumn('state', 'varchar(8)', (column) => column.notNull())
        .execute()
      await db.schema
        .createIndex('roomLine_once')
        .unique()
        .on('roomLine')
        .columns(['roomid', 'sender', 'clientId'])
        .execute()
      await db.schema.createIndex('roomLine_time').on('roomLine').columns(['roomid', 'at', 'line']).execute()
      await db.schema
        .createIndex('roomLine_held')
        .on('roomLine')
        .columns(['roomid', 'line'])
        .where(sql<boolean>`state = 'held'`)
        .execute()
      await db.schema.createIndex('roomLine_age').on('roomLine').columns(['uid', 'at']).execute()
      await db.schema
        .createTable('roomStat')
        .addColumn('roomid', 'bigint', (column) => column.notNull())
        .addColumn('uid', 'bigint', (column) => column.notNull())
        .addColumn('period', 'varchar(4)', (column) => column.notNull())
        .addColumn('start', 'bigint', (column) => column.notNull())
        .addColumn('active', 'bigint', (column) => column.notNull())
        .addColumn('enters', 'bigint', (column) => column.notNull())
        .addColumn('msgs', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('roomStat_key', ['roomid', 'period', 'start'])
        .execute()
      await db.schema.createIndex('roomStat_time').on('roomStat').columns(['uid', 'period', 'start']).execute()
      await db.schema
        .createTable('roomActive')
        .addColumn('roomid', 'bigint', (column) => column.notNull())
        .addColumn('period', 'varchar(4)', (column) => column.notNull())
        .addColumn('start', 'bigint', (column) => column.notNull())
        .addColumn('accid', 'varchar(32)', (column) => column.notNull())
        .addPrimaryKeyConstraint('roomActive_key', ['roomid', 'period', 'start', 'accid'])
        .execute()
      await db.schema.createIndex('roomActive_time').on('roomActive').columns(['start']).execute()
    },
  },
  '012-guests': {
    async up(db) {
      await db.schema
        .createTable('guestRefusal')
        .addColumn('roomid', 'bigint', (column) => column.primaryKey())
        .execute()
    },
  },
  '013-kept-guests': {
    async up(db) {
      await db.schema
        .createTable('guest')
        .addColumn('accid', 'varchar(32)', (column) => column.primaryKey())
        .addColumn('uid', 'bigint', (column) => column.notNull())
        .addColumn('roomid', 'bigint', (column) => column.notNull())
        .addColumn('kept', 'varchar(128)', (column) => column.notNull())
        .addColumn('created', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('guest_age').on('guest').columns(['created']).execute()
    },
  },
  '014-mute-ends': {
    async up(db) {
      await db.schema.alterTable('roomMember').addColumn('mutedBy', 'varchar(32)').execute()
    },
  },
  '015-former-channels': {
    async up(db) {
      await db.schema
        .createTable('formerChannel')
        .addColumn('cid', 'varchar(32)', (column) => column.primaryKey())
        .addColumn('uid', 'bigint', (column) => column.notNull())
        .addColumn('name', 'varchar(64)', (column) => column.notNull())
        .addColumn('deleted', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createIndex('formerChannel_order')
        .on('formerChannel')
        .columns(['uid', 'deleted', 'cid'])
        .execute()
      await db.schema
        .createIndex('recording_all')
        .on('recording')
        .columns(['uid', 'state', 'beginTime', 'vid'])
        .execute()
      // Channels deleted before their names were kept.
      await sql`insert into ${sql.table('formerChannel')} (${sql.ref('cid')}, ${sql.ref('uid')}, ${sql.ref('name')}, ${sql.ref('deleted')})
        select ${sql.ref('cid')}, min(${sql.ref('uid')}), '', max(${sql.ref('completed')}) from ${sql.table('recording')}
        where ${sql.ref('cid')} not in (select ${sql.ref('cid')} from ${sql.table('channel')}) group by ${sql.ref('cid')}`.execute(
        db,
      )
    },
  },
  '016-room-names': {
    async up(db) {
      await db.schema
        .createTable('roomName')
        .addColumn('roomid', 'bigint', (column) => column.notNull())
        .addColumn('accid', 'varchar(32)', (column) => column.notNull())
        .addColumn('name', 'varchar(64)', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('roomName_key', ['roomid', 'accid'])
        .execute()
      await db.schema.createIndex('roomName_age').on('roomName').columns(['at']).execute()
      await db.schema
        .createTable('guestKey')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('secret', 'varchar(64)', (column) => column.notNull())
        .execute()
      await db.schema
        .alterTable('application')
        .addColumn('roomNotices', 'integer', (column) => column.notNull().defaultTo(500))
        .execute()
    },
  },
  '017-bounded-reads': {
    async up(db) {
      await db.schema
        .createIndex('roomLine_sender')
        .on('roomLine')
        .columns(['roomid', 'sender', 'at', 'line'])
        .execute()
      // Old lines are found by number, those of a state by their part of the order.
      for (const index of ['roomLine_age', 'roomLine_time', 'roomLine_held']) await db.schema.dropIndex(index).execute()
      await db.schema.createIndex('roomLine_order').on('roomLine').columns(['roomid', 'state', 'at', 'line']).execute()
      await db.schema.createIndex('roomStat_age').on('roomStat').columns(['start']).execute()
      // Application first: otherwise records of unserved applications are scanned each time.
      await db.schema.dropIndex('logInRecord_age').execute()
      await db.schema.createIndex('logInRecord_age').on('logInRecord').columns(['uid', 'at']).execute()
      // Two indexes: with and without kind.
      await db.schema.dropIndex('delivery_log').execute()
      await db.schema.createIndex('delivery_log').on('delivery').columns(['uid', 'kind', 'created']).execute()
      await db.schema.createIndex('recording_end').on('recording').columns(['cid', 'endTime']).execute()
    },
  },
  '018-integrations': {
    async up(db) {
      await db.schema
        .createTable('serviceKey')
        .addColumn('name', 'varchar(32)', (column) => column.primaryKey())
        .addColumn('key', 'varchar(64)', (column) => column.notNull())
        .execute()
      await db.schema
        .alterTable('application')
        .addColumn('recordingLinkHours', 'integer', (column) => column.notNull().defaultTo(24))
        .execute()
      await db.schema
        .alterTable('team')
        .addColumn('memberLimit', 'integer', (column) => column.notNull().defaultTo(0))
        .execute()
    },
  },
  '019-held-lines': {
    async up(db) {
      await db.schema.alterTable('roomLine').addColumn('heldAt', 'bigint').execute()
    },
  },
  '020-lines-by-sender': {
    async up(db) {
      // With the state: otherwise SQLite may scan everybody's lines in that state.
      await db.schema.dropIndex('roomLine_sender').execute()
      await db.schema
        .createIndex('roomLine_sender')
        .on('roomLine')
        .columns(['roomid', 'sender', 'state', 'at', 'line'])
        .execute()
    },
  },
  '021-notices-apart': {
    async up(db) {
      // Notices apart, so that any number of them does not slow down the search for lines.
      for (const [index, columns] of Object.entries({
        roomLine_order: 'roomid, state',
        roomLine_sender: 'roomid, sender, state',
      })) {
        await db.schema.dropIndex(index).execute()
        await sql`create index ${sql.raw(index)} on "roomLine" (${sql.raw(columns)}, (type = 5), at, line)`.execute(db)
      }
    },
  },
}
