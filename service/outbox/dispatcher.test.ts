import { afterEach, beforeEach, expect, it } from 'vitest'
import { reasonOf } from '../../contract/catalogue/reasons.ts'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import { silentLog } from '../log.ts'
import type { DeliveryTable } from '../storage/schema.ts'
import type { Attempt } from './delivery-request.ts'
import { createDispatcher } from './dispatcher.ts'
import { createLines, type Lines } from './lines.ts'
import { notYet } from './deliveries.ts'

const delivered: Attempt = { delivered: true, result: reasonOf('delivery', 'status', { status: '200' }) }
const refused: Attempt = { delivered: false, result: reasonOf('delivery', 'status', { status: '500' }) }
const wait = 5000

let time: ManualClock
let rows: DeliveryTable[]
let lines: Lines
/** Attempts under way, and the ids of all that were begun. */
let open: { readonly nId: string; readonly end: (attempt: Attempt | undefined) => void }[]
let begun: string[]
let logged: string[]
/** What the rows were asked for. */
let asked: unknown[][]
let fault: Error | undefined
/** What was found reaches the dispatcher after this, as from a database that answers on another connection. */
let reading: Promise<void>
/** Answers at once with 200. */
let isPrompt: boolean
/** Results in the order in which they were stored, together with others or alone. */
let kept: string[][]
let isSameTurn = false
/** Messages go elsewhere now, so that a failure says nothing. */
let isRedirected: boolean
let dispatcher: ReturnType<typeof createDispatcher>

const make = (gatherFor?: number): void => {
  dispatcher = createDispatcher({
    waits: {},
    rows: {
      async targets(now) {
        asked.push(['targets'])
        if (fault) throw fault
        return [...new Set(waiting().flatMap(({ target, due }) => (due <= now ? [target] : [])))].sort()
      },
      async due(target, now, underWay, limit) {
        asked.push(['due', target, limit])
        const found = waiting()
          .filter((row) => row.target === target && row.due <= now && !underWay.includes(row.nId))
          .sort((one, other) => one.due - other.due || one.created - other.created)
          .slice(0, limit)
        await reading
        return found
      },
      nextDue: async (after) =>
        waiting()
          .map(({ due }) => due)
          .filter((due) => due > after && due < notYet)
          .sort((one, other) => one - other)[0],
      async earlier(by, after) {
        asked.push(['earlier', by, after])
      },
      async notLater() {},
      async held(line, limit) {
        asked.push(['held', line, limit])
        if (fault) throw fault
        return waiting()
          .filter((row) => row.line === line && row.due === notYet)
          .slice(0, limit)
      },
    },
    lines,
    attempts: {
      make(row) {
        begun.push(row.nId)
        if (isPrompt) return Promise.resolve(delivered)
        return new Promise((resolve) => {
          const one = {
            nId: row.nId,
            end(attempt: Attempt | undefined) {
              open.splice(open.indexOf(one), 1)
              resolve(attempt)
            },
          }
          open.push(one)
        })
      },
    },
    outcomes: {
      async keep({ nId }, attempt) {
        const turn = kept.at(-1)
        if (turn && isSameTurn) turn.push(nId)
        else kept.push([nId])
        isSameTurn = true
        setImmediate(() => (isSameTurn = false))
        const row = rows.find((one) => one.nId === nId)!
        if (attempt.delivered) row.state = 'delivered'
        else if (!isRedirected) Object.assign(row, { due: time.now() + wait, step: row.step + 1 })
        return row.target
      },
    },
    clock: time,
    log: { ...silentLog, error: (_details, sentence) => void logged.push(sentence) },
    gatherFor,
  })
}
const waiting = (): DeliveryTable[] => rows.filter(({ state }) => state === 'waiting')

beforeEach(() => {
  time = manualClock()
  rows = []
  lines = createLines({ clock: time, patience: 60_000 })
  open = []
  begun = []
  logged = []
  asked = []
  kept = []
  fault = undefined
  reading = Promise.resolve()
  isPrompt = false
  isRedirected = false
  make()
})
afterEach(async () => {
  const closed = dispatcher.close()
  while (open.length > 0) open[0]!.end(undefined)
  await closed
})

const put = (nId: string, values: Partial<DeliveryTable> = {}): void => {
  rows.push({
    nId,
    uid: 1,
    kind: 'recording',
    url: 'http://a/',
    target: 'http://a',
    line: null,
    body: '{}',
    state: 'waiting',
    attempts: 0,
    step: 0,
    due: time.now(),
    created: rows.length,
    result: null,
    ...values,
  })
}
/** Puts a message into a line. */
const say = (nId: string, line = 'x', target = 'http://a'): void => {
  put(nId, { line, due: notYet, target })
  lines.touched(line, target)
  dispatcher.lineTouched()
}
const answer = (nId: string, attempt: Attempt = delivered): void => open.find((one) => one.nId === nId)!.end(attempt)
const came = (count: number) => expect.poll(() => begun.length).toBe(count)
/** Lets everything happen that waits for no time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
}

it('begins nothing before it is started, and then everything that is due, the longest due first', async () => {
  put('1', { due: time.now() })
  put('2', { due: time.now() - 1 })
  put('3', { due: time.now() + 1 })
  say('4')
  dispatcher.anyTouched()
  await settle()
  expect([begun, asked]).toEqual([[], []])
  dispatcher.start()
  await came(3)
  await settle()
  expect(begun).toEqual(['2', '1', '4'])
  expect(asked[0]).toEqual(['targets'])
})

it('makes four attempts at a target at once, messages before lines, and another one when one ends', async () => {
  for (const nId of ['1', '2', '3']) put(nId)
  for (const nId of ['4', '5', '6']) say(nId, `line ${nId}`)
  dispatcher.start()
  await came(4)
  await settle()
  expect(begun).toEqual(['1', '2', '3', '4'])
  answer('1')
  await came(5)
  await settle()
  expect(begun.at(-1)).toBe('5')
  answer('4')
  await came(6)
})

it('makes 32 attempts at once over all targets, and those of any other target when one ends', async () => {
  for (let target = 0; target < 9; target++)
    for (let count = 0; count < 4; count++) put(`${target} ${count}`, { target: `http://t${target}` })
  dispatcher.start()
  await came(32)
  await settle()
  expect(begun).toHaveLength(32)
  expect(begun.filter((nId) => nId.startsWith('8'))).toEqual([])
  answer('0 0')
  await came(33)
  expect(begun.at(-1)).toMatch(/^8 /)
})

it('does not look at a target again that has nothing due, when an attempt of another one ends', async () => {
  put('1')
  put('2', { target: 'http://b' })
  dispatcher.start()
  await came(2)
  await settle()
  asked.length = 0
  answer('1')
  await expect.poll(() => asked.length).toBeGreaterThan(0)
  await settle()
  expect(asked.filter(([what, target]) => what === 'due' && target === 'http://b')).toEqual([])
})

it('makes the next attempt at a message when it is due, and not before', async () => {
  put('1')
  dispatcher.start()
  await came(1)
  answer('1', refused)
  await settle()
  time.advance(wait - 1)
  await settle()
  expect(begun).toEqual(['1'])
  time.advance(1)
  await came(2)
})

it('looks at everything once a minute, however late the next message is due', async () => {
  put('1', { due: time.now() + 86_400_000 })
  dispatcher.start()
  await settle()
  asked.length = 0
  time.advance(59_999)
  await settle()
  expect(asked).toEqual([])
  time.advance(1)
  await expect.poll(() => asked).toContainEqual(['targets'])
})

it('moves what is due earlier by as much as the clock was set back', async () => {
  dispatcher.start()
  await settle()
  const before = time.now()
  time.set(-3_600_000)
  time.advance(60_000)
  await expect.poll(() => asked).toContainEqual(['earlier', 3_540_000, before - 3_540_000])
  time.advance(60_000)
  await settle()
  expect(asked.filter(([what]) => what === 'earlier')).toHaveLength(1)
})

it('looks again five seconds after the database failed', async () => {
  put('1')
  fault = new Error('no database')
  dispatcher.start()
  await expect.poll(() => logged).toEqual(['the outbox could not be read'])
  fault = undefined
  await settle()
  time.advance(4999)
  await settle()
  expect(begun).toEqual([])
  time.advance(1)
  await came(1)
})

it('sends the messages of a line one after the other, 16 of them before other lines have a turn', async () => {
  isPrompt = true
  for (let count = 1; count <= 20; count++) say(`x${count}`, 'x')
  for (const line of ['a', 'b', 'c', 'd']) say(line, line)
  dispatcher.start()
  await came(24)
  const order = begun.filter((nId) => nId.startsWith('x') || nId === 'd')
  expect(order.indexOf('d')).toBeLessThan(17)
  expect(order.filter((nId) => nId !== 'd')).toEqual(Array.from({ length: 20 }, (_, index) => `x${index + 1}`))
  expect(asked.filter(([what, line]) => what === 'held' && line === 'x')).toEqual([
    ['held', 'x', 16],
    ['held', 'x', 16],
  ])
})

it('holds a line behind a failed message, goes on when that is delivered, and keeps other lines going', async () => {
  dispatcher.start()
  say('1')
  say('2')
  await came(1)
  answer('1', refused)
  await settle()
  say('3')
  say('other', 'y')
  await came(2)
  await settle()
  expect(begun).toEqual(['1', 'other'])
  time.advance(wait)
  await came(3)
  expect(begun.at(-1)).toBe('1')
  answer('1')
  await came(4)
  answer('2')
  await came(5)
  expect(begun.slice(3)).toEqual(['2', '3'])
})

it('passes a message that still fails when the patience of its line is over', async () => {
  dispatcher.start()
  say('1')
  say('2')
  await came(1)
  answer('1', refused)
  await settle()
  for (let count = 2; count * wait < 60_000; count++) {
    time.advance(wait)
    await expect.poll(() => open.length).toBe(1)
    answer('1', refused)
    await settle()
  }
  expect(new Set(begun)).toEqual(new Set(['1']))
  time.advance(2 * wait)
  await expect.poll(() => begun).toContain('2')
})

it('reads a line again whose waiting messages changed while it was sent', async () => {
  dispatcher.start()
  say('1')
  say('2')
  say('3')
  await came(1)
  rows.find(({ nId }) => nId === '2')!.state = 'failed'
  dispatcher.changed()
  answer('1')
  await came(2)
  expect(begun).toEqual(['1', '3'])
  expect(asked.filter(([what]) => what === 'held')).toHaveLength(2)
})

it('goes on with a line at the target to which its messages go now', async () => {
  dispatcher.start()
  say('1')
  say('2')
  await came(1)
  answer('1')
  await came(2)
  say('3')
  Object.assign(
    rows.find(({ nId }) => nId === '3')!,
    { target: 'http://b' },
  )
  answer('2')
  await came(3)
  // Four more of the first target do not hinder it.
  for (const nId of ['4', '5', '6', '7']) put(nId)
  dispatcher.anyTouched()
  await came(7)
})

it('blocks a line that could not be read for its patience, and logs it', async () => {
  dispatcher.start()
  await settle()
  fault = new Error('no database')
  say('1')
  await expect.poll(() => logged).toContain('a line of deliveries could not be read')
  fault = undefined
  say('2')
  await settle()
  expect(begun).toEqual([])
  time.advance(60_000)
  await came(1)
})

it('rests a line after it was sent, and then sends what came meanwhile', async () => {
  make(1000)
  dispatcher.start()
  say('1')
  await came(1)
  answer('1')
  await settle()
  say('2')
  say('3')
  await settle()
  time.advance(999)
  await settle()
  expect(begun).toEqual(['1'])
  time.advance(1)
  await came(2)
  answer('2')
  await came(3)
})

it('stores the results of a run together, unless it outlasts the rest of a line, and a failure at once', async () => {
  make(1000)
  dispatcher.start()
  for (const nId of ['1', '2', '3', '4', '5']) say(nId)
  await came(1)
  answer('1')
  await came(2)
  expect(kept).toEqual([])
  time.advance(999)
  answer('2')
  await came(3)
  expect(kept).toEqual([])
  time.advance(1)
  answer('3')
  await came(4)
  expect(kept).toEqual([['1', '2', '3']])
  await settle()
  answer('4')
  await came(5)
  answer('5', refused)
  await expect
    .poll(() => kept)
    .toEqual([
      ['1', '2', '3'],
      ['4', '5'],
    ])
})

it('stores nothing of an attempt that was cut off', async () => {
  put('1')
  say('2')
  dispatcher.start()
  await came(2)
  const closed = dispatcher.close()
  while (open.length > 0) open[0]!.end(undefined)
  await closed
  expect(kept).toEqual([])
})

it('begins nothing more when it is closed, stores what still ends, and wakes no more', async () => {
  make(1000)
  put('1')
  put('late', { due: time.now() + 1000 })
  say('2')
  say('3')
  say('rests', 'y')
  dispatcher.start()
  await came(3)
  answer('rests')
  await settle()
  const closed = dispatcher.close()
  answer('1')
  answer('2')
  await closed
  expect(kept.flat().sort()).toEqual(['1', '2', 'rests'])
  expect(time.waiting()).toBe(0)
  dispatcher.anyTouched()
  time.advance(120_000)
  await settle()
  expect(begun).toEqual(['1', '2', 'rests'])
})

it('tries a message that failed after it was sent elsewhere again at once, and holds no line behind it', async () => {
  dispatcher.start()
  say('1')
  say('2')
  await came(1)
  isRedirected = true
  dispatcher.changed()
  answer('1', refused)
  await came(2)
  expect(begun).toEqual(['1', '1'])
  answer('1')
  await came(3)
  expect(begun.at(-1)).toBe('2')
})

it('tries a message again at once whose attempt ends while what is due at its new target is read', async () => {
  dispatcher.start()
  put('1')
  dispatcher.anyTouched()
  await came(1)
  await settle()
  const read = Promise.withResolvers<void>()
  reading = read.promise
  isRedirected = true
  rows[0]!.target = 'http://b'
  dispatcher.changed()
  await expect.poll(() => asked.at(-1)).toEqual(['due', 'http://b', 4])
  answer('1', refused)
  await settle()
  read.resolve()
  await came(2)
  answer('1')
})
