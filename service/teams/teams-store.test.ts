import { afterEach, beforeEach, expect, it } from 'vitest'
import { byApi, byLink, otherUid, rigUid, startTeams, type TeamsRig } from './testing/rig.ts'

const many = Array.from({ length: 1001 }, (_, index) => `m${index}`)
let rig: TeamsRig
beforeEach(async () => {
  rig = await startTeams(['olga', 'adam', ...many])
  rig.limits.teamSize = 2000
})
afterEach(() => rig.close())

it('a team of more than a thousand is stored whole, in the order in which its members joined', async () => {
  const tid = await rig.made('olga', many)
  await rig.reopen()
  expect([...rig.team(tid).members.keys()]).toEqual(['olga', ...many])
  await rig.teams.kick(rigUid, tid, byApi('olga'), many.slice(1))
  await rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['adam'], agree: false })
  await rig.reopen()
  expect([...rig.team(tid).members.keys()]).toEqual(['olga', 'm0', 'adam'])
})

it('more than 1,000 invitations are stored and settled whole, beside applications of the same accounts', async () => {
  const tid = await rig.made('olga', [], { joinmode: 1 })
  await rig.teams.add(rigUid, tid, byApi('olga'), { accids: many, agree: true, msg: 'come' })
  await rig.teams.apply(rigUid, tid, byLink('m0'), 'me')
  await rig.reopen()
  expect([rig.team(tid).invitations.size, rig.team(tid).applications.size]).toEqual([1001, 1])
  expect(rig.team(tid).invitations.get('m1000')).toMatchObject({ inviter: 'olga', msg: 'come' })
  await rig.teams.answerInvitation(rigUid, tid, byLink('m0'), false)
  await rig.reopen()
  expect([rig.team(tid).invitations.has('m0'), rig.team(tid).applications.has('m0')]).toEqual([false, true])
  await rig.teams.add(rigUid, tid, byApi('olga'), { accids: many, agree: false })
  await rig.reopen()
  expect([rig.team(tid).invitations.size, rig.team(tid).applications.size, rig.team(tid).members.size]).toEqual([
    0, 0, 1002,
  ])
})

it('a team that is dissolved leaves nothing of itself, and everything of others', async () => {
  const [gone, kept] = [await rig.made('olga', ['adam'], { joinmode: 1 }), await rig.made('olga', ['adam'])]
  await rig.teams.apply(rigUid, gone, byLink('m0'))
  await rig.teams.dissolve(rigUid, gone, byApi('olga'))
  await rig.reopen()
  expect([rig.teams.find(rigUid, gone), rig.team(kept).members.size]).toEqual([undefined, 2])
  expect([...rig.registry.membershipsOf(rigUid, 'adam')].map(({ tid }) => String(tid))).toEqual([kept])
  expect(rig.teams.teamsOf(otherUid, 'adam')).toEqual([])
})
