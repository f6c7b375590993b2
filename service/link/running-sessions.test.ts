import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { accounts, history, messages, relations, teams } from '../../contract/operations/index.ts'
import { eventually } from '../testing/eventually.ts'
import { startService, testCredentials, type TestService } from '../testing/start-service.ts'
import { linkUser, type LinkUser } from './testing/link-user.ts'
import { openRaw, type RawLink } from './testing/raw-client.ts'

let service: TestService
let people: Record<'ann' | 'bob' | 'eve', LinkUser>
const open: { close(): void }[] = []
const token = 'same-for-all'

beforeAll(async () => {
  service = await startService()
  for (const accid of ['ann', 'bob', 'eve']) await service.call(accounts.create, { accid, token })
})
afterAll(() => service.close())
afterEach(() => {
  for (const one of open.splice(0)) one.close()
})

async function everybody(): Promise<void> {
  const enter = (accid: string): LinkUser => {
    const user = linkUser(service.service.ready.linkUrl, { appKey: testCredentials.appKey, accid, token })
    open.push(user)
    return user
  }
  people = { ann: enter('ann'), bob: enter('bob'), eve: enter('eve') }
  for (const user of Object.values(people)) await user.online()
}
const body = (msg: string): string => JSON.stringify({ msg })
/** Bob has this text as his newest message; all earlier ones have arrived. */
const bobHears = (msg: string): Promise<void> => eventually(() => expect(people.bob.texts().at(-1)).toBe(msg))

it('feel the blacklist from the next message on, set by the API or the link, and its sender cannot tell', async () => {
  await everybody()
  const { ann, bob } = people
  const say = (msg: string) => ann.send({ scene: 'p2p', to: 'bob', type: 0, body: body(msg) })
  await say('first')
  await bobHears('first')
  await service.call(relations.set, { accid: 'bob', targetAcc: 'ann', relationType: 1, value: 1 })
  const unheard = await say('to a wall')
  expect(unheard).toEqual({
    ...(await say('to a wall again')),
    msgid: expect.any(Number) as number,
    timetag: expect.any(Number) as number,
  })
  await bob.request('relation', { accid: 'ann', relation: 1, value: 0 })
  await say('heard again')
  await bob.request('relation', { accid: 'ann', relation: 1, value: 1 })
  await service.call(messages.send, { from: 'ann', ope: 0, to: 'bob', type: 0, body: body('by the API') })
  await service.call(messages.send, { from: 'eve', ope: 0, to: 'bob', type: 0, body: body('eve') })
  await bobHears('eve')
  expect(bob.texts()).toEqual(['first', 'heard again', 'eve'])
  await bob.request('relation', { accid: 'ann', relation: 1, value: 0 })
})

it('feel a mute in a team from the next message on, and its end', async () => {
  await everybody()
  const { ann } = people
  const { tid } = await service.call(teams.create, { tname: 'crew', owner: 'bob', members: ['ann', 'eve'], magree: 0 })
  const say = (msg: string) => ann.send({ scene: 'team', to: tid!, type: 0, body: body(msg) })
  await say('may')
  await service.call(teams.muteTlist, { tid: tid!, owner: 'bob', accid: 'ann', mute: 1 })
  await expect(say('may not')).rejects.toMatchObject({ code: 403 })
  await service.call(teams.muteTlist, { tid: tid!, owner: 'bob', accid: 'ann', mute: 0 })
  await say('may again')
  await service.call(teams.kick, { tid: tid!, owner: 'bob', member: 'ann' })
  await expect(say('gone')).rejects.toMatchObject({ code: 403 })
  await bobHears('may again')
})

it('act as their own account, whoever a request says it is of', async () => {
  await everybody()
  const { tid } = await service.call(teams.create, { tname: 'crew', owner: 'bob', members: ['eve'], magree: 0 })
  const raw: RawLink = await openRaw(service.service.ready.linkUrl)
  open.push({ close: () => raw.socket.terminate() })
  await raw.ask('login', { appKey: testCredentials.appKey, accid: 'ann', token, device: 'another', clientType: 'PC' })
  await raw.ask('sync', { after: 0 })
  const asBob = { from: 'bob', fromAccount: 'bob', accid: 'bob', operator: 'bob', owner: 'bob', uid: 1 } as const
  const say = { ...asBob, scene: 'p2p', to: 'eve', type: 0, body: body('I am bob') } as const
  expect(await raw.ask('send', say)).toMatchObject({ t: 'ok' })
  await eventually(() => expect(people.eve.of('message').at(-1)).toMatchObject({ from: 'ann', body: body('I am bob') }))
  const ofBob = async () =>
    (await service.call(history.session, { from: 'bob', to: 'eve', limit: 10 })).msgs!.filter(
      ({ from }) => from === 'bob',
    )
  expect(await ofBob()).toEqual([])
  expect(await raw.ask('send', { ...say, scene: 'team', to: tid! })).toMatchObject({ t: 'error', code: 403 })
  expect(await raw.ask('teamInvite', { ...asBob, tid: tid!, accids: ['ann'] })).toMatchObject({ t: 'error', code: 403 })
  expect(await raw.ask('history', { ...asBob, scene: 'team', with: tid! })).toMatchObject({ t: 'error', code: 403 })
  expect(await raw.ask('teamAnswer', { tid: tid!, accid: 'ann', accept: true })).toMatchObject({ t: 'error' })
  expect((await service.call(teams.query, { tids: [tid!], ope: 1 })).tinfos?.[0]?.members).toEqual(['eve'])

  // Only the sender may recall a message.
  const { msgid, timetag } = await people.bob.send({ scene: 'p2p', to: 'eve', type: 0, body: body('mine') })
  expect(await raw.ask('recall', { ...asBob, scene: 'p2p', to: 'eve', msgid, timetag })).toMatchObject({ t: 'ok' })
  expect(await ofBob()).toMatchObject([{ msgid, body: { msg: 'mine' } }])
  await people.bob.send({ scene: 'p2p', to: 'eve', type: 0, body: body('after') })
  await eventually(() => expect(people.eve.texts().slice(-2)).toEqual(['mine', 'after']))
  expect(people.eve.of('recall')).toEqual([])
})

it('have client ids of their own: that of another sender hides no message', async () => {
  await everybody()
  const { ann, eve } = people
  for (const user of [ann, eve])
    await user.send({
      scene: 'p2p',
      to: 'bob',
      type: 0,
      body: body(`of ${user === ann ? 'ann' : 'eve'}`),
      clientId: 'c-1',
    })
  await ann.request('send', { scene: 'p2p', to: 'bob', type: 0, body: body('of ann'), clientId: 'c-1', resend: 1 })
  await ann.request('send', { scene: 'p2p', to: 'bob', type: 0, body: body('of ann'), clientId: 'c-1', resend: 0 })
  await ann.send({ scene: 'p2p', to: 'bob', type: 0, body: body('last') })
  await bobHears('last')
  expect(people.bob.texts().slice(-3)).toEqual(['of ann', 'of eve', 'last'])
})
