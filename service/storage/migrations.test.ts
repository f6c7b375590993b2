import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrations } from './migrations.ts'
import { nodeSqliteDialect } from './node-sqlite-dialect.ts'
import { messagingSettings } from './schema.ts'
import { openSqliteStore } from './store-sqlite.ts'

let database: DatabaseSync
let db: Kysely<unknown>
beforeEach(() => {
  database = new DatabaseSync(':memory:')
  db = new Kysely<unknown>({ dialect: nodeSqliteDialect(database) })
})
afterEach(() => db.destroy())

const names = Object.keys(migrations)
/** Runs the migrations after one of them, up to another one. */
const migrate = async (to = names.at(-1)!, after?: string): Promise<void> => {
  for (const name of names.slice(after === undefined ? 0 : names.indexOf(after) + 1, names.indexOf(to) + 1))
    await migrations[name]!.up(db)
}
const insert = (table: string, values: Readonly<Record<string, string | number | null>>): void => {
  const columns = Object.keys(values)
  database
    .prepare(
      `insert into "${table}" (${columns.map((name) => `"${name}"`).join()}) values (${columns.map(() => '?').join()})`,
    )
    .run(...Object.values(values))
}
const first = (select: string): unknown => ({ ...(database.prepare(select).get() as object) })
const application = { uid: 1, name: 'main', created: 5 }
const channel = {
  cid: 'c1',
  uid: 1,
  name: 'show',
  type: 0,
  ctime: 1,
  disabled: 0,
  needRecord: 0,
  format: 1,
  duration: 120,
  filename: '',
  channelKey: 'k',
  keyExpires: 1,
}

it('migrations are in the order of their names, in which they run', () => {
  expect(names).toEqual(names.toSorted())
  expect(names).toHaveLength(44)
})

describe('a database of the first version', () => {
  it('keeps its applications, which get the settings that new ones have', async () => {
    await migrate('001-channels')
    insert('application', application)
    await migrate(undefined, '001-channels')
    expect(first('select * from application')).toEqual({
      ...application,
      ownerPresent: 1,
      liveEnabled: 1,
      vodEnabled: 1,
      frozen: 0,
      oneTimeCheckSum: 0,
      pushLifeDays: 30,
      localTargets: null,
      recordingDays: 0,
      recordingGigabytes: 0,
      recordingLinkHours: 24,
      ...messagingSettings,
    })
  })

  it('keeps its channels and admitted addresses', async () => {
    await migrate('001-channels')
    insert('application', application)
    insert('channel', channel)
    insert('admission', { cid: 'c1', wsTime: 7, lastPacket: 8 })
    await migrate(undefined, '001-channels')
    expect(first('select * from channel')).toEqual(channel)
    expect(first('select * from admission')).toEqual({ cid: 'c1', wsTime: 7, lastPacket: 8 })
  })
})

describe('what is stored only once', () => {
  const once: Readonly<
    Record<
      string,
      readonly [table: string, values: Record<string, string | number>, other: Record<string, string | number>]
    >
  > = {
    'an application of a name': ['application', { uid: 2, name: 'main', created: 1 }, { name: 'other' }],
    'a channel of a name in an application': ['channel', { ...channel, cid: 'c2' }, { name: 'other' }],
    'an admitted address of a channel': ['admission', { cid: 'c1', wsTime: 7, lastPacket: 1 }, { wsTime: 8 }],
    'an account of an application': [
      'account',
      {
        uid: 1,
        accid: 'ann',
        ...Object.fromEntries(
          ['token', 'name', 'icon', 'props', 'sign', 'email', 'birth', 'mobile', 'ex'].map((name) => [name, '']),
        ),
        blocked: 0,
        donnop: 0,
        created: 1,
      },
      { accid: 'bob' },
    ],
    'one side of a friendship': [
      'friend',
      { uid: 1, accid: 'ann', friend: 'bob', alias: '', ex: '', changed: 1 },
      { friend: 'cem' },
    ],
    'a request for a friendship': ['friendRequest', { uid: 1, accid: 'ann', friend: 'bob', at: 1 }, { friend: 'cem' }],
    'an entry of a list of an account': ['relation', { uid: 1, accid: 'ann', target: 'bob', kind: 1 }, { kind: 2 }],
    'a member of a team': [
      'teamMember',
      { tid: 1, accid: 'ann', role: 'member', nick: '', muted: 0, quiet: 0, since: 0, place: 1 },
      { accid: 'bob' },
    ],
    'a request of an account to a team': [
      'teamRequest',
      { tid: 1, kind: 'invitation', accid: 'ann', inviter: 'bob', msg: '', attach: '', at: 1 },
      { kind: 'application' },
    ],
    'a message that a client numbered': [
      'sentOnce',
      { uid: 1, sender: 'ann', clientId: 'x', seq: 1, at: 1 },
      { clientId: 'y' },
    ],
    'an event in an inbox': ['inbox', { uid: 1, accid: 'ann', seq: 1, counts: 1 }, { seq: 2 }],
    'the place of a device': ['deviceCursor', { uid: 1, accid: 'ann', device: 'd', seq: 1 }, { device: 'e' }],
    'the mark of what was read': [
      'readMark',
      { uid: 1, accid: 'ann', conversation: 'p', seq: 1 },
      { conversation: 'q' },
    ],
    'a delivery of an id': [
      'delivery',
      {
        nId: 'n1',
        uid: 1,
        kind: 'copy',
        url: 'u',
        target: 't',
        body: '',
        state: 'waiting',
        attempts: 0,
        step: 0,
        due: 1,
        created: 1,
      },
      { nId: 'n2' },
    ],
    'an upload of a token': [
      'upload',
      { uid: 1, token: 't', hash: 'h', bytes: 1, type: 'x', created: 1 },
      { token: 'u' },
    ],
    'a member of a room': [
      'roomMember',
      { roomid: 1, accid: 'ann', admin: 1, ordinary: 0, blacklisted: 0, muted: 0, mutedUntil: 0, updated: 1 },
      { accid: 'bob' },
    ],
    'a robot of a room': ['roomRobot', { roomid: 1, accid: 'ann', ext: '', entered: 1 }, { accid: 'bob' }],
    'an element of a queue': ['roomQueue', { roomid: 1, element: 'a', value: '', place: 1 }, { element: 'b' }],
    'a line that a client numbered': [
      'roomLine',
      {
        line: 2,
        uid: 1,
        roomid: 1,
        sender: 'ann',
        clientId: 'x',
        at: 1,
        type: 0,
        attach: '',
        ext: '',
        nick: '',
        avatar: '',
        clientType: 'WEB',
        state: 'shown',
      },
      { clientId: 'y' },
    ],
    'a name in a room': ['roomName', { roomid: 1, accid: 'ann', name: 'A', at: 1 }, { accid: 'bob' }],
    'the count of a room in a period': [
      'roomStat',
      { roomid: 1, uid: 1, period: 'HOUR', start: 1, active: 0, enters: 0, msgs: 0 },
      { period: 'DAY' },
    ],
    'somebody active in a period': [
      'roomActive',
      { roomid: 1, period: 'HOUR', start: 1, accid: 'ann' },
      { accid: 'bob' },
    ],
    'a guest': ['guest', { accid: 'g1', uid: 1, roomid: 1, kept: 'x', created: 1 }, { accid: 'g2' }],
    'a deleted channel': ['formerChannel', { cid: 'c9', uid: 1, name: '', deleted: 1 }, { cid: 'c8' }],
    'a key of the service': ['serviceKey', { name: 'one', key: '00' }, { name: 'two' }],
  }
  beforeEach(async () => {
    await migrate()
    insert('application', application)
    insert('channel', channel)
  })

  it.each(Object.keys(once))('is %s', (what) => {
    const [table, values, other] = once[what]!
    const isThere = what === 'an application of a name' || what === 'a channel of a name in an application'
    if (!isThere) insert(table, values)
    // A line has a number of its own beside what its client gave it.
    const again = table === 'roomLine' ? { ...values, line: 3 } : values
    expect(() => insert(table, again)).toThrow('UNIQUE constraint failed')
    insert(table, { ...again, ...other })
  })
})

it('channels that were deleted before their names were kept are known by their recordings', async () => {
  await migrate('014-mute-ends')
  insert('application', application)
  insert('channel', channel)
  const recording = { uid: 1, state: 'ready', format: 0, merged: 0, slice: 0, beginTime: 1, filename: 'f' }
  for (const [cid, completed] of [
    ['c1', 900],
    ['gone', 100],
    ['gone', 300],
    ['gone', 200],
  ] as const)
    insert('recording', { ...recording, cid, completed })
  await migrate('015-former-channels', '014-mute-ends')
  expect(
    database
      .prepare('select * from formerChannel')
      .all()
      .map((row) => ({ ...row })),
  ).toEqual([{ cid: 'gone', uid: 1, name: '', deleted: 300 }])
})

it('the stream of messages begins at 0, once', async () => {
  await migrate()
  expect(
    database
      .prepare('select value from streamPosition')
      .all()
      .map((row) => ({ ...row })),
  ).toEqual([{ value: 0 }])
})

it('lines get numbers behind those that were said before', async () => {
  await migrate('030-delivery-places')
  const line = { uid: 1, roomid: 1, sender: 'ann', at: 1, type: 0, attach: '', ext: '', nick: '', avatar: '' }
  for (const number of [7, 3])
    insert('roomLine', { ...line, line: number, clientId: `c${number}`, clientType: 'WEB', state: 'shown' })
  await migrate(undefined, '030-delivery-places')
  expect(
    database
      .prepare('select value from linePosition')
      .all()
      .map((row) => ({ ...row })),
  ).toEqual([{ value: 7 }])
})

it('lines that were said before have not been held, and members no one who muted them', async () => {
  await migrate('013-kept-guests')
  insert('roomMember', {
    roomid: 1,
    accid: 'ann',
    admin: 0,
    ordinary: 0,
    blacklisted: 0,
    muted: 0,
    mutedUntil: 5,
    updated: 1,
  })
  insert('roomLine', {
    line: 1,
    uid: 1,
    roomid: 1,
    sender: 'ann',
    clientId: 'x',
    at: 1,
    type: 0,
    attach: 'hello',
    ext: '',
    nick: '',
    avatar: '',
    clientType: 'WEB',
    state: 'shown',
  })
  await migrate(undefined, '013-kept-guests')
  expect(first('select heldAt, attach from roomLine')).toEqual({ heldAt: null, attach: 'hello' })
  expect(first('select mutedBy, mutedUntil from roomMember')).toEqual({ mutedBy: null, mutedUntil: 5 })
})

it.each([
  ['proxy', { reach: 'proxy', publicUrl: 'https://live.example.com', portUrl: '' }],
  ['port', { reach: 'port', publicUrl: '', portUrl: 'https://live.example.com' }],
  ['home', { reach: 'home', publicUrl: 'https://live.example.com', portUrl: 'https://live.example.com' }],
])('a public address that was stored before is that of its reach: %s', async (reach, address) => {
  await migrate('028-hand-holds')
  const others = { rtmp: 1, port: 8443, forward: 0, certificateFile: '/a', keyFile: '/b', proxies: '[]', localName: 1 }
  insert('reach', { id: 1, reach, publicUrl: 'https://live.example.com', ...others })
  await migrate(undefined, '028-hand-holds')
  expect(first('select * from reach')).toEqual({ id: 1, ...others, ...address })
})

it('deliveries that were queued before keep their order', async () => {
  await migrate('029-port-address')
  insert('application', application)
  const queued = {
    uid: 1,
    kind: 'copy',
    url: 'u',
    target: 't',
    body: '',
    state: 'waiting',
    attempts: 0,
    step: 0,
    due: 1,
  }
  for (const [nId, created] of Object.entries({ b: 2, c: 3, a: 1 }))
    insert('delivery', { ...queued, nId, created, line: 'x', result: nId })
  await migrate('030-delivery-places', '029-port-address')
  insert('delivery', { ...queued, nId: 'd', created: 1 })
  expect(
    database
      .prepare('select * from delivery order by place')
      .all()
      .map((row) => ({ ...row })),
  ).toEqual([
    ...['a', 'b', 'c'].map((nId, index) => ({
      ...queued,
      nId,
      place: index + 1,
      created: index + 1,
      line: 'x',
      result: nId,
    })),
    { ...queued, nId: 'd', place: 4, created: 1, line: null, result: null },
  ])
})

it('what is asked for often is found by an index', async () => {
  await migrate()
  const indexes = database
    .prepare(`select name, sql from sqlite_master where type = 'index' and sql is not null order by name`)
    .all() as { name: string; sql: string }[]
  expect(
    indexes.map(({ sql }) =>
      sql
        .replaceAll('"', '')
        .replace(/^CREATE INDEX /i, '')
        .replace(/^CREATE UNIQUE INDEX /i, 'unique '),
    ),
  ).toEqual([
    'broadcast_all on broadcast (uid, began, broadcastId)',
    'broadcast_channel on broadcast (uid, cid, began, broadcastId)',
    'broadcast_open on broadcast (ended, seen)',
    'channel_order on channel (uid, ctime, cid)',
    'delivery_due on delivery (state, due, target)',
    "delivery_line on delivery (line, due, place) where state = 'waiting'",
    'delivery_log on delivery (uid, kind, created, place)',
    'delivery_target on delivery (state, target, due, place)',
    'event_place on event (uid, conversation, seq)',
    'event_time on event (uid, conversation, at, seq)',
    'formerChannel_order on formerChannel (uid, deleted, cid)',
    'guest_age on guest (created)',
    'inbox_seq on inbox (seq)',
    'logInRecord_age on logInRecord (uid, at)',
    'logInRecord_time on logInRecord (uid, accid, at, recordId)',
    'marker_time on marker (cid, at)',
    'mergeLease_until on mergeLease (until)',
    'mergeTask_owner on mergeTask (uid, taskId)',
    'namedLink_channel on namedLink (cid, linkId)',
    'recordingUpload_node on recordingUpload (node)',
    'recordingUpload_seen on recordingUpload (seen)',
    'recording_all on recording (uid, state, beginTime, vid)',
    'recording_begin on recording (cid, beginTime)',
    'recording_completed on recording (cid, completed)',
    'recording_end on recording (cid, endTime)',
    'recording_state on recording (state, uid, completed)',
    'roomActive_time on roomActive (start)',
    'unique roomLine_once on roomLine (roomid, sender, clientId)',
    'roomLine_order on roomLine (roomid, state, (type = 5), at, line)',
    'roomLine_sender on roomLine (roomid, sender, state, (type = 5), at, line)',
    'roomName_age on roomName (at)',
    'roomStat_age on roomStat (start)',
    'roomStat_time on roomStat (uid, period, start)',
    'sentOnce_seq on sentOnce (seq)',
    'target_channel on target (cid, targetId)',
    'toldPush_seen on toldPush (seen)',
    'unusedFile_since on unusedFile (since)',
    'upload_hash on upload (hash, removed)',
  ])
})

it('a channel, an account and a room are of an application that there is', async () => {
  await migrate()
  database.exec('pragma foreign_keys = on')
  expect(() => insert('channel', channel)).toThrow('FOREIGN KEY constraint failed')
  insert('application', application)
  insert('channel', channel)
})

it('a folder that is opened has the result of all migrations', async () => {
  await migrate()
  const tables = (of: DatabaseSync): unknown[] =>
    of
      .prepare(
        `select name, sql from sqlite_master where name not like 'kysely%' and name not like 'sqlite%' order by name`,
      )
      .all()
      .map((row) => ({ ...row }))
  const own = tables(database)
  const folder = mkdtempSync(join(tmpdir(), 'sidestage-opened-'))
  const store = await openSqliteStore(folder)
  await store.close()
  const opened = new DatabaseSync(join(folder, 'sidestage.db'))
  expect(tables(opened)).toEqual(own)
  opened.close()
  rmSync(folder, { recursive: true, force: true })
})
