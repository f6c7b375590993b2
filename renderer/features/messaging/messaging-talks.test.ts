import { createPinia } from 'pinia'
import { createApp } from 'vue'
import { expect, it, vi } from 'vitest'
import type { LinkPush } from '../../../contract/link/frames.ts'
import type { LinkSession } from '../../../contract/rpc/index.ts'
import type { RpcClient } from '../../data/client.ts'
import { useCompanion } from '../../data/companion.ts'
import { applyEvent } from '../../events.ts'
import { useMessaging } from './messaging.ts'
import { useTalks } from './messaging-talks.ts'
import { servicesKey } from '../../data/services.ts'

const profile = {
  id: 'local',
  kind: 'local',
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

/** The stores of a page that acts as ana, with a companion that notes what it was asked. */
function stage() {
  const stored = new Map<string, string>()
  const rpc = {
    messaging: {
      link: {
        send: vi.fn(async () => ({ msgid: 9, timetag: 9_000, antispam: false })),
        history: vi.fn(async () => ({ events: [message(1), message(2)], more: false })),
        recall: vi.fn(async () => ({})),
        read: vi.fn(async () => ({ unread: 0, total: 0 })),
      },
      signIn: vi.fn(async () => session('connecting')),
      signOut: vi.fn(async () => undefined),
    },
    operations: {
      messages: {
        send: vi.fn(async () => ({ data: { msgid: 9, timetag: 9_000, antispam: true } })),
        recall: vi.fn(async () => ({})),
      },
      history: {
        session: vi.fn(async () => ({
          size: 1,
          msgs: [{ msgid: 1, sendtime: 1_000, type: 0, from: 'mei', body: { msg: 'line 1' } }],
        })),
      },
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
    talks: useTalks(pinia),
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
  const { rpc, messaging, talks, tell } = stage()
  tell({ type: 'linkSession', session: session('online') })
  expect(messaging.live).toBe(true)
  await talks.load(mei, false)
  tell(push(message(3)))
  expect(await talks.send(mei, 0, { msg: 'mine' }, 'c1')).toBe(false)
  const lines = () => messaging.desk.lines.get('p2p mei') ?? []
  expect(lines().map(({ id }) => id)).toEqual([1, 2, 3, 9])
  expect(talks.rows).toMatchObject([{ key: 'p2p mei', name: 'Mei', last: { id: 9 } }])
  await talks.recall(mei, lines()[3]!, '')
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
  const { rpc, talks, tell, companion } = stage()
  rpc.link.read.mockRejectedValueOnce(new Error('gone'))
  tell({ type: 'linkSession', session: session('online') })
  companion.line = 'open'
  await talks.read(mei, 3)
  await talks.read(mei, 3)
  await talks.read(mei, 3)
  expect(rpc.link.read).toHaveBeenCalledTimes(2)
})

it('acts through the API when nobody is signed in or the token was refused', async () => {
  const { rpc, messaging, talks, tell } = stage()
  tell({ type: 'linkSession', session: { ...session('refused'), reason: { code: 'credentials', params: {} } } })
  expect(messaging.live).toBe(false)
  await talks.load(mei, false)
  expect(await talks.send(mei, 0, { msg: 'jackpot' }, 'c1')).toBe(true)
  const lines = messaging.desk.lines.get('p2p mei') ?? []
  expect(lines.map(({ id, held }) => [id, held])).toEqual([
    [1, false],
    [9, true],
  ])
  await talks.recall(mei, lines[1]!, 'oops')
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
  expect(JSON.stringify([...stored, ...messaging.sessions, messaging.desk])).not.toContain('canary-token')
  expect(stored.get('sidestage.talks.local.ana')).toBe('["p2p mei"]')
  await messaging.signOut('ana', false)
  expect(messaging.session).toBeNull()
})
