import { expect, it } from 'vitest'
import type { LinkPush } from '../../contract/link/frames.ts'
import type { LinkSession } from '../../contract/rpc/index.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { failureOf } from '../testing/rig.ts'
import { createLinkSessions } from './link-sessions.ts'

interface Frame {
  readonly t: string
  readonly id: number
  readonly [name: string]: unknown
}
/** A connection of the link that the test answers. */
interface Socket {
  readonly url: string
  readonly frames: Frame[]
  isClosed: boolean
  closed(code: number): void
  push(push: object): void
}
type Answers = Record<string, (frame: Frame) => object>

const link = { url: 'ws://127.0.0.1:1/link', appKey: 'key' }
const ok = (more: object = {}): object => ({ t: 'ok', ...more })

function stage(more: Answers = {}) {
  const clock = manualClock()
  const sockets: Socket[] = []
  const told: LinkSession[] = []
  const pushed: [string, LinkPush][] = []
  const logged: string[] = []
  const answers: Answers = {
    login: ({ accid }) => ok({ accid, time: 1, seq: 40, unread: 0, donnop: false, others: [] }),
    sync: ({ after }) => ok({ events: [], seq: after, more: false }),
    unread: () => ok({ total: 3, conversations: [] }),
    received: () => ok(),
    logout: () => ok(),
    ...more,
  }
  const sessions = createLinkSessions({
    profileId: 'local',
    clock,
    random: () => 0,
    device: 'this device',
    openSocket: (url, events) => {
      const socket: Socket = {
        url,
        frames: [],
        isClosed: false,
        closed: (code) => events.closed(code),
        push: (push) => events.text(JSON.stringify(push)),
      }
      sockets.push(socket)
      setImmediate(() => events.opened())
      return {
        send: (text) => {
          const frame = JSON.parse(text) as Frame
          socket.frames.push(frame)
          const answer = answers[frame.t]
          if (answer) setImmediate(() => events.text(JSON.stringify({ ...answer(frame), id: frame.id })))
        },
        close: () => {
          socket.isClosed = true
        },
      }
    },
    changed: (session) => void told.push(session),
    pushed: (accid, push) => void pushed.push([accid, push]),
    log: (line) => void logged.push(line),
  })
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++)
      await new Promise((resolve) => {
        setImmediate(resolve)
      })
  }
  return {
    clock,
    sockets,
    told,
    pushed,
    logged,
    sessions,
    settled,
    phase: (accid = 'ana') => sessions.all().find((one) => one.accid === accid)?.phase,
    requests: (kind: string) => sockets.flatMap(({ frames }) => frames.filter(({ t }) => t === kind)),
    online: async (accid = 'ana') => {
      sessions.serviceAt(link)
      sessions.open(accid, 'token', true)
      await settled()
      clock.advance(200)
      await settled()
    },
  }
}
const between = { at: 1, scene: 'p2p', from: 'mei', to: 'ana' }
const counted = { push: true, badge: true }
const message = (seq: number): object => ({
  t: 'message',
  seq,
  ...between,
  ...counted,
  type: 0,
  body: '{}',
  fromClientType: 'WEB',
})

it('waits until the service runs, then signs in as this device, and tells each phase', async () => {
  const on = stage()
  const view = { profileId: 'local', accid: 'ana', reason: null, unread: null, kept: true }
  expect(on.sessions.open('ana', 'token', true)).toEqual({ ...view, phase: 'waiting' })
  expect(on.told).toEqual([{ ...view, phase: 'waiting' }])
  on.sessions.serviceAt(link)
  await on.settled()
  expect(on.told.map(({ phase }) => phase)).toEqual(['waiting', 'connecting', 'connecting', 'online'])
  expect(on.sockets.map(({ url }) => url)).toEqual([link.url])
  expect(on.requests('login')).toMatchObject([
    { appKey: 'key', accid: 'ana', token: 'token', device: 'this device', clientType: 'PC' },
  ])
  expect(on.requests('login')[0]).not.toHaveProperty('after')
  expect(on.sessions.all()).toEqual([{ ...view, phase: 'online' }])
})

it('asks what is unread 200 ms after it came online, and tells it where it changed', async () => {
  const on = stage()
  on.sessions.serviceAt(link)
  on.sessions.open('ana', 'token', false)
  await on.settled()
  on.clock.advance(199)
  expect(on.requests('unread')).toEqual([])
  on.clock.advance(1)
  await on.settled()
  expect(on.told.at(-1)).toMatchObject({ phase: 'online', unread: 3, kept: false })
  const before = on.told.length
  on.sockets[0]!.push({ t: 'unread', scene: 'p2p', with: 'mei', unread: 1, total: 3 })
  on.clock.advance(200)
  await on.settled()
  expect([on.requests('unread').length, on.told.length]).toEqual([2, before])
})

it('counts once for all messages of 200 ms, and not for what is no message', async () => {
  const on = stage()
  await on.online()
  for (const seq of [41, 42, 43]) on.sockets[0]!.push(message(seq))
  on.clock.advance(200)
  await on.settled()
  expect(on.requests('unread')).toHaveLength(2)
  expect(on.pushed.map(([accid, push]) => [accid, push.t])).toEqual(Array.from({ length: 3 }, () => ['ana', 'message']))
  let counts = 2
  for (const [t, isCounted, members] of [
    ['notification', true, { ...between, ...counted, msgid: 1, attach: '' }],
    ['recall', true, { ...between, msgid: 1, timetag: 1 }],
    ['unread', true, { scene: 'p2p', with: 'mei', unread: 1, total: 3 }],
    ['friend', false, { ...between, type: 1 }],
    ['presence', false, { accid: 'mei', online: true, clientTypes: [] }],
  ] as const) {
    on.sockets[0]!.push({ t, ...members })
    on.clock.advance(200)
    await on.settled()
    if (isCounted) counts++
    expect(on.requests('unread'), t).toHaveLength(counts)
    expect(on.pushed.at(-1)?.[1].t).toBe(t)
  }
})

it('holds at most 16 accounts, and one of them can be opened again', async () => {
  const on = stage()
  for (let n = 0; n < 16; n++) on.sessions.open(`a${n}`, 'token', true)
  const failure = await failureOf((async () => on.sessions.open('one more', 'token', true))())
  expect(failure).toMatchObject({ kind: 'absent', detail: 'at most 16 accounts are signed in at once' })
  on.sessions.open('a3', 'another', true)
  on.sessions.close('a3')
  on.sessions.open('one more', 'token', true)
  expect(on.sessions.all()).toHaveLength(16)
})

it('goes on where it was when an account is opened again or the service came back elsewhere', async () => {
  const on = stage()
  await on.online()
  on.sockets[0]!.push(message(41))
  on.sessions.open('ana', 'second', false)
  await on.settled()
  expect(on.sockets[0]!.isClosed).toBe(true)
  expect(on.requests('login').at(-1)).toMatchObject({ token: 'second', after: 41 })
  on.sessions.serviceAt({ ...link })
  expect(on.sockets).toHaveLength(2)
  on.sessions.serviceAt({ ...link, url: 'ws://127.0.0.1:2/link' })
  await on.settled()
  expect([on.sockets.length, on.sockets[1]!.isClosed, on.sockets[2]!.url]).toEqual([3, true, 'ws://127.0.0.1:2/link'])
  expect(on.requests('login').at(-1)).toMatchObject({ after: 41 })
  on.sessions.serviceAt({ url: 'ws://127.0.0.1:2/link', appKey: 'another' })
  await on.settled()
  expect(on.requests('login').at(-1)).toMatchObject({ appKey: 'another' })
  on.sessions.serviceAt(undefined)
  expect([on.phase(), on.sockets.at(-1)!.isClosed, on.told.at(-1)?.phase]).toEqual(['waiting', true, 'waiting'])
})

it('signs in with a renewed token when the link comes back', async () => {
  const on = stage()
  await on.online()
  on.sessions.renewed('ana', 'renewed')
  on.sessions.renewed('nobody', 'renewed')
  on.sockets[0]!.closed(1006)
  expect(on.told.at(-1)?.phase).toBe('waiting')
  on.clock.advance(500)
  await on.settled()
  expect(on.requests('login').map(({ token }) => token)).toEqual(['token', 'renewed'])
  expect(on.phase()).toBe('online')
})

it('tells that an account is off when it is closed, and nothing of its link after that', async () => {
  const on = stage()
  await on.online()
  const before = on.told.length
  on.sessions.close('nobody')
  on.sockets[0]!.push(message(41))
  on.sessions.close('ana')
  expect(on.told.slice(before).map(({ accid, phase }) => [accid, phase])).toEqual([['ana', 'off']])
  expect([on.sessions.all(), on.sockets[0]!.isClosed]).toEqual([[], true])
  on.sockets[0]!.closed(1000)
  on.clock.advance(60_000)
  await on.settled()
  expect([on.told.length, on.sockets.length]).toEqual([before + 1, 1])
  expect((await failureOf(on.sessions.ask('ana', 'unread', {}))).kind).toBe('absent')
})

it('says why it is refused: credentials, what else the service answered, or a device that took its place', async () => {
  for (const [code, reason] of [
    [414, { code: 'credentials', params: {} }],
    [403, { code: 'answered', params: { code: '403', answer: 'no' } }],
  ] as const) {
    const on = stage({ login: () => ({ t: 'error', code, desc: 'no' }) })
    on.sessions.serviceAt(link)
    on.sessions.open('ana', 'token', true)
    await on.settled()
    expect(on.sessions.all()).toMatchObject([{ phase: 'refused', reason }])
    expect(on.told.at(-1)).toMatchObject({ phase: 'refused', reason })
  }
  const on = stage()
  await on.online()
  on.sockets[0]!.push({ t: 'kicked', reason: 'elsewhere' })
  on.sockets[0]!.closed(4403)
  expect(on.told.at(-1)).toMatchObject({ phase: 'refused', reason: { code: 'elsewhere', params: {} } })
})

it('asks for an account, and says why it could not: not connected, refused, or a full disk', async () => {
  const on = stage({
    read: () => ok({ unread: 0, total: 0 }),
    history: () => ({ t: 'error', code: 403, desc: 'not yours' }),
    notify: () => ({ t: 'error', code: 500, desc: 'no room', reason: 'full' }),
    send: () => ok({ msgid: 9, timetag: 1, antispam: false }),
  })
  const at = { scene: 'p2p', with: 'mei' } as const
  await on.online()
  expect(await on.sessions.ask('ana', 'read', { ...at, upTo: 1 })).toEqual({ unread: 0, total: 0 })
  expect(await failureOf(on.sessions.ask('ana', 'history', { ...at, limit: 1 } as never))).toMatchObject({
    kind: 'code',
    code: 403,
  })
  expect(
    await failureOf(on.sessions.ask('ana', 'notify', { scene: 'p2p', to: 'mei', attach: '{}', save: 1 })),
  ).toMatchObject({ kind: 'full', code: 500 })
  on.sockets[0]!.closed(1006)
  expect(await failureOf(on.sessions.ask('ana', 'read', { ...at, upTo: 1 }))).toMatchObject({
    kind: 'unreachable',
    detail: 'link: the link is not open',
  })
  // A message waits for the link.
  const sent = on.sessions.ask('ana', 'send', { scene: 'p2p', to: 'mei', type: 0, body: '{}' } as never)
  on.clock.advance(500)
  await on.settled()
  expect(await sent).toMatchObject({ msgid: 9 })
  const without = stage()
  without.sessions.open('ana', 'token', true)
  expect((await failureOf(without.sessions.ask('ana', 'unread', {}))).kind).toBe('absent')
})

it('closes every link at the end', async () => {
  const on = stage()
  await on.online()
  await on.online('mei')
  on.sessions.end()
  expect([on.sessions.all(), on.sockets.map(({ isClosed }) => isClosed)]).toEqual([[], [true, true]])
  expect(on.requests('logout')).toHaveLength(2)
})

it('passes on no push and no count that the contract has otherwise, and logs each kind of fault once', async () => {
  let total: unknown = 3
  const on = stage({ unread: () => ok({ total, conversations: [] }), read: () => ok({ unread: 'none', total: 0 }) })
  await on.online()
  total = 'many'
  const told = on.told.length
  for (let time = 0; time < 2; time++) {
    on.sockets[0]!.push({ t: 'friend', type: 2, from: 'bob', to: 'ana', at: 'yesterday' })
    on.sockets[0]!.push({ t: 'typing', from: 'a', scene: 'p2p' })
    on.sockets[0]!.push({ t: 'unread', scene: 'p2p', with: 'a', unread: 1, total: 1 })
    on.clock.advance(200)
    await on.settled()
  }
  expect(on.pushed.map(([, { t }]) => t)).toEqual(['unread', 'unread'])
  expect([on.requests('unread').length, on.told.length, on.sessions.all()[0]?.unread]).toEqual([3, told, 3])
  expect(await failureOf(on.sessions.ask('ana', 'read', { scene: 'p2p', with: 'mei', upTo: 1 }))).toMatchObject({
    kind: 'notOurs',
    detail: 'link: read.unread is not an integer',
  })
  expect(on.logged.map((line) => line.split('otherwise: ')[1])).toEqual([
    'friend.at is not an integer',
    'a push of the unknown kind "typing"',
    'unread.total is not an integer',
    'read.unread is not an integer',
  ])
  expect(on.phase()).toBe('online')
})
