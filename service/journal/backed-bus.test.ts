import { expect, it, onTestFinished } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { ChangeKind, ChangeRules, Journal } from './journal.ts'
import { silentLog } from '../log.ts'
import { createBackedBus } from './backed-bus.ts'
import type { Bus, Topic } from '../bus/bus.ts'

interface State {
  /** Whether the node has Redis, Redis answers it, and the database takes what it stores. */
  up: boolean
  answers: boolean
  stores: boolean
}

/** Nodes that share a journal, and a bus that reaches those that are up. */
function begin(...names: string[]) {
  const clock = manualClock()
  const entries: unknown[] = []
  const applies: ((change: never) => void)[] = []
  const hands: { readonly state: State; readonly hand: (message: string) => void }[] = []
  const overBus: string[] = []
  const nodes = names.map((node) => {
    const state: State = { up: true, answers: true, stores: true }
    const topic: Topic<string> = {
      isHeard: () => true,
      publish(_key, message) {
        overBus.push(message)
        for (const each of hands) if (each.state.up) each.hand(message)
      },
      subscribe(_key, hand) {
        hands.push({ state, hand })
        return () => undefined
      },
    }
    const backs = new Set<() => void>()
    const bus = {
      topic: () => topic as unknown as Topic<never>,
      up: () => state.up,
      onBack(call: () => void) {
        backs.add(call)
        return () => backs.delete(call)
      },
      settled: () => Promise.resolve(),
    } as unknown as Bus
    const journal = {
      kind(_name: string, { apply }: ChangeRules<never>): ChangeKind<never> {
        applies.push(apply)
        return {
          async commit(change: never) {
            if (!state.stores) throw new Error('no database')
            entries.push(change)
            for (const each of applies) each(change)
            return Promise.resolve()
          },
        } as unknown as ChangeKind<never>
      },
    } as unknown as Pick<Journal, 'kind'>
    const redis = { run: () => (state.answers ? Promise.resolve(1) : Promise.reject(new Error('silent'))) }
    const backed = createBackedBus({ bus, journal, redis, node, clock, log: silentLog })
    onTestFinished(backed.close)
    const room = backed.topic<string>('room')
    const heard: string[] = []
    room.subscribe(7, (message) => heard.push(message))
    let gaps = 0
    backed.onBack(() => gaps++)
    const back = (): void => {
      state.up = true
      for (const call of backs) call()
    }
    return { state, back, backed, heard, say: (text: string) => room.publish(7, text), gaps: () => gaps }
  })
  /** Lets a time pass, and what follows from it. */
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed <= ms; passed += 250) {
      if (passed > 0) clock.advance(250)
      for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    }
  }
  return { nodes, entries, overBus, pass }
}

it('goes over the bus alone while every node has Redis', async () => {
  const { nodes, entries, overBus, pass } = begin('a', 'b')
  nodes[0]!.say('one')
  await pass(5000)
  expect([entries, overBus, nodes.map(({ heard }) => heard)]).toEqual([[], ['one'], [['one'], ['one']]])
})

it('goes by the journal in one order for all while one node has none, and over the bus after that', async () => {
  const { nodes, overBus, pass } = begin('a', 'b', 'c')
  const [a, b, c] = nodes as [(typeof nodes)[0], (typeof nodes)[0], (typeof nodes)[0]]
  c.state.up = false
  c.say('1')
  await pass(500)
  for (const [index, each] of [a, b, c, a].entries()) each.say(String(index + 2))
  await pass(0)
  expect(nodes.map(({ heard }) => heard)).toEqual(Array.from({ length: 3 }, () => ['1', '2', '3', '4', '5']))
  expect(overBus).toEqual([])
  // All look: c missed what others told before they knew, and they what it could not send.
  expect(nodes.map(({ gaps }) => gaps() > 0)).toEqual([true, true, true])
  await pass(20_000)
  a.say('6')
  await pass(0)
  c.state.up = true
  a.say('7')
  await pass(250)
  a.say('8')
  expect(overBus).toEqual([])
  await pass(1000)
  a.say('9')
  expect(overBus).toEqual(['8', '9'])
  expect(nodes.map(({ heard }) => heard.slice(5))).toEqual(Array.from({ length: 3 }, () => ['6', '7', '8', '9']))
})

it('is cut off where it has no Redis for two seconds and one answers another node, and no longer', async () => {
  const { nodes, pass } = begin('a', 'b', 'c')
  const cutOff = (): boolean[] => nodes.map(({ backed }) => backed.isCutOff())
  nodes[2]!.state.up = false
  await pass(1750)
  expect(cutOff()).toEqual([false, false, false])
  await pass(1000)
  expect(cutOff()).toEqual([false, false, true])
  await pass(20_000)
  expect(cutOff()).toEqual([false, false, true])
  // It answers nobody any more, which the others have not noticed.
  for (const { state } of nodes) state.answers = false
  await pass(4000)
  expect(cutOff()).toEqual([false, false, false])
  for (const { state } of nodes) Object.assign(state, { up: false })
  await pass(4000)
  expect(cutOff()).toEqual([false, false, false])
  for (const { state } of nodes) state.answers = true
  nodes[0]!.state.up = true
  await pass(4000)
  expect(cutOff()).toEqual([false, true, true])
  for (const { state } of nodes) state.up = true
  expect(cutOff()).toEqual([false, false, false])
})

it('is not cut off by an outage that begins right after another one', async () => {
  const { nodes, pass } = begin('a', 'b')
  nodes[1]!.state.up = false
  await pass(5000)
  expect(nodes[1]!.backed.isCutOff()).toBe(true)
  nodes[1]!.back()
  nodes[1]!.state.up = false
  await pass(250)
  expect(nodes[1]!.backed.isCutOff()).toBe(false)
  await pass(3000)
  expect(nodes[1]!.backed.isCutOff()).toBe(true)
})

it('forgets a node that ended without Redis', async () => {
  const { nodes, overBus, pass } = begin('a', 'b')
  nodes[1]!.state.up = false
  await pass(500)
  nodes[1]!.backed.close()
  nodes[0]!.say('1')
  await pass(11_000)
  nodes[0]!.say('2')
  expect([nodes[0]!.heard, overBus]).toEqual([['1', '2'], ['2']])
})

it('lets all look for what the database did not take', async () => {
  const { nodes, pass } = begin('a', 'b')
  nodes[1]!.state.up = false
  await pass(500)
  const before = nodes.map(({ gaps }) => gaps())
  nodes[0]!.state.stores = false
  nodes[0]!.say('1')
  await pass(1000)
  nodes[0]!.state.stores = true
  nodes[0]!.say('2')
  await pass(1000)
  expect(nodes.map(({ heard }) => heard)).toEqual([['2'], ['2']])
  expect(nodes.map(({ gaps }, node) => gaps() - before[node]!)).toEqual([1, 1])
})
