import { afterEach, beforeEach, expect, it } from 'vitest'
import { accounts, history, messages } from '../../contract/operations/index.ts'
import { eventually } from '../testing/eventually.ts'
import { killedService, type KilledService } from '../testing/killed-service.ts'

const rounds = 5
const receivers = Array.from({ length: 40 }, (_, index) => `r${index}`)
let service: KilledService
beforeEach(() => {
  service = killedService()
})
afterEach(() => service.remove())

it('has every acknowledged message in the history exactly once, and no id twice, however often it is killed', async () => {
  const acknowledged = new Map<string, number>()
  const tried = new Set<string>()
  let { client } = await service.start()
  for (const accid of ['ann', ...receivers]) expect((await client.call(accounts.create, { accid })).code).toBe(200)
  for (let round = 0; round < rounds; round++) {
    const highest = Math.max(0, ...acknowledged.values())
    let killed = false
    const sendOn = async (worker: number): Promise<void> => {
      for (let index = 0; !killed && index < 60; index++) {
        const msg = `${round}.${worker}.${index}`
        const to = receivers[(worker * 3 + index) % receivers.length]!
        tried.add(`${to} ${msg}`)
        const sent = await client
          .call(messages.send, { from: 'ann', ope: 0, to, type: 0, body: JSON.stringify({ msg }) })
          .catch(() => undefined)
        if (sent?.code !== 200) return
        expect(sent.data!.msgid).toBeGreaterThan(highest)
        acknowledged.set(`${to} ${msg}`, sent.data!.msgid)
      }
    }
    const before = acknowledged.size
    const working = Promise.all(Array.from({ length: 12 }, (_, worker) => sendOn(worker)))
    // Killed with requests pending, at another number each round.
    await eventually(() => expect(acknowledged.size - before).toBeGreaterThan(20 + Math.floor(Math.random() * 150)))
    await service.kill()
    killed = true
    await working
    client = (await service.start()).client
  }
  const stored = new Map<string, number[]>()
  for (const to of receivers) {
    const { msgs } = await client.call(history.session, { from: to, to: 'ann', limit: 100 })
    for (const { body, msgid } of msgs!) {
      const key = `${to} ${(body as { msg: string }).msg}`
      stored.set(key, [...(stored.get(key) ?? []), msgid])
    }
  }
  expect(acknowledged.size).toBeGreaterThan(rounds * 20)
  for (const [key, msgid] of acknowledged) expect([key, stored.get(key)]).toEqual([key, [msgid]])
  const ids = [...stored.values()].flat()
  expect(new Set(ids).size).toBe(ids.length)
  expect([...stored.keys()].filter((key) => !tried.has(key))).toEqual([])
})
