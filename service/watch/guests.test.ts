import { manualWallClock } from '../../platform/testing/manual-clock.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Journal } from '../journal/journal.ts'
import { createMemoryJournal } from '../journal/memory-journal.ts'
import { madeAgain } from '../journal/testing/made-again.ts'
import { openStore } from '../storage/testing/open-store.ts'
import type { Store } from '../storage/store.ts'

import { createGuestTokens } from './guest-tokens.ts'
import { createGuests, guestLife, type Guests, type GuestSessions, unusedLife } from './guests.ts'

let store: Store
let dir: string
beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'sidestage-guests-'))
  store = await openStore(dir)
})
afterAll(async () => {
  await store.close()
  rmSync(dir, { recursive: true })
})
/** What guests stand beside; members given replace what nobody hinders. */
interface Beside {
  readonly isAccount?: (uid: number, accid: string) => boolean
  readonly sessions?: GuestSessions
  readonly journal?: Journal
  readonly tokens?: ReturnType<typeof createGuestTokens>
}
const open = (clock = manualWallClock(), most?: number, beside: Beside = {}) =>
  createGuests({
    db: store.db,
    journal: beside.journal ?? madeAgain(createMemoryJournal(store)),
    clock,
    random: randomBytes,
    secret: 'secret',
    isAccount: () => false,
    sessions: { kick: () => undefined, online: () => [] },
    ...(most !== undefined && { most }),
    ...beside,
  })

let identities = 0
const fresh = (): string => `browser ${++identities}`
const rows = () => store.db.selectFrom('guest').selectAll().execute()
/** Makes a guest, which must succeed. */
async function made(guests: Guests, roomid = 7): Promise<{ readonly accid: string; readonly token: string }> {
  const guest = guests.make(1, roomid, fresh())
  if (typeof guest === 'string') throw new Error(guest)
  await guests.entered(1, guest.accid)
  return guest
}

it('ends a guest and its sessions after its life', async () => {
  const clock = manualWallClock()
  const ended: string[] = []
  const guests = await open(clock, undefined, {
    sessions: { kick: (_uid, accid) => void ended.push(accid), online: () => ['WEB'] },
  })
  const guest = await made(guests)
  expect(guests.tokenMatches(1, guest.accid, guest.token)).toBe(true)
  expect(guests.tokenMatches(1, guest.accid, `${guest.token}0`)).toBe(false)
  expect(guests.find(2, guest.accid)).toBeUndefined()
  clock.advance(guestLife)
  expect(guests.find(1, guest.accid)).toBeUndefined()
  expect(ended).toEqual([guest.accid])
})

it('keeps so many who are here at once, and takes another one when some have expired, which are stored no more then', async () => {
  const clock = manualWallClock(1_810_000_000_000)
  const guests = await open(clock, 2, { sessions: { kick: () => undefined, online: () => ['WEB'] } })
  await Promise.all([made(guests), made(guests)])
  expect(guests.make(1, 7, fresh())).toBe('full')
  clock.advance(guestLife)
  const late = await made(guests)
  expect(late).toMatchObject({ life: guestLife })
  expect((await rows()).map(({ accid }) => accid)).toEqual([late.accid])
})

it('gives places of those who never logged in to others, the oldest first, and stores none of them', async () => {
  const clock = manualWallClock(1_811_000_000_000)
  const guests = await open(clock, 100)
  const honest = await made(guests)
  const flood = Array.from({ length: 5000 }, () => guests.make(1, 7, fresh()))
  expect(flood.every((guest) => typeof guest !== 'string')).toBe(true)
  const late = await made(guests)
  expect([guests.find(1, honest.accid), guests.tokenMatches(1, late.accid, late.token)]).toMatchObject([
    { roomid: 7 },
    true,
  ])
  expect(guests.find(1, (flood[0] as { accid: string }).accid)).toBeUndefined()
  expect((await rows()).filter(({ accid }) => accid !== honest.accid && accid !== late.accid)).toEqual([])
  const last = flood.at(-1) as { accid: string; token: string }
  expect(guests.tokenMatches(1, last.accid, last.token)).toBe(true)
  clock.advance(unusedLife)
  expect(guests.find(1, last.accid)).toBeUndefined()
})

it('gives the place of one who is away when all have logged in, and never of one who is here', async () => {
  const ended: string[] = []
  const online = new Set<string>()
  const guests = await open(manualWallClock(1_812_000_000_000), 3, {
    sessions: {
      kick: (_uid, accid) => void ended.push(accid),
      online: (_uid, accid) => (online.has(accid) ? ['WEB'] : []),
    },
  })
  const [first, second] = [await made(guests), await made(guests), await made(guests)]
  online.add(first.accid)
  const late = await made(guests)
  expect(ended).toEqual([second.accid])
  expect(guests.find(1, late.accid)).toBeDefined()
  const stored = new Set((await rows()).map(({ accid }) => accid))
  expect([stored.has(first.accid), stored.has(second.accid), stored.has(late.accid)]).toEqual([true, false, true])
})

it('never gives a guest the name of an account', async () => {
  const taken: string[] = []
  const guests = await open(manualWallClock(), undefined, { isAccount: (_uid, accid) => taken.push(accid) === 1 })
  const guest = await made(guests)
  expect(taken).toHaveLength(2)
  expect(guest.accid).toBe(taken[1])
})

it('remembers over a restart which rooms take none', async () => {
  await (await open()).allow(9, false)
  await (await open()).allow(9, false)
  const again = await open()
  expect(again.allowed(9)).toBe(false)
  expect(again.make(1, 9, fresh())).toBe('refused')
  await again.allow(9, true)
  expect((await open()).allowed(9)).toBe(true)
})

it('knows guests again after a restart until their life ends, in their room only, and keeps no token', async () => {
  const clock = manualWallClock(1_820_000_000_000)
  const { accid, token } = await made(await open(clock), 8)
  clock.advance(guestLife - 1)
  const again = await open(clock)
  expect([again.find(1, accid), again.tokenMatches(1, accid, token), again.tokenMatches(1, accid, 'x')]).toMatchObject([
    { roomid: 8 },
    true,
    false,
  ])
  expect([
    again.mayAsk(1, accid, 'roomEnter', { roomid: 8 }),
    again.mayAsk(1, accid, 'roomEnter', { roomid: 9 }),
  ]).toEqual([true, false])
  expect(JSON.stringify(await rows())).not.toContain(token)
  clock.advance(1)
  const later = await open(clock)
  expect([later.find(1, accid), later.tokenMatches(1, accid, token), await rows()]).toEqual([undefined, false, []])
})

it('forgets the guests of a room that takes none any more, also one that was being made', async () => {
  const guests = await open()
  const before = await made(guests, 5)
  const coming = guests.make(1, 5, fresh()) as { accid: string }
  const waiting = guests.make(1, 5, fresh()) as { accid: string }
  await Promise.all([guests.entered(1, coming.accid), guests.allow(5, false)])
  expect([coming, waiting].map(({ accid }) => guests.find(1, accid))).toEqual([undefined, undefined])
  const again = await open()
  await again.allow(5, true)
  expect([again.find(1, before.accid), (await rows()).filter(({ roomid }) => roomid === 5)]).toEqual([undefined, []])
})

it('lets nobody in whom it could not store, until it can', async () => {
  const guests = await open(manualWallClock(), 1)
  await store.db.schema.alterTable('guest').renameTo('away').execute()
  const { accid } = guests.make(1, 6, fresh()) as { accid: string }
  await expect(guests.entered(1, accid)).rejects.toThrow('guest')
  await store.db.schema.alterTable('away').renameTo('guest').execute()
  await guests.entered(1, accid)
  expect((await rows()).some((row) => row.accid === accid)).toBe(true)
})

it('gives an identity the same place until its life ends, and the same accid afterwards', async () => {
  const clock = manualWallClock(1_830_000_000_000)
  const guests = await open(clock)
  const [one, two] = [guests.make(1, 3, 'a browser'), guests.make(1, 3, 'a browser')]
  expect(two).toEqual(one)
  expect([guests.has(1, 3, 'a browser'), guests.has(1, 4, 'a browser')]).toEqual([true, false])
  await Promise.all([
    guests.entered(1, (one as { accid: string }).accid),
    guests.entered(1, (one as { accid: string }).accid),
  ])
  clock.advance(guestLife / 2)
  expect(guests.make(1, 3, 'a browser')).toEqual({ ...(one as object), life: guestLife / 2 })
  clock.advance(guestLife / 2)
  const later = guests.make(1, 3, 'a browser')
  expect(later).toMatchObject({ accid: (one as { accid: string }).accid, life: guestLife })
  expect(later).not.toMatchObject({ token: (one as { token: string }).token })
})

it('may make the requests of its room there and those of any session, and no other ones', async () => {
  const guests = await open()
  const { accid } = await made(guests, 2)
  const may = (kind: string, members: object = {}) => guests.mayAsk(1, accid, kind, members)
  for (const kind of ['sync', 'received', 'ping', 'logout']) expect([kind, may(kind)]).toEqual([kind, true])
  const ofRoom = ['roomEnter', 'roomLeave', 'roomSend', 'roomHistory', 'roomMembers']
  for (const kind of ofRoom)
    expect([kind, may(kind, { roomid: 2 }), may(kind, { roomid: '2' }), may(kind, { roomid: 3 }), may(kind)]).toEqual([
      kind,
      true,
      true,
      false,
      false,
    ])
  for (const kind of ['roomQueue', 'send', 'watch', 'cards', 'history', 'friend'])
    expect([kind, may(kind, { roomid: 2 })]).toEqual([kind, false])
  // Accounts are not limited by this.
  expect([guests.mayAsk(1, 'ann', 'send', {}), guests.mayAsk(2, accid, 'send', {})]).toEqual([true, true])
})

it('is ended in a room that takes guests no more, and others are not', async () => {
  const ended: string[] = []
  const guests = await open(manualWallClock(), undefined, {
    sessions: { kick: (_uid, accid, reason) => void ended.push(`${accid} ${reason}`), online: () => ['WEB'] },
  })
  const [here, elsewhere] = [await made(guests, 21), await made(guests, 22)]
  const waiting = guests.make(1, 21, fresh()) as { accid: string }
  await guests.allow(21, false)
  expect(ended).toEqual([`${here.accid} ended`])
  expect([guests.find(1, waiting.accid), guests.find(1, elsewhere.accid)?.roomid]).toEqual([undefined, 22])
  expect([guests.allowed(21), guests.allowed(22), guests.make(1, 21, fresh())]).toEqual([false, true, 'refused'])
  await guests.allow(21, true)
  expect(guests.make(1, 21, fresh())).toHaveProperty('token')
})

it('that did not log in is forgotten after a minute, also where the clock was set back meanwhile', async () => {
  const clock = manualWallClock(1_840_000_000_000)
  const guests = await open(clock, 2)
  const first = guests.make(1, 11, 'one') as { accid: string }
  clock.advance(unusedLife - 1)
  expect(guests.find(1, first.accid)).toBeDefined()
  clock.advance(1)
  expect(guests.find(1, first.accid)).toBeUndefined()
  guests.make(1, 11, 'two')
  clock.advance(-3_600_000)
  guests.make(1, 11, 'three')
  expect([guests.has(1, 11, 'two'), guests.has(1, 11, 'three')]).toEqual([false, true])
})

it('has a life of a day, a minute without a log-in, and a name and token that follow from its identity', async () => {
  expect([guestLife, unusedLife]).toEqual([86_400_000, 60_000])
  const guests = await open(manualWallClock(1_850_000_000_000))
  const one = guests.make(1, 31, 'same') as { accid: string; token: string; life: number }
  expect(one.life).toBe(86_400_000)
  expect(one.accid).toMatch(/^guest-[0-9a-f]{18}$/)
  expect(one.token).toMatch(/^[0-9a-f]{64}$/)
  const names = [guests.make(1, 31, 'other'), guests.make(1, 32, 'same'), guests.make(2, 31, 'same')].map(
    (guest) => (guest as { accid: string }).accid,
  )
  expect(new Set([one.accid, ...names]).size).toBe(4)
})

it('counts guests with and without a log-in together, and gives the place of one without to the next', async () => {
  const clock = manualWallClock(1_851_000_000_000)
  const guests = await open(clock, 2, { sessions: { kick: () => undefined, online: () => ['WEB'] } })
  const here = await made(guests, 33)
  const first = guests.make(1, 33, fresh()) as { accid: string }
  // The third takes the place of the one that has not logged in.
  const second = guests.make(1, 33, fresh()) as { accid: string }
  expect([here, first, second].map(({ accid }) => guests.find(1, accid) !== undefined)).toEqual([true, false, true])
  await guests.entered(1, second.accid)
  expect(guests.make(1, 33, fresh())).toBe('full')
})

it('nobody that is no guest becomes one by a log-in', async () => {
  const guests = await open(manualWallClock(1_852_000_000_000))
  const before = await rows()
  await guests.entered(1, 'ann')
  expect(await rows()).toEqual(before)
  expect(guests.tokenMatches(1, 'ann', '')).toBe(false)
})

it('is known to another service from its log-in on, and ended there with its place or its room', async () => {
  const clock = manualWallClock(1_853_000_000_000)
  const [journal, ended] = [madeAgain(createMemoryJournal(store)), [] as string[]]
  const sessions: GuestSessions = { kick: (_uid, accid) => void ended.push(accid), online: () => ['WEB'] }
  const other = await open(clock, undefined, { journal, sessions })
  const guests = await open(clock)
  const here = [await made(guests, 41), await made(guests, 41), await made(guests, 42)]
  const rowOf = async (accid: string) => (await rows()).find((row) => row.accid === accid)!
  for (const { accid } of here)
    journal.byAnother('guest', { kind: 'enter', guest: await rowOf(accid), gone: [], before: null })
  const knows = () => here.map(({ accid, token }) => other.tokenMatches(1, accid, token))
  expect(knows()).toEqual([true, true, true])
  const gone = [{ uid: 1, accid: here[0]!.accid }]
  journal.byAnother('guest', { kind: 'enter', guest: await rowOf(here[1]!.accid), gone, before: null })
  expect([knows(), ended]).toEqual([[false, true, true], [here[0]!.accid]])
  journal.byAnother('guest', { kind: 'refuse', roomid: 41 })
  expect([knows(), ended, other.allowed(41)]).toEqual([[false, false, true], [here[0]!.accid, here[1]!.accid], false])
  journal.byAnother('guest', { kind: 'allow', roomid: 41 })
  expect(other.allowed(41)).toBe(true)
})

it('is not kept where its room stopped taking guests before its log-in was stored', async () => {
  const guests = await open()
  const coming = guests.make(1, 51, fresh()) as { accid: string }
  await Promise.all([guests.allow(51, false), guests.entered(1, coming.accid)])
  expect([guests.find(1, coming.accid), (await rows()).filter(({ roomid }) => roomid === 51)]).toEqual([undefined, []])
})

it('a guest that another service made is known by its token for two minutes, where its room takes guests', async () => {
  const clock = manualWallClock(1_810_000_000_000)
  const tokens = createGuestTokens('secret')
  const came = { cid: 'c'.repeat(32), ground: { kind: 'everybody' } } as const
  const [one, other] = [await open(clock, 9, { tokens }), await open(clock, 9, { tokens })]
  const make = (roomid: number) => {
    const guest = one.make(1, roomid, fresh(), came)
    if (typeof guest === 'string') throw new Error(guest)
    return guest
  }
  const brings = ({ accid, token }: { readonly accid: string; readonly token: string }): boolean => {
    other.bring(1, accid, token)
    return other.find(1, accid) !== undefined && other.tokenMatches(1, accid, token)
  }
  const [first, late, later] = [make(7), make(7), make(7)]
  other.bring(1, late.accid, first.token)
  expect(other.find(1, late.accid)).toBeUndefined()
  expect(brings(first)).toBe(true)
  expect(other.passOf(1, first.accid, first.token)).toMatchObject({ ...came, roomid: 7, issued: clock.now() })
  clock.advance(2 * unusedLife - 1)
  // The token is not kept by this service; who does not go on is forgotten as ever.
  expect(brings(late)).toBe(true)
  clock.advance(1)
  expect(brings(later)).toBe(false)
  await other.allow(8, false)
  const refused = make(8)
  expect(brings(refused)).toBe(false)
  await other.allow(8, true)
  expect(brings(refused)).toBe(true)
})
