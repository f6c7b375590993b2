import { EventEmitter } from 'node:events'
import type http from 'node:http'
import { expect, it } from 'vitest'
import type { WebSocket } from 'ws'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { Host } from './host.ts'
import { isSignedIn, seatFacts, signInAt, signOutAt } from './host-session.ts'
import { JoinError } from './join-error.ts'

type Answer = { readonly statusCode: number; readonly headers?: object } | Error
type Asked = Parameters<Host['ask']>[0]

/** A host that answers so to each method. */
function hostOf(answers: Partial<Record<string, Answer>>) {
  const asked: Asked[] = []
  let left = 0
  const host = {
    ask: (request: Asked) => {
      asked.push(request)
      const found = answers[request.method] ?? { statusCode: 404 }
      if (found instanceof Error) return Promise.reject(found)
      left++
      const given = { headers: {}, ...found, destroy: () => void left-- }
      return Promise.resolve(given as unknown as http.IncomingMessage)
    },
  } as Host
  return { host, asked, left: () => left }
}
const troubleOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof JoinError ? [error.what, error.wait] : error),
  )
const door = { statusCode: 401, headers: { 'sidestage-door': 'account' } }
const credentials = { accid: 'mei', token: 'the token', code: 'the code' }
const cookie = `sidestage_1=${'s'.repeat(43)}`
const taken = (set: string = cookie) => ({ statusCode: 204, headers: { 'set-cookie': [`${set}; Path=/; HttpOnly`] } })

it.each([
  [204, true],
  [401, false],
])('takes %s to a session for signed in: %s', async (statusCode, signedIn) => {
  const { host, asked, left } = hostOf({ GET: { statusCode } })
  expect(await isSignedIn(host, cookie)).toBe(signedIn)
  expect(asked).toEqual([{ method: 'GET', path: '/session', headers: { cookie } }])
  expect(left()).toBe(0)
})

it.each([
  [421, 'elsewhere'],
  [507, 'full'],
  [500, 'offline'],
  [503, 'offline'],
  [200, 'notOurs'],
  [404, 'notOurs'],
])('cannot say of %s to a session whether it is signed in: %s', async (statusCode, what) => {
  expect(await troubleOf(isSignedIn(hostOf({ GET: { statusCode } }).host, cookie))).toEqual([what, 0])
})

it('signs in where an account is asked for, with the code only while there is one', async () => {
  const { host, asked, left } = hostOf({ GET: door, POST: taken() })
  expect(await signInAt(host, credentials)).toBe(cookie)
  await signInAt(host, { ...credentials, code: null })
  const posts = asked.filter(({ method }) => method === 'POST')
  expect(posts.map(({ path }) => path)).toEqual(['/session', '/session'])
  expect(posts.map(({ body }) => JSON.parse(body!) as object)).toEqual([
    credentials,
    { accid: 'mei', token: 'the token' },
  ])
  expect(left()).toBe(0)
})

it.each([
  ['another name', { statusCode: 421, headers: door.headers }, 'elsewhere'],
  ['a fault', { statusCode: 500, headers: door.headers }, 'offline'],
  ['a page', { statusCode: 200, headers: door.headers }, 'notOurs'],
  ['a door for links', { statusCode: 401, headers: { 'sidestage-door': 'link' } }, 'notOurs'],
  ['no door', { statusCode: 401 }, 'notOurs'],
])('sends no credentials to a host with %s', async (_what, GET, what) => {
  const { host, asked, left } = hostOf({ GET, POST: taken() })
  expect(await troubleOf(signInAt(host, credentials))).toEqual([what, 0])
  expect([asked.length, left()]).toEqual([1, 0])
})

it.each([
  [401, '8', 'refused', 8],
  [401, '1.2', 'refused', 2],
  [401, '-5', 'refused', 0],
  [401, '600', 'refused', 600],
  [401, '601', 'refused', 600],
  [401, 'soon', 'refused', 0],
  [401, undefined, 'refused', 0],
  [507, '8', 'full', 0],
  [421, '8', 'elsewhere', 0],
  [500, '8', 'offline', 0],
  [403, '8', 'notOurs', 0],
  [200, '8', 'notOurs', 0],
] as const)(
  'says of an answer %s with Retry-After %s to a sign-in: %s, wait %s s',
  async (status, after, what, wait) => {
    const headers = { ...taken().headers, ...(after === undefined ? {} : { 'retry-after': after }) }
    const { host, left } = hostOf({ GET: door, POST: { statusCode: status, headers } })
    expect(await troubleOf(signInAt(host, credentials))).toEqual([what, wait])
    expect(left()).toBe(0)
  },
)

it.each([
  [`sidestage_1=${'a'.repeat(16)}`, true],
  [`sidestage_1=${'a'.repeat(15)}`, false],
  [`sidestage_1=${'a'.repeat(256)}`, true],
  [`sidestage_1=${'a'.repeat(257)}`, false],
  [`sidestage_65535=${'a'.repeat(43)}`, true],
  [`sidestage_655351=${'a'.repeat(43)}`, false],
  [`x_sidestage_1=${'a'.repeat(43)}`, false],
  [`sidestage_1=${'a'.repeat(43)} b`, false],
])('takes a session %s: %s', async (set, takes) => {
  const { host } = hostOf({ GET: door, POST: taken(set) })
  const outcome = await signInAt(host, credentials).catch((error: JoinError) => error.what)
  expect(outcome).toBe(takes ? set : 'notOurs')
})

it('signs out of a session, and takes no notice of a host that does not answer', async () => {
  const { host, asked, left } = hostOf({ DELETE: { statusCode: 204 } })
  await signOutAt(host, cookie)
  expect(asked).toEqual([{ method: 'DELETE', path: '/session', headers: { cookie } }])
  expect(left()).toBe(0)
  await signOutAt(hostOf({ DELETE: new JoinError('offline') }).host, cookie)
})

/** A line that answers with what a test gives it. */
class PlayedLine extends EventEmitter {
  readonly asked: { i: string; p: { u: string; b: unknown } }[] = []
  isTerminated = false
  isPaused = true
  answer: (question: { i: string; p: { u: string } }) => void = () => undefined
  send(text: string): void {
    const question = JSON.parse(text) as PlayedLine['asked'][number]
    this.asked.push(question)
    this.answer(question)
  }
  resume(): void {
    this.isPaused = false
  }
  terminate(): void {
    this.isTerminated = true
  }
  say(frame: unknown, binary = false): void {
    this.emit('message', Buffer.from(typeof frame === 'string' ? frame : JSON.stringify(frame)), binary)
  }
}
const seat = { profileId: 'local', roomid: 7, accid: 'mei', name: 'Mei' }
const rooms = [
  { roomid: 6, name: 'Other' },
  { roomid: 7, name: 'Late night' },
]
function lineStage(about: object = seat, list: unknown = rooms) {
  const clock = manualClock()
  const line = new PlayedLine()
  line.answer = ({ i, p }) => {
    line.say({ i, p: { b: { json: p.u === '/app/about' ? { seat: about } : { rooms: list } } } })
  }
  const cookies: string[] = []
  const host = {
    line: (given: string) => {
      cookies.push(given)
      return Promise.resolve(line as unknown as WebSocket)
    },
  } as Host
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return { clock, line, cookies, settle, ask: () => seatFacts(host, cookie, 'mei', clock) }
}

it('asks over a line of the session for the seat and the name of its room, and ends the line', async () => {
  const { line, cookies, ask, clock } = lineStage()
  expect(await ask()).toEqual({ roomid: 7, room: 'Late night', name: 'Mei' })
  expect(cookies).toEqual([cookie])
  expect(line.asked.map(({ p }) => p)).toEqual([
    { u: '/app/about', b: { json: {} } },
    { u: '/rooms/list', b: { json: { profileId: 'local' } } },
  ])
  expect([line.isTerminated, line.isPaused, clock.waiting()]).toEqual([true, false, 0])
})

it('names a room by its number where it has no name, and a moderator by their account', async () => {
  expect(await lineStage({ ...seat, name: '\u200B' }, [{ roomid: 6, name: 'Other' }]).ask()).toEqual({
    roomid: 7,
    room: '7',
    name: 'mei',
  })
})

it('takes of a name at most 128 characters', async () => {
  const long = 'n'.repeat(200)
  const facts = await lineStage({ ...seat, name: long }, [{ roomid: 7, name: long }]).ask()
  expect([facts.name.length, facts.room.length]).toEqual([128, 128])
})

it.each([
  ['of somebody else', { ...seat, accid: 'zoe' }],
  ['in room 0', { ...seat, roomid: 0 }],
  ['with a profile of 65 characters', { ...seat, profileId: 'p'.repeat(65) }],
  ['without a name', { ...seat, name: null }],
])('believes no seat %s', async (_what, about) => {
  const { line, ask } = lineStage(about)
  expect(await troubleOf(ask())).toEqual(['notOurs', 0])
  expect([line.asked.length, line.isTerminated]).toEqual([1, true])
})

it('believes no list of rooms that is none', async () => {
  const { ask, line } = lineStage(seat, [{ roomid: '7', name: 'Late night' }])
  expect(await troubleOf(ask())).toEqual(['notOurs', 0])
  expect(line.isTerminated).toBe(true)
})

it('passes over eight frames in all, and ends a line with a ninth', async () => {
  for (const [others, takes] of [
    [6, true],
    [7, false],
  ] as const) {
    const { line, ask } = lineStage()
    const { answer } = line
    line.answer = (question) => {
      if (question.p.u === '/rooms/list') for (let frame = 0; frame < others; frame++) line.say({ i: 'other' })
      answer(question)
    }
    expect(await troubleOf(ask())).toEqual(takes ? undefined : ['notOurs', 0])
    expect(line.isTerminated).toBe(true)
  }
})

it('takes a frame of 256 KiB and no longer one, and none in bytes', async () => {
  const longest = 256 * 1024
  const padded = (length: number) => `{"i":"other"${' '.repeat(length - 13)}}`
  for (const [frame, binary, takes] of [
    [padded(longest), false, true],
    [padded(longest + 1), false, false],
    ['{}', true, false],
    ['not JSON', false, false],
  ] as const) {
    const { line, ask } = lineStage()
    const { answer } = line
    line.answer = (question) => {
      line.say(frame, binary)
      answer(question)
    }
    expect(await troubleOf(ask())).toEqual(takes ? undefined : ['notOurs', 0])
  }
})

it('waits 10 s for each answer and no longer', async () => {
  const { line, ask, clock, settle } = lineStage()
  const { answer } = line
  const questions: Parameters<typeof answer>[0][] = []
  line.answer = (question) => questions.push(question)
  let over: unknown
  const waiting = troubleOf(ask()).then((trouble) => (over = trouble))
  await settle()
  clock.advance(9_999)
  answer(questions[0]!)
  await settle()
  expect(questions).toHaveLength(2)
  clock.advance(9_999)
  await settle()
  expect(over).toBeUndefined()
  clock.advance(1)
  await waiting
  expect([over, line.isTerminated]).toEqual([['offline', 0], true])
})

it('says that the host is away when it ends the line', async () => {
  const { line, ask } = lineStage()
  line.answer = () => line.emit('close')
  expect(await troubleOf(ask())).toEqual(['offline', 0])
})
