import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMemoryJournal } from '../journal/memory-journal.ts'
import { createFriends } from './friends.ts'
import { createRelationsRig, uid, type RelationsRig } from './testing/rig.ts'

let rig: RelationsRig
beforeEach(async () => {
  rig = await createRelationsRig()
  await rig.people('bob', 'amy', 'eve')
})
afterEach(() => rig.close())

const frames = () => rig.events.map(({ frame }) => frame)
const refused = { code: 414 }

describe('a friendship', () => {
  it('made at once is there for both, and both are told, once', async () => {
    await rig.act('bob', 1, 'amy', 'hi')
    await rig.act('bob', 1, 'amy')
    await rig.act('amy', 1, 'bob')
    expect([rig.friendsOf('bob'), rig.friendsOf('amy'), rig.friendsOf('eve')]).toEqual([['amy'], ['bob'], []])
    expect(frames()).toEqual([
      { t: 'friend', from: 'bob', to: 'amy', type: 1, msg: 'hi', seq: 1, at: expect.any(Number) as number },
    ])
    expect(rig.events[0]).toMatchObject({
      to: { accids: ['amy', 'bob'] },
      keep: { history: false, roam: true, offline: true },
    })
  })

  it('that was asked for begins when it is accepted', async () => {
    await rig.act('bob', 2, 'amy', 'please')
    expect(rig.friendsOf('amy')).toEqual([])
    await rig.act('amy', 3, 'bob')
    expect([rig.friendsOf('bob'), rig.friendsOf('amy')]).toEqual([['amy'], ['bob']])
    expect(frames()).toMatchObject([
      { from: 'bob', to: 'amy', type: 2, msg: 'please' },
      { from: 'amy', to: 'bob', type: 3 },
    ])
  })

  it('that was rejected does not begin, nor by an acceptance after that', async () => {
    await rig.act('bob', 2, 'amy')
    await rig.act('amy', 4, 'bob', 'no')
    await rig.act('amy', 3, 'bob')
    expect([rig.friendsOf('bob'), rig.friendsOf('amy')]).toEqual([[], []])
    expect(frames().map((frame) => 'type' in frame && frame.type)).toEqual([2, 4])
  })

  it('does not begin by accepting or rejecting what nobody asked, nor by accepting the own request', async () => {
    await rig.act('bob', 3, 'amy')
    await rig.act('bob', 4, 'amy')
    await rig.act('bob', 2, 'amy')
    await rig.act('bob', 3, 'amy')
    expect(rig.friendsOf('bob')).toEqual([])
    expect(frames()).toHaveLength(1)
  })

  it('ends for both', async () => {
    await rig.act('bob', 1, 'amy')
    await rig.act('bob', 1, 'eve')
    await rig.act('amy', 5, 'bob')
    expect([rig.friendsOf('bob'), rig.friendsOf('amy')]).toEqual([['eve'], []])
    expect(frames().at(-1)).toMatchObject({ from: 'amy', to: 'bob', type: 5 })
    await expect(rig.act('amy', 5, 'bob')).rejects.toMatchObject(refused)
  })

  it('settles the requests of both sides when it begins', async () => {
    await rig.act('bob', 2, 'amy')
    await rig.act('amy', 2, 'bob')
    await rig.act('amy', 1, 'bob')
    await rig.act('bob', 5, 'amy')
    await rig.act('amy', 3, 'bob')
    await rig.act('bob', 3, 'amy')
    expect(rig.friendsOf('bob')).toEqual([])
    expect(await rig.store.db.selectFrom('friendRequest').selectAll().execute()).toEqual([])
  })

  it('needs two accounts that are registered and not the same', async () => {
    for (const action of [1, 2, 3, 4, 5] as const) {
      await expect(rig.act('bob', action, 'nobody')).rejects.toMatchObject(refused)
      await expect(rig.act('nobody', action, 'bob')).rejects.toMatchObject(refused)
      await expect(rig.act('bob', action, 'bob')).rejects.toMatchObject(refused)
    }
    expect(rig.events).toEqual([])
  })

  it('has a name for each side, which counts as a change', async () => {
    await rig.act('bob', 1, 'amy')
    await rig.act('bob', 1, 'eve')
    await rig.friends.rename(uid, 'bob', 'amy', { alias: 'Amélie' })
    expect(rig.friends.friendsOf(uid, 'bob').map(({ friend, alias }) => [friend, alias])).toEqual([
      ['eve', ''],
      ['amy', 'Amélie'],
    ])
    expect(rig.friends.friendsOf(uid, 'amy')[0]).toMatchObject({ friend: 'bob', alias: '' })
    await expect(rig.friends.rename(uid, 'amy', 'eve', { alias: 'x' })).rejects.toMatchObject(refused)
  })

  it('is known from both sides, and of one application', async () => {
    await rig.act('bob', 1, 'amy')
    const are = (accid: string, other: string, of = uid): boolean => rig.friends.areFriends(of, accid, other)
    expect([are('bob', 'amy'), are('amy', 'bob'), are('bob', 'eve'), are('bob', 'amy', uid + 1)]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it('is refused to who has 5,000 friends already, on either side, and possible again after one ended', async () => {
    const rows = Array.from({ length: 5000 }, (_, index) => ({ uid, accid: 'bob', friend: `f${index}` }))
    const full = createFriends(
      { friends: rows.map((row) => ({ ...row, alias: '', ex: '', changed: 1 })), requests: [] },
      {
        journal: createMemoryJournal(rig.store),
        accounts: rig.accounts,
        lists: rig.lists,
        stream: {
          publish(event) {
            event.change?.({ seq: 1, at: 1 }).apply()
            return Promise.resolve({ seq: 1, at: 1 })
          },
        },
        copies: { wants: () => false, enqueue: () => Promise.resolve() },
        clock: rig.clock,
      },
    )
    await rig.people('f0')
    const act = (accid: string, other: string, action: 1 | 5) =>
      full.act(uid, { accid, other, action, clientType: 'REST' })
    await expect(act('bob', 'amy', 1)).rejects.toMatchObject(refused)
    await expect(act('amy', 'bob', 1)).rejects.toMatchObject(refused)
    await act('bob', 'f0', 5)
    await act('amy', 'bob', 1)
    expect(full.areFriends(uid, 'bob', 'amy')).toBe(true)
  })

  it('keeps alias and extension when the other side changes, and nothing is changed by no values', async () => {
    await rig.act('bob', 1, 'amy')
    await rig.friends.rename(uid, 'bob', 'amy', { alias: 'A' })
    await rig.friends.rename(uid, 'bob', 'amy', { ex: 'x' })
    await rig.friends.rename(uid, 'amy', 'bob', { alias: 'B' })
    const [before] = rig.friends.friendsOf(uid, 'bob')
    expect(before).toMatchObject({ friend: 'amy', alias: 'A', ex: 'x' })
    await rig.friends.rename(uid, 'bob', 'amy', {})
    expect(rig.friends.friendsOf(uid, 'bob')).toEqual([before])
    await expect(rig.friends.rename(uid, 'bob', 'nobody', { alias: 'x' })).rejects.toMatchObject(refused)
  })

  it('is not there when its event could not be stored', async () => {
    rig.faults.copies = true
    await expect(rig.act('bob', 1, 'amy')).rejects.toThrow('broken')
    expect([rig.friendsOf('bob'), rig.events]).toEqual([[], []])
    expect(await rig.store.db.selectFrom('friend').selectAll().execute()).toEqual([])
    rig.faults.copies = false
    await rig.act('bob', 1, 'amy')
    expect(rig.friendsOf('bob')).toEqual(['amy'])
  })
})

describe('friendships and requests', () => {
  it('are all there after a restart', async () => {
    await rig.act('bob', 1, 'amy')
    await rig.friends.rename(uid, 'bob', 'amy', { alias: 'a', ex: 'x' })
    await rig.act('eve', 2, 'bob')
    await rig.act('bob', 1, 'eve')
    await rig.act('bob', 5, 'eve')
    await rig.act('amy', 2, 'eve')
    rig = await rig.again()
    expect(rig.friends.friendsOf(uid, 'bob')).toMatchObject([{ friend: 'amy', alias: 'a', ex: 'x' }])
    await rig.act('bob', 3, 'eve')
    await rig.act('eve', 3, 'amy')
    expect([rig.friendsOf('bob'), rig.friendsOf('eve')]).toEqual([['amy'], ['amy']])
  })

  it('are bounded: of more than 1,000 requests to one account the oldest is forgotten', async () => {
    const askers = Array.from({ length: 1001 }, (_, index) => `asker-${index}`)
    await rig.people(...askers)
    await Promise.all(askers.slice(0, 1000).map((asker) => rig.act(asker, 2, 'bob')))
    await rig.act('asker-1000', 2, 'bob')
    expect(await rig.store.db.selectFrom('friendRequest').selectAll().execute()).toHaveLength(1000)
    for (const asker of ['asker-0', 'asker-1', 'asker-1000']) await rig.act('bob', 3, asker)
    expect(rig.friendsOf('bob')).toEqual(['asker-1', 'asker-1000'])
  })
})

describe('who is on the blacklist of the other', () => {
  beforeEach(() => rig.lists.setListed(uid, { accid: 'amy', target: 'bob', kind: 1, on: true }))

  it('asks without noticing, and the other hears and can accept nothing', async () => {
    await rig.act('bob', 2, 'amy')
    expect(rig.events.at(-1)).toMatchObject({ hidden: true, frame: { t: 'friend', from: 'bob', to: 'amy' } })
    await rig.act('amy', 3, 'bob')
    expect(rig.friendsOf('amy')).toEqual([])
  })

  it('cannot become a friend at once over the link; the server of the application may decide so', async () => {
    await rig.actOnLink('bob', 1, 'amy')
    expect(rig.events.at(-1)).toMatchObject({ hidden: true, origin: 'session-1' })
    expect(rig.friendsOf('amy')).toEqual([])
    await rig.act('bob', 1, 'amy')
    expect(rig.events.at(-1)?.hidden).toBeUndefined()
    expect(rig.friendsOf('amy')).toEqual(['bob'])
  })
})

describe('copies of friend notices', () => {
  it('carry vt, the text and who acted; an end has no attach', async () => {
    await rig.act('bob', 2, 'amy', 'please')
    await rig.actOnLink('amy', 3, 'bob')
    await rig.act('bob', 5, 'amy')
    const common = { eventType: '1', convType: 'CUSTOM_PERSON', customSafeFlag: '1' }
    expect(rig.copied).toEqual([
      {
        ...common,
        msgType: 'FRIEND_ADD',
        attach: '{"vt":2}',
        body: 'please',
        fromAccount: 'bob',
        to: 'amy',
        fromClientType: 'REST',
        fromNick: 'BOB',
        msgTimestamp: String(rig.events[0]!.at),
        msgidServer: '1',
      },
      {
        ...common,
        msgType: 'FRIEND_ADD',
        attach: '{"vt":3}',
        fromAccount: 'amy',
        to: 'bob',
        fromClientType: 'PC',
        fromDeviceId: 'd1',
        fromNick: 'AMY',
        msgTimestamp: String(rig.events[1]!.at),
        msgidServer: '2',
      },
      {
        ...common,
        msgType: 'FRIEND_DELETE',
        fromAccount: 'bob',
        to: 'amy',
        fromClientType: 'REST',
        fromNick: 'BOB',
        msgTimestamp: String(rig.events[2]!.at),
        msgidServer: '3',
      },
    ])
  })
})
