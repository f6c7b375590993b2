import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { digest } from './digest.ts'
import { createKeptSeats } from './kept-seats.ts'
import { type KeptSeat, maxSessions, type SeatDocument } from './seat-document.ts'
import { createSeatSignIn } from './seat-sign-in.ts'

type Update = (now: SeatDocument) => Partial<SeatDocument>

const clock = manualClock()
const from = '192.0.2.7'
let document: SeatDocument
let tokens: Record<string, string | undefined>
let overtaken: string[]
let logged: string[]
let signIns: ReturnType<typeof createSeatSignIn>

const seatOf = (more: Partial<KeptSeat> = {}): KeptSeat => ({
  id: 'seat 1',
  profileId: 'local',
  roomid: 7,
  accid: 'ana',
  name: 'Ana',
  state: 'active',
  created: 1,
  code: null,
  sessions: [],
  lastAt: null,
  lastAction: null,
  address: null,
  device: null,
  owed: [],
  ...more,
})
const codeOf = (code: string, more = 60_000) => ({ digest: digest(code), until: clock.now() + more })
const open = (...seats: KeptSeat[]): void => {
  document = { version: 1, listening: { on: false, open: false, port: 0 }, certificate: null, seats }
  const change = (update: Update): Promise<void> => {
    document = { ...document, ...update(document) }
    return Promise.resolve()
  }
  const store = { value: () => document, change, hold: (_ids: readonly string[], update: Update) => change(update) }
  signIns = createSeatSignIn({
    clock,
    random: randomBytes,
    seats: createKeptSeats(store, () => undefined),
    token: (_profileId, accid) => Promise.resolve(tokens[accid]),
    overtaken: (id) => void overtaken.push(id),
    changed: () => undefined,
    log: (line) => void logged.push(line),
  })
}
const signIn = (more: object = {}, device = ''): Promise<string | undefined> =>
  signIns.signIn({ accid: 'ana', token: 'right', ...more }, from, device)
beforeEach(() => {
  tokens = { ana: 'right' }
  overtaken = []
  logged = []
})

describe('a sign-in', () => {
  it('of an invited moderator takes the code of the invitation, which is used up by it', async () => {
    open(seatOf({ state: 'invited', code: codeOf('open') }))
    expect(await signIn()).toBeUndefined()
    expect(await signIn({ code: 'other' })).toBeUndefined()
    expect(document.seats[0]).toMatchObject({ state: 'invited', code: codeOf('open') })
    expect(await signIn({ code: 'open' })).toBeDefined()
    expect(document.seats[0]).toMatchObject({ state: 'active', code: null })
    expect(await signIn({ code: 'open' })).toBeDefined()
  })

  it('of an active moderator without a code leaves the code of an open invitation as it is', async () => {
    open(seatOf({ code: codeOf('again') }))
    expect(await signIn()).toBeDefined()
    expect(document.seats[0]!.code).toEqual(codeOf('again'))
  })

  it('with a code that is over at this moment is refused', async () => {
    open(seatOf({ state: 'invited', code: codeOf('late', 0) }))
    expect(await signIn({ code: 'late' })).toBeUndefined()
    open(seatOf({ state: 'invited', code: codeOf('late', 1) }))
    expect(await signIn({ code: 'late' })).toBeDefined()
  })

  it('takes the seat whose code it has, of several of the account', async () => {
    open(seatOf({ id: 'one', code: codeOf('first') }), seatOf({ id: 'two', state: 'invited', code: codeOf('second') }))
    await signIn({ code: 'second' })
    expect(document.seats.map(({ sessions }) => sessions.length)).toEqual([0, 1])
  })

  it('is refused with another token, without one, with none kept here, and on a revoked seat', async () => {
    open(seatOf())
    expect(await signIn({ token: 'wrong' })).toBeUndefined()
    expect(await signIn({ token: undefined })).toBeUndefined()
    tokens = {}
    expect(await signIn()).toBeUndefined()
    tokens = { ana: 'right' }
    open(seatOf({ state: 'revoked' }))
    expect(await signIn()).toBeUndefined()
    expect(signIns.failures()).toBe(1)
    expect(logged).toContain(`a moderator's sign-in from ${from} was refused: wrong account, token or code`)
  })

  it('reads the account in lower case and notes when, from where and with what', async () => {
    open(seatOf({ sessions: ['before'] }))
    const session = await signIn({ accid: 'ANA' }, 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Chrome/1 Edg/1')
    expect(document.seats[0]).toEqual(
      seatOf({
        sessions: [digest(session!), 'before'],
        lastAt: clock.now(),
        lastAction: 'signIn',
        address: from,
        device: 'Edge, macOS',
      }),
    )
    expect([overtaken, signIns.failures()]).toEqual([['seat 1'], 0])
  })

  it('drops the oldest session of a seat beyond eight', async () => {
    open(seatOf({ sessions: Array.from({ length: maxSessions }, (_, n) => `s${n}`) }))
    const session = await signIn()
    expect(document.seats[0]!.sessions).toEqual([digest(session!), 's0', 's1', 's2', 's3', 's4', 's5', 's6'])
  })

  it('is refused for a while after too many that failed, also with the right token', async () => {
    open(seatOf())
    while (signIns.wait({ accid: 'ana' }, from) === 0) await signIn({ token: 'wrong' })
    expect(await signIn()).toBeUndefined()
    expect(logged.at(-1)).toContain('too many that failed')
    expect(document.seats[0]!.sessions).toEqual([])
    clock.advance(signIns.wait({ accid: 'ana' }, from))
    expect(await signIn()).toBeDefined()
  })
})

describe('a session', () => {
  it('is of its seat until that seat is revoked', async () => {
    open(seatOf())
    const session = (await signIn())!
    expect(signIns.of(session)?.id).toBe('seat 1')
    expect(signIns.of('another')).toBeUndefined()
    document = { ...document, seats: document.seats.map((seat) => ({ ...seat, state: 'revoked' as const })) }
    expect(signIns.of(session)).toBeUndefined()
  })

  it('that is signed out ends alone, and is the last action of its seat', async () => {
    open(seatOf({ sessions: ['other'] }))
    const session = (await signIn())!
    overtaken = []
    clock.advance(5)
    await signIns.signOut(session)
    expect(document.seats[0]).toMatchObject({ sessions: ['other'], lastAction: 'signOut', lastAt: clock.now() })
    await signIns.signOut(session)
    expect(overtaken).toEqual(['seat 1'])
  })
})
