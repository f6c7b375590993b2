import { describe, expect, it } from 'vitest'
import { findRecipient, othersIn, readAccid } from './recipient.ts'
import type { SenderTeam } from './sources.ts'

const team: SenderTeam = {
  row: { tid: 7 },
  members: new Map([
    ['ann', { since: 1 }],
    ['bob', { since: 1 }],
    ['mute', { since: 1 }],
  ]),
}
const sources = {
  accounts: { find: (uid: number, accid: string) => (uid === 1 && accid !== 'nobody' ? { name: accid } : undefined) },
  teams: {
    find: (uid: number, tid: string) => (uid === 1 && tid === '7' ? team : undefined),
    maySpeak: (_team: SenderTeam, accid: string) => accid !== 'mute',
  },
}
const find = (more: object) =>
  findRecipient(sources, { uid: 1, from: 'ann', scene: 'p2p', to: 'bob', ...more } as Parameters<
    typeof findRecipient
  >[1])

it.each([
  ['Bob', 'bob'],
  ['a_B@.-9', 'a_b@.-9'],
  ['x'.repeat(32), 'x'.repeat(32)],
  ['x'.repeat(33), undefined],
  ['', undefined],
  ['a b', undefined],
  ['中', undefined],
])('an account that is written %j is %s', (written, accid) => {
  expect(readAccid(written)).toBe(accid)
})

describe('the recipient of a message', () => {
  it('is an account, whatever its case, or a team in which the sender may speak', () => {
    expect(find({ to: 'BOB' })).toEqual({ scene: 'p2p', accid: 'bob' })
    expect(find({ scene: 'team', to: '7' })).toEqual({ scene: 'team', team })
  })

  it.each([
    [{ from: 'nobody' }, 414, 'nobody is not registered', 'missing'],
    [{ to: 'nobody' }, 414, 'nobody is not registered', 'missing'],
    [{ to: 'a b' }, 414, 'a b is not registered', 'missing'],
    [{ uid: 2 }, 414, 'ann is not registered', 'missing'],
    [{ scene: 'team', to: '8' }, 414, 'no such team', 'missing'],
    [{ scene: 'team', to: '7', from: 'eve' }, 403, 'eve is not in the team', 'other'],
    [{ scene: 'team', to: '7', from: 'mute' }, 403, 'mute is muted in the team', 'other'],
    [{ scene: 'team', to: '8', from: 'nobody' }, 414, 'nobody is not registered', 'missing'],
  ])('with %j is refused with %i: %s', (more, code, message, reason) => {
    expect(() => find(more)).toThrow(expect.objectContaining({ code, message, reason }))
  })
})

it('the others of a team are its members without one', () => {
  expect([othersIn(team, 'bob'), othersIn(team, 'eve')]).toEqual([
    ['ann', 'mute'],
    ['ann', 'bob', 'mute'],
  ])
})
