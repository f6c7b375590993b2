import { expect, it } from 'vitest'
import type { LinkPush } from '../../contract/link/frames.ts'
import { createOpenRequests } from './open-requests.ts'

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
const named = (requests: ReturnType<typeof createOpenRequests>): string[] =>
  requests.all().map(({ accid, push }) => `${accid} ${push.t} ${'from' in push ? push.from : ''}`)

it('keeps requests of others to an account, and none of its own', () => {
  const requests = createOpenRequests()
  requests.came('ana', friend('mei', 2))
  requests.came('ana', friend('ana', 2, 'lee'))
  requests.came('ana', friend('kim', 1))
  requests.came('ana', invite('1', 'mei'))
  requests.came('ana', invite('2', 'ana'))
  requests.came('ana', apply('3', 'mei'))
  requests.came('ana', apply('3', 'ana'))
  requests.came('ana', { t: 'presence', accid: 'mei', online: true, clientTypes: [] })
  expect(named(requests)).toEqual(['ana friend mei', 'ana teamInvite mei', 'ana teamApply mei'])
  expect(requests.all()[0]).toEqual({ accid: 'ana', push: friend('mei', 2) })
})

it.each([
  ['another event of the two', friend('mei', 5)],
  ['an answer from another device', friend('ana', 3, 'mei')],
])('ends a request of a friend by %s', (_what, push) => {
  const requests = createOpenRequests()
  requests.came('ana', friend('mei', 2))
  requests.came('lee', friend('mei', 2, 'lee'))
  requests.came('ana', friend('kim', 2))
  requests.came('ana', push)
  expect(named(requests)).toEqual(['lee friend mei', 'ana friend kim'])
})

it('ends what was answered and nothing else', () => {
  const requests = createOpenRequests()
  requests.came('ana', friend('mei', 2))
  requests.came('ana', friend('kim', 2))
  for (const tid of ['1', '12']) for (const from of ['mei', 'kim']) requests.came('ana', invite(tid, from))
  for (const from of ['mei', 'kim']) requests.came('ana', apply('1', from))
  requests.friendAnswered('ana', 'mei')
  requests.friendAnswered('lee', 'kim')
  requests.applicationAnswered('ana', '1', 'kim')
  requests.applicationAnswered('ana', '12', 'mei')
  // All invitations to a team are answered together.
  requests.invitationAnswered('ana', '1')
  requests.invitationAnswered('lee', '12')
  expect(named(requests)).toEqual(['ana friend kim', 'ana teamInvite mei', 'ana teamInvite kim', 'ana teamApply mei'])
})

it('keeps at most 500, of which a repeated one is the newest', () => {
  const requests = createOpenRequests()
  for (let n = 0; n < 500; n++) requests.came('ana', friend(`a${n}`, 2))
  requests.came('ana', friend('a0', 2))
  requests.came('ana', friend('new', 2))
  const all = named(requests)
  expect([all.length, all[0], all.slice(-2)]).toEqual([500, 'ana friend a2', ['ana friend a0', 'ana friend new']])
})
