import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChannelTable } from '../storage/live-tables.ts'
import type { ApplicationTable } from '../storage/schema.ts'
import { openStore } from '../storage/testing/open-store.ts'
import { isUniqueViolation, type Store } from '../storage/store.ts'
import { createAdmissionLog } from './channels-admissions.ts'
import { createMemoryJournal } from '../journal/memory-journal.ts'
import { createChannelStore, type ChannelEdit, type ChannelStore } from './channels-store.ts'

let dir: string
let store: Store
let channels: ChannelStore
let write: (edit: ChannelEdit) => Promise<void>
const insert = (made: ChannelTable): Promise<void> => write({ kind: 'create', row: made })
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'sidestage-channels-'))
  store = await openStore(dir)
  await store.db
    .insertInto('application')
    .values([1, 2].map((uid) => ({ uid, name: `a${uid}`, created: 1 }) as ApplicationTable))
    .execute()
  channels = createChannelStore(store.db)
  write = createMemoryJournal(store).kind('channel', { store: channels.write, apply: () => undefined }).commit
})
afterEach(async () => {
  await store.close()
  rmSync(dir, { recursive: true, force: true })
})
const row = (cid: string, more: Partial<ChannelTable> = {}): ChannelTable => ({
  cid,
  uid: 1,
  name: cid,
  type: 0,
  ctime: 1,
  disabled: 0,
  needRecord: 0,
  format: 1,
  duration: 120,
  filename: '',
  channelKey: 'key',
  keyExpires: 0,
  ...more,
})
const stored = async (cid: string) => (await channels.load()).find((one) => one.cid === cid)

describe('channels in the database', () => {
  it('are stored whole, several at once too, and one with a taken name fails alone', async () => {
    const rows = [row('a', { filename: 'show', needRecord: 1, keyExpires: 9 }), row('b'), row('c', { name: 'b' })]
    const outcomes = await Promise.allSettled(rows.map((one) => insert(one)))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(isUniqueViolation((outcomes[2] as PromiseRejectedResult).reason)).toBe(true)
    expect(await channels.load()).toEqual(rows.slice(0, 2))
  })

  it('have settings of recording that are set one by one', async () => {
    await insert(row('a'))
    await write({ kind: 'recording', cid: 'a', values: { duration: 10, format: 0 } })
    expect(await stored('a')).toMatchObject({ duration: 10, format: 0, needRecord: 0 })
    await write({ kind: 'recording', cid: 'none', values: { duration: 10 } })
    await write({ kind: 'rename', cid: 'none', name: 'x' })
    expect(await channels.load()).toHaveLength(1)
  })

  it('are disabled and enabled, over many statements', async () => {
    const cids = Array.from({ length: 501 }, (_, index) => `c${index}`)
    for (const cid of cids) await insert(row(cid))
    const disabled = async () => (await channels.load()).filter((one) => one.disabled === 1).map(({ cid }) => cid)
    await write({ kind: 'disable', cids: ['c500', 'none'] })
    expect(await disabled()).toEqual(['c500'])
    await write({ kind: 'disable', cids })
    expect(await disabled()).toHaveLength(501)
    await write({ kind: 'enable', cids: cids.slice(1) })
    expect(await disabled()).toEqual(['c0'])
    await write({ kind: 'enable', cids: [] })
  })

  it('that have recordings keep their name when they are removed, others do not', async () => {
    await insert(row('a', { name: 'with files' }))
    await insert(row('b'))
    await store.db
      .insertInto('recording')
      .values({
        cid: 'a',
        uid: 1,
        state: 'ready',
        format: 0,
        merged: 0,
        slice: 0,
        beginTime: 1,
        filename: '',
        endTime: 2,
        completed: 2,
        name: '',
        fileKey: '',
        bytes: 1,
        duration: 1,
        codecs: '',
      })
      .execute()
    for (const [cid, at] of [
      ['a', 77],
      ['b', 78],
      ['b', 79],
    ] as const)
      await write({ kind: 'remove', cid, at })
    expect(await store.db.selectFrom('formerChannel').selectAll().execute()).toEqual([
      { cid: 'a', uid: 1, name: 'with files', deleted: 77 },
    ])
    expect(await channels.load()).toEqual([])
  })

  it('come in pages by time, then by id, of one application', async () => {
    for (const [cid, ctime] of [
      ['b', 1],
      ['a', 1],
      ['c', 2],
    ] as const)
      await insert(row(cid, { ctime }))
    await insert(row('x', { uid: 2 }))
    const page = (number: number, ascending: boolean) => channels.page({ uid: 1, page: number, size: 2, ascending })
    expect(await page(1, true)).toEqual({ cids: ['a', 'b'], total: 3 })
    expect(await page(1, false)).toEqual({ cids: ['c', 'b'], total: 3 })
    expect(await page(2, false)).toEqual({ cids: ['a'], total: 3 })
    expect(await page(3, false)).toEqual({ cids: [], total: 3 })
  })
})

describe('admissions in the database', () => {
  it('are kept with the newest packet, and forgotten one by one', async () => {
    const admissions = createAdmissionLog(store.db, { warn: () => expect.unreachable() })
    admissions.note({ cid: 'a', wsTime: 1, lastPacket: 10 })
    admissions.note({ cid: 'a', wsTime: 2, lastPacket: 20 })
    admissions.note({ cid: 'b', wsTime: 1, lastPacket: 30 })
    await admissions.settled()
    admissions.note({ cid: 'a', wsTime: 1, lastPacket: 11 })
    admissions.forget({ cid: 'a', wsTime: 2 })
    await admissions.settled()
    expect((await admissions.load()).map(({ cid, wsTime, lastPacket }) => [cid, wsTime, lastPacket]).sort()).toEqual([
      ['a', 1, 11],
      ['b', 1, 30],
    ])
  })

  it('that could not be stored are logged, and stored with the next one', async () => {
    const warned: string[] = []
    const admissions = createAdmissionLog(store.db, { warn: (_fields, sentence) => void warned.push(sentence) })
    await store.db.schema.alterTable('admission').renameTo('away').execute()
    admissions.note({ cid: 'a', wsTime: 1, lastPacket: 10 })
    admissions.note({ cid: 'b', wsTime: 1, lastPacket: 10 })
    await admissions.settled()
    expect(warned).toEqual(Array(2).fill('an admission could not be stored; it is tried again with the next one'))
    await store.db.schema.alterTable('away').renameTo('admission').execute()
    admissions.note({ cid: 'a', wsTime: 1, lastPacket: 20 })
    await admissions.settled()
    expect((await admissions.load()).map(({ cid, lastPacket }) => [cid, lastPacket]).sort()).toEqual([
      ['a', 20],
      ['b', 10],
    ])
  })
})

describe('changes of a channel in the database', () => {
  it('are of the channel that is named alone', async () => {
    for (const cid of ['a', 'b']) await insert(row(cid))
    await write({ kind: 'rename', cid: 'a', name: 'other name' })
    await write({ kind: 'key', cid: 'a', keyExpires: 7 })
    expect(await stored('a')).toMatchObject({ name: 'other name', keyExpires: 7, channelKey: 'key' })
    await write({ kind: 'key', cid: 'a', keyExpires: 8, channelKey: 'new' })
    expect(await stored('a')).toMatchObject({ keyExpires: 8, channelKey: 'new' })
    await write({ kind: 'recording', cid: 'a', values: { needRecord: 1, filename: 'f' } })
    expect(await stored('b')).toEqual(row('b'))
  })
})

describe('a page of channels', () => {
  it('is empty beyond the last one, also beyond what a number can hold, and counts its application alone', async () => {
    for (const cid of ['a', 'b']) await insert(row(cid))
    const page = (number: number, uid = 1) => channels.page({ uid, page: number, size: 2, ascending: true })
    expect(await page(1)).toEqual({ cids: ['a', 'b'], total: 2 })
    for (const number of [2, Number.MAX_SAFE_INTEGER]) expect(await page(number)).toEqual({ cids: [], total: 2 })
    expect(await page(1, 2)).toEqual({ cids: [], total: 0 })
  })
})

describe('the last word about an admission', () => {
  it('is what is stored, whatever came before it in the same moment', async () => {
    const admissions = createAdmissionLog(store.db, { warn: () => expect.unreachable() })
    for (const lastPacket of [10, 12, 11]) admissions.note({ cid: 'a', wsTime: 1, lastPacket })
    admissions.note({ cid: 'b', wsTime: 1, lastPacket: 10 })
    admissions.forget({ cid: 'b', wsTime: 1 })
    admissions.forget({ cid: 'c', wsTime: 1 })
    admissions.note({ cid: 'c', wsTime: 1, lastPacket: 10 })
    await admissions.settled()
    expect((await admissions.load()).map(({ cid, lastPacket }) => [cid, lastPacket]).sort()).toEqual([
      ['a', 11],
      ['c', 10],
    ])
  })
})

describe('an admission that could not be stored at first', () => {
  it('is stored once with the next one, and does not come back later over a newer one', async () => {
    const admissions = createAdmissionLog(store.db, { warn: () => undefined })
    await store.db.schema.alterTable('admission').renameTo('away').execute()
    admissions.note({ cid: 'a', wsTime: 1, lastPacket: 10 })
    await admissions.settled()
    await store.db.schema.alterTable('away').renameTo('admission').execute()
    admissions.note({ cid: 'a', wsTime: 1, lastPacket: 20 })
    await admissions.settled()
    admissions.note({ cid: 'b', wsTime: 1, lastPacket: 30 })
    await admissions.settled()
    expect((await admissions.load()).map(({ cid, lastPacket }) => [cid, lastPacket]).sort()).toEqual([
      ['a', 20],
      ['b', 30],
    ])
  })
})
