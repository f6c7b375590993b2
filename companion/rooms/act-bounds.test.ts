import { mkdirSync, watch, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RoomAction } from '../../contract/rpc/index.ts'
import { openSeatPage, signIn, type SeatPage } from '../moderators/testing/seat-page.ts'
import { failureOf, type Rig, scratch, startRig, until } from '../testing/rig.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { actRates, createActRates } from './act-rates.ts'
import { openActionLog } from './action-log.ts'
import { maxText } from './action-texts.ts'

const folder = scratch()
const profileId = 'local'
const pageDir = path.join(folder.dir, 'page')
let rig: Rig
let roomid = 0
let seat: SeatPage
const rooms = () => rig.page.rpc.rooms
const earlierEntries = 1_203
/** A room that nothing else is done in. */
const former = 424_242

beforeAll(async () => {
  mkdirSync(pageDir)
  writeFileSync(path.join(pageDir, 'index.html'), '<!doctype html><div id="app"></div>')
  writeFileSync(path.join(pageDir, 'csp.json'), '{"styles":[]}')
  const log = openActionLog(path.join(folder.dir, 'actions.db'))
  for (let at = 1; at <= earlierEntries; at++)
    log.begin({
      profileId,
      roomid: former,
      at,
      operator: 'ana',
      seat: false,
      what: { kind: 'announce', text: '深'.repeat(4_000) },
      why: '',
      undoes: null,
    })
  log.close()
  rig = await startRig(folder.dir, { pageDir })
  await rig.companion.serviceReady(40_000)
  roomid = (await rooms().create({ profileId, accid: 'ana', name: 'night room', announcement: '' })).roomid
  const { code, token } = await rig.page.rpc.seats.invite({ profileId, roomid, accid: 'mei', name: 'Mei' })
  const [url = ''] = (await rig.page.rpc.seats.listen({ on: true, open: false, port: 0 })).urls
  seat = await openSeatPage(url, (await signIn(url, { accid: 'mei', token, code })).cookie)
})
afterAll(async () => {
  seat?.close()
  await rig?.close()
  folder[Symbol.dispose]()
})

/** How many of so many calls at once were refused for being too many; any other refusal fails. */
const refusalsOf = async (calls: readonly Promise<unknown>[]): Promise<number> => {
  const came = await Promise.all(
    calls.map((call) =>
      call.then(
        () => null,
        (error: unknown) => failureOf(Promise.reject(error as Error)),
      ),
    ),
  )
  const refused = came.filter((failure) => failure !== null)
  expect(refused.filter(({ kind, code }) => kind !== 'code' || code !== 416)).toEqual([])
  return refused.length
}
/** Does something so many times, never more at once than a page may. */
async function flood(times: number, call: () => Promise<unknown>): Promise<number> {
  let refused = 0
  for (let done = 0; done < times; done += 25) refused += await refusalsOf(Array.from({ length: 25 }, call))
  return refused
}

it('a seat that acts without end is refused with code 416, is not in the log by that, and hinders nobody else', async () => {
  const value = 'x'.repeat(300)
  const began = performance.now()
  const refused = await flood(400, () =>
    seat.rpc.rooms.act({ profileId, roomid, measure: { kind: 'queueAdd', key: 'k', value }, why: '' }),
  )
  const { perSecond, atOnce } = actRates.seat.calls
  const inTime = atOnce + Math.ceil(((performance.now() - began) / 1000) * perSecond) + 1
  expect(400 - refused).toBeGreaterThanOrEqual(atOnce)
  expect(400 - refused).toBeLessThanOrEqual(inTime)
  const { text } = await rooms().exportActions({ profileId, roomid, format: 'json' })
  expect((JSON.parse(text) as RoomAction[]).filter(({ operator }) => operator === 'mei').length).toBe(400 - refused)
  // Lines go to everybody inside, and have the same bound.
  expect(await flood(50, () => seat.rpc.rooms.say({ profileId, roomid, text: 'x' }))).toBeGreaterThan(25)
  expect(await refusalsOf([rooms().act({ profileId, roomid, measure: { kind: 'queueClear' }, why: '' })])).toBe(0)
})

it('what a seat does, and is refused, replaces the file of seats once in some seconds', async () => {
  // A seat of its own, of which nothing is used up.
  const { code, token } = await rig.page.rpc.seats.invite({ profileId, roomid, accid: 'kim', name: 'Kim' })
  const [url = ''] = (await rig.page.rpc.seats.board()).listener.urls
  const kim = await openSeatPage(url, (await signIn(url, { accid: 'kim', token, code })).cookie)
  // Each write puts a new file in the place of the old one; what is seen of the last one was seen of all.
  let replaced = 0
  let isSeen = false
  const watcher = watch(folder.dir, (kind, name) => {
    if (kind === 'rename' && name === 'seats.json') replaced++
    isSeen ||= name === 'last'
  })
  let refused = 0
  // One after the other: what comes at once is written together.
  for (let done = 0; done < 300; done++)
    refused += await refusalsOf([kim.rpc.rooms.say({ profileId, roomid, text: 'x' })])
  writeFileSync(path.join(folder.dir, 'last'), '')
  await until('the word of the file system', () => isSeen)
  watcher.close()
  kim.close()
  expect(refused).toBeGreaterThan(50)
  expect(replaced).toBeLessThanOrEqual(20)
  expect((await rig.page.rpc.seats.board()).seats.find(({ accid }) => accid === 'kim')).toMatchObject({
    lastAction: 'say',
  })
})

it('counts the bytes of what a seat does as well as the calls, of each seat by itself, and gives the rate back with time', () => {
  const clock = manualClock()
  const rates = createActRates(clock)
  const long = 'x'.repeat(4_096)
  const times = (who: string | undefined, content: string): number => {
    for (let done = 0; done < 5_000; done++)
      try {
        rates.take(who, content)
      } catch {
        return done
      }
    return Infinity
  }
  expect(times('a', long)).toBe(32)
  expect(times('a', 'x')).toBe(0)
  expect(times('b', 'x')).toBe(actRates.seat.calls.atOnce)
  expect(times(undefined, 'x')).toBe(actRates.host.calls.atOnce)
  clock.advance(10_000)
  expect(times('a', long)).toBe(10)
  expect(times('b', 'x')).toBe(40)
})

it('a long log is exported in parts of a bounded size, which together are the whole of it', async () => {
  for (const format of ['json', 'csv'] as const) {
    const texts: string[] = []
    let before: number | null = null
    do {
      const part = await rooms().exportActions({
        profileId,
        roomid: former,
        format,
        ...(before !== null && { before }),
      })
      expect(part).toMatchObject({ name: `room-${former}-actions.${format}`, dropped: null })
      texts.push(part.text)
      before = part.next
    } while (before !== null)
    expect(texts).toHaveLength(3)
    for (const text of texts) expect(text.length).toBeLessThan(500 * (maxText + 700))
    const whole = texts.join('')
    if (format === 'csv') expect(whole.match(/\r\n/g)).toHaveLength(earlierEntries + 1)
    else
      expect((JSON.parse(whole) as RoomAction[]).map(({ at }) => at)).toEqual(
        Array.from({ length: earlierEntries }, (_, index) => earlierEntries - index),
      )
  }
})
