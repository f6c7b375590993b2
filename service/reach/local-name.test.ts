import { EventEmitter } from 'node:events'
import type { NetworkInterfaceInfo } from 'node:os'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import { silentLog } from '../log.ts'
import { createLocalName, localName, type MakeMdns } from './local-name.ts'

const here = '192.168.77.20'
const interfaces = () => ({
  eth: [{ address: here, cidr: `${here}/24`, family: 'IPv4', internal: false } as NetworkInterfaceInfo],
})

let clock: ManualClock
let said: string[]
let network: EventEmitter
let name: ReturnType<typeof createLocalName>
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const pass = async (ms: number): Promise<void> => {
  await turn()
  clock.advance(ms)
  await turn()
  await turn()
}
/** A packet of a computer of the network, that it or another one sent. */
const heard = (address: string, ttl: number, from = { address, port: 5353 }): boolean =>
  network.emit('response', { answers: [{ type: 'A', name: localName, ttl, data: address }] }, from)
/** A question of a computer of the network; with what it would say when it wants the name. */
const asked = (from: string, authorities: object[] = []): boolean =>
  network.emit('query', { questions: [{ name: localName, type: 'ANY' }], authorities }, { address: from, port: 5353 })

beforeEach(async () => {
  clock = manualClock()
  said = []
  network = new EventEmitter()
  // A network without sockets: multicast needs an interface of a home network.
  const make = () =>
    Object.assign(network, {
      query: () => void said.push('asks'),
      respond: ({ answers }: { answers: { ttl: number }[] }, done?: () => void) => {
        said.push(`says ${answers[0]!.ttl}`)
        done?.()
      },
      destroy: (done?: () => void) => {
        network.removeAllListeners()
        done?.()
      },
    })
  const options = { clock, log: silentLog, changed: () => void said.push('changed'), interfaces }
  name = createLocalName({ ...options, make: make as unknown as MakeMdns })
  const set = name.set(true)
  await pass(750)
  await set
  expect([name.name, said]).toEqual([localName, ['asks', 'says 120', 'changed']])
  said = []
})
afterEach(() => name.close())

it('one packet of another computer does not take the name, which is announced again', async () => {
  heard('192.168.77.30', 1)
  expect(name.name).toBe(localName)
  await pass(750)
  expect([name.name, said]).toEqual([localName, ['asks', 'says 120']])
  await pass(40_000)
  heard('192.168.77.30', 120)
  await pass(750)
  expect(name.name).toBe(localName)
})

it('of two computers that both say they have it, the one with the higher address keeps it', async () => {
  heard('192.168.77.10', 120)
  heard('192.168.77.10', 120)
  await pass(750)
  expect(name.name).toBe(localName)
  said = []
  heard('192.168.77.30', 120)
  heard('192.168.77.30', 120)
  await pass(0)
  expect([name.name, said.at(-1)]).toEqual([undefined, 'changed'])
})

it('a name that was lost is tried again, and had when nobody else has it any more', async () => {
  heard('192.168.77.30', 120)
  heard('192.168.77.30', 120)
  await pass(0)
  expect(name.name).toBeUndefined()
  await pass(60_000)
  heard('192.168.77.30', 120)
  await pass(750)
  expect(name.name).toBeUndefined()
  said = []
  await pass(60_000)
  await pass(750)
  expect([name.name, said]).toEqual([localName, ['asks', 'says 120', 'changed']])
})

it('what comes from outside of the network, or from another port, takes nothing away', async () => {
  const strangers = [
    { address: '203.0.113.9', port: 5353 },
    { address: '192.168.78.30', port: 5353 },
    { address: '192.168.77.30', port: 40_000 },
  ]
  for (const from of strangers)
    for (const ttl of [120, 120, 0]) {
      heard('192.168.77.30', ttl, from)
      heard(here, 0, from)
    }
  await pass(5_000)
  expect([name.name, said]).toEqual([localName, []])
})

it('is said once a second at most, however often it is asked for, and to nobody outside', async () => {
  await pass(1_000)
  for (let second = 0; second < 5; second++) {
    for (let count = 0; count < 900; count++) asked('192.168.77.30')
    await pass(1_000)
  }
  // At once, then when a second is over.
  expect(said).toEqual(Array.from({ length: 6 }, () => 'says 120'))
  await pass(10_000)
  expect(said).toHaveLength(6)
  asked('203.0.113.9')
  asked('192.168.78.30')
  await pass(5_000)
  expect(said).toHaveLength(6)
})

it('is said sooner to who asks before taking the name, four times a second at most', async () => {
  await pass(1_000)
  asked('192.168.77.30')
  expect(said).toHaveLength(1)
  const wish = [{ type: 'A', name: localName, ttl: 120, data: '192.168.77.30' }]
  for (let quarter = 1; quarter <= 4; quarter++) {
    for (let count = 0; count < 100; count++) asked('192.168.77.30', wish)
    await pass(250)
    expect(said).toHaveLength(1 + quarter)
  }
})

it('a goodbye, or a short life, that somebody says of this record has it announced again', async () => {
  await pass(1_000)
  heard(here, 0)
  for (let count = 0; count < 50; count++) heard(here, 1)
  expect(said).toEqual(['says 120'])
  await pass(1_000)
  expect(said).toEqual(['says 120', 'says 120'])
  heard(here, 120)
  heard('192.168.77.30', 0)
  await pass(5_000)
  expect([name.name, said]).toEqual([localName, ['says 120', 'says 120']])
})

it('nothing is said any more after it was ended', async () => {
  await name.set(false)
  expect(said).toEqual(['says 0'])
  await pass(120_000)
  expect([name.name, said]).toEqual([undefined, ['says 0']])
})
