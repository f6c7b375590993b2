import { createPinia } from 'pinia'
import { createApp } from 'vue'
import { describe, expect, it, vi } from 'vitest'
import type { LinkPush } from '../../../contract/link/frames.ts'
import type { LinkSession } from '../../../contract/rpc/index.ts'
import type { RpcClient } from '../../data/client.ts'
import { useCompanion } from '../../data/companion.ts'
import { applyEvent } from '../../events.ts'
import { useMessaging } from './messaging.ts'
import { useConversations } from './conversations.ts'
import { servicesKey } from '../../data/services.ts'

const profile = {
  id: 'local',
  kind: 'local',
  extended: true,
  media: null,
  name: 'l',
  liveUrl: 'http://a',
  messagingUrl: 'http://a',
  appKey: 'k',
  secret: 'keychain',
} as const
const mei = { scene: 'p2p', with: 'mei' } as const
const message = (seq: number): LinkPush<'message'> => ({
  t: 'message',
  seq,
  at: seq * 1_000,
  scene: 'p2p',
  from: 'mei',
  to: 'ana',
  type: 0,
  body: `{"msg":"line ${seq}"}`,
  fromClientType: 'WEB',
  push: true,
  badge: true,
})

/** What was asked of an operation or of the link. */
interface Asked {
  readonly call: Readonly<Record<string, unknown>>
}

/** The stores of a page that acts as ana, with a companion that notes what it was asked. */
function stage() {
  const stored = new Map<string, string>()
  const rpc = {
    messaging: {
      link: {
        send: vi.fn(async () => ({ msgid: 9, timetag: 9_000, antispam: false })),
        history: vi.fn(async (_asked: Asked) => ({ events: [message(1), message(2)], more: false })),
        recall: vi.fn(async () => ({})),
        read: vi.fn(async (_asked: Asked) => ({ unread: 0, total: 0 })),
        unread: vi.fn(async () => ({ total: 2, conversations: [{ scene: 'p2p', with: 'mei', unread: 2 }] })),
        friends: vi.fn(async () => ({ friends: [{ accid: 'tom', alias: 'Uncle' }, { accid: 'mei' }] })),
        teams: vi.fn(async () => ({ teams: [{ tid: '7', tname: 'Crew', size: 2 }] })),
        watch: vi.fn(async () => ({
          presence: [
            { accid: 'mei', online: true },
            { accid: 'tom', online: false },
          ],
        })),
        friend: vi.fn(async () => ({})),
        teamAnswer: vi.fn(async () => ({})),
      },
      sessions: vi.fn(async (): Promise<LinkSession[]> => []),
      signIn: vi.fn(async () => session('connecting')),
      signOut: vi.fn(async () => undefined),
    },
    operations: {
      messages: {
        send: vi.fn(async () => ({ data: { msgid: 9, timetag: 9_000, antispam: true } })),
        recall: vi.fn(async () => ({})),
      },
      history: {
        team: vi.fn(async () => ({ size: 0, msgs: [] })),
        session: vi.fn(async (_asked: Asked) => ({
          size: 1,
          msgs: [{ msgid: 1, sendtime: 1_000, type: 0, from: 'mei', body: { msg: 'line 1' } }],
        })),
      },
      friends: {
        get: vi.fn(async () => ({ size: 1, friends: [{ faccid: 'mei', createtime: 1, bidirection: true }] })),
      },
      teams: { joinTeams: vi.fn(async () => ({ count: 1, infos: [{ tid: 7, tname: 'Crew', size: 2 }] })) },
      accounts: { getUinfos: vi.fn(async () => ({ uinfos: [{ accid: 'mei', name: 'Mei' }] })) },
    },
  }
  const pinia = createPinia()
  const app = createApp({})
  app.use(pinia)
  app.provide(servicesKey, {
    rpc: rpc as unknown as RpcClient,
    now: () => 10_000,
    memory: { read: (key) => stored.get(key) ?? null, write: (key, value) => void stored.set(key, value) },
  })
  const tell = (event: Parameters<typeof applyEvent>[0]): void => applyEvent(event, pinia, 10_000)
  tell({ type: 'profiles', profiles: [profile] })
  const messaging = useMessaging(pinia)
  messaging.choose('ana')
  return {
    rpc: { ...rpc.messaging, ...rpc.operations },
    messaging,
    conversations: useConversations(pinia),
    companion: useCompanion(pinia),
    tell,
    stored,
  }
}
const session = (phase: LinkSession['phase']): LinkSession => ({
  profileId: 'local',
  accid: 'ana',
  phase,
  reason: null,
  unread: null,
  kept: false,
})
const push = (what: LinkPush) => ({ type: 'link', profileId: 'local', accid: 'ana', push: what }) as const

it('acts over the link while signed in: history, live lines, sending, recall', async () => {
  const { rpc, messaging, conversations, tell } = stage()
  tell({ type: 'linkSession', session: session('online') })
  expect(messaging.live).toBe(true)
  await conversations.load(mei, false)
  tell(push(message(3)))
  expect(await conversations.send(mei, 0, { msg: 'mine' }, 'c1')).toBe(false)
  const lines = () => messaging.panel.lines.get('p2p mei') ?? []
  expect(lines().map(({ id }) => id)).toEqual([1, 2, 3, 9])
  expect(conversations.rows).toMatchObject([{ key: 'p2p mei', name: 'Mei', last: { id: 9 } }])
  await conversations.recall(mei, lines()[3]!, '')
  expect(rpc.link.recall).toHaveBeenCalledWith({
    profileId: 'local',
    accid: 'ana',
    call: { scene: 'p2p', to: 'mei', msgid: 9, timetag: 9_000 },
  })
  tell(push({ t: 'recall', at: 10, msgid: 3, scene: 'p2p', from: 'mei', to: 'ana', timetag: 3_000 }))
  expect(lines().map(({ recalled }) => recalled)).toEqual([false, false, true, true])
  expect(rpc.messages.send).not.toHaveBeenCalled()
})

it('marks read once, and again when that failed', async () => {
  const { rpc, conversations, tell, companion } = stage()
  rpc.link.read.mockRejectedValueOnce(new Error('gone'))
  tell({ type: 'linkSession', session: session('online') })
  companion.line = 'open'
  await conversations.read(mei, 3)
  await conversations.read(mei, 3)
  await conversations.read(mei, 3)
  expect(rpc.link.read).toHaveBeenCalledTimes(2)
})

it('acts through the API when nobody is signed in or the token was refused', async () => {
  const { rpc, messaging, conversations, tell } = stage()
  tell({ type: 'linkSession', session: { ...session('refused'), reason: { code: 'credentials', params: {} } } })
  expect(messaging.live).toBe(false)
  await conversations.load(mei, false)
  expect(await conversations.send(mei, 0, { msg: 'jackpot' }, 'c1')).toBe(true)
  const lines = messaging.panel.lines.get('p2p mei') ?? []
  expect(lines.map(({ id, held }) => [id, held])).toEqual([
    [1, false],
    [9, true],
  ])
  await conversations.recall(mei, lines[1]!, 'oops')
  expect(rpc.messages.recall).toHaveBeenCalledWith({
    profileId: 'local',
    call: { deleteMsgid: 9, timetag: 9_000, type: 7, from: 'ana', to: 'mei', msg: 'oops' },
  })
  expect(rpc.link.history).not.toHaveBeenCalled()
})

it('keeps no token: neither in memory nor in what is stored', async () => {
  const { messaging, stored, tell } = stage()
  await messaging.signIn('ana', 'canary-token', true)
  tell({ type: 'linkSession', session: session('online') })
  tell(push(message(1)))
  expect(JSON.stringify([...stored, ...messaging.sessions, messaging.panel])).not.toContain('canary-token')
  expect(stored.get('sidestage.talks.local.ana')).toBe('["p2p mei"]')
  await messaging.signOut('ana', false)
  expect(messaging.session).toBeNull()
})

describe('the account that acts', () => {
  it('is remembered for its profile, else the first one that is signed in', () => {
    const { messaging, stored, tell, companion } = stage()
    expect([messaging.accid, stored.get('sidestage.acting.local')]).toEqual(['ana', 'ana'])
    tell({ type: 'profiles', profiles: [profile, { ...profile, id: 'other', kind: 'hosted', extended: false }] })
    companion.choose('other')
    expect(messaging.accid).toBeNull()
    tell({ type: 'linkSession', session: { ...session('waiting'), profileId: 'other', accid: 'tom' } })
    expect(messaging.accid).toBeNull()
    tell({ type: 'linkSession', session: { ...session('online'), profileId: 'other', accid: 'mei' } })
    expect(messaging.accid).toBe('mei')
    expect(messaging.signedIn.map(({ accid }) => accid)).toEqual(['tom', 'mei'])
    messaging.choose('tom')
    expect([messaging.accid, stored.get('sidestage.acting.other')]).toEqual(['tom', 'tom'])
    companion.choose('local')
    expect([messaging.accid, messaging.signedIn]).toEqual(['ana', []])
  })

  it('is on the link while its session is not refused or over', () => {
    const { messaging, tell } = stage()
    expect(messaging.live).toBe(false)
    for (const [phase, live] of [
      ['connecting', true],
      ['online', true],
      ['waiting', true],
      ['refused', false],
      ['off', false],
    ] as const) {
      tell({ type: 'linkSession', session: session(phase) })
      expect([phase, messaging.live]).toEqual([phase, live])
    }
    expect(messaging.session).toBeNull()
  })

  it('signs in by a token or without, and takes what was told meanwhile for newer than the answer', async () => {
    const { rpc, messaging, tell } = stage()
    await messaging.signIn('ana', undefined, false)
    expect(rpc.signIn).toHaveBeenLastCalledWith({ profileId: 'local', accid: 'ana', keep: false })
    expect(messaging.session?.phase).toBe('connecting')
    rpc.signIn.mockImplementationOnce(async () => {
      tell({ type: 'linkSession', session: session('online') })
      return session('connecting')
    })
    await messaging.signIn('ana', 'secret', true)
    expect(rpc.signIn).toHaveBeenLastCalledWith({ profileId: 'local', accid: 'ana', keep: true, token: 'secret' })
    expect(messaging.session?.phase).toBe('online')
    tell({ type: 'linkSession', session: session('refused') })
    await messaging.signIn('ana', 'secret', true)
    expect(messaging.session?.phase).toBe('connecting')
  })

  it('stays signed in where the sign-out failed', async () => {
    const { rpc, messaging, tell } = stage()
    tell({ type: 'linkSession', session: session('online') })
    rpc.signOut.mockRejectedValueOnce(new Error('gone'))
    await expect(messaging.signOut('ana', true)).rejects.toThrow('gone')
    expect(rpc.signOut).toHaveBeenLastCalledWith({ profileId: 'local', accid: 'ana', forget: true })
    expect(messaging.session?.phase).toBe('online')
  })

  it('has no session that ended while nobody told, and keeps those of other profiles', async () => {
    const { rpc, messaging, tell } = stage()
    tell({ type: 'linkSession', session: session('online') })
    tell({ type: 'linkSession', session: { ...session('online'), profileId: 'other' } })
    rpc.sessions.mockResolvedValueOnce([{ ...session('waiting'), accid: 'tom' }])
    await messaging.readSessions()
    expect([...messaging.sessions.values()].map(({ profileId, accid, phase }) => [profileId, accid, phase])).toEqual([
      ['other', 'ana', 'online'],
      ['local', 'tom', 'waiting'],
    ])
  })
})

describe('what is pushed to an account', () => {
  const team = { scene: 'team', from: 'lee', to: '7' } as const

  it('is kept for that account, and counts for the screen only when it acts', () => {
    const { messaging, tell } = stage()
    tell({ ...push(message(1)), accid: 'tom' })
    expect([messaging.came, messaging.panel.recent, messaging.panelOf('local', 'tom').recent]).toEqual([
      0,
      [],
      ['p2p mei'],
    ])
    tell({ ...push(message(1)), profileId: 'other' })
    expect(messaging.came).toBe(0)
    tell(push(message(1)))
    tell(push({ t: 'recall', at: 10, msgid: 1, scene: 'p2p', from: 'mei', to: 'ana', timetag: 1_000 }))
    tell(push({ t: 'unread', scene: 'p2p', with: 'mei', unread: 3, total: 3 }))
    expect(messaging.came).toBe(2)
  })

  it('moves its conversation to the top, which is remembered, with fifty at most', () => {
    const { messaging, tell, stored } = stage()
    tell(push(message(1)))
    tell(push({ ...message(2), ...team }))
    expect(messaging.panel.recent).toEqual(['team 7', 'p2p mei'])
    tell(push(message(3)))
    expect(messaging.panel.recent).toEqual(['p2p mei', 'team 7'])
    expect(JSON.parse(stored.get('sidestage.talks.local.ana') ?? '')).toEqual(['p2p mei', 'team 7'])
    for (let other = 0; other < 60; other++) tell(push({ ...message(10 + other), from: `a${other}` }))
    expect([messaging.panel.recent.length, messaging.panel.recent[0]]).toEqual([50, 'p2p a59'])
  })

  it('is the newest line of its conversation unless an older one comes late, and stays recalled there', () => {
    const { messaging, tell } = stage()
    const last = () => messaging.panel.last.get('p2p mei')
    tell(push(message(5)))
    tell(push(message(4)))
    expect(last()?.id).toBe(5)
    tell(push({ t: 'recall', at: 10, msgid: 4, scene: 'p2p', from: 'mei', to: 'ana', timetag: 4_000 }))
    expect(last()?.recalled).toBe(false)
    tell(push({ t: 'recall', at: 10, msgid: 5, scene: 'p2p', from: 'mei', to: 'ana', timetag: 5_000 }))
    expect([last()?.recalled, last()?.body]).toEqual([true, {}])
  })

  it('says how much is unread of a conversation, and who is online', () => {
    const { messaging, tell, conversations } = stage()
    tell({ type: 'linkSession', session: session('online') })
    tell(push({ t: 'unread', scene: 'p2p', with: 'mei', unread: 3, total: 3 }))
    tell(push({ t: 'presence', accid: 'mei', online: true, clientTypes: [] }))
    tell(push({ t: 'presence', accid: 'lee', online: true, clientTypes: [] }))
    tell(push({ t: 'presence', accid: 'lee', online: false, clientTypes: [] }))
    expect(conversations.rows).toMatchObject([{ key: 'p2p mei', unread: 3, online: true }])
    expect([...messaging.panel.online]).toEqual(['mei'])
    tell({ type: 'linkSession', session: session('off') })
    expect(conversations.rows[0]?.online).toBeNull()
  })

  it('waits as a request, also over a new start, and is news, twenty at most, the newest first', () => {
    const { messaging, tell, stored, conversations } = stage()
    const friend = (type: number, at: number) => ({ t: 'friend', at, from: 'mei', to: 'ana', type, msg: '' }) as const
    tell(push(friend(2, 1)))
    const asks = [{ kind: 'friend', from: 'mei', tid: '', tname: '', msg: '', at: 1 }] as const
    expect([messaging.panel.asks, JSON.parse(stored.get('sidestage.asks.local.ana') ?? '')]).toEqual([asks, asks])
    for (let at = 1; at <= 25; at++) tell(push(friend(5, at)))
    expect(messaging.panel.news.map(({ at }) => at)).toEqual(Array.from({ length: 20 }, (_, index) => 25 - index))
    const [newest] = messaging.panel.news
    conversations.dropNews(newest!)
    expect([messaging.panel.news.length, messaging.panel.news[0]?.at]).toEqual([19, 24])
    tell(push(friend(2, 30)))
    conversations.dropAsk(messaging.panel.asks[0]!)
    expect([messaging.panel.asks, stored.get('sidestage.asks.local.ana')]).toEqual([[], '[]'])
  })

  it('is read back of what was remembered, and what cannot be read is left out', () => {
    const { messaging, stored } = stage()
    stored.set('sidestage.talks.local.lee', JSON.stringify(['p2p mei', 5, 'room 7', 'team 7']))
    stored.set('sidestage.talks.local.tom', '{')
    expect([messaging.panelOf('local', 'lee').recent, messaging.panelOf('local', 'tom').recent]).toEqual([
      ['p2p mei', 'team 7'],
      [],
    ])
  })
})

describe('the list of conversations', () => {
  it('has the newest line first, then what is unread, then by name; an alias before the name', () => {
    const { messaging, conversations, tell } = stage()
    messaging.change('local', 'ana', {
      recent: ['p2p zoe'],
      friends: [
        { accid: 'tom', alias: 'Uncle' },
        { accid: 'ben', alias: '' },
      ],
      teams: [{ tid: '7', tname: 'Crew', size: 2 }],
      unread: new Map([['p2p lee', 2]]),
    })
    tell(push(message(1)))
    expect(conversations.rows.map(({ key, name }) => [key, name])).toEqual([
      ['p2p mei', 'mei'],
      ['p2p lee', 'lee'],
      ['p2p ben', 'ben'],
      ['team 7', 'Crew'],
      ['p2p tom', 'Uncle'],
      ['p2p zoe', 'zoe'],
    ])
    expect([conversations.teamName('7'), conversations.teamName('8'), conversations.nameOf('who')]).toEqual([
      'Crew',
      '8',
      'who',
    ])
  })

  it('takes in a conversation that begins, once, in front', () => {
    const { messaging, conversations } = stage()
    for (const other of ['mei', 'lee', 'mei']) conversations.begin({ scene: 'p2p', with: other })
    expect(messaging.panel.recent).toEqual(['p2p lee', 'p2p mei'])
  })

  it('is read over the link with names and who is online', async () => {
    const { rpc, messaging, conversations, tell } = stage()
    tell({ type: 'linkSession', session: session('online') })
    tell(push({ t: 'presence', accid: 'old', online: true, clientTypes: [] }))
    await conversations.refresh()
    const here = { profileId: 'local', accid: 'ana' }
    for (const ask of [rpc.link.unread, rpc.link.friends, rpc.link.teams])
      expect(ask).toHaveBeenCalledWith({ ...here, call: {} })
    expect(rpc.link.watch).toHaveBeenCalledWith({ ...here, call: { accids: ['mei', 'tom'] } })
    expect(rpc.accounts.getUinfos).toHaveBeenCalledWith({
      profileId: 'local',
      call: { accids: ['ana', 'mei', 'tom'] },
    })
    expect(conversations.rows.map(({ key, name, unread, online }) => [key, name, unread, online])).toEqual([
      ['p2p mei', 'Mei', 2, true],
      ['team 7', 'Crew', 0, null],
      ['p2p tom', 'Uncle', 0, false],
    ])
    expect([...messaging.panel.online]).toEqual(['mei'])
    expect(rpc.friends.get).not.toHaveBeenCalled()
    // Names that are known are not asked for again.
    await conversations.refresh()
    expect(rpc.accounts.getUinfos).toHaveBeenCalledTimes(1)
  })

  it('is read through the API without a session, with nothing unread and nobody known to be online', async () => {
    const { rpc, messaging, conversations } = stage()
    messaging.change('local', 'ana', { unread: new Map([['p2p mei', 4]]) })
    await conversations.refresh()
    expect(rpc.friends.get).toHaveBeenCalledWith({ profileId: 'local', call: { accid: 'ana' } })
    expect(rpc.teams.joinTeams).toHaveBeenCalledWith({ profileId: 'local', call: { accid: 'ana' } })
    expect(conversations.rows.map(({ key, name, unread, online }) => [key, name, unread, online])).toEqual([
      ['team 7', 'Crew', 0, null],
      ['p2p mei', 'Mei', 0, null],
    ])
    expect([rpc.link.unread.mock.calls, rpc.link.watch.mock.calls]).toEqual([[], []])
  })

  it('asks again for names that could not be read', async () => {
    const { rpc, conversations } = stage()
    rpc.accounts.getUinfos.mockRejectedValueOnce(new Error('gone'))
    await conversations.readNames(['mei', 'mei', ''])
    expect(conversations.nameOf('mei')).toBe('mei')
    await conversations.readNames(['mei'])
    expect(rpc.accounts.getUinfos).toHaveBeenLastCalledWith({ profileId: 'local', call: { accids: ['mei'] } })
    expect([conversations.nameOf('mei'), rpc.accounts.getUinfos.mock.calls.length]).toEqual(['Mei', 2])
  })
})

describe('lines of a conversation', () => {
  it('are read over the link before the oldest, until the first one', async () => {
    const { rpc, messaging, conversations, tell } = stage()
    tell({ type: 'linkSession', session: session('online') })
    rpc.link.history.mockResolvedValueOnce({ events: [message(5), message(6)], more: true })
    await conversations.load(mei, false)
    expect(messaging.panel.whole.has('p2p mei')).toBe(false)
    await conversations.load(mei, true)
    expect(rpc.link.history.mock.calls.map(([{ call }]) => call)).toEqual([
      { scene: 'p2p', with: 'mei', limit: 50 },
      { scene: 'p2p', with: 'mei', limit: 50, before: 5 },
    ])
    expect(messaging.panel.lines.get('p2p mei')?.map(({ id }) => id)).toEqual([1, 2, 5, 6])
    expect([messaging.panel.whole.has('p2p mei'), messaging.panel.last.get('p2p mei')?.id]).toEqual([true, 6])
  })

  it('are read through the API by time, those of a team as the account sees them', async () => {
    const { rpc, messaging, conversations } = stage()
    const full = Array.from({ length: 100 }, (_, index) => ({
      msgid: index + 10,
      sendtime: (index + 10) * 1_000,
      type: 0,
      from: 'mei',
      body: { msg: 'x' },
    }))
    rpc.history.session.mockResolvedValueOnce({ size: 100, msgs: full })
    await conversations.load(mei, false)
    expect(messaging.panel.whole.has('p2p mei')).toBe(false)
    await conversations.load(mei, true)
    expect(rpc.history.session.mock.calls.map(([{ call }]) => call)).toEqual([
      { from: 'ana', to: 'mei', limit: 100, reverse: 2 },
      { from: 'ana', to: 'mei', limit: 100, reverse: 2, endtime: 10_000 },
    ])
    expect(messaging.panel.whole.has('p2p mei')).toBe(true)
    await conversations.load({ scene: 'team', with: '7' }, false)
    expect(rpc.history.team).toHaveBeenCalledWith({
      profileId: 'local',
      call: { tid: '7', accid: 'ana', limit: 100, reverse: 2 },
    })
  })

  it('are sent to a team, and recalled there, by each way', async () => {
    const { rpc, messaging, conversations, tell } = stage()
    const team = { scene: 'team', with: '7' } as const
    await conversations.send(team, 0, { msg: 'mine' }, 'c1')
    expect(rpc.messages.send).toHaveBeenCalledWith({
      profileId: 'local',
      call: { from: 'ana', ope: 1, to: '7', type: 0, body: '{"msg":"mine"}' },
    })
    expect(messaging.panel.last.get('team 7')).toMatchObject({ id: 9, from: 'ana', via: 'REST', held: true })
    await conversations.recall(team, messaging.panel.last.get('team 7')!, '')
    expect(rpc.messages.recall).toHaveBeenCalledWith({
      profileId: 'local',
      call: { deleteMsgid: 9, timetag: 9_000, type: 8, from: 'ana', to: '7' },
    })
    tell({ type: 'linkSession', session: session('online') })
    await conversations.send(mei, 0, { msg: 'mine' }, 'c2')
    expect(rpc.link.send).toHaveBeenCalledWith({
      profileId: 'local',
      accid: 'ana',
      call: { scene: 'p2p', to: 'mei', type: 0, body: '{"msg":"mine"}', clientId: 'c2' },
    })
    expect(messaging.panel.last.get('p2p mei')).toMatchObject({ via: 'PC', held: false })
  })

  it('are not marked read without a session or a line to the app, and up to a later one again', async () => {
    const { rpc, messaging, conversations, tell, companion } = stage()
    companion.line = 'open'
    await conversations.read(mei, 3)
    tell({ type: 'linkSession', session: session('online') })
    companion.line = 'lost'
    await conversations.read(mei, 3)
    expect(rpc.link.read).not.toHaveBeenCalled()
    companion.line = 'open'
    messaging.change('local', 'ana', { unread: new Map([['p2p mei', 4]]) })
    await conversations.read(mei, 3)
    await conversations.read(mei, 2)
    await conversations.read(mei, 4)
    expect(rpc.link.read.mock.calls.map(([{ call }]) => call.upTo)).toEqual([3, 4])
    expect(messaging.panel.unread.get('p2p mei')).toBe(0)
  })
})

describe('an answer to a request', () => {
  it.each([
    ['friend', true, { accid: 'mei', type: 3 }],
    ['friend', false, { accid: 'mei', type: 4 }],
    ['invitation', true, { tid: '7', accept: true }],
    ['application', false, { tid: '7', accept: false, accid: 'mei' }],
  ] as const)('goes over the link, and the request with it: %s, %s', async (kind, accept, call) => {
    const { rpc, messaging, conversations } = stage()
    const tid = kind === 'friend' ? '' : '7'
    const ask = { kind, from: 'mei', tid, tname: '', msg: '', at: 1 }
    messaging.change('local', 'ana', { asks: [ask, { ...ask, from: 'lee' }] })
    await conversations.answer(ask, accept)
    const answered = kind === 'friend' ? rpc.link.friend : rpc.link.teamAnswer
    expect(answered.mock.calls).toEqual([[{ profileId: 'local', accid: 'ana', call }]])
    expect(messaging.panel.asks.map(({ from }) => from)).toEqual(['lee'])
  })

  it('leaves the request where it was refused', async () => {
    const { rpc, messaging, conversations } = stage()
    const ask = { kind: 'friend', from: 'mei', tid: '', tname: '', msg: '', at: 1 } as const
    messaging.change('local', 'ana', { asks: [ask] })
    rpc.link.friend.mockRejectedValueOnce(new Error('refused'))
    await expect(conversations.answer(ask, true)).rejects.toThrow('refused')
    expect(messaging.panel.asks).toEqual([ask])
  })
})

describe('names of accounts', () => {
  it('are asked for 200 at once at most, each once, and an account stands where there is none', async () => {
    const { rpc, conversations } = stage()
    const many = Array.from({ length: 201 }, (_, index) => `u${index}`)
    await conversations.readNames(['mei', '', 'mei', ...many])
    const asked = (): string[][] =>
      (rpc.accounts.getUinfos.mock.calls as unknown as [{ call: { accids: string[] } }][]).map(
        ([{ call }]) => call.accids,
      )
    expect([asked().length, asked()[0]?.length, asked()[0]?.slice(0, 2)]).toEqual([1, 200, ['mei', 'u0']])
    await conversations.readNames(['mei', 'u5', 'u199', 'u200'])
    expect(asked()[1]).toEqual(['u199', 'u200'])
    await conversations.readNames(['mei', 'u200'])
    expect(asked()).toHaveLength(2)
    expect([conversations.nameOf('mei'), conversations.nameOf('u5')]).toEqual(['Mei', 'u5'])
  })
})
