import { afterEach, beforeEach, expect, it } from 'vitest'
import { accounts, chatrooms, local, queue } from '../../contract/operations/index.ts'
import { eventually } from '../testing/eventually.ts'
import { killedService, type KilledService } from '../testing/killed-service.ts'

const rounds = 3
let service: KilledService
beforeEach(() => {
  service = killedService()
})
afterEach(() => service.remove())

it('keeps every acknowledged line once, every measure, and gives no element of a queue twice, however often it is killed', async () => {
  const said = new Set<string>()
  const tried = new Set<string>()
  const taken: string[] = []
  let { client } = await service.start()
  for (const accid of ['cara', 'mona', ...Array.from({ length: rounds }, (_, round) => `muted${round}`)])
    await client.call(accounts.create, { accid })
  const { roomid } = (await client.call(chatrooms.create, { creator: 'cara', name: 'kill' })).chatroom!
  const line = (msgId: string) => ({ roomid, fromAccid: 'mona', msgId, msgType: 0, attach: msgId })
  await client.call(queue.init, { roomid, sizeLimit: 1000 })
  await Promise.all(
    Array.from({ length: 500 }, (_, number) => client.call(queue.offer, { roomid, key: `k${number}`, value: 'v' })),
  )
  for (let round = 0; round < rounds; round++) {
    let killed = false
    const mute = await client.call(chatrooms.setMemberRole, {
      roomid,
      operator: 'cara',
      target: `muted${round}`,
      opt: -2,
      optvalue: true,
    })
    expect(mute.code).toBe(200)
    const work = async (worker: number): Promise<void> => {
      for (let index = 0; !killed && index < 40; index++) {
        const msgId = `${round}.${worker}.${index}`
        tried.add(msgId)
        const [sent, polled] = await Promise.all([
          client.call(chatrooms.sendMsg, line(msgId)).catch(() => undefined),
          client.call(queue.poll, { roomid }).catch(() => undefined),
        ])
        if (sent?.code === 200) said.add(msgId)
        if (polled?.code === 200) taken.push((polled.desc as unknown as { key: string }).key)
        if (!sent || !polled) return
      }
    }
    const before = said.size
    const working = Promise.all(Array.from({ length: 6 }, (_, worker) => work(worker)))
    await eventually(() => expect(said.size - before).toBeGreaterThan(10 + Math.floor(Math.random() * 60)))
    await service.kill()
    killed = true
    await working
    client = (await service.start()).client
  }
  const stored = async () =>
    (await client.call(local.roomHistory, { roomid, limit: 1000 })).ret!.list.map(({ attach }) => attach)
  const lines = await stored()
  expect(said.size).toBeGreaterThan(rounds * 10)
  expect(new Set(lines).size).toBe(lines.length)
  expect([...said].filter((msgId) => !lines.includes(msgId))).toEqual([])
  expect(new Set(taken).size).toBe(taken.length)
  const { list } = (await client.call(queue.list, { roomid })).desc as unknown as { list: Record<string, string>[] }
  const left = list.flatMap((element) => Object.keys(element))
  expect(left.filter((key) => taken.includes(key))).toEqual([])
  expect((await client.call(local.muted, { roomid })).ret!.list.map(({ accid }) => accid).toSorted()).toEqual([
    'muted0',
    'muted1',
    'muted2',
  ])
  // Resent, as clients do without an answer: each line exists once.
  await Promise.all([...tried].map((msgId) => client.call(chatrooms.sendMsg, { ...line(msgId), resendFlag: 1 })))
  expect((await stored()).toSorted()).toEqual([...tried].toSorted())
})
