import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { NewEvent } from '../events/event.ts'
import { maxCounted } from './unread.ts'
import { message, startStream, teamMessage, type StreamRig } from './testing/rig.ts'

let rig: StreamRig
beforeEach(async () => {
  rig = await startStream()
})
afterEach(() => rig.close())

const none = { history: false, roam: false, offline: false }
const withoutBadge = (event: NewEvent): NewEvent => ({
  ...event,
  frame: { ...event.frame, badge: false } as NewEvent['frame'],
})
const notification = (from: string, to: string): NewEvent => ({
  uid: 1,
  from,
  to: { accids: [to] },
  sync: false,
  keep: { history: false, roam: false, offline: true },
  frame: { t: 'notification', scene: 'p2p', from, to, attach: '{}', push: true, badge: true },
})

describe('unread counts', () => {
  it('count messages of others by conversation, and all of them for the badge', async () => {
    rig.teams.set('bob', [{ tid: 7, since: 1 }])
    for (const text of ['1', '2']) await rig.stream.publish(message('ann', 'bob', text))
    await rig.stream.publish(message('eve', 'bob', '3'))
    await rig.stream.publish(message('bob', 'ann', 'own'))
    await rig.stream.publish(teamMessage('ann', 7, '4'))
    await rig.stream.publish(teamMessage('bob', 7, 'own'))
    const { total, conversations } = await rig.stream.unread(1, 'bob')
    expect(total).toBe(4)
    expect(
      new Set(conversations.map(({ peer, unread }) => `${peer.scene === 'team' ? peer.tid : peer.accid} ${unread}`)),
    ).toEqual(new Set(['ann 2', 'eve 1', '7 1']))
    expect((await rig.stream.unread(1, 'ann')).total).toBe(1)
    expect((await rig.stream.unread(2, 'bob')).total).toBe(0)
  })

  it('leave out what has no badge, what comes from the mute list, what nobody keeps, and what was taken back', async () => {
    rig.teams.set('bob', [{ tid: 7, since: 1 }])
    await rig.stream.publish(withoutBadge(message('ann', 'bob', 'x')))
    await rig.stream.publish(withoutBadge(teamMessage('ann', 7, 'x')))
    await rig.stream.publish(message('ann', 'bob', 'x', { noBadgeFor: ['bob'] }))
    await rig.stream.publish(message('ann', 'bob', 'x', { keep: none }))
    const { seq } = await rig.stream.publish(message('ann', 'bob', 'x'))
    expect((await rig.stream.unread(1, 'bob')).total).toBe(1)
    await rig.store.db.updateTable('event').set({ recalled: 1 }).where('seq', '=', seq).execute()
    expect((await rig.stream.unread(1, 'bob')).total).toBe(0)
  })

  it('go down to where a conversation was read, and a mark never goes back', async () => {
    rig.teams.set('bob', [{ tid: 7, since: 1 }])
    for (let index = 0; index < 6; index++)
      await rig.stream.publish(index % 2 ? message('ann', 'bob', 'm') : teamMessage('ann', 7, 't'))
    const ann = { scene: 'p2p', accid: 'ann' } as const
    const team = { scene: 'team', tid: 7 } as const
    expect(await rig.stream.read(1, 'bob', ann, 4)).toEqual({ unread: 1, total: 4 })
    expect(await rig.stream.read(1, 'bob', ann, 2)).toEqual({ unread: 1, total: 4 })
    expect(await rig.stream.read(1, 'bob', team, 5)).toEqual({ unread: 0, total: 1 })
    expect(await rig.stream.read(1, 'bob', team, Number.MAX_SAFE_INTEGER)).toEqual({ unread: 0, total: 1 })
    await rig.stream.publish(teamMessage('ann', 7, 'new'))
    expect((await rig.stream.unread(1, 'bob')).total).toBe(2)
  })

  it('count notifications until a device has them', async () => {
    await rig.stream.publish(notification('ann', 'bob'))
    expect(await rig.stream.unread(1, 'bob')).toEqual({ total: 1, conversations: [] })
    expect((await rig.stream.unread(1, 'ann')).total).toBe(0)
    await rig.stream.received(1, 'bob', 'phone', rig.stream.committed())
    expect((await rig.stream.unread(1, 'bob')).total).toBe(0)
  })

  it('look at the newest 2000 of the inbox and of a team', async () => {
    rig.teams.set('bob', [{ tid: 7, since: 1 }])
    const many = Array.from({ length: 2 * maxCounted + 20 }, (_, index) =>
      index % 2 ? message('ann', 'bob', 'm') : teamMessage('ann', 7, 't'),
    )
    await Promise.all(many.map((event) => rig.stream.publish(event)))
    const { total, conversations } = await rig.stream.unread(1, 'bob')
    expect([total, conversations.map(({ unread }) => unread)]).toEqual([2 * maxCounted, [maxCounted, maxCounted]])
  })

  it('count the last seven days', async () => {
    await rig.stream.publish(message('ann', 'bob', 'x'))
    rig.clock.advance(7 * 86_400_000)
    expect((await rig.stream.unread(1, 'bob')).total).toBe(1)
    rig.clock.advance(1)
    expect((await rig.stream.unread(1, 'bob')).total).toBe(0)
  })

  it('of a team begin with the message that added the member', async () => {
    await rig.stream.publish(teamMessage('ann', 7, 'before'))
    const { seq: since } = await rig.stream.publish(teamMessage('ann', 7, 'bob comes'))
    rig.teams.set('bob', [{ tid: 7, since }])
    await rig.stream.publish(teamMessage('ann', 7, 'after'))
    expect(await rig.stream.unread(1, 'bob')).toEqual({
      total: 2,
      conversations: [{ peer: { scene: 'team', tid: 7 }, unread: 2 }],
    })
  })

  it('of a team leave out what is hidden, was taken back, is of another application', async () => {
    rig.teams.set('bob', [{ tid: 7, since: 1 }])
    await rig.stream.publish(teamMessage('ann', 7, 'x', { hidden: true }))
    const { seq } = await rig.stream.publish(teamMessage('ann', 7, 'x'))
    await rig.stream.publish(teamMessage('ann', 7, 'x', { uid: 2 }))
    await rig.stream.publish(teamMessage('ann', 7, 'x'))
    await rig.store.db.updateTable('event').set({ recalled: 1 }).where('seq', '=', seq).execute()
    expect((await rig.stream.unread(1, 'bob')).total).toBe(1)
    rig.clock.advance(7 * 86_400_000 + 1)
    expect(await rig.stream.unread(1, 'bob')).toEqual({ total: 0, conversations: [] })
  })

  it('count notifications of a team for its members until a device has them, in no conversation', async () => {
    rig.teams.set('bob', [{ tid: 7, since: 1 }])
    await rig.stream.publish({ ...notification('ann', '7'), to: { tid: 7 } })
    await rig.stream.publish({ ...notification('bob', '7'), to: { tid: 7 } })
    expect(await rig.stream.unread(1, 'bob')).toEqual({ total: 1, conversations: [] })
    await rig.stream.received(1, 'bob', 'phone', rig.stream.committed())
    expect((await rig.stream.unread(1, 'bob')).total).toBe(0)
  })

  it('of a conversation do not end when another is read, or another account reads it', async () => {
    await rig.stream.publish(message('ann', 'bob', 'x'))
    await rig.stream.publish(message('eve', 'bob', 'x'))
    expect(await rig.stream.read(1, 'bob', { scene: 'p2p', accid: 'eve' }, 9)).toEqual({ unread: 0, total: 1 })
    await rig.stream.read(1, 'ann', { scene: 'p2p', accid: 'bob' }, 9)
    await rig.stream.read(2, 'bob', { scene: 'p2p', accid: 'ann' }, 9)
    expect(await rig.stream.unread(1, 'bob')).toEqual({
      total: 1,
      conversations: [{ peer: { scene: 'p2p', accid: 'ann' }, unread: 1 }],
    })
  })

  it('are not ended for what comes later, when more is said to be read than there is', async () => {
    await rig.stream.publish(message('ann', 'bob', 'x'))
    await rig.stream.read(1, 'bob', { scene: 'p2p', accid: 'ann' }, Number.MAX_SAFE_INTEGER)
    await rig.stream.publish(message('ann', 'bob', 'new'))
    expect((await rig.stream.unread(1, 'bob')).total).toBe(1)
  })
})
