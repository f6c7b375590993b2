import { expect, it } from 'vitest'
import { linkLimits } from '../../contract/link/frames.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createTimeBudget } from '../http/time-budget.ts'
import { awayWords } from '../away-words.ts'
import { diskWords } from '../disk-words.ts'
import { silentLog } from '../log.ts'
import { Refused } from '../refusal.ts'
import { noteStored } from '../storage/unchanged.ts'
import { eventually } from '../testing/eventually.ts'
import { createRequests, readFrame, type RequestSources } from './requests.ts'
import type { Session } from './session.ts'

type Said = Record<string, unknown>

/** Requests of a session of ann in memory; `friends` is the request that is served. */
function made(
  { sync, ...options }: Partial<RequestSources> & Partial<Pick<Session, 'sync'>> = {},
  friends: () => unknown = () => ({ friends: [] }),
) {
  const said: Said[] = []
  const drained: (() => void)[] = []
  const state = { paused: false }
  const connection = {
    isOpen: true,
    waiting: 0,
    client: { address: '192.0.2.8', subnet: '192.0.2.8' },
    say: (object: Said) => said.push(object),
    end: (code: number, reason: string) => {
      connection.isOpen = false
      said.push({ closed: code, reason })
    },
    pause: () => (state.paused = true),
    resume: () => (state.paused = false),
    whenDrained: (call: () => void) => drained.push(call),
  }
  const noted: unknown[] = []
  const session = { id: 's1', uid: 1, accid: 'ann', device: 'phone', clientType: 'IOS', watched: [], sync, connection }
  const clock = manualClock()
  const budget = createTimeBudget(clock)
  const requests = createRequests(session as unknown as Session, {
    handlers: { friends } as unknown as RequestSources['handlers'],
    sessions: {
      online: (_uid, accid) => (accid === 'bob' ? ['PC'] : []),
      watch: (watching, accids) => void (watching.watched = accids),
    },
    received: { note: (...of) => void noted.push(of) },
    preferences: { of: () => () => undefined, on: () => undefined },
    isFrozen: () => false,
    guestTurns: { enter: () => undefined },
    clock,
    budget,
    log: silentLog,
    ...options,
  })
  let id = 0
  const ask = (t: string, members: object = {}): void => requests(JSON.stringify({ t, id: ++id, ...members }))
  return { ask, requests, said, noted, connection, drained, state, clock, budget }
}

it('requests are answered in the order in which they came, with their numbers', async () => {
  const { ask, said, clock } = made()
  ask('ping')
  ask('friends')
  ask('nonsense')
  await eventually(() =>
    expect(said).toEqual([
      { t: 'ok', id: 1, time: clock.now() },
      { t: 'ok', id: 2, friends: [] },
      { t: 'error', id: 3, code: 414, desc: 'unknown kind of frame' },
    ]),
  )
})

it('a client that does not read its answers is served no further request until it has read them', async () => {
  const { ask, said, connection, drained } = made()
  connection.waiting = linkLimits.queue / 2 + 1
  ask('friends')
  ask('friends')
  await eventually(() => expect(drained).toHaveLength(1))
  expect(said).toHaveLength(1)
  connection.waiting = 0
  drained[0]!()
  await eventually(() => expect(said).toHaveLength(2))
})

it('a session with 32 requests waiting is not read until some of them are answered', async () => {
  const waiting: (() => void)[] = []
  const { ask, state } = made({}, () => new Promise((resolve) => waiting.push(() => resolve({ friends: [] }))))
  for (let count = 1; count < 32; count++) ask('friends')
  expect(state.paused).toBe(false)
  ask('friends')
  expect(state.paused).toBe(true)
  await eventually(() => expect(waiting).toHaveLength(1))
  waiting[0]!()
  await eventually(() => expect(state.paused).toBe(false))
})

it('a session that has ended is served nothing that still waits', async () => {
  const served: number[] = []
  const { ask, connection } = made({}, () => {
    connection.isOpen = false
    return { friends: [served.push(1)] }
  })
  ask('friends')
  ask('friends')
  await eventually(() => expect(served).toHaveLength(1))
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  expect(served).toHaveLength(1)
})

it('a guest who may not ask for something is refused with 403, and so is everybody while the application is frozen', async () => {
  const guest = made({ mayAsk: (_uid, _accid, kind) => kind !== 'friends' })
  guest.ask('friends')
  guest.ask('ping')
  await eventually(() =>
    expect(guest.said).toMatchObject([
      { t: 'error', id: 1, code: 403 },
      { t: 'ok', id: 2 },
    ]),
  )
  const frozen = made({ isFrozen: () => true })
  frozen.ask('ping')
  await eventually(() => expect(frozen.said).toMatchObject([{ code: 403, desc: 'the application is frozen' }]))
})

it('watch answers who is online now, received notes it for the device, logout is answered and closes', async () => {
  const { ask, said, noted } = made()
  ask('watch', { accids: ['bob', 'cem'] })
  ask('received', { upTo: 9 })
  ask('login')
  ask('logout')
  await eventually(() => expect(said).toHaveLength(5))
  expect(said[0]).toMatchObject({
    presence: [
      { accid: 'bob', online: true, clientTypes: ['PC'] },
      { accid: 'cem', online: false, clientTypes: [] },
    ],
  })
  expect(noted).toEqual([[1, 'ann', 'phone', 9]])
  expect(said.slice(2)).toMatchObject([{ t: 'error', code: 414 }, { t: 'ok', id: 4 }, { closed: 1000 }])
})

it('a fault of a handler is answered 500 with the number of the session, and the next request is served', async () => {
  const { ask, said } = made({}, () => Promise.reject(new Error('broken')))
  ask('friends')
  ask('ping')
  await eventually(() =>
    expect(said).toMatchObject([{ t: 'error', id: 1, code: 500, desc: 'internal fault; log id s1' }, { t: 'ok' }]),
  )
})

it('a database that goes away in the midst of a request may have a part of it, of that request alone', async () => {
  let isFirst = true
  const { ask, said } = made({}, () => {
    if (isFirst) noteStored()
    isFirst = false
    return Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }))
  })
  ask('friends')
  ask('friends')
  await eventually(() => expect(said).toMatchObject([{ desc: awayWords.partly }, { desc: awayWords.unasked }]))
})

it.each(['', '[]', 'null', '{"t":"ping"}', '{"t":"ping","id":"1"}', '{"t":"ping","id":1.5}'])(
  'is no frame of a request: %j',
  (text) => expect(readFrame(text)).toBeUndefined(),
)

it('what is no frame is answered 414 without a number, and the next request is served', async () => {
  const { requests, ask, said } = made()
  requests('[]')
  ask('ping')
  await eventually(() => expect(said).toHaveLength(2))
  expect(said[0]).toEqual({ t: 'error', code: 414, desc: 'a frame is a JSON object with t and a number as id' })
  expect(said[1]).toMatchObject({ t: 'ok', id: 1 })
})

it('a refused request is answered with code, sentence and reason, left out where it says nothing', async () => {
  const refusals = [new Refused(403, 'not you'), new Refused(414, 'no such team', 'missing')]
  const { ask, said } = made({}, () => Promise.reject(refusals.shift()!))
  ask('friends')
  ask('friends')
  ask('sync', { after: -1 })
  await eventually(() => expect(said).toHaveLength(3))
  expect(said.slice(0, 2)).toEqual([
    { t: 'error', id: 1, code: 403, desc: 'not you' },
    { t: 'error', id: 2, code: 414, desc: 'no such team', reason: 'missing' },
  ])
  expect(said[2]).toMatchObject({ t: 'error', id: 3, code: 414 })
})

it.each([
  ['ENOSPC', 'full'],
  ['EROFS', 'readOnly'],
  ['EIO', 'broken'],
] as const)(
  'a request that the disk refused with %s is answered 500 with what the disk is, and logged',
  async (code, refusal) => {
    const logged: unknown[] = []
    const error = Object.assign(new Error('write'), { code })
    const { ask, said } = made(
      { log: { warn: () => undefined, error: (fields, sentence) => void logged.push([fields, sentence]) } },
      () => Promise.reject(error),
    )
    ask('friends')
    await eventually(() => expect(said).toHaveLength(1))
    expect(said).toEqual([{ t: 'error', id: 1, code: 500, desc: diskWords[refusal], reason: refusal }])
    expect(logged).toEqual([
      [{ err: error, uid: 1, session: 's1', kind: 'friends' }, `a request of the link failed: ${diskWords[refusal]}`],
    ])
  },
)

it('a handler is told account, device, kind of client, addresses and session of the caller', async () => {
  const callers: unknown[] = []
  const { ask, connection } = made({
    handlers: {
      friends: (...call: unknown[]) => {
        callers.push(call)
        return { friends: [] }
      },
    } as unknown as RequestSources['handlers'],
  })
  ask('friends')
  await eventually(() => expect(callers).toHaveLength(1))
  expect(callers).toEqual([
    [
      {},
      {
        uid: 1,
        accid: 'ann',
        device: 'phone',
        clientType: 'IOS',
        address: '192.0.2.8',
        subnet: '192.0.2.8',
        session: 's1',
        connection,
      },
    ],
  ])
})

it('a session that has used its time is not read until it has some again, and is then served', async () => {
  const { ask, said, state, clock, budget } = made()
  budget.ofAddress('192.0.2.8')!.spend(600 + 300)
  ask('ping')
  await eventually(() => expect(state.paused).toBe(true))
  clock.advance(1003)
  expect(said).toEqual([])
  clock.advance(1)
  await eventually(() => expect(said).toHaveLength(1))
  expect(state.paused).toBe(false)
})

it('a guest waits for the time of all strangers, for which an account does not', async () => {
  const guest = made({ isGuest: () => true })
  const account = made()
  for (const { budget, ask } of [guest, account]) {
    budget.strangers.spend(100_000)
    budget.ofStranger('192.0.2.8')!.spend(80)
    ask('ping')
  }
  await eventually(() => expect(account.said).toHaveLength(1))
  await eventually(() => expect(guest.state.paused).toBe(true))
  expect(guest.said).toEqual([])
})

it('a guest waits for its turn with each request, an account for none', async () => {
  const turns: (() => void)[] = []
  const guestTurns = { enter: () => new Promise<void>((resolve) => turns.push(resolve)) }
  const guest = made({ isGuest: () => true, guestTurns })
  guest.ask('ping')
  guest.ask('ping')
  await eventually(() => expect(turns).toHaveLength(1))
  expect(guest.said).toEqual([])
  turns[0]!()
  await eventually(() => expect(turns).toHaveLength(2))
  expect(guest.said).toHaveLength(1)
  const account = made({ guestTurns })
  account.ask('ping')
  await eventually(() => expect(account.said).toHaveLength(1))
  expect(turns).toHaveLength(2)
})

it('an answer to a sync has each event with the preferences of its receiver on this device', async () => {
  const { ask, said } = made({
    preferences: {
      of: (uid, from, frame) => (accid) => ({
        push: `${uid} ${from} ${frame.t} ${accid}` === '1 bob message ann',
        badge: true,
      }),
      on: ({ device }, preference) => preference && { ...preference, badge: device !== 'phone' },
    },
    sync: async (_after, answer) =>
      answer({
        events: [{ seq: 4, at: 1, from: 'bob', frame: { t: 'message', seq: 4, push: false } }] as never,
        seq: 4,
        more: true,
      }),
  })
  ask('sync', { after: 3 })
  await eventually(() => expect(said).toHaveLength(1))
  expect(said).toEqual([
    { t: 'ok', id: 1, events: [{ t: 'message', seq: 4, push: true, badge: false }], seq: 4, more: true },
  ])
})

it('a session with more than 32 requests waiting is read again once fewer than that are left, not before', async () => {
  const waiting: (() => void)[] = []
  const { ask, state } = made({}, () => new Promise((resolve) => waiting.push(() => resolve({ friends: [] }))))
  for (let count = 0; count < 33; count++) ask('friends')
  await eventually(() => expect(waiting).toHaveLength(1))
  // 32 are left behind the first, and 31 behind the second.
  waiting[0]!()
  await eventually(() => expect(waiting).toHaveLength(2))
  expect(state.paused).toBe(true)
  waiting[1]!()
  await eventually(() => expect(waiting).toHaveLength(3))
  expect(state.paused).toBe(false)
})
