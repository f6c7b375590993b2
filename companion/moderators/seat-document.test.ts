import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { scratch, until } from '../testing/rig.ts'
import { type KeptSeat, openSeatStore, revoking, type SeatStore } from './seat-document.ts'

const id = (n: number): string => String(n).repeat(16)
const seat = (n: number): KeptSeat => ({
  id: id(n),
  profileId: 'local',
  roomid: 1,
  accid: `a${n}`,
  name: `A${n}`,
  state: 'active',
  created: 1,
  code: null,
  sessions: ['digest'],
  lastAt: null,
  lastAction: null,
  address: null,
  device: null,
  owed: [],
})
const clock = manualClock()
let folder: ReturnType<typeof scratch>
let told: number
const at = (name: string): string => path.join(folder.dir, name)
/** What a write goes to first is a folder, so that none succeeds. */
const refuse = (name: string): void => {
  rmSync(at(name), { force: true })
  mkdirSync(at(name))
}
const allow = (name: string): void => rmSync(at(name), { recursive: true })
const open = (): Promise<SeatStore> =>
  openSeatStore({ dataDir: folder.dir, clock, log: () => undefined, changed: () => void told++ })
const states = (kept: readonly KeptSeat[]): string[] => kept.map(({ state }) => state)
const stored = (): string[] =>
  states((JSON.parse(readFileSync(at('seats.json'), 'utf8')) as { seats: KeptSeat[] }).seats)

beforeEach(async () => {
  folder = scratch()
  told = 0
  const store = await open()
  await store.change(() => ({ seats: [seat(1), seat(2)] }))
  await store.close()
})
afterEach(() => folder[Symbol.dispose]())

it('undoes what could not be written, and what was to be written together with it', async () => {
  const store = await open()
  refuse('seats.json.new')
  const before = store.value()
  const both = [store.change(() => ({ seats: [] })), store.change(({ seats }) => ({ seats: [...seats, seat(3)] }))]
  expect(store.value().seats.map(({ accid }) => accid)).toEqual(['a3'])
  for (const one of await Promise.allSettled(both)) expect(one.status).toBe('rejected')
  expect(store.value()).toEqual(before)
  expect(store.unwritten()).toBeNull()
})

it('holds a revocation among changes that are undone, tries again, and tells until it is written', async () => {
  const store = await open()
  refuse('seats.json.new')
  const undone = store.change(({ seats }) => ({ seats: seats.map((each) => ({ ...each, sessions: ['another'] })) }))
  const held = store.hold([id(1)], revoking([id(1)]))
  expect(states(store.value().seats)).toEqual(['revoked', 'active'])
  await expect(undone).rejects.toThrow(/EISDIR/)
  await held
  expect(store.value().seats.map(({ sessions }) => sessions)).toEqual([[], ['digest']])
  expect(store.unwritten()).toMatchObject({ ids: [id(1)], reason: { code: 'failed' }, marked: true })
  expect(stored()).toEqual(['active', 'active'])
  expect(told).toBe(1)
  clock.advance(1_000)
  await until('another try', () => clock.waiting() > 0)
  expect(states(store.value().seats)).toEqual(['revoked', 'active'])
  allow('seats.json.new')
  clock.advance(2_000)
  await until('it is written', () => store.unwritten() === null)
  expect(stored()).toEqual(['revoked', 'active'])
  expect(readFileSync(at('revoked-seats'), 'latin1').trim()).toBe('')
  expect(clock.waiting()).toBe(0)
})

it('is written with the next change as well', async () => {
  const store = await open()
  refuse('seats.json.new')
  await store.hold([id(2)], revoking([id(2)]))
  allow('seats.json.new')
  await store.change(({ seats }) => ({ seats: [...seats, seat(3)] }))
  expect(stored()).toEqual(['active', 'revoked', 'active'])
  expect(store.unwritten()).toBeNull()
  await store.close()
})

it('holds after a restart although it was never written', async () => {
  const first = await open()
  refuse('seats.json.new')
  await first.hold([id(1)], revoking([id(1)]))
  await first.close()
  expect(stored()).toEqual(['active', 'active'])
  const second = await open()
  expect(states(second.value().seats)).toEqual(['revoked', 'active'])
  await second.close()
  expect(stored()).toEqual(['revoked', 'active'])
  // Who is invited again is not taken back by what was noted then.
  const third = await open()
  await third.change(({ seats }) => ({ seats: seats.map((each) => ({ ...each, state: 'invited' as const })) }))
  await third.close()
  expect(states((await open()).value().seats)).toEqual(['invited', 'invited'])
})

it('says so when a restart would undo it', async () => {
  const store = await open()
  refuse('seats.json.new')
  refuse('revoked-seats')
  await store.hold([id(1)], revoking([id(1)]))
  expect(store.unwritten()).toMatchObject({ ids: [id(1)], marked: false })
  // Nor can a browser that was signed out be noted.
  allow('revoked-seats')
  await store.hold([id(2)], ({ seats }) => ({
    seats: seats.map((each) => (each.id === id(2) ? { ...each, sessions: [] } : each)),
  }))
  expect(store.unwritten()).toMatchObject({ ids: [id(1), id(2)], marked: false })
  await store.close()
})

it('takes no notes that it cannot read, and sets them aside', async () => {
  writeFileSync(at('revoked-seats'), `${id(1)}\n`)
  expect(states((await open()).value().seats)).toEqual(['active', 'active'])
})

it('is off at port 8720 with no certificate and no seat where there is no file', async () => {
  using empty = scratch()
  const store = await openSeatStore({ dataDir: empty.dir, clock, log: () => undefined, changed: () => undefined })
  expect(store.value()).toEqual({
    version: 1,
    listening: { on: false, open: false, port: 8720 },
    certificate: null,
    seats: [],
  })
  await store.close()
})

it('has nobody in a seat where the file is damaged, and keeps it aside', async () => {
  writeFileSync(at('seats.json'), '{"version":1,"seats":[{}]}')
  expect((await open()).value().seats).toEqual([])
  expect(existsSync(at('seats.json'))).toBe(false)
})

it('tries again after 1, 2, 5 and then every 10 s', async () => {
  const own = manualClock()
  const waits: number[] = []
  const counted = await openSeatStore({
    dataDir: folder.dir,
    clock: {
      ...own,
      after: (ms, call) => {
        waits.push(ms)
        return own.after(ms, call)
      },
    },
    log: () => undefined,
    changed: () => undefined,
  })
  refuse('seats.json.new')
  await counted.hold([id(1)], revoking([id(1)]))
  for (const wait of [1_000, 2_000, 5_000, 10_000]) {
    const before = waits.length
    own.advance(wait)
    await until('another try', () => waits.length > before)
  }
  expect(waits).toEqual([1_000, 2_000, 5_000, 10_000, 10_000])
  allow('seats.json.new')
  own.advance(10_000)
  await until('it is written', () => counted.unwritten() === null)
  expect([stored(), own.waiting()]).toEqual([['revoked', 'active'], 0])
  await counted.close()
})

it('writes what is left once more at the end', async () => {
  const store = await open()
  refuse('seats.json.new')
  await store.hold([id(2)], revoking([id(2)]))
  allow('seats.json.new')
  await store.close()
  expect([stored(), clock.waiting()]).toEqual([['active', 'revoked'], 0])
})

it('says in the log once that a revocation is not written, and that it is', async () => {
  const lines: string[] = []
  const store = await openSeatStore({
    dataDir: folder.dir,
    clock,
    log: (line) => lines.push(line),
    changed: () => undefined,
  })
  refuse('seats.json.new')
  await store.hold([id(1)], revoking([id(1)]))
  await store.hold([id(2)], revoking([id(2)]))
  expect(lines).toEqual([expect.stringMatching(/^a revocation is in force but could not be written, trying again: /)])
  allow('seats.json.new')
  await store.change(() => ({}))
  expect(lines.slice(1)).toEqual(['what was taken back is written'])
  await store.close()
})

it('takes sessions, code and access of the named seats only, and leaves of one that was revoked what is done', () => {
  const [one, two, three] = [
    { ...seat(1), code: { digest: 'd', until: 9 } },
    { ...seat(2), state: 'revoked' as const, owed: ['link' as const] },
    seat(3),
  ]
  const document = { version: 1, listening: { on: false, open: false, port: 1 }, certificate: null } as const
  expect(revoking([id(1), id(2)])({ ...document, seats: [one, two, three] })).toEqual({
    seats: [
      { ...one, state: 'revoked', sessions: [], code: null, owed: ['role', 'token', 'link'] },
      { ...two, sessions: [] },
      three,
    ],
  })
})

it.each([
  ['200 seats', Array.from({ length: 200 }, (_, n) => ({ ...seat(1), id: `seat ${n}` })), 200],
  ['201 seats', Array.from({ length: 201 }, (_, n) => ({ ...seat(1), id: `seat ${n}` })), 0],
  ['eight browsers of a seat', [{ ...seat(1), sessions: Array<string>(8).fill('digest') }], 1],
  ['nine browsers of a seat', [{ ...seat(1), sessions: Array<string>(9).fill('digest') }], 0],
  ['a seat of an older version, which owes nothing', [{ ...seat(1), owed: undefined }], 1],
])('takes of a file with %s all or nothing', async (_what, seats, taken) => {
  const document = { version: 1, listening: { on: true, open: true, port: 1 }, certificate: null, seats }
  writeFileSync(at('seats.json'), JSON.stringify(document))
  const store = await open()
  expect([store.value().seats.length, store.value().listening.port]).toEqual(taken > 0 ? [taken, 1] : [0, 8_720])
  expect(store.value().seats.every(({ owed }) => owed.length === 0)).toBe(true)
  await store.close()
})
