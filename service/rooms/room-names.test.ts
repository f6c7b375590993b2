import { manualWallClock, type ManualWallClock } from '../../platform/testing/manual-clock.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { RoomMemberTable, RoomTable } from '../storage/room-tables.ts'
import { openStore } from '../storage/testing/open-store.ts'
import { createMemoryJournal } from '../journal/memory-journal.ts'
import { madeAgain } from '../journal/testing/made-again.ts'
import type { Store } from '../storage/store.ts'

import type { Room } from './room.ts'
import { createRoomNames, nameKeys, type RoomNames } from './room-names.ts'

const day = 86_400_000
let store: Store
let dir: string
beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'sidestage-names-'))
  store = await openStore(dir)
})
afterAll(async () => {
  await store.close()
  rmSync(dir, { recursive: true })
})

let clock: ManualWallClock
let names: RoomNames
/** Random numbers drawn. */
let tries = 0
const accounts = new Map([
  ['cara', 'Cara Stone'],
  ['adam', 'Adam'],
  ['unnamed', ''],
])
const open = (max?: number, journal = madeAgain(createMemoryJournal(store))): Promise<RoomNames> =>
  createRoomNames({
    db: store.db,
    journal,
    clock,
    random: (below) => {
      tries += 1
      return Math.floor(below / 2) + tries
    },
    find: (_uid, accid) => (accounts.has(accid) ? { name: accounts.get(accid)! } : undefined),
    ...(max !== undefined && { max }),
  })
/** A room of cara with adam as admin. */
const roomOf = (roomid: number): Room => ({
  row: { roomid, uid: 1, creator: 'cara' } as RoomTable,
  memberChanges: 0,
  members: new Map([['adam', { accid: 'adam', admin: 1 } as RoomMemberTable]]),
  robots: new Map(),
  inside: new Map(),
  listeners: undefined as never,
  queue: new Map(),
})
const room = roomOf(7)
/** Accounts that were given a name. */
const given = new Set<string>()
const give = (accid: string, asked: string, instead = '', chosen = true) => {
  given.add(accid)
  return names.give(room, accid, asked, chosen, instead)
}
// Background writes must not reach the next test.
afterEach(async () => {
  for (const accid of given) await names.stored(room.row.roomid, accid).catch(() => undefined)
  given.clear()
})
const rows = () => store.db.selectFrom('roomName').selectAll().orderBy('accid').execute()
beforeEach(async () => {
  await store.db.deleteFrom('roomName').execute()
  clock = manualWallClock()
  names = await open()
})

describe('a name that somebody has', () => {
  it.each([
    ['as it is', 'Kestrel'],
    ['in other letters', 'KESTREL'],
    ['with a Cyrillic letter', 'K\u0435strel'],
    ['in full width', '\uff2bestrel'],
    ['with a hidden character', 'Kes\u200btrel'],
    ['with a mark', 'K\u00e9strel'],
  ])('is taken for others %s, who get the lowest free number', (_how, asked) => {
    expect(give('a', 'Kestrel')).toEqual({ name: 'Kestrel' })
    expect(give('b', asked)).toEqual({ name: `${asked} 2`, note: 'taken' })
    expect(give('c', asked)).toEqual({ name: `${asked} 3`, note: 'taken' })
    // The owner may change the spelling and keeps the name.
    expect(give('a', asked)).toEqual({ name: asked })
  })

  it('gets a number at random where the low ones are taken, after few tries however many have it', () => {
    give('a', 'Kestrel')
    for (let number = 2; number <= 9; number++) give(`low-${number}`, 'Kestrel')
    tries = 0
    const { name } = give('b', 'Kestrel')
    expect(name).toMatch(/^Kestrel \d\d$/)
    expect(tries).toBe(1)
    // Takes every number of two digits.
    for (let number = 10; number <= 99; number++) give(`high-${number}`, `Kestrel ${number}`)
    tries = 0
    expect(give('c', 'Kestrel').name).toMatch(/^Kestrel \d{3}$/)
    expect(tries).toBe(4)
  })

  it('reads a capital I and an l as one', () => {
    expect(nameKeys('Iily')).toEqual(nameKeys('lily'))
    give('a', 'lily')
    expect(give('b', 'Iily').note).toBe('taken')
  })

  it.each(['\u2800', '\u{1d159}', '\u{13441}', '\u{16fe4}', '\u200b', '\u3164', '\u00a0'])(
    'is the same with %j around it, and between its words',
    (blank) => {
      for (const name of [`Aurora Live${blank}`, `${blank}Aurora Live`, `Aurora ${blank} Live`])
        expect(nameKeys(name)).toEqual(nameKeys('Aurora Live'))
      give('a', 'Aurora Live')
      expect(give('b', `Aurora Live${blank}`).note).toBe('taken')
    },
  )

  it('is free in another room, and there when it was given up', () => {
    give('a', 'Kestrel')
    expect(names.give(roomOf(8), 'b', 'Kestrel', true, '')).toEqual({ name: 'Kestrel' })
    give('a', 'Merlin')
    expect(give('b', 'Kestrel')).toEqual({ name: 'Kestrel' })
  })

  it('keeps its length when a number comes behind it, and no half of a character', () => {
    const long = `${'k'.repeat(61)}\u{1f985}x`
    give('a', long)
    expect(give('b', long).name).toBe(`${'k'.repeat(61)} 2`)
  })

  it('is no name when it is empty, as often as somebody asks', () => {
    expect([give('a', ''), give('b', '')]).toEqual([{ name: '' }, { name: '' }])
  })
})

describe('names of those who lead, and of accounts', () => {
  it.each(['cara stone', 'Cara', 'ADAM', 'unnamed'])('are nobody else’s: %s', (asked) => {
    expect(give('b', asked)).toEqual({ name: `${asked} 2`, note: 'taken' })
  })

  it.each([
    'ᴄara Stone',
    'Cara Stone.',
    '~Cara Stone',
    'CaraStone',
    'Cara_Stone',
    'Cara-Stone',
    'C4ra 5tone',
    'Cara Stone ✓',
    'Cara Stone 👑',
  ])('are nobody else’s, however their letters are written and parted: %s', (asked) => {
    expect(give('b', asked).note).toBe('taken')
    expect(give('cara', asked)).toEqual({ name: asked })
  })
  it('have a number behind them for others', () => {
    expect(give('b', 'Cara Stone 2')).toEqual({ name: 'Cara Stone 2' })
  })
  it.each(['ADM1N', 'admln', 'host1', 'M0D 12', 'Official', 'Staff', 'Broadcaster', '0ff1cial', '管理'])(
    'are not chosen, whatever digits are in them: %s',
    (asked) => {
      expect(give('b', asked, 'before')).toEqual({ name: 'before', note: 'reserved' })
    },
  )
  it.each([
    'Host',
    'Mei \u00b7 Mod',
    'h\u043est',
    '主播',
    '小莫房管',
    'system',
    'Ho st',
    'h.o.s.t',
    'нost',
    'ʜᴏꜱᴛ',
    'Аd мin',
  ])('are not chosen where they are reserved: %s', (asked) => {
    expect(give('b', asked, 'before')).toEqual({ name: 'before', note: 'reserved' })
    expect(give('cara', asked)).toEqual({ name: asked })
    // A name on a card was set by the developer.
    expect(give('c', asked, '', false).note).not.toBe('reserved')
  })

  it('stay free in words that only have them within', () => {
    for (const asked of ['Ghost', 'Modest', 'Hostel', 'Stafford', '时间管理大师', 'Ghost1'])
      expect(give(asked.toLowerCase(), asked)).toEqual({ name: asked })
  })
})

describe('what somebody was called', () => {
  it('stays theirs over a restart for 30 days, and is then anybody’s', async () => {
    give('a', 'Kestrel')
    await names.stored(7, 'a')
    clock.advance(30 * day - 1)
    names = await open()
    expect([names.of(7, 'a'), give('b', 'Kestrel').note]).toEqual(['Kestrel', 'taken'])
    clock.advance(1)
    expect([names.of(7, 'a'), give('c', 'Kestrel')]).toEqual([undefined, { name: 'Kestrel' }])
    await names.removeOld()
    await names.stored(7, 'c')
    expect((await rows()).map(({ accid, name }) => [accid, name])).toEqual([
      ['b', 'Kestrel 2'],
      ['c', 'Kestrel'],
    ])
  })

  it('leaves the disk with many at once, when it is old and when it made way for others', async () => {
    const stored = async (): Promise<number> =>
      Number(
        (
          await store.db
            .selectFrom('roomName')
            .select(({ fn }) => fn.countAll().as('count'))
            .executeTakeFirstOrThrow()
        ).count,
      )
    const put = async (from: number, count: number): Promise<void> => {
      for (let index = from; index < from + count; index++) give(`u${index}`, `Name ${index}`)
      await Promise.all(Array.from({ length: count }, (_, index) => names.stored(7, `u${from + index}`)))
    }
    names = await open(100)
    await put(0, 1_200)
    expect(await stored()).toBe(1_200)
    // Evicted names are a day older than kept ones.
    clock.advance(day + 1)
    await put(1_200, 100)
    await names.removeOld()
    expect(await stored()).toBe(100)
    clock.advance(30 * day)
    await names.removeOld()
    expect(await stored()).toBe(0)
  })

  it('is stored once a day while it is in use, not at each entry', async () => {
    const began = clock.now()
    give('a', 'Kestrel')
    await names.stored(7, 'a')
    for (const after of [1, day - 2, 1]) {
      clock.advance(after)
      give('a', 'Kestrel')
      await names.stored(7, 'a')
      expect((await rows())[0]!.at).toBe(clock.now() - began < day ? began : began + day)
    }
  })

  it('that could not be stored is stored with the next entry', async () => {
    await store.db.schema.alterTable('roomName').renameTo('away').execute()
    give('a', 'Kestrel')
    await expect(names.stored(7, 'a')).rejects.toThrow('roomName')
    expect(names.of(7, 'a')).toBe('Kestrel')
    await store.db.schema.alterTable('away').renameTo('roomName').execute()
    give('a', 'Kestrel')
    await names.stored(7, 'a')
    expect((await rows()).map(({ accid, name }) => [accid, name])).toEqual([['a', 'Kestrel']])
  })

  it('is stored anew when it changes, and is then the only one', async () => {
    give('a', 'Kestrel')
    give('a', 'Merlin')
    await names.stored(7, 'a')
    expect((await rows()).map(({ name }) => name)).toEqual(['Merlin'])
    names = await open()
    expect([names.of(7, 'a'), names.of(8, 'a'), names.of(7, 'b')]).toEqual(['Merlin', undefined, undefined])
  })

  it('of another service is taken here too, and an older one does not replace it', async () => {
    const journal = madeAgain(createMemoryJournal(store))
    names = await open(undefined, journal)
    const at = clock.now()
    journal.byAnother('roomName', { roomid: 7, accid: 'b', name: 'Merlin', at })
    journal.byAnother('roomName', { roomid: 7, accid: 'b', name: 'Falcon', at: at - 1 })
    expect(names.of(7, 'b')).toBe('Merlin')
    expect(give('a', 'Merlin')).toMatchObject({ note: 'taken' })
    expect(give('a', 'Falcon')).toEqual({ name: 'Falcon' })
  })

  it('is forgotten for the newer ones when too many are kept', async () => {
    names = await open(2)
    for (const accid of ['a', 'b']) give(accid, `name of ${accid}`)
    give('a', 'name of a')
    give('c', 'name of c')
    expect(['a', 'b', 'c'].map((accid) => names.of(7, accid))).toEqual(['name of a', undefined, 'name of c'])
  })
})
