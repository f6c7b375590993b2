import { afterEach, beforeEach, expect, it } from 'vitest'
import { accounts, history, teams } from '../../contract/operations/index.ts'
import { eventually } from '../testing/eventually.ts'
import { killedService, type KilledService } from '../testing/killed-service.ts'
import { linkUser, type LinkUser } from './testing/link-user.ts'

const rounds = 4
const tokens = (accid: string): string => `token-${accid}`
let service: KilledService
const users: LinkUser[] = []
beforeEach(() => {
  service = killedService()
})
afterEach(async () => {
  for (const user of users.splice(0)) user.close()
  await service.remove()
})

it('has every acknowledged message in the history, and brings it to every receiver exactly once and in order, however often it is killed', async () => {
  let { ready, client: api } = await service.start()
  const names = ['ann', 'bob', 'cem']
  for (const accid of names) expect((await api.call(accounts.create, { accid, token: tokens(accid) })).code).toBe(200)
  const { tid } = await api.call(teams.create, { tname: 'crew', owner: 'ann', members: ['bob', 'cem'], magree: 0 })
  const [ann, bob, cem] = names.map((accid) => {
    const user = linkUser(() => ready.linkUrl, { appKey: service.credentials.appKey, accid, token: tokens(accid) })
    users.push(user)
    return user
  }) as [LinkUser, LinkUser, LinkUser]
  for (const user of users) await user.online()

  const acknowledged = new Map<string, number>()
  const sending: Promise<void>[] = []
  const send = (user: LinkUser, msg: string): void =>
    void sending.push(
      user
        .send({ scene: 'team', to: tid!, type: 0, body: JSON.stringify({ msg }) })
        .then(({ msgid }) => void acknowledged.set(msg, msgid)),
    )
  for (let round = 0; round < rounds; round++) {
    const before = acknowledged.size
    // Below the limits of pending requests and of 10 s.
    for (let index = 0; index < 40; index++) {
      send(ann, `ann ${round}.${String(index).padStart(2, '0')}`)
      send(bob, `bob ${round}.${String(index).padStart(2, '0')}`)
    }
    await eventually(() => expect(acknowledged.size - before).toBeGreaterThan(Math.floor(Math.random() * 60)))
    await service.kill()
    ;({ ready, client: api } = await service.start())
    await Promise.all(sending)
  }
  for (const user of users) await user.online()
  expect(acknowledged.size).toBe(rounds * 80)

  const stored: [string, number][] = []
  for (let begintime = 0; ;) {
    const { msgs } = await api.call(history.team, { tid: tid!, accid: 'ann', limit: 100, reverse: 1, begintime })
    const fresh = msgs!.filter(({ msgid, type }) => type === 0 && !stored.some(([, known]) => known === msgid))
    for (const { body, msgid } of fresh) stored.push([(body as { msg: string }).msg, msgid])
    if (fresh.length === 0) break
    begintime = msgs!.at(-1)!.sendtime
  }
  const inOrder = [...acknowledged].sort(([, one], [, other]) => one - other)
  expect(stored).toEqual(inOrder)
  const texts = inOrder.map(([msg]) => msg)
  await eventually(() => expect(cem.texts()).toEqual(texts))
  await eventually(() => expect(ann.texts()).toEqual(texts.filter((msg) => msg.startsWith('bob'))))
  await eventually(() => expect(bob.texts()).toEqual(texts.filter((msg) => msg.startsWith('ann'))))
  for (const name of ['ann', 'bob']) {
    const own = texts.filter((msg) => msg.startsWith(name))
    expect(own).toEqual([...own].sort())
  }
}, 240_000)
