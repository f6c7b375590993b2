import { beforeEach, expect, it } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { silentLog } from '../log.ts'
import { createRoomCatchUp, type RoomCatchUp } from './room-catch-up.ts'
import type { Room } from './room.ts'
import type { Line } from './room-lines.ts'

let room: Room
let stored: Line[]
let lines: () => Promise<Line[]>
let queries: { readonly begin: number }[]
let told: [line: number, without: string | undefined][]
let out: [reason: string, accid: string | undefined][]
let now: number
let catchUp: RoomCatchUp
/** Messages pass again. */
let back: () => void
beforeEach(() => {
  room = {
    row: { roomid: 7, valid: 1 },
    members: new Map(),
    inside: new Map(),
  } as unknown as Room
  lines = () => Promise.resolve(stored.toReversed())
  ;[stored, queries, told, out, now] = [[], [], [], [], 1_000_000]
  catchUp = createRoomCatchUp({
    bus: {
      onBack(call) {
        back = call
        return () => (back = () => undefined)
      },
    },
    // The latest first, as they are read.
    lines: { query: (query) => (queries.push(query), lines()) },
    clock: { now: () => now },
    fresh: () => Promise.resolve(),
    log: silentLog,
    tell: (_room, { line }, without) => void told.push([line, without]),
    putOut: (_room, reason, accid) => void out.push([reason, accid]),
  })
})
const store = (...lines: number[]): void => void stored.push(...lines.map((line) => ({ line }) as Line))
const readAgain = async (): Promise<void> => {
  const before = queries.length
  back()
  await eventually(() => expect(queries.length).toBe(before + 1))
  await new Promise((resolve) => setImmediate(resolve))
}

it('tells what a room was not told, once and in order, also where it comes over the bus later', async () => {
  catchUp.hear(room)
  for (const line of [1, 2]) expect(catchUp.isNew(room, line)).toBe(true)
  store(1, 2, 3, 4)
  await readAgain()
  await readAgain()
  expect(told.map(([line]) => line)).toEqual([3, 4])
  expect([catchUp.isNew(room, 4), catchUp.isNew(room, 5), catchUp.isNew(room, 5)]).toEqual([false, true, false])
})

it('lets what comes wait until the lines of its room are read, so that all come in the order of the rows', async () => {
  catchUp.hear(room)
  const come = (line: number): void => {
    const tell = (): void => void (catchUp.isNew(room, line) && told.push([line, undefined]))
    if (!catchUp.isLater(room, tell)) tell()
  }
  come(1)
  store(1, 2, 3)
  back()
  come(4)
  come(3)
  expect(told.map(([line]) => line)).toEqual([1])
  await eventually(() => expect(told.map(([line]) => line)).toEqual([1, 2, 3, 4]))
  come(5)
  expect(told.map(([line]) => line)).toEqual([1, 2, 3, 4, 5])
})

it('lets nothing wait where lines cannot be read, and reads once more for what is asked meanwhile', async () => {
  catchUp.hear(room)
  const before = queries.length
  for (let count = 0; count < 5; count++) back()
  await eventually(() => expect(catchUp.isLater(room, () => undefined)).toBe(false))
  expect(queries.length - before).toBe(2)
  lines = () => Promise.reject(new Error('no database'))
  back()
  const tell = (): void => void told.push([9, undefined])
  expect(catchUp.isLater(room, tell)).toBe(true)
  await eventually(() => expect(told).toEqual([[9, undefined]]))
})

it('does not tell the session that sent a line', async () => {
  catchUp.hear(room)
  catchUp.sent(1, 's1')
  catchUp.sent(2, undefined)
  store(1, 2)
  await readAgain()
  expect(told).toEqual([
    [1, 's1'],
    [2, undefined],
  ])
})

it('remembers as many lines as it may, and takes those before them for told', async () => {
  catchUp.hear(room)
  for (let line = 1; line <= 2500; line++) catchUp.isNew(room, line)
  store(1, 499, 501, 2500, 2501)
  await readAgain()
  expect(told.map(([line]) => line)).toEqual([2501])
})

it('reads from the time at which the room is heard, ten minutes at most', async () => {
  const begin = now
  catchUp.hear(room)
  now += 1000
  await readAgain()
  now += 3_600_000
  await readAgain()
  expect(queries.map((query) => query.begin)).toEqual([begin, now - 600_000])
})

it('reads nothing of a room that nobody here is in any more', async () => {
  catchUp.hear(room)()
  back()
  await new Promise((resolve) => setImmediate(resolve))
  expect([queries, catchUp.isNew(room, 1), catchUp.isNew(room, 1)]).toEqual([[], true, true])
})

it('puts out who may not be inside any more, and everybody of a closed room', async () => {
  catchUp.hear(room)
  for (const accid of ['bill', 'mona']) (room.inside as Map<string, unknown>).set(accid, {})
  ;(room.members as Map<string, unknown>).set('bill', { blacklisted: 1 })
  await readAgain()
  expect(out).toEqual([['blacklisted', 'bill']])
  Object.assign(room.row, { valid: 0 })
  back()
  await eventually(() => expect(out.at(-1)).toEqual(['closed', undefined]))
})

it('is not called back once it is closed', () => {
  catchUp.hear(room)
  catchUp.close()
  back()
  expect(queries).toEqual([])
})
