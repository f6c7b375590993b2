import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMemoryJournal } from '../journal/memory-journal.ts'
import { createSpecialLists, listKinds } from './special-lists.ts'
import { createRelationsRig, uid, type RelationsRig } from './testing/rig.ts'

let rig: RelationsRig
beforeEach(async () => {
  rig = await createRelationsRig()
  await rig.people('bob', 'amy', 'eve')
})
afterEach(() => rig.close())

const { blacklist, mute } = listKinds
const set = (accid: string, target: string, kind: 1 | 2, on: boolean, origin?: string) =>
  rig.lists.setListed(uid, { accid, target, kind, on, ...(origin !== undefined && { origin }) })

describe('blacklist and mute list', () => {
  it('are independent of each other, and of one direction', async () => {
    await set('bob', 'amy', blacklist, true)
    await set('bob', 'eve', mute, true)
    expect(rig.lists.hasBlacklisted(uid, 'bob', 'amy')).toBe(true)
    expect(rig.lists.hasBlacklisted(uid, 'amy', 'bob')).toBe(false)
    expect(rig.lists.hasQuieted(uid, 'bob', 'amy')).toBe(false)
    expect(rig.lists.hasQuieted(uid, 'bob', 'eve')).toBe(true)
    expect(rig.lists.hasBlacklisted(uid + 1, 'bob', 'amy')).toBe(false)
    await set('bob', 'amy', mute, true)
    await set('bob', 'amy', blacklist, false)
    expect([rig.lists.listOf(uid, 'bob', blacklist), rig.lists.listOf(uid, 'bob', mute)]).toEqual([[], ['eve', 'amy']])
  })

  it('tell the devices of their owner, and nobody else, when they change', async () => {
    await set('bob', 'amy', blacklist, true, 'session-1')
    await set('bob', 'amy', blacklist, true)
    await set('bob', 'amy', blacklist, false)
    await set('bob', 'amy', blacklist, false)
    expect(rig.events.map(({ frame, to, origin }) => ({ frame, to, origin }))).toEqual([
      {
        frame: { t: 'relation', accid: 'amy', relation: 1, value: 1, seq: 1, at: expect.any(Number) as number },
        to: { accids: ['bob'] },
        origin: 'session-1',
      },
      {
        frame: { t: 'relation', accid: 'amy', relation: 1, value: 0, seq: 2, at: expect.any(Number) as number },
        to: { accids: ['bob'] },
        origin: undefined,
      },
    ])
    expect(rig.copied).toEqual([])
  })

  it('are all there after a restart', async () => {
    await set('bob', 'amy', blacklist, true)
    await set('bob', 'eve', blacklist, true)
    await set('bob', 'eve', mute, true)
    await set('bob', 'eve', blacklist, false)
    rig = await rig.again()
    expect([rig.lists.listOf(uid, 'bob', blacklist), rig.lists.listOf(uid, 'bob', mute)]).toEqual([['amy'], ['eve']])
  })

  it('take 5,000 entries each and no more, and one again once another is taken off', async () => {
    const stored = Array.from({ length: 5000 }, (_, index) => ({ uid, accid: 'bob', target: `t${index}`, kind: 1 }))
    const full = createSpecialLists(stored, {
      accounts: rig.accounts,
      journal: createMemoryJournal(rig.store),
      stream: {
        publish(event) {
          event.change?.({ seq: 1, at: 1 }).apply()
          return Promise.resolve({ seq: 1, at: 1 })
        },
      },
    })
    await rig.people('t0')
    const listed = (target: string, kind: 1 | 2, on: boolean) => full.setListed(uid, { accid: 'bob', target, kind, on })
    await expect(listed('amy', blacklist, true)).rejects.toMatchObject({ code: 414 })
    expect(full.hasBlacklisted(uid, 'bob', 'amy')).toBe(false)
    await listed('amy', mute, true)
    await listed('t0', blacklist, false)
    await listed('amy', blacklist, true)
    expect([full.hasQuieted(uid, 'bob', 'amy'), full.hasBlacklisted(uid, 'bob', 'amy')]).toEqual([true, true])
  })

  it('take only others that are registered', async () => {
    for (const [accid, target] of [
      ['bob', 'nobody'],
      ['nobody', 'bob'],
      ['bob', 'bob'],
    ] as const)
      await expect(set(accid, target, blacklist, true)).rejects.toMatchObject({ code: 414 })
    expect(rig.events).toEqual([])
  })

  it('have the numbers 1 and 2, and tell also devices that come later, but no history', async () => {
    expect(listKinds).toEqual({ blacklist: 1, mute: 2 })
    await set('bob', 'amy', mute, true)
    expect(rig.events[0]).toMatchObject({
      from: 'bob',
      frame: { t: 'relation', accid: 'amy', relation: 2, value: 1 },
      keep: { history: false, roam: true, offline: true },
    })
  })
})
