import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openStore, type Store } from '../storage/store.ts'
import { testClock } from '../testing/start-service.ts'
import { createGuests, guestLife, type Guests } from './guests.ts'

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
const open = (clock = testClock(), most?: number) =>
  createGuests({ db: store.db, clock, random: randomBytes, secret: 'secret', ...(most !== undefined && { most }) })

let identities = 0
const fresh = (): string => `browser ${++identities}`
const rows = () => store.db.selectFrom('guest').selectAll().execute()
/** Makes a guest that must not be refused. */
async function made(guests: Guests, roomid = 7): Promise<{ readonly accid: string; readonly token: string }> {
  const guest = await guests.make(1, roomid, fresh())
  if (typeof guest === 'string') throw new Error(guest)
  return guest
}

it('ends a guest and its sessions after its life', async () => {
  const clock = testClock()
  const guests = await open(clock)
  const ended: string[] = []
  guests.attach({ isAccount: () => false, endSessions: (_uid, accid) => void ended.push(accid) })
  const guest = await made(guests)
  expect(guests.tokenMatches(1, guest.accid, guest.token)).toBe(true)
  expect(guests.tokenMatches(1, guest.accid, `${guest.token}0`)).toBe(false)
  expect(guests.find(2, guest.accid)).toBeUndefined()
  clock.advance(guestLife)
  expect(guests.find(1, guest.accid)).toBeUndefined()
  expect(ended).toEqual([guest.accid])
})

it('keeps so many at once, and takes another one when some have expired, which are stored no more then', async () => {
  const clock = testClock(1_810_000_000_000)
  const guests = await open(clock, 2)
  const made = await Promise.all([guests.make(1, 7, fresh()), guests.make(1, 7, fresh()), guests.make(1, 7, fresh())])
  expect(made.map((guest) => (typeof guest === 'string' ? guest : 'made'))).toEqual(['made', 'made', 'full'])
  clock.advance(guestLife)
  const late = await guests.make(1, 7, fresh())
  expect(late).toMatchObject({ life: guestLife })
  expect((await rows()).map(({ accid }) => accid)).toEqual([(late as { accid: string }).accid])
})

it('never gives a guest the name of an account', async () => {
  const guests = await open()
  const taken: string[] = []
  guests.attach({ isAccount: (_uid, accid) => taken.push(accid) === 1, endSessions: () => undefined })
  const guest = await made(guests)
  expect(taken).toHaveLength(2)
  expect(guest.accid).toBe(taken[1])
})

it('remembers over a restart which rooms take none', async () => {
  await (await open()).allow(9, false)
  await (await open()).allow(9, false)
  const again = await open()
  expect(again.allowed(9)).toBe(false)
  expect(await again.make(1, 9, fresh())).toBe('refused')
  await again.allow(9, true)
  expect((await open()).allowed(9)).toBe(true)
})

it('knows guests again after a restart until their life ends, in their room only, and keeps no token', async () => {
  const clock = testClock(1_820_000_000_000)
  const { accid, token } = await made(await open(clock), 8)
  clock.advance(guestLife - 1)
  const again = await open(clock)
  expect([again.find(1, accid), again.tokenMatches(1, accid, token), again.tokenMatches(1, accid, 'x')]).toMatchObject([{ roomid: 8 }, true, false])
  expect([again.mayAsk(1, accid, 'roomEnter', { roomid: 8 }), again.mayAsk(1, accid, 'roomEnter', { roomid: 9 })]).toEqual([true, false])
  expect(JSON.stringify(await rows())).not.toContain(token)
  clock.advance(1)
  const later = await open(clock)
  expect([later.find(1, accid), later.tokenMatches(1, accid, token), await rows()]).toEqual([undefined, false, []])
})

it('forgets the guests of a room that takes none any more, also one that was being made', async () => {
  const guests = await open()
  const before = await made(guests, 5)
  const [coming] = await Promise.all([guests.make(1, 5, fresh()), guests.allow(5, false)])
  expect(coming).toBe('refused')
  const again = await open()
  await again.allow(5, true)
  expect([again.find(1, before.accid), (await rows()).filter(({ roomid }) => roomid === 5)]).toEqual([undefined, []])
})

it('makes none that it could not store', async () => {
  const guests = await open(testClock(), 1)
  await store.db.schema.alterTable('guest').renameTo('away').execute()
  await expect(guests.make(1, 6, fresh())).rejects.toThrow('guest')
  await store.db.schema.alterTable('away').renameTo('guest').execute()
  expect(await guests.make(1, 6, fresh())).toHaveProperty('token')
})

it('gives an identity the same place until its life ends, and the same accid afterwards', async () => {
  const clock = testClock(1_830_000_000_000)
  const guests = await open(clock)
  const [one, two] = await Promise.all([guests.make(1, 3, 'a browser'), guests.make(1, 3, 'a browser')])
  expect(two).toEqual(one)
  expect([guests.has(1, 3, 'a browser'), guests.has(1, 4, 'a browser')]).toEqual([true, false])
  clock.advance(guestLife / 2)
  expect(await guests.make(1, 3, 'a browser')).toEqual({ ...(one as object), life: guestLife / 2 })
  clock.advance(guestLife / 2)
  const later = await guests.make(1, 3, 'a browser')
  expect(later).toMatchObject({ accid: (one as { accid: string }).accid, life: guestLife })
  expect(later).not.toMatchObject({ token: (one as { token: string }).token })
})
