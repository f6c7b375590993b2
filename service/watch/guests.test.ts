import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openStore, type Store } from '../storage/store.ts'
import { testClock } from '../testing/start-service.ts'
import { createGuests, guestLife } from './guests.ts'

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
const open = (clock = testClock(), most?: number) => createGuests({ db: store.db, clock, random: randomBytes, ...(most !== undefined && { most }) })

it('ends a guest and its sessions after its life', async () => {
  const clock = testClock()
  const guests = await open(clock)
  const ended: string[] = []
  guests.attach({ isAccount: () => false, endSessions: (_uid, accid) => void ended.push(accid) })
  const guest = guests.make(1, 7)
  if (typeof guest === 'string') throw new Error(guest)
  expect(guests.tokenMatches(1, guest.accid, guest.token)).toBe(true)
  expect(guests.tokenMatches(1, guest.accid, `${guest.token}0`)).toBe(false)
  expect(guests.find(2, guest.accid)).toBeUndefined()
  clock.advance(guestLife)
  expect(guests.find(1, guest.accid)).toBeUndefined()
  expect(ended).toEqual([guest.accid])
})

it('keeps so many at once, and takes another one when some have expired', async () => {
  const clock = testClock()
  const guests = await open(clock, 2)
  expect([guests.make(1, 7), guests.make(1, 7)].every((made) => typeof made === 'object')).toBe(true)
  expect(guests.make(1, 7)).toBe('full')
  clock.advance(guestLife)
  expect(guests.make(1, 7)).toMatchObject({ life: guestLife })
})

it('never gives a guest the name of an account', async () => {
  const guests = await open()
  const taken: string[] = []
  guests.attach({ isAccount: (_uid, accid) => taken.push(accid) === 1, endSessions: () => undefined })
  const guest = guests.make(1, 7)
  if (typeof guest === 'string') throw new Error(guest)
  expect(taken).toHaveLength(2)
  expect(guest.accid).toBe(taken[1])
})

it('remembers over a restart which rooms take none', async () => {
  await (await open()).allow(9, false)
  await (await open()).allow(9, false)
  const again = await open()
  expect(again.allowed(9)).toBe(false)
  expect(again.make(1, 9)).toBe('refused')
  await again.allow(9, true)
  expect((await open()).allowed(9)).toBe(true)
})
