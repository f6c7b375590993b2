import { describe, expect, it } from 'vitest'
import type { LinkPush } from '../../../contract/link/frames.ts'
import {
  requestsAfter,
  maxRequests,
  newsOf,
  readRequests,
  withoutRequest,
  type TeamRequest,
} from './messaging-requests.ts'
import { linesOf } from './history-lines.ts'
import {
  fileOf,
  keyOf,
  lineOf,
  lineOfEntry,
  maxLines,
  peerOf,
  peerOfKey,
  textOf,
  withLines,
  withRecalled,
  type Line,
} from './conversation.ts'
import { actionsOn, membersOf, roleOf, type TeamInfo } from './messaging-team.ts'

const message = (seq: number, more: Partial<LinkPush<'message'>> = {}): LinkPush<'message'> => ({
  t: 'message',
  seq,
  at: seq * 1_000,
  scene: 'p2p',
  from: 'mei',
  to: 'ana',
  type: 0,
  body: JSON.stringify({ msg: `line ${seq}` }),
  fromClientType: 'WEB',
  push: true,
  badge: true,
  ...more,
})
const ids = (lines: readonly Line[]): number[] => lines.map(({ id }) => id)

describe('lines of a conversation', () => {
  it('stand once each in their order, however they come', () => {
    const lines = withLines(withLines([], linesOf([message(3), message(1)])), [lineOf(message(2)), lineOf(message(3))])
    expect(ids(lines)).toEqual([1, 2, 3])
    expect(lines.map(textOf)).toEqual(['line 1', 'line 2', 'line 3'])
  })

  it('stay recalled when an older copy comes, and keep with what they were sent', () => {
    const recalled = withRecalled(withLines([], [lineOf(message(1))]), 1)
    expect(withLines(recalled, [lineOf(message(1))])).toMatchObject([{ recalled: true, body: {} }])
    const entry = lineOfEntry({ msgid: 2, sendtime: 2_000, type: 0, from: 'mei', body: { msg: 'x' } })
    expect(withLines([lineOf(message(2))], [entry])[0]?.via).toBe('WEB')
    expect(lineOf(message(4, { recalled: true, body: '' }))).toMatchObject({ recalled: true, body: {} })
  })

  it('are bounded, the newest kept', () => {
    const many = Array.from({ length: maxLines + 10 }, (_, index) => lineOf(message(index + 1)))
    const kept = withLines([], many)
    expect(kept).toHaveLength(maxLines)
    expect(kept.at(-1)?.id).toBe(maxLines + 10)
  })

  it('leave out events that are no messages or not whole', () => {
    expect(ids(linesOf([{}, { t: 'message' }, { t: 'recall', msgid: 1 }, message(7)]))).toEqual([7])
  })

  it('offer only files with an address of the web', () => {
    const file = (url: unknown, type = 6) =>
      fileOf(lineOf(message(1, { type, body: JSON.stringify({ name: 'a.txt', url, size: '12' }) })))
    expect(file('http://127.0.0.1/a')).toEqual({ kind: 'file', name: 'a.txt', url: 'http://127.0.0.1/a', size: 12 })
    for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 5, undefined])
      expect(file(url)?.url).toBeNull()
    expect(file('https://x/y', 1)?.kind).toBe('image')
    expect(file('https://x/y', 0)).toBeNull()
    expect(fileOf({ ...lineOf(message(1, { type: 6 })), recalled: true })).toBeNull()
  })

  it('of bodies that cannot be read are empty, not an error', () => {
    for (const body of ['', 'null', '[', '"text"', '{"msg":5}']) expect(textOf(lineOf(message(1, { body })))).toBe('')
  })
})

describe('conversations', () => {
  it('are the other account, or the team', () => {
    expect(peerOf('ana', message(1))).toEqual({ scene: 'p2p', with: 'mei' })
    expect(peerOf('mei', message(1))).toEqual({ scene: 'p2p', with: 'ana' })
    expect(peerOf('mei', message(1, { scene: 'team', to: '7' }))).toEqual({ scene: 'team', with: '7' })
  })

  it('have a name that can be read back', () => {
    for (const peer of [{ scene: 'p2p', with: 'a.b@c' } as const, { scene: 'team', with: '12' } as const])
      expect(peerOfKey(keyOf(peer))).toEqual(peer)
    for (const key of ['', 'p2p', 'room 5', 'p2p a b']) expect(peerOfKey(key)).toBeNull()
  })
})

describe('what waits for an answer', () => {
  const friend = (type: number, from = 'mei', to = 'ana'): LinkPush<'friend'> => ({
    t: 'friend',
    at: 5,
    from,
    to,
    type,
    msg: 'hi',
  })
  const ask: TeamRequest = { kind: 'friend', from: 'mei', tid: '', tname: '', msg: 'hi', at: 5 }

  it('comes with a request of another, once, and goes when it is settled anywhere', () => {
    const asks = requestsAfter(requestsAfter([], friend(2), 'ana'), friend(2), 'ana')
    expect(asks).toEqual([ask])
    expect(requestsAfter(asks, friend(3, 'ana', 'mei'), 'ana')).toEqual([])
    expect(requestsAfter(asks, friend(1), 'ana')).toEqual([])
    expect(requestsAfter([], friend(2, 'ana', 'mei'), 'ana')).toEqual([])
  })

  it('keeps invitations and applications of different teams apart, and is bounded', () => {
    const apply = (tid: string): LinkPush<'teamApply'> => ({
      t: 'teamApply',
      at: 1,
      tid,
      tname: `T${tid}`,
      from: 'lee',
    })
    const two = requestsAfter(requestsAfter([], apply('1'), 'ana'), apply('2'), 'ana')
    expect(two.map(({ tid }) => tid)).toEqual(['2', '1'])
    expect(withoutRequest(two, two[0]!).map(({ tid }) => tid)).toEqual(['1'])
    let many: readonly TeamRequest[] = []
    for (let tid = 0; tid < maxRequests + 5; tid++) many = requestsAfter(many, apply(String(tid)), 'ana')
    expect(many).toHaveLength(maxRequests)
  })

  it('is read back from memory, and whatever else stands there is left out', () => {
    expect(readRequests(JSON.stringify([ask, { kind: 'else' }, null, { ...ask, at: 'x' }]))).toEqual([ask])
    for (const text of [null, '', '{', '{}', '5']) expect(readRequests(text)).toEqual([])
  })

  it('is told apart from news', () => {
    expect(newsOf(friend(3), 'ana', 9)).toMatchObject({ what: 'friendAccepted', from: 'mei' })
    expect(newsOf(friend(2), 'ana', 9)).toBeNull()
    expect(newsOf(friend(3, 'ana', 'mei'), 'ana', 9)).toBeNull()
    expect(newsOf({ t: 'settings', tid: '7', muted: true }, 'ana', 9)).toMatchObject({
      what: 'muted',
      tname: '7',
      at: 9,
    })
    const refused = {
      t: 'teamRefused',
      at: 1,
      tid: '7',
      tname: 'T',
      from: 'lee',
      to: 'ana',
      what: 'invitation',
    } as const
    expect(newsOf(refused, 'ana', 9)).toMatchObject({ what: 'invitationRefused', tname: 'T' })
  })
})

describe('roles of a team', () => {
  const team: TeamInfo = {
    tid: 7,
    tname: 'T',
    owner: 'ana',
    maxusers: 200,
    size: 4,
    joinmode: 0,
    mute: false,
    beinvitemode: 0,
    invitemode: 0,
    uptinfomode: 0,
    upcustommode: 0,
    admins: ['mei'],
    members: ['tom', 'lee'],
  }

  it('are read off the team, by rank', () => {
    expect(['ana', 'mei', 'lee', 'who'].map((accid) => roleOf(team, accid))).toEqual(['owner', 'admin', 'member', null])
    expect(membersOf(team).map(({ accid }) => accid)).toEqual(['ana', 'mei', 'lee', 'tom'])
  })

  it('offer what the service allows: the owner everything to others, admins to put members out', () => {
    expect(actionsOn('owner', 'admin')).toEqual(['admin', 'nick', 'mute', 'handOver', 'kick'])
    expect(actionsOn('owner', 'owner')).toEqual(['nick'])
    expect(actionsOn('admin', 'member')).toEqual(['kick'])
    for (const target of ['owner', 'admin'] as const) expect(actionsOn('admin', target)).toEqual([])
    expect(actionsOn('member', 'member')).toEqual([])
    expect(actionsOn(null, 'member')).toEqual([])
  })
})

describe('what a line has', () => {
  it.each([
    [0, { msg: 'words' }, 'words'],
    [10, { msg: 'a hint' }, 'a hint'],
    [4, { title: 'Pier' }, 'Pier'],
    [4, { msg: 'Pier' }, ''],
    [100, { a: [1] }, '{"a":[1]}'],
    [5, { msg: 'told' }, ''],
    [77, { msg: 'unknown' }, ''],
  ])('is its text by its type %i: %j', (type, body, text) => {
    expect(textOf(lineOf(message(1, { type, body: JSON.stringify(body) })))).toBe(text)
  })

  it.each([
    [1, 'image'],
    [2, 'voice'],
    [3, 'video'],
    [6, 'file'],
  ])('is a file by its type %i: %s', (type, kind) => {
    const file = fileOf(lineOf(message(1, { type, body: '{"url":"HTTPS://a.example/x"}' })))
    expect(file).toEqual({ kind, name: '', url: 'HTTPS://a.example/x', size: null })
  })

  it('is no size where it is no number', () => {
    const size = (value: unknown) =>
      fileOf(lineOf(message(1, { type: 6, body: JSON.stringify({ size: value }) })))?.size
    expect([size(0), size('7'), size('x'), size(undefined)]).toEqual([0, 7, null, null])
  })

  it('is numbered by its place, else by its time, and says by which client it was sent', () => {
    const { seq: _, ...unnumbered } = message(5, { fromClientType: 'REST' })
    expect(lineOf(unnumbered)).toMatchObject({ id: 5_000, at: 5_000, via: 'REST', held: false })
    expect(lineOfEntry({ msgid: 9, sendtime: 3, type: 0, body: {} })).toMatchObject({ id: 9, from: '', via: null })
  })
})

it('a name of a conversation is read back up to 128 characters', () => {
  expect(peerOfKey(`team ${'1'.repeat(128)}`)).toEqual({ scene: 'team', with: '1'.repeat(128) })
  expect(peerOfKey(`team ${'1'.repeat(129)}`)).toBeNull()
})

describe('news of an account', () => {
  it.each([
    [1, 'friendAdded'],
    [3, 'friendAccepted'],
    [4, 'friendRejected'],
    [5, 'friendEnded'],
  ])('of a friendship of type %i: %s', (type, what) => {
    expect(newsOf({ t: 'friend', at: 5, from: 'mei', to: 'ana', type, msg: 'hi' }, 'ana', 9)).toEqual({
      what,
      from: 'mei',
      tname: '',
      msg: 'hi',
      at: 5,
    })
  })

  it('are that an application was refused, and that a team is muted no more', () => {
    const refused = {
      t: 'teamRefused',
      at: 1,
      tid: '7',
      tname: 'T',
      from: 'lee',
      to: 'ana',
      what: 'application',
    } as const
    expect(newsOf(refused, 'ana', 9)?.what).toBe('applicationRefused')
    expect(newsOf({ ...refused, from: 'ana' }, 'ana', 9)).toBeNull()
    expect(newsOf({ t: 'settings', tid: '7', muted: false }, 'ana', 9)?.what).toBe('unmuted')
    expect(newsOf({ t: 'settings', tid: '7' }, 'ana', 9)).toBeNull()
  })
})

it('requests have what was written with them, and those of others stay when one friendship is settled', () => {
  const invite = { t: 'teamInvite', at: 3, tid: '7', tname: 'Crew', from: 'mei', msg: 'come' } as LinkPush<'teamInvite'>
  const asks = requestsAfter([], invite, 'ana')
  expect(asks).toEqual([{ kind: 'invitation', from: 'mei', tid: '7', tname: 'Crew', msg: 'come', at: 3 }])
  const both = requestsAfter(asks, { t: 'friend', at: 4, from: 'lee', to: 'ana', type: 2 } as LinkPush<'friend'>, 'ana')
  const settledOne = requestsAfter(
    both,
    { t: 'friend', at: 5, from: 'mei', to: 'ana', type: 5 } as LinkPush<'friend'>,
    'ana',
  )
  expect(settledOne.map(({ kind, from }) => [kind, from])).toEqual([
    ['friend', 'lee'],
    ['invitation', 'mei'],
  ])
})

it('as many requests as are kept are read back from memory', () => {
  const many = Array.from({ length: maxRequests + 1 }, (_, at) => ({
    kind: 'friend',
    from: `p${at}`,
    tid: '',
    tname: '',
    msg: '',
    at,
  }))
  const read = readRequests(JSON.stringify(many))
  expect([read.length, read[0]?.from, read.at(-1)?.from]).toEqual([maxRequests, 'p0', `p${maxRequests - 1}`])
})
