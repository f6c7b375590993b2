import { randomBytes } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import type { Client } from '../client/client.ts'
import { Failure } from '../failure.ts'
import { failureOf, until } from '../testing/rig.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { SeatDocument } from './seat-document.ts'
import { createSeats, type Seats } from './seats.ts'
import { isLocal } from '../profiles/profiles.ts'

const profileId = 'local'
const roomid = 7
let document: SeatDocument
let seats: Seats
/** What the service did, in order: tokens that it gave, and who moderates. */
let done: string[]
/** Answers of the service that are held back; undefined while it answers at once. */
let held: (() => void)[] | undefined
/** What the service does not answer. */
let away: readonly string[]
let clock = manualClock()
let completed: string[]
let logged: string[]
/** How often the document was changed, each time a file. */
let saves: number
/** The token that is in force. */
let token = ''
/** Rooms whose channel was asked for. */
let looks: number[]
/** Until when looking up the kept token takes. */
let lookup: Promise<void>

const answered = async (what: string): Promise<void> => {
  if (held) await new Promise<void>((resolve) => held!.push(resolve))
  if (away.includes(what)) throw new Failure('unreachable', `no answer to ${what}`)
  done.push(what)
}
/** Lets everything that is held back go, and what comes of it. */
const release = (): void => {
  for (const go of held ?? []) go()
  held = undefined
}
const stateOf = (id: string) => seats.all().find((seat) => seat.id === id)

beforeEach(() => {
  document = { version: 1, listening: { on: false, open: false, port: 0 }, certificate: null, seats: [] }
  ;[done, held, token, lookup] = [[], undefined, '', Promise.resolve()]
  ;[away, clock, completed, logged] = [[], manualClock(), [], []]
  const change = async (update: (now: SeatDocument) => Partial<SeatDocument>): Promise<void> => {
    document = { ...document, ...update(document) }
    saves++
    await Promise.resolve()
  }
  saves = 0
  looks = []
  const renewed = async (): Promise<{ token: string }> => {
    await answered('token')
    return { token: (token = randomBytes(8).toString('hex')) }
  }
  const call = async ({ path }: { path: string }, input: { optvalue?: boolean }): Promise<unknown> => {
    if (path.endsWith('getUinfos.action')) return { uinfos: [{ accid: 'mei' }] }
    if (path.endsWith('endSessions')) await answered('put out')
    if (input.optvalue !== undefined) await answered(input.optvalue ? 'admin' : 'no admin')
    return {}
  }
  seats = createSeats({
    clock,
    random: randomBytes,
    document: {
      value: () => document,
      change,
      hold: (_ids, update) => change(update),
      unwritten: () => null,
      close: () => Promise.resolve(),
    },
    client: () => Promise.resolve({ call } as unknown as Client),
    isExtended: isLocal,
    accounts: { createAccount: renewed, refreshToken: renewed },
    token: async () => {
      const kept = token
      await lookup
      return kept
    },
    creator: () => Promise.resolve('ana'),
    channel: (_profileId, room) => {
      looks.push(room)
      return Promise.resolve(`channel of ${room}`)
    },
    completed: ({ accid }) => void completed.push(accid),
    changed: () => undefined,
    log: (line) => void logged.push(line),
  })
})
const moderating = async (): Promise<string> => {
  const { seat, code } = await seats.invite(profileId, roomid, 'mei', 'Mei')
  expect(await seats.signIn({ accid: 'mei', token, code }, '127.0.0.1', '')).toBeDefined()
  expect(stateOf(seat.id)).toMatchObject({ state: 'active' })
  done = []
  held = []
  return seat.id
}

it('a seat that is taken back while it is invited to again is taken back, and nothing of it stays at the service', async () => {
  const id = await moderating()
  const invited = failureOf(seats.inviteAgain(id))
  const revoked = seats.revoke(id)
  expect(stateOf(id)).toMatchObject({ state: 'revoked', codeUntil: null })
  release()
  expect(await invited).toMatchObject({ kind: 'absent' })
  expect((await revoked).seat).toMatchObject({ state: 'revoked', codeUntil: null })
  expect(stateOf(id)).toMatchObject({ state: 'revoked', codeUntil: null, sessions: 0 })
  expect(done).toEqual(['token', 'no admin', 'token', 'put out'])
})

it('a seat that is invited to again while it is taken back is open with the new token, as a moderator of the room', async () => {
  const id = await moderating()
  const revoked = seats.revoke(id)
  const again = seats.inviteAgain(id)
  release()
  await revoked
  const { code, token: given } = await again
  expect(stateOf(id)).toMatchObject({ state: 'invited', sessions: 0 })
  expect(done).toEqual(['no admin', 'token', 'put out', 'token', 'admin'])
  expect(given).toBe(token)
  expect(await seats.signIn({ accid: 'mei', token: given, code }, '127.0.0.1', '')).toBeDefined()
  expect(stateOf(id)).toMatchObject({ state: 'active', codeUntil: null })
})

it('a seat that is taken back while somebody is invited for the first time stays taken back', async () => {
  const { seat } = await seats.invite(profileId, roomid, 'mei', 'Mei')
  await seats.revoke(seat.id)
  held = []
  const invited = failureOf(seats.invite(profileId, roomid, 'mei', 'Mei'))
  const revoked = seats.revoke(seat.id)
  release()
  expect(await invited).toMatchObject({ kind: 'absent' })
  await revoked
  expect(stateOf(seat.id)).toMatchObject({ state: 'revoked', codeUntil: null })
})

it('a code that was replaced while somebody signs in with it opens nothing, and the new one stays good', async () => {
  const { seat, code } = await seats.invite(profileId, roomid, 'mei', 'Mei')
  const { promise, resolve } = Promise.withResolvers<void>()
  lookup = promise
  const late = seats.signIn({ accid: 'mei', token, code }, '127.0.0.1', '')
  const again = await seats.inviteAgain(seat.id)
  resolve()
  expect(await late).toBeUndefined()
  expect(stateOf(seat.id)).toMatchObject({ state: 'invited' })
  expect(await seats.signIn({ accid: 'mei', token: again.token, code: again.code }, '127.0.0.1', '')).toBeDefined()
})

it('a token that could not be replaced is, with the sessions ended after it, when the service answers, and that is told once', async () => {
  const id = await moderating()
  held = undefined
  away = ['token']
  const { steps } = await seats.revoke(id)
  expect(steps.filter(({ ok }) => !ok).map(({ what, reason }) => [what, reason?.params['system']])).toEqual([
    ['token', 'no answer to token'],
    ['link', 'no answer to token'],
  ])
  clock.advance(2_000)
  await until('another try', () => clock.waiting() > 0 && done.filter((what) => what === 'put out').length === 2)
  expect([done, completed, stateOf(id)?.owed]).toEqual([['no admin', 'put out', 'put out'], [], ['token', 'link']])
  away = []
  seats.serviceBack(profileId)
  await until('the end', () => completed.length > 0)
  expect([done.slice(3), completed, stateOf(id)?.owed, clock.waiting()]).toEqual([['token', 'put out'], ['mei'], [], 0])
  await seats.forget(id)
  expect(seats.all()).toEqual([])
})

it('what is left of a seat is done once more by hand, without what was done', async () => {
  const id = await moderating()
  held = undefined
  away = ['no admin']
  await seats.revoke(id)
  away = []
  expect((await seats.revoke(id)).steps.every(({ ok }) => ok)).toBe(true)
  expect([done, completed, clock.waiting()]).toEqual([['token', 'put out', 'no admin'], [], 0])
})

it('nobody stays a moderator by an invitation that stops half-way', async () => {
  away = ['admin']
  expect(await failureOf(seats.invite(profileId, roomid, 'mei', 'Mei'))).toMatchObject({ kind: 'unreachable' })
  // The service may have done it before it was away.
  await until('that to be taken back', () => done.includes('no admin'))
  await until('nothing to be left', () => seats.all()[0]?.owed.length === 0)
  expect(seats.all()).toMatchObject([{ accid: 'mei', state: 'revoked' }])
  away = []
  expect((await seats.invite(profileId, roomid, 'mei', 'Mei')).seat).toMatchObject({ state: 'invited', owed: [] })
})

it('a thousand refused sign-ins of many addresses leave a few lines in the log, with how many there were', async () => {
  for (let count = 0; count < 1_000; count++)
    expect(await seats.signIn({ accid: 'mei', token: 'wrong' }, `203.0.${count % 4}.${count >> 2}`, '')).toBeUndefined()
  expect(logged).toHaveLength(10)
  clock.advance(60_000)
  await seats.signIn({ accid: 'mei', token: 'wrong' }, '198.51.100.7', '')
  expect(logged).toHaveLength(11)
  expect(logged.at(-1)).toMatch(/from 198\.51\.100\.7 was refused: .*; 990 more since the last line$/)
  expect(seats.failures()).toBe(1_001)
})

it('what a seat did last is told at once, and written once in some seconds and at the end', async () => {
  const id = await moderating()
  const before = saves
  for (let done = 0; done < 400; done++) {
    seats.did(id, `deed ${done}`)
    clock.advance(10)
  }
  expect(stateOf(id)).toMatchObject({ lastAction: 'deed 399', lastAt: clock.now() - 10 })
  expect(saves - before).toBe(0)
  clock.advance(10_000)
  await until('it is written', () => document.seats[0]?.lastAction === 'deed 399')
  expect(saves - before).toBe(1)
  seats.did(id, 'mute')
  seats.close()
  expect(document.seats[0]).toMatchObject({ lastAction: 'mute' })
  expect(saves - before).toBe(2)
})

it('the pages of all seats of a profile that is removed end, and those of others stay open with their seats', async () => {
  const ended: string[] = []
  for (const [profile, room, accid] of [
    ['far', roomid, 'mei'],
    ['far', roomid + 1, 'rob'],
    [profileId, roomid, 'mei'],
  ] as const) {
    const { seat } = await seats.invite(profile, room, accid, accid)
    seats.opened(seat.id, () => void ended.push(`${profile} ${accid}`))
    // A page that its moderator closed is not ended again.
    seats.opened(seat.id, () => void ended.push('closed before'))()
  }
  await seats.forgetProfile('far')
  expect(ended.toSorted()).toEqual(['far mei', 'far rob'])
  expect(seats.all()).toMatchObject([{ profileId, accid: 'mei', pages: 1 }])
})

it('a seat in force is not removed from the list, and stays', async () => {
  const id = await moderating()
  expect(await failureOf(seats.forget(id))).toMatchObject({ kind: 'absent' })
  expect(stateOf(id)).toMatchObject({ state: 'active' })
})

it('the channel of a room is asked for once, however many seats it has', async () => {
  for (const accid of ['mei', 'rob', 'ida']) await seats.invite(profileId, roomid, accid, accid)
  await seats.invite(profileId, roomid + 1, 'mei', 'Mei')
  await seats.invite('hosted', roomid, 'mei', 'Mei')
  looks = []
  await seats.relinked(profileId)
  expect(looks.toSorted()).toEqual([roomid, roomid + 1])
  expect(seats.all().map(({ accid, cid }) => [accid, cid])).toContainEqual(['rob', `channel of ${roomid}`])
})
