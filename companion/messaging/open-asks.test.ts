import { expect, it } from 'vitest'
import type { LinkPush } from '../../contract/link/frames.ts'
import { createOpenAsks } from './open-asks.ts'

const friend = (from: string, type: number, to = 'ana'): LinkPush => ({ t: 'friend', at: 1, from, to, type })
const invite = (tid: string, from: string): LinkPush => ({
  t: 'teamInvite',
  at: 1,
  tid,
  tname: '',
  from,
  to: ['ana'],
})
const apply = (tid: string, from: string): LinkPush => ({ t: 'teamApply', at: 1, tid, tname: '', from })
const named = (asks: ReturnType<typeof createOpenAsks>): string[] =>
  asks.all().map(({ accid, push }) => `${accid} ${push.t} ${'from' in push ? push.from : ''}`)

it('keeps requests of others to an account, and none of its own', () => {
  const asks = createOpenAsks()
  asks.came('ana', friend('mei', 2))
  asks.came('ana', friend('ana', 2, 'lee'))
  asks.came('ana', friend('kim', 1))
  asks.came('ana', invite('1', 'mei'))
  asks.came('ana', invite('2', 'ana'))
  asks.came('ana', apply('3', 'mei'))
  asks.came('ana', apply('3', 'ana'))
  asks.came('ana', { t: 'presence', accid: 'mei', online: true, clientTypes: [] })
  expect(named(asks)).toEqual(['ana friend mei', 'ana teamInvite mei', 'ana teamApply mei'])
  expect(asks.all()[0]).toEqual({ accid: 'ana', push: friend('mei', 2) })
})

it.each([
  ['another event of the two', friend('mei', 5)],
  ['an answer from another device', friend('ana', 3, 'mei')],
])('ends a request of a friend by %s', (_what, push) => {
  const asks = createOpenAsks()
  asks.came('ana', friend('mei', 2))
  asks.came('lee', friend('mei', 2, 'lee'))
  asks.came('ana', friend('kim', 2))
  asks.came('ana', push)
  expect(named(asks)).toEqual(['lee friend mei', 'ana friend kim'])
})

it('ends what was answered and nothing else', () => {
  const asks = createOpenAsks()
  asks.came('ana', friend('mei', 2))
  asks.came('ana', friend('kim', 2))
  for (const tid of ['1', '12']) for (const from of ['mei', 'kim']) asks.came('ana', invite(tid, from))
  for (const from of ['mei', 'kim']) asks.came('ana', apply('1', from))
  asks.friendAnswered('ana', 'mei')
  asks.friendAnswered('lee', 'kim')
  asks.applicationAnswered('ana', '1', 'kim')
  asks.applicationAnswered('ana', '12', 'mei')
  // All invitations to a team are answered together.
  asks.invitationAnswered('ana', '1')
  asks.invitationAnswered('lee', '12')
  expect(named(asks)).toEqual(['ana friend kim', 'ana teamInvite mei', 'ana teamInvite kim', 'ana teamApply mei'])
})

it('keeps at most 500, of which a repeated one is the newest', () => {
  const asks = createOpenAsks()
  for (let n = 0; n < 500; n++) asks.came('ana', friend(`a${n}`, 2))
  asks.came('ana', friend('a0', 2))
  asks.came('ana', friend('new', 2))
  const all = named(asks)
  expect([all.length, all[0], all.slice(-2)]).toEqual([500, 'ana friend a2', ['ana friend a0', 'ana friend new']])
})
