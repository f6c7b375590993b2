import { expect, it } from 'vitest'
import type { RoomAction } from '../../contract/rpc/index.ts'
import { withNames } from './action-names.ts'

const action = (more: Partial<RoomAction> = {}): RoomAction => ({
  id: 1,
  roomid: 7,
  at: 1,
  operator: 'host',
  what: { kind: 'mute', target: 'ana', on: true },
  why: '',
  undoes: null,
  result: 'done',
  code: 200,
  detail: '',
  failure: null,
  operatorName: '',
  targetName: '',
  line: null,
  ...more,
})
const namesOf = (actions: readonly RoomAction[]) =>
  actions.map(({ operatorName, targetName }) => [operatorName, targetName])
/** Knows some names, and notes what it is asked. */
function directory(known: Readonly<Record<string, string>>) {
  const asked: (readonly string[])[] = []
  const ask = (accids: readonly string[]) => {
    asked.push(accids)
    return Promise.resolve(new Map(Object.entries(known).filter(([accid]) => accids.includes(accid))))
  }
  return { ask, asked }
}

it('asks once for each account that no entry names, and fills the names in', async () => {
  const { ask, asked } = directory({ host: 'The host', ana: 'Ana' })
  const named = await withNames([action(), action({ id: 2 }), action({ what: { kind: 'queueClear' } })], ask)
  expect(namesOf(named)).toEqual([
    ['The host', 'Ana'],
    ['The host', 'Ana'],
    ['The host', ''],
  ])
  expect(asked).toEqual([['host', 'ana']])
})

it('uses the name that another entry has, the newest of them, and asks for none of those', async () => {
  const { ask, asked } = directory({})
  const named = await withNames(
    [
      action(),
      action({ operatorName: 'Newer', targetName: 'Ana' }),
      action({ operatorName: 'Older', targetName: 'Anna' }),
    ],
    ask,
  )
  expect(namesOf(named)).toEqual([
    ['Newer', 'Ana'],
    ['Newer', 'Ana'],
    ['Older', 'Anna'],
  ])
  expect(asked).toEqual([])
})

it('leaves empty what nobody knows', async () => {
  const { ask } = directory({ host: 'The host' })
  expect(namesOf(await withNames([action()], ask))).toEqual([['The host', '']])
})

it('asks for 200 names at once at most', async () => {
  const many = Array.from({ length: 450 }, (_, at) =>
    action({ what: { kind: 'mute', target: `guest${at}`, on: true }, operatorName: 'The host' }),
  )
  const { ask, asked } = directory({ guest449: 'The last' })
  const named = await withNames(many, ask)
  expect(asked.map((accids) => accids.length)).toEqual([200, 200, 50])
  expect(named.at(-1)?.targetName).toBe('The last')
})

it('stops to ask when the service does not answer, and gives the entries as they are', async () => {
  const many = Array.from({ length: 450 }, (_, at) =>
    action({ what: { kind: 'mute', target: `guest${at}`, on: true } }),
  )
  let asked = 0
  const named = await withNames(many, () => {
    asked += 1
    return Promise.reject(new Error('away'))
  })
  expect([asked, named.length, named[0]]).toEqual([1, 450, many[0]])
})
