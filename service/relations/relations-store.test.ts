import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadRelations, writeFriends, writeRelation } from './relations-store.ts'
import { createRelationsRig, uid, type RelationsRig } from './testing/rig.ts'

let rig: RelationsRig
beforeEach(async () => {
  rig = await createRelationsRig()
})
afterEach(() => rig.close())

const friend = (accid: string, other: string, more: object = {}) => ({
  uid,
  accid,
  friend: other,
  alias: '',
  ex: '',
  changed: 1,
  ...more,
})
const load = () => loadRelations(rig.store.db)

it('requests are read the oldest first, by the time of the last asking', async () => {
  const ask = (accid: string, at: number) =>
    writeFriends(rig.store.db, { requests: [{ uid, accid, friend: 'bob', at }] })
  await ask('late', 30)
  await ask('early', 10)
  await ask('again', 5)
  await ask('again', 20)
  expect((await load()).requests.map(({ accid, at }) => [accid, at])).toEqual([
    ['early', 10],
    ['again', 20],
    ['late', 30],
  ])
})

it('friendships that are there stay as they are, and end of that account and application only', async () => {
  const { db } = rig.store
  await writeFriends(db, { friends: [friend('bob', 'amy', { alias: 'A' }), friend('amy', 'bob')] })
  await writeFriends(db, {
    friends: [friend('bob', 'amy', { alias: 'new', changed: 9 }), { ...friend('bob', 'amy'), uid: 8 }],
  })
  await writeFriends(db, { renamed: [{ uid, accid: 'amy', friend: 'bob', alias: 'B', changed: 5 }] })
  await writeFriends(db, { renamed: [{ uid, accid: 'amy', friend: 'bob', ex: 'x' }] })
  const sides = async () =>
    (await load()).friends.map((one) => [one.uid, one.accid, one.alias, one.ex, one.changed]).toSorted()
  expect(await sides()).toEqual([
    [7, 'amy', 'B', 'x', 5],
    [7, 'bob', 'A', '', 1],
    [8, 'bob', '', '', 1],
  ])
  await writeFriends(db, { ended: [{ uid, accid: 'bob', friend: 'amy' }] })
  expect((await sides()).map(([of, accid]) => [of, accid])).toEqual([
    [7, 'amy'],
    [8, 'bob'],
  ])
})

it('a request is settled of who asked, not of who was asked', async () => {
  const { db } = rig.store
  const requests = [
    { uid, accid: 'bob', friend: 'amy', at: 1 },
    { uid, accid: 'amy', friend: 'bob', at: 2 },
  ]
  await writeFriends(db, { requests })
  await writeFriends(db, { settled: [{ uid, accid: 'bob', friend: 'amy' }] })
  expect((await load()).requests).toEqual([requests[1]])
})

it('an entry of a list is written once, and taken off that list only', async () => {
  const { db } = rig.store
  const entry = (kind: number, target = 'amy') => ({ uid, accid: 'bob', target, kind })
  for (const one of [entry(1), entry(1), entry(2), entry(1, 'eve')]) await writeRelation(db, one, true)
  await writeRelation(db, entry(1), false)
  await writeRelation(db, entry(2, 'nobody'), false)
  expect((await load()).relations.map(({ target, kind }) => [target, kind]).toSorted()).toEqual([
    ['amy', 2],
    ['eve', 1],
  ])
})
