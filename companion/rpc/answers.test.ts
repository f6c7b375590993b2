import { afterEach, describe, expect, it } from 'vitest'
import { linkRequests } from '../../contract/link/frames.ts'
import { accounts, live } from '../../contract/operations/index.ts'
import { pageOperations } from '../../contract/rpc/operations.ts'
import { Failure } from '../failure.ts'
import type { ConnectedSeat } from '../lines/connected-seat.ts'
import { maxCalls, maxMessage, refused } from '../lines/connection.ts'
import { until } from '../testing/rig.ts'
import { maxLate } from './late-measure.ts'
import { procedures } from './procedures.ts'
import { notedServer } from './testing/noted-server.ts'

const profileId = 'p1'
const cid = 'c'.repeat(32)
const roomid = 7
const inRoom = { profileId, roomid }
let close = (): void => undefined
afterEach(() => close())
const stage = (more: Record<string, unknown> = {}) => {
  const made = notedServer(more)
  close = made.close
  return made
}
/** What a call was answered with: its output, or the data of its failure. */
const answerOf = (text: string): unknown => {
  const { p } = JSON.parse(text) as { p: { s?: number; b?: { json?: { data?: unknown } } } }
  return p.s === undefined || p.s < 400 ? p.b?.json : p.b?.json?.data
}
const seat = (more: Partial<ConnectedSeat> = {}): Partial<ConnectedSeat> => ({
  id: 'mei',
  profileId,
  roomid,
  accid: 'mei',
  name: 'Mei',
  ready: Promise.resolve(),
  cid: () => cid,
  moved: () => new AbortController().signal,
  did: () => undefined,
  ...more,
})

describe('a failure', () => {
  const failing = async (error: unknown, more: object = {}) => {
    const [logged, refusals] = [[] as string[], [] as string[]]
    const { page } = stage({
      rooms: { setNote: () => Promise.reject(error as Error) },
      log: (line: string) => logged.push(line),
      tryDisk: () => undefined,
      diskRefused: () => refusals.push('refused'),
      ...more,
    })
    const text = await page().call('rooms.setNote', { profileId, accid: 'a', text: 't' })
    return { text, answer: answerOf(text), logged, refusals }
  }

  it('is told with its kind, code and detail, and not logged', async () => {
    const { text, answer, logged, refusals } = await failing(new Failure('code', 'not there', { code: 404 }))
    expect(answer).toEqual({ kind: 'code', code: 404, skewSeconds: null, detail: 'not there' })
    expect(text).toContain('"FAILED"')
    expect([logged, refusals]).toEqual([[], []])
  })

  it('that was not foreseen is told with an id only, under which the log has it', async () => {
    const { text, answer, logged } = await failing(new TypeError('a secret of the app'))
    const { detail } = answer as { detail: string }
    const id = /^fault (\w+), see the log$/.exec(detail)?.[1]
    expect(answer).toMatchObject({ kind: 'internal' })
    expect(text).not.toContain('a secret of the app')
    expect(logged).toEqual([`rpc fault ${id}: a secret of the app`])
  })

  it.each([
    ['ENOSPC', 'full', 0],
    ['EROFS', 'readOnly', 1],
    ['EIO', 'broken', 1],
  ])('of the disk is told as what the disk refuses: %s', async (code, kind, times) => {
    const { answer, logged, refusals } = await failing(Object.assign(new Error('no write'), { code }))
    expect(answer).toMatchObject({ kind, detail: 'no write' })
    expect(logged.join()).toContain('nothing can be kept')
    expect(refusals).toHaveLength(times)
  })

  it('of a database that says nothing of the disk is looked into by a small write', async () => {
    const error = Object.assign(new Error('disk I/O error'), { errcode: 778 })
    const { answer } = await failing(error, { tryDisk: () => Object.assign(new Error('full'), { code: 'ENOSPC' }) })
    expect(answer).toMatchObject({ kind: 'full' })
  })
})

describe('a call', () => {
  it('that a page may not make is refused as forbidden, and so is one of a moderator', async () => {
    const { page, made } = stage()
    expect(answerOf(await page(seat()).call('rooms.note', { profileId, accid: 'a' }))).toMatchObject({
      kind: 'forbidden',
      detail: 'a moderator cannot do this',
    })
    expect(made).toEqual([])
  })

  it('of a moderator waits until their channel was looked up', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { page, made } = stage()
    const one = page(seat({ ready: promise }))
    const answered = one.call('rooms.say', { ...inRoom, text: 'x' })
    await new Promise((next) => setImmediate(next))
    expect(made).toEqual([])
    resolve()
    await answered
    expect(made).toEqual([['rooms.say', profileId, roomid, 'x', 'mei']])
  })

  it('with an input that is none is not made', async () => {
    const { page, made } = stage()
    const text = await page().call('rooms.say', { ...inRoom, text: '' })
    expect(text).toContain('BAD_REQUEST')
    expect(made).toEqual([])
  })

  it(`is one of ${maxCalls} of a page at once at most, and has room again when they ended`, async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { page } = stage({ rooms: { setNote: () => promise } })
    const one = page()
    const note = { profileId, accid: 'a', text: 't' }
    for (let count = 0; count < maxCalls; count++) one.say('rooms.setNote', note)
    expect(answerOf(await one.call('rooms.setNote', note))).toMatchObject({
      kind: 'internal',
      detail: 'too many calls at once',
    })
    resolve()
    await until('the answers', () => one.answers.length === maxCalls + 1, 10_000)
    expect(await one.call('rooms.setNote', note)).not.toContain('FAILED')
  })

  it.each([
    ['rooms.history', { profileId, call: { roomid } }, true],
    ['rooms.actions', inRoom, true],
    ['channels.list', { profileId }, false],
  ] as const)('of a moderator on what moderators see is made by who moderates: %s', async (path, input, isChecked) => {
    const checked: unknown[] = []
    const { page } = stage({
      client: () => Promise.resolve({ call: () => Promise.resolve({ ret: { list: [], totalRecords: 0 } }) }),
      rooms: {
        mustModerateToRead: (...given: unknown[]) => {
          checked.push(given)
          return Promise.reject(new Failure('code', 'no moderator', { code: 403 }))
        },
        history: () => expect.fail('it was read'),
        actions: () => expect.fail('it was read'),
      },
    })
    const answer = answerOf(await page(seat()).call(path, input))
    expect(checked).toEqual(isChecked ? [[profileId, roomid, 'mei']] : [])
    if (isChecked) expect(answer).toMatchObject({ kind: 'code', code: 403 })
  })

  it('tells the redactor of the secrets that go through it, those of this computer’s page only', async () => {
    const heard: unknown[] = []
    const given = { profileId, signKey: 'the sign key', atService: true }
    const { page } = stage({
      heard: (_places: unknown, said: unknown) => heard.push(said),
      receivers: { setSignKey: () => Promise.resolve(), signKey: () => ({ signKey: 'another' }) },
      rooms: { note: () => 'n', say: () => ({ msgid: 'm', at: 1 }) },
    })
    const one = page()
    await one.call('receivers.setSignKey', given)
    expect(heard).toEqual([given])
    await one.call('rooms.note', { profileId, accid: 'a' })
    expect(heard).toHaveLength(1)
    await page(seat()).call('rooms.say', { ...inRoom, text: 'x' })
    expect(heard).toHaveLength(1)
    expect(await one.call('receivers.signKey', { profileId })).toContain('another')
    expect(heard).toHaveLength(2)
  })
})

describe('calls of the service', () => {
  const calling = (answers: object = {}) => {
    const called: unknown[] = []
    const call = (operation: object, args: object) => {
      called.push([operation, args])
      return Promise.resolve(answers)
    }
    return { called, client: (id: string) => (called.push(id), Promise.resolve({ call })) }
  }

  it('are made for each operation of a page with its arguments', async () => {
    const { called, client } = calling({ ret: {} })
    const { page } = stage({ client })
    const one = page()
    await one.call('operations.local.blacklisted', { profileId, call: { roomid } })
    await one.call('operations.chatrooms.get', { profileId, call: { roomid } })
    expect(called).toEqual([
      profileId,
      [pageOperations.local.blacklisted, { roomid }],
      profileId,
      [pageOperations.chatrooms.get, { roomid }],
    ])
    const names = Object.entries(pageOperations).flatMap(([group, all]) =>
      Object.keys(all).map((name) => `operations.${group}.${name}`),
    )
    for (const name of names) expect(procedures.has(name), name).toBe(true)
  })

  it('test a profile with one list, and tell how many channels there are and how long it took', async () => {
    const { called, client } = calling({ ret: { totalRecords: 12 } })
    const { page } = stage({ client })
    expect(answerOf(await page().call('profiles.test', { profileId }))).toEqual({ channels: 12, milliseconds: 0 })
    expect(called).toEqual([profileId, [live.list, { records: 1 }]])
  })

  it('check an entry that is not kept yet with its own addresses', async () => {
    const entries: unknown[] = []
    const { called, client } = calling({ ret: { totalRecords: 3 } })
    const { page, made } = stage({
      clientOf: (entry: unknown) => {
        entries.push(entry)
        return {
          call: (operation: object, args: object) => (called.push([operation, args]), { ret: { totalRecords: 3 } }),
        }
      },
      client,
    })
    const entry = { liveUrl: 'https://a.example', messagingUrl: 'https://b.example', appKey: 'k', appSecret: 's' }
    expect(answerOf(await page().call('profiles.check', entry))).toEqual({ channels: 3 })
    expect(entries).toMatchObject([entry])
    expect(made).toEqual([])
  })

  it('set the properties of an account', async () => {
    const { called, client } = calling()
    const { page } = stage({ client })
    await page().call('messaging.setProps', { profileId, accid: 'a', props: '{}' })
    expect(called).toEqual([profileId, [accounts.update, { accid: 'a', props: '{}' }]])
  })

  it('list channels as pages show them, and to a moderator their own only', async () => {
    const row = { cid, name: 'Night', status: 1, ctime: 5, needRecord: 1, format: 1, duration: 60, filename: 'f' }
    const other = { ...row, cid: 'd'.repeat(32), needRecord: 0, format: 0 }
    const list = { ret: { list: [row, other], totalRecords: 2, totalPnum: 1, pnum: 1, records: 2 } }
    const { client } = calling(list)
    const { page } = stage({ client })
    const shown = { name: 'Night', status: 1, created: 5, duration: 60, filename: 'f' }
    expect(answerOf(await page().call('channels.list', { profileId }))).toEqual({
      total: 2,
      channels: [
        { ...shown, cid, needRecord: true, format: 'flv' },
        { ...shown, cid: other.cid, needRecord: false, format: 'mp4' },
      ],
    })
    expect(answerOf(await page(seat({ cid: () => null })).call('channels.list', { profileId }))).toEqual({
      total: 0,
      channels: [],
    })
  })
})

describe('requests of the link', () => {
  const calls = {
    send: { scene: 'p2p', to: 'b', type: 0, body: '{}' },
    recall: { scene: 'p2p', to: 'b', msgid: 1, timetag: 1 },
    read: { scene: 'p2p', with: 'b', upTo: 1 },
    unread: {},
    history: { scene: 'p2p', with: 'b' },
    friend: { accid: 'b', type: 1 },
    friends: {},
    relation: { accid: 'b', relation: 1, value: 1 },
    watch: { accids: ['b'] },
    teams: {},
    teamInvite: { tid: '1', accids: ['b'] },
    teamApply: { tid: '1' },
    teamAnswer: { tid: '1', accept: true },
    teamLeave: { tid: '1' },
  } as const satisfies Partial<Record<keyof typeof linkRequests, object>>

  it.each(Object.entries(calls))('are sent by the session of the account: %s', async (kind, call) => {
    const { page, made } = stage()
    await page().call(`messaging.link.${kind}`, { profileId, accid: 'a', call })
    expect(made).toEqual([['messaging.ask', profileId, 'a', kind, call]])
  })
})

describe('what is done to seats', () => {
  const id = '0123456789abcdef'
  const invited = { seat: { id }, code: 'c', token: 't', link: null, appLink: null }
  const steps = [
    { what: 'sessions', ok: true, reason: null },
    { what: 'role', ok: false, reason: { code: 'away', params: { system: 'no answer' } } },
    { what: 'token', ok: false, reason: null },
  ]
  function recorded(seats: object[]) {
    const log: unknown[] = []
    const done: unknown[] = []
    const note =
      (what: string, answer: object) =>
      (...given: unknown[]) => {
        done.push([what, ...given])
        return Promise.resolve(answer)
      }
    const staged = stage({
      rooms: {
        record: async (
          profile: string,
          room: number,
          deed: object,
          work: () => Promise<unknown>,
          leftOf?: (value: unknown) => string,
        ) => {
          const value = await work()
          log.push([profile, room, deed, leftOf?.(value)])
          return value
        },
      },
      moderators: {
        board: () => ({ seats }),
        invite: note('invite', invited),
        inviteAgain: note('inviteAgain', invited),
        revoke: note('revoke', { seat: { id }, steps }),
      },
    })
    return { ...staged, log, done }
  }
  const known = { id, profileId, roomid, accid: 'mei' }

  it('is written into the log of their room, with what is left of a revocation', async () => {
    const { page, log, done } = recorded([known])
    const one = page()
    await one.call('seats.invite', { ...inRoom, accid: 'mei', name: 'Mei' })
    await one.call('seats.inviteAgain', { id })
    await one.call('seats.revoke', { id })
    expect(done).toEqual([
      ['invite', profileId, roomid, 'mei', 'Mei'],
      ['inviteAgain', id],
      ['revoke', id],
    ])
    expect(log).toEqual([
      [profileId, roomid, { kind: 'invite', target: 'mei' }, undefined],
      [profileId, roomid, { kind: 'invite', target: 'mei' }, undefined],
      [profileId, roomid, { kind: 'revoke', target: 'mei' }, 'role: away: no answer; token: '],
    ])
  })

  it('is done without the log where there is no such seat, and fails as it fails', async () => {
    const { page, log, done } = recorded([])
    await page().call('seats.revoke', { id })
    expect([done, log]).toEqual([[['revoke', id]], []])
  })
})

describe('a room', () => {
  const panel = (of: number) => ({
    profileId,
    roomid: of,
    phase: 'inside',
    reason: null,
    accid: 'host',
    name: 'n',
    announcement: '',
    muted: false,
    mutedBy: null,
    mutedAt: null,
    slow: 0,
    online: 1,
    counts: null,
  })
  const rooms = { panels: () => [panel(7), panel(8)], enter: () => Promise.resolve(panel(7)) }

  it('is shown to a moderator under their own name, and the rooms of others are not', async () => {
    const { page } = stage({ rooms })
    const [host, mei] = [page(), page(seat())]
    expect(answerOf(await host.call('rooms.panels', { profileId }))).toEqual([panel(7), panel(8)])
    expect(answerOf(await mei.call('rooms.panels', { profileId }))).toEqual([{ ...panel(7), accid: 'mei' }])
    expect(answerOf(await mei.call('rooms.enter', { ...inRoom, renew: false }))).toMatchObject({ accid: 'mei' })
    expect(answerOf(await host.call('rooms.enter', { ...inRoom, renew: false }))).toMatchObject({ accid: 'host' })
  })

  it('of a moderator that is not there is no room in the list', async () => {
    const { page } = stage({ rooms: { find: () => Promise.resolve(undefined) } })
    expect(answerOf(await page(seat()).call('rooms.list', { profileId }))).toEqual({
      complete: true,
      next: null,
      rooms: [],
    })
  })

  it('notes what a moderator did only where it was done', async () => {
    const did: string[] = []
    const { page } = stage({
      rooms: {
        act: ({ why }: { why: string }) =>
          why === 'no' ? Promise.reject(new Failure('code', 'refused', { code: 403 })) : Promise.resolve({}),
      },
    })
    const one = page(seat({ did: (what) => void did.push(what) }))
    const measure = { kind: 'muteRoom', on: true }
    await one.call('rooms.act', { ...inRoom, measure, why: 'no' })
    expect(did).toEqual([])
    await one.call('rooms.act', { ...inRoom, measure, why: '' })
    expect(did).toEqual(['muteRoom'])
  })
})

describe('the events of a page', () => {
  const messaging = {
    openRequests: () => [{ profileId, accid: 'waiting', push: { t: 'friend', from: 'rob', to: 'w', type: 2, at: 1 } }],
  }

  it('have a channel that another page opens', async () => {
    const { page, hub } = stage({ messaging })
    const one = page()
    one.say('app.events')
    await until('a subscription', () => hub.subscribers() === 1, 10_000)
    await page().call('app.open', { cid })
    await until('the channel', () => one.answers.some((answer) => answer.includes(cid)), 10_000)
  })

  it('end with the page, which may subscribe as often as before then', async () => {
    const { page, hub } = stage({ messaging })
    const one = page()
    one.say('app.events')
    await until('a subscription', () => hub.subscribers() === 1, 10_000)
    one.end()
    await until('its end', () => hub.subscribers() === 0, 10_000)
  })

  it('have no requests over the link for the desktop and for moderators', async () => {
    const { page, hub } = stage({ messaging })
    const [desktop, mei] = [page(), page(seat())]
    desktop.say('app.events', { audience: 'desktop' })
    mei.say('app.events')
    await until('both', () => hub.subscribers() === 2, 10_000)
    hub.post({ type: 'channels', profileId })
    await mei.call('rooms.leave', inRoom)
    for (const { answers } of [desktop, mei]) expect(answers.join()).not.toContain('waiting')
  })

  it('of a moderator begin anew when their room has another channel, which is told', async () => {
    let moving = new AbortController()
    const { page, hub } = stage({ messaging })
    const mei = page(seat({ moved: () => moving.signal }))
    mei.say('app.events')
    await until('a subscription', () => hub.subscribers() === 1, 10_000)
    const told = () => mei.answers.filter((answer) => answer.includes('"channels"')).length
    expect(told()).toBe(0)
    const before = moving
    moving = new AbortController()
    before.abort()
    await until('the word', () => told() === 1 && hub.subscribers() === 1, 10_000)
  })
})

describe('a page', () => {
  it('that is too large in one message is closed, and its calls are not made', () => {
    const { page, made } = stage()
    const one = page()
    one.say('rooms.say', { ...inRoom, text: 'x'.repeat(maxMessage) })
    expect([one.on.closed, made]).toEqual([true, []])
    one.say('rooms.note', { profileId, accid: 'a' })
    expect(made).toEqual([])
    expect(refused).toBe(1008)
  })

  it('is closed with the server', () => {
    const { page, close: end } = stage()
    const [one, two] = [page(), page()]
    end()
    expect([one.on.closed, two.on.closed]).toEqual([true, true])
  })

  it('of a moderator that was ended has its last measures written down as refused, a few of them', () => {
    const written: unknown[] = []
    const { page, made } = stage({
      rooms: {
        refused: (...given: unknown[]) => {
          written.push(given)
          return Promise.resolve()
        },
      },
    })
    const mei = page(seat())
    const act = (more: object = {}) =>
      mei.say('rooms.act', { ...inRoom, measure: { kind: 'muteRoom', on: true }, why: 'late', ...more })
    mei.end()
    mei.say('rooms.say', { ...inRoom, text: 'x' })
    act({ roomid: 8 })
    act({ measure: { kind: 'robots', accids: ['a'], on: true } })
    act({ why: 7 })
    expect([made, written]).toEqual([[], []])
    for (let times = 0; times < maxLate + 3; times++) act()
    const entry = [profileId, roomid, { kind: 'muteRoom', on: true }, 'late', 'mei']
    expect(written).toEqual(Array.from({ length: maxLate }, () => entry))
  })

  it('of this computer that was ended has nothing written down', () => {
    const { page, made } = stage()
    const one = page()
    one.end()
    one.say('rooms.act', { ...inRoom, measure: { kind: 'muteRoom', on: true }, why: 'late' })
    expect(made).toEqual([])
  })
})

it('the app tells a page of this computer what its shell can do', async () => {
  const about = {
    version: '1.2.3',
    shell: 'electron',
    platform: 'linux',
    capabilities: ['clipboard'],
    shellReason: () => 'because',
  }
  const { page } = stage({ about })
  expect(answerOf(await page().call('app.about'))).toEqual({ ...about, shellReason: 'because', seat: null })
})

it('a page may send 64 lists and objects within each other, and is closed by 65', () => {
  const { page } = stage()
  const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as object
  // The message has three objects around its input.
  for (const [depth, closes] of [
    [61, false],
    [62, true],
  ] as const) {
    const one = page()
    one.say('rooms.note', nested(depth))
    expect(one.on.closed, String(depth)).toBe(closes)
  }
})
