import { mkdtempSync, rmSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { RoomCopy } from '../../contract/callbacks/copy.ts'
import { openStore } from '../storage/testing/open-store.ts'
import type { Store } from '../storage/store.ts'
import { createRoomLines, type Line, type RoomLines } from './room-lines.ts'
import type { StatEvent } from './room-statistics.ts'
import { describeOnPostgres } from '../testing/engines.ts'

let folder: string
let store: Store
let lines: RoomLines
/** Lines made. */
let count: number
let copied: RoomCopy[]
/** Events counted, and those whose transaction is over. */
let counted: StatEvent[]
let confirmed: number
let wants: boolean
let copying: (copy: RoomCopy) => Promise<void>
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sidestage-lines-'))
  store = await openStore(folder)
  count = 0
  copied = []
  counted = []
  confirmed = 0
  wants = true
  copying = () => Promise.resolve()
  lines = createRoomLines(store.db, {
    statistics: {
      count: (_transaction, events) => {
        counted.push(...events)
        return Promise.resolve(() => void confirmed++)
      },
    },
    copies: {
      wants: (_uid, kind) => wants && kind === 4,
      enqueue: (_transaction, _uid, copy) => {
        copied.push(copy)
        return copying(copy)
      },
    },
  })
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A line of ann at 100, with the number that it gets when all are written in the order in which they are made. */
const lineOf = (more: Partial<Line> = {}): Line => {
  const line = more.line ?? ++count
  return {
    uid: 1,
    roomid: 7,
    sender: 'ann',
    clientId: `c${line}`,
    at: 100,
    type: 0,
    attach: 'x',
    ext: '',
    nick: 'Ann',
    avatar: '',
    clientType: 'WEB',
    heldAt: null,
    state: 'shown',
    ...more,
    line,
  }
}
const copy = { eventType: '4' } as RoomCopy
const event = (accid: string): StatEvent => ({ uid: 1, roomid: 7, accid, at: 100, what: 'msgs' })
const stored = async (): Promise<string[]> =>
  (await lines.query({ roomid: 7, states: ['shown'], limit: 100 })).map(({ clientId }) => clientId)

describe('a line', () => {
  it('is stored as it is, with its copy and its count in one transaction', async () => {
    const line = lineOf({ ext: 'e', avatar: 'http://x/a', heldAt: 50, type: 100 })
    expect(await lines.write(1, { line, copy, statEvent: event('ann') })).toEqual({ line, isRepeated: false })
    expect(await lines.find(7, line.line)).toEqual(line)
    expect([copied, counted, confirmed]).toEqual([[copy], [event('ann')], 1])
  })

  it('with the idempotency key of an earlier one is answered with that, and not stored or counted', async () => {
    const first = lineOf({ clientId: 'same' })
    await lines.write(1, { line: first, copy, statEvent: event('ann') })
    const again = await lines.write(1, {
      line: lineOf({ clientId: 'same', attach: 'y' }),
      copy,
      statEvent: event('ann'),
    })
    expect(again).toEqual({ line: first, isRepeated: true })
    expect([await stored(), copied.length, counted.length]).toEqual([['same'], 1, 1])
    // Another sender and another room have keys of their own.
    for (const more of [{ sender: 'bob' }, { roomid: 8 }])
      expect(await lines.write(1, { line: lineOf({ clientId: 'same', ...more }) })).toMatchObject({ isRepeated: false })
  })

  it('is not copied while copies of rooms are not wanted', async () => {
    wants = false
    const line = lineOf()
    await lines.write(1, { line, copy })
    await lines.setState(line, { state: 'removed' }, copy)
    expect(copied).toEqual([])
  })

  it('whose copy cannot be stored fails alone, also while the next line is being stored', async () => {
    const bad = { eventType: '4', attach: 'bad' } as RoomCopy
    copying = async (one) => {
      if (one === bad) throw new Error('no room for copies')
      await setImmediate()
    }
    const outcomes = await Promise.allSettled(
      [bad, copy, copy].map((one, index) => lines.write(1, { line: lineOf({ clientId: `c${index}` }), copy: one })),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    expect(await stored()).toEqual(['c2', 'c1'])
  })

  it('is found in its own room only', async () => {
    const line = lineOf()
    await lines.write(1, { line })
    expect([await lines.find(8, line.line), await lines.find(7, line.line + 1)]).toEqual([undefined, undefined])
  })

  it('that is withdrawn is gone, and its sender may say it again', async () => {
    const [line, other] = [lineOf({ clientId: 'a' }), lineOf({ clientId: 'b' })]
    for (const one of [line, other]) await lines.write(1, { line: one })
    await lines.withdraw(line)
    expect(await stored()).toEqual(['b'])
    expect(await lines.write(1, { line: lineOf({ clientId: 'a' }) })).toMatchObject({ isRepeated: false })
  })

  it('changes its state alone, and its time where it is released, with the copy of that', async () => {
    const [held, other] = [lineOf({ state: 'held' }), lineOf()]
    for (const line of [held, other]) await lines.write(1, { line })
    await lines.setState(held, { state: 'shown', at: 300, heldAt: 100 }, copy)
    expect(await lines.find(7, held.line)).toEqual({ ...held, state: 'shown', at: 300, heldAt: 100 })
    await lines.setState(held, { state: 'removed' })
    expect(await lines.find(7, held.line)).toEqual({ ...held, state: 'removed', at: 300, heldAt: 100 })
    expect([await lines.find(7, other.line), copied]).toEqual([other, [copy]])
  })
})

describe('two processes', () => {
  const another = async (): Promise<{ store: Store; lines: RoomLines }> => {
    const second = await openStore(folder)
    onTestFinished(() => second.close())
    const copies = { wants: () => false, enqueue: () => Promise.resolve() }
    return {
      store: second,
      lines: createRoomLines(second.db, { statistics: { count: () => Promise.resolve(() => undefined) }, copies }),
    }
  }

  it('give every line a number of its own, and notices too', async () => {
    const other = await another()
    const numbers: number[] = []
    for (const each of [{ store, lines }, other, { store, lines }, other]) {
      numbers.push((await each.lines.write(1, { line: lineOf() })).line.line)
      numbers.push(await each.store.db.transaction().execute((transaction) => each.lines.take(transaction, 1)))
    }
    expect(new Set(numbers).size).toBe(8)
  })

  it('take a line with one idempotency key once', async () => {
    const other = await another()
    const first = await lines.write(1, { line: lineOf({ clientId: 'same' }) })
    expect(await other.lines.write(1, { line: lineOf({ clientId: 'same' }) })).toEqual({ ...first, isRepeated: true })
  })

  describeOnPostgres('at once', () => {
    it('give no number twice, and fail no line for the other one’s with the same idempotency key', async () => {
      const other = await another()
      const keys = Array.from({ length: 200 }, (_, index) => `c${index}`)
      const said = await Promise.all(
        keys.map((clientId) =>
          Promise.all([lines, other.lines].map((each) => each.write(1, { line: lineOf({ clientId }) }))),
        ),
      )
      for (const pair of said) {
        expect(pair[0]!.line).toEqual(pair[1]!.line)
        expect(pair.filter(({ isRepeated }) => isRepeated)).toHaveLength(1)
      }
      expect(new Set(said.map(([one]) => one!.line.line)).size).toBe(keys.length)
    })
  })
})

describe('lines of a room', () => {
  beforeEach(async () => {
    for (const at of [100, 200, 300, 400])
      await lines.write(1, { line: lineOf({ at, clientId: `at ${at}`, sender: at === 300 ? 'bob' : 'ann' }) })
    await lines.write(1, { line: lineOf({ at: 250, roomid: 8 }) })
    await lines.write(1, { line: lineOf({ at: 260, state: 'removed', clientId: 'removed' }) })
    await lines.write(1, { line: lineOf({ at: 270, state: 'held', clientId: 'held' }) })
    await store.db
      .transaction()
      .execute((transaction) => lines.keep(transaction, lineOf({ at: 280, type: 5, clientId: 'notice' })))
  })
  const ask = async (query: Partial<Parameters<RoomLines['query']>[0]>): Promise<string[]> =>
    (await lines.query({ roomid: 7, states: ['shown'], limit: 100, ...query })).map(({ clientId }) => clientId)

  it('are those from the begin to the end, both included, the latest first', async () => {
    expect(await ask({ begin: 200, end: 300 })).toEqual(['at 300', 'at 200'])
    expect(await ask({ begin: 201, end: 299 })).toEqual([])
    expect(await ask({ end: 200 })).toEqual(['at 200', 'at 100'])
    expect(await ask({ begin: 300 })).toEqual(['at 400', 'at 300'])
  })

  it('are those of a sender, of some states, and notices only where they are asked for', async () => {
    expect(await ask({ sender: 'bob' })).toEqual(['at 300'])
    expect(await ask({ states: ['held'] })).toEqual(['held'])
    expect(await ask({ states: ['shown', 'removed'], begin: 200, end: 300 })).toEqual(['at 300', 'removed', 'at 200'])
    expect(await ask({ notices: true, begin: 200, end: 300 })).toEqual(['at 300', 'notice', 'at 200'])
    expect(await ask({ states: ['removed'], notices: true })).toEqual(['removed'])
  })

  it('are the newest shown ones on entering, as many as are asked for', async () => {
    const latest = async (notices: boolean, limit: number) =>
      (await lines.latest(7, notices, limit)).map(({ clientId }) => clientId)
    expect(await latest(false, 3)).toEqual(['at 400', 'at 300', 'at 200'])
    expect(await latest(true, 3)).toEqual(['at 400', 'at 300', 'notice'])
  })

  it('in an answer are as many as were asked for, which says whether there are more', async () => {
    const part = (limit: number) =>
      lines.part({ roomid: 7, states: ['shown'], limit }, 1_000, ({ clientId }) => clientId)
    expect(await part(3)).toEqual({ list: ['at 400', 'at 300', 'at 200'], more: true })
    expect(await part(4)).toEqual({ list: ['at 400', 'at 300', 'at 200', 'at 100'], more: false })
    expect(await lines.part({ roomid: 9, states: ['shown'], limit: 4 }, 1_000, () => '')).toEqual({
      list: [],
      more: false,
    })
  })
})
