import { expect, it } from 'vitest'
import type { KickReason, Session } from './session.ts'
import { createSessions } from './sessions.ts'

/** A registry, sessions for it, and what each of them was told. */
function made() {
  const sessions = createSessions()
  const told: string[] = []
  const session = (id: string, more: Partial<Session> = {}): Session =>
    ({
      id,
      uid: 1,
      accid: 'ann',
      device: id,
      clientType: 'WEB',
      isGuest: false,
      watched: [],
      kick: (reason: KickReason) => told.push(`${id} kicked ${reason}`),
      connection: {
        write: (frame: Buffer) => told.push(`${id} ${frame.toString().slice(frame.indexOf('{'))}`),
        say: (object: object) => told.push(`${id} ${JSON.stringify(object)}`),
        end: (code: number) => told.push(`${id} ended ${code}`),
      },
      ...more,
    }) as unknown as Session
  return { sessions, session, take: () => told.splice(0) }
}
const presence = (...clientTypes: string[]): string =>
  JSON.stringify({ t: 'presence', accid: 'ann', online: clientTypes.length > 0, clientTypes })

it('whoever watches an account is told when it comes, when it goes and when it is kicked', () => {
  const { sessions, session, take } = made()
  sessions.watch(session('w', { accid: 'bob' }), ['ann'])
  const web = session('web')
  sessions.add(web)
  sessions.add(session('pc', { clientType: 'PC' }))
  expect(take()).toEqual([`w ${presence('WEB')}`, `w ${presence('WEB', 'PC')}`])
  expect([sessions.remove(web), sessions.remove(web)]).toEqual([true, false])
  expect(take()).toEqual([`w ${presence('PC')}`])
  expect(sessions.kick(1, 'ann', 'blocked')).toBe(1)
  expect(take()).toEqual(['pc kicked blocked', `w ${presence()}`])
})

it('presence of an account is told to those who watch it in the same application, and to nobody else', () => {
  const { sessions, session, take } = made()
  sessions.watch(session('other', { uid: 2, accid: 'bob' }), ['ann'])
  sessions.watch(session('elsewhere', { accid: 'bob' }), ['cem'])
  sessions.add(session('web'))
  expect(take()).toEqual([])
})

it('a session that has ended is told of no presence any more', () => {
  const { sessions, session, take } = made()
  const bob = session('b', { accid: 'bob' })
  sessions.add(bob)
  sessions.watch(bob, ['ann'])
  sessions.remove(bob)
  sessions.add(session('web'))
  expect(take()).toEqual([])
})

it('kicking an account ends all its sessions and those of nobody else, and counts them', () => {
  const { sessions, session, take } = made()
  for (const one of [session('web'), session('pc', { clientType: 'PC' }), session('b', { accid: 'bob' })])
    sessions.add(one)
  sessions.add(session('same name', { uid: 2 }))
  expect(sessions.kick(1, 'ann', 'ended')).toBe(2)
  expect(take()).toEqual(['web kicked ended', 'pc kicked ended'])
  expect([sessions.online(1, 'ann'), sessions.online(1, 'bob'), sessions.online(2, 'ann')]).toEqual([
    [],
    ['WEB'],
    ['WEB'],
  ])
  expect(sessions.kick(1, 'ann', 'ended')).toBe(0)
})

it('the end of a session is told once, whether it went, was kicked or was replaced', () => {
  const { sessions, session } = made()
  const ended: string[] = []
  const stop = sessions.onEnded(({ id }) => void ended.push(id))
  const [one, two, three] = [session('1', { device: 'd' }), session('2', { device: 'd' }), session('3')]
  sessions.add(one)
  sessions.add(two)
  expect(ended).toEqual(['1'])
  sessions.add(three)
  expect(ended).toEqual(['1', '2'])
  sessions.remove(two)
  sessions.kick(1, 'ann', 'closing')
  sessions.remove(three)
  expect(ended).toEqual(['1', '2', '3'])
  stop()
  sessions.add(session('4'))
  sessions.kick(1, 'ann', 'closing')
  expect(ended).toHaveLength(3)
})

it('a push outside of the stream goes to every session of its account, and says how many there were', () => {
  const { sessions, session, take } = made()
  for (const one of [session('web'), session('pc', { clientType: 'PC' }), session('b', { accid: 'bob' })])
    sessions.add(one)
  expect([sessions.tell(1, 'ann', { t: 'x' }), sessions.tell(1, 'cem', { t: 'x' })]).toEqual([2, 0])
  expect(take()).toEqual(['web {"t":"x"}', 'pc {"t":"x"}'])
})

it('eight tabs of a guest stand beside each other, and the oldest is put out for the ninth', () => {
  const { sessions, session, take } = made()
  for (let tab = 1; tab <= 8; tab++) sessions.add(session(`tab${tab}`, { isGuest: true }))
  expect([sessions.of(1, 'ann').length, take()]).toEqual([8, []])
  sessions.add(session('tab9', { isGuest: true }))
  expect(take()).toEqual(['tab1 kicked elsewhere'])
  expect(sessions.of(1, 'ann').map(({ id }) => id)).toEqual([2, 3, 4, 5, 6, 7, 8, 9].map((tab) => `tab${tab}`))
})

it('a session watches the accounts of its last request, each of them once', () => {
  const { sessions, session, take } = made()
  const bob = session('b', { accid: 'bob' })
  sessions.watch(bob, ['cem'])
  sessions.watch(bob, ['ann', 'ann'])
  expect(bob.watched).toEqual(['ann'])
  sessions.add(session('web'))
  sessions.add(session('cem', { accid: 'cem' }))
  expect(take()).toEqual([`b ${presence('WEB')}`])
  sessions.watch(bob, [])
  sessions.add(session('pc', { clientType: 'PC' }))
  expect(take()).toEqual([])
})

it('one of the same device is replaced without a word, and whoever watches is told once what is online then', () => {
  const { sessions, session, take } = made()
  sessions.add(session('1', { device: 'd' }))
  sessions.watch(session('w', { accid: 'bob' }), ['ann'])
  sessions.add(session('2', { device: 'd', clientType: 'PC' }))
  expect(take()).toEqual(['1 ended 4403', `w ${presence('PC')}`])
  expect(sessions.of(1, 'ann').map(({ id }) => id)).toEqual(['2'])
})

it('all sessions of all applications are given, and none that has ended', () => {
  const { sessions, session } = made()
  const [one, two, three] = [session('1'), session('2', { accid: 'bob' }), session('3', { uid: 2 })]
  for (const each of [one, two, three]) sessions.add(each)
  sessions.remove(two)
  expect([...sessions.all()]).toEqual([one, three])
})
