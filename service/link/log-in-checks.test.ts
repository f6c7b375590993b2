import { expect, it } from 'vitest'
import { linkClose } from '../../contract/link/frames.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { eventually } from '../testing/eventually.ts'
import type { Connection } from './connection.ts'
import { createLogIn, type LogInSources } from './log-in.ts'
import { createLoginThrottle } from './login-throttle.ts'
import type { Session } from './session.ts'

/** A log-in of ann whose sources are in memory; each step of `order` is done when it is named there. */
function made(options: Partial<LogInSources> = {}) {
  const clock = manualClock()
  const state = { frozen: false, blocked: false }
  const order: string[] = []
  const said: Record<string, unknown>[] = []
  const sessions: Session[] = []
  const connection = {
    isOpen: true,
    client: { address: '192.0.2.8', subnet: '192.0.2.8', readable: false, passedOn: false },
    say: (object: Record<string, unknown>) => said.push(object),
    end: (code: number) => said.push({ closed: code }),
  }
  /** Runs within the log-in, while the unread count is read. */
  const during = { run: (): void => undefined }
  const logIn = createLogIn({
    applications: { byKey: (key) => (key === 'key' ? { uid: 1, settings: state } : undefined) },
    accounts: {
      find: (_uid, accid) => (accid === 'ann' ? { accid, blocked: state.blocked, donnop: true } : undefined),
      tokenMatches: (_uid, _accid, token) => token === 'right',
    },
    stream: {
      cursor: (_uid: number, _accid: string, device: string) => {
        order.push(`cursor ${device}`)
        return Promise.resolve(7)
      },
      unread: () => {
        during.run()
        return Promise.resolve({ total: 3, conversations: [] })
      },
    } as Partial<LogInSources['stream']> as LogInSources['stream'],
    received: {
      settle: (_uid, accid) => {
        order.push(`settled ${accid}`)
        return Promise.resolve()
      },
    },
    sessions: { add: (session) => void sessions.push(session), of: () => sessions },
    records: { note: ({ eventType, code }) => void order.push(`record ${eventType} ${code}`) },
    throttle: createLoginThrottle(clock, 8),
    budget: { ofAddress: () => undefined, ofStranger: () => undefined },
    nextId: () => `s${sessions.length + 1}`,
    clock,
    random: (bytes) => Buffer.alloc(bytes),
    ...options,
  })
  const enter = (token = 'right', more: object = {}) =>
    logIn(
      {
        t: 'login',
        id: 1,
        members: { appKey: 'key', accid: 'ann', token, device: 'phone', clientType: 'IOS', ...more },
      },
      connection as unknown as Connection,
    )
  return { enter, logIn, state, order, said, sessions, connection, during, clock }
}

it('a log-in answers where the device reads on, what is unread, and which other devices are online', async () => {
  const { enter, said, order } = made()
  await enter()
  await enter('right', { device: 'desk', clientType: 'PC', after: 90 })
  expect(said).toMatchObject([
    { t: 'ok', id: 1, accid: 'ann', seq: 7, unread: 3, donnop: true, others: [] },
    { t: 'ok', seq: 90, others: [{ device: 'phone', clientType: 'IOS' }] },
  ])
  // What the device has received counts before its place is read.
  expect(order.slice(0, 2)).toEqual(['settled ann', 'cursor phone'])
})

it('a connection that ends during its log-in opens no session', async () => {
  const { enter, sessions, connection, during, said } = made()
  during.run = () => (connection.isOpen = false)
  expect(await enter()).toBeUndefined()
  expect([sessions, said]).toEqual([[], []])
})

it.each([
  ['an account that is blocked', { blocked: true }, 'the account is blocked'],
  ['an application that is frozen', { frozen: true }, 'the application is frozen'],
])('%s during a log-in lets nobody in', async (_what, change, desc) => {
  const { enter, state, sessions, during, said } = made()
  during.run = () => void Object.assign(state, change)
  expect(await enter()).toBeUndefined()
  expect(sessions).toEqual([])
  expect(said).toEqual([{ t: 'error', id: 1, code: 403, desc }, { closed: linkClose.login }])
})

it('a refused log-in is recorded with its code, a successful one with 200', async () => {
  const { enter, order, state } = made()
  await enter('wrong')
  state.blocked = true
  await enter()
  state.blocked = false
  await enter()
  expect(order.filter((step) => step.startsWith('record'))).toEqual(['record 2 414', 'record 2 403', 'record 2 200'])
})

it('a right token forgets the failures before it', async () => {
  const { enter, clock, sessions } = made()
  for (let count = 0; count < 4; count++) await enter('wrong')
  expect(await enter()).toBeDefined()
  for (let count = 0; count < 5; count++) await enter('wrong')
  // The sixth failure in a row would be the first that waits.
  const waits = enter()
  await eventually(() => expect(clock.waiting()).toBe(1))
  expect(sessions).toHaveLength(1)
  clock.advance(100)
  expect(await waits).toBeDefined()
})

it('a guest is stored before it has a session', async () => {
  const order: string[] = []
  const { enter, sessions } = made({
    isGuest: () => true,
    entering: (_uid, accid) => {
      order.push(`${accid} stored, ${sessions.length} sessions`)
      return Promise.resolve()
    },
  })
  expect(await enter()).toMatchObject({ isGuest: true })
  expect(order).toEqual(['ann stored, 0 sessions'])
  const broken = made({ entering: () => Promise.reject(new Error('disk full')) })
  await expect(broken.enter()).rejects.toThrow('disk full')
  expect(broken.sessions).toEqual([])
})

it.each([
  ['no frame', undefined, []],
  [
    'another kind of frame',
    { t: 'ping', id: 3, members: {} },
    [{ t: 'error', id: 3, code: 414, desc: 'the first frame must be a login' }],
  ],
])('a connection that begins with %s is closed without a log-in', async (_what, frame, answers) => {
  const { logIn, connection, said, order } = made()
  expect(await logIn(frame, connection as unknown as Connection)).toBeUndefined()
  expect([said, order]).toEqual([[...answers, { closed: linkClose.login }], []])
})

it('a log-in whose members are wrong is refused before it is counted', async () => {
  const { enter, said, order } = made()
  expect(await enter('right', { clientType: 'TV' })).toBeUndefined()
  expect(said).toMatchObject([{ t: 'error', id: 1, code: 414 }, { closed: linkClose.login }])
  expect(order).toEqual([])
})

it('a log-in of an account that is not there is refused like one with a wrong token, and not recorded', async () => {
  const { enter, said, order } = made()
  await enter('right', { accid: 'bob' })
  await enter('right', { appKey: 'other' })
  await enter('wrong')
  const refusal = { t: 'error', id: 1, code: 414, desc: 'the AppKey, the account or the token is not right' }
  expect(said.filter((one) => 't' in one)).toEqual([refusal, refusal, refusal])
  expect(order).toEqual(['record 2 414'])
})

it('a log-in from 0 on reads from 0, and one of a new device of the account that has no place too', async () => {
  const { enter, said } = made()
  await enter('right', { after: 0 })
  expect(said[0]).toMatchObject({ t: 'ok', seq: 0 })
  const fresh = made({
    stream: {
      cursor: () => Promise.resolve(undefined),
      unread: () => Promise.resolve({ total: 0, conversations: [] }),
    } as Partial<LogInSources['stream']> as LogInSources['stream'],
  })
  await fresh.enter()
  expect(fresh.said[0]).toMatchObject({ t: 'ok', seq: 0, unread: 0 })
})

it('a log-in costs its address 2 ms, and waits 4 s at most for time, else it is refused as a flood', async () => {
  const spent: number[] = []
  let wait = 4000
  const account = { wait: () => wait, spend: (ms: number) => void spent.push(ms) }
  const { enter, said, sessions, clock } = made({ budget: { ofAddress: () => account, ofStranger: () => undefined } })
  const waiting = enter()
  await eventually(() => expect(clock.waiting()).toBe(1))
  clock.advance(3999)
  await Promise.resolve()
  expect(sessions).toEqual([])
  clock.advance(1)
  expect(await waiting).toBeDefined()
  expect(spent).toEqual([2])
  wait = 4001
  expect(await enter()).toBeUndefined()
  expect(said.slice(1)).toEqual([
    { t: 'error', id: 1, code: 416, desc: 'too many log-ins came from this address; try again later' },
    { closed: linkClose.flood },
  ])
  expect(spent).toEqual([2])
})

it('a log-in of a guest or an unknown key takes the time of strangers, of an account its address', async () => {
  const asked: string[] = []
  const account = (of: string) => (subnet: string) => {
    asked.push(`${of} ${subnet}`)
    return undefined
  }
  const budget = { ofAddress: account('address'), ofStranger: account('stranger') }
  await made({ budget }).enter()
  await made({ budget }).enter('right', { appKey: 'other' })
  await made({ budget, isGuest: (_uid, accid) => accid === 'ann' }).enter()
  expect(asked).toEqual(['address 192.0.2.8', 'stranger 192.0.2.8', 'stranger 192.0.2.8'])
})

it('a log-in that is tried too often is refused as a flood with 416, and nothing is recorded', async () => {
  const { enter, said, order } = made({ throttle: { attempt: () => undefined } })
  expect(await enter()).toBeUndefined()
  expect(said).toEqual([
    {
      t: 'error',
      id: 1,
      code: 416,
      desc: 'too many log-ins of this account failed from this address; try again later',
    },
    { closed: linkClose.flood },
  ])
  expect(order).toEqual([])
})

it('the outcome of a log-in is told to the throttle: failed, succeeded, or gone where not looked at', async () => {
  const ends: string[] = []
  const tried: string[] = []
  const throttle: LogInSources['throttle'] = {
    attempt: (subnet, account) => {
      tried.push(`${subnet} ${account}`)
      let over = false
      return {
        wait: 0,
        end(outcome) {
          if (!over) ends.push(outcome)
          over = true
        },
      }
    },
  }
  const { enter, state, during } = made({ throttle })
  await enter('wrong')
  await enter()
  during.run = () => void (state.frozen = true)
  await enter()
  expect([ends, tried[0]]).toEqual([['failed', 'succeeded', 'gone'], '192.0.2.8 key ann'])
})
