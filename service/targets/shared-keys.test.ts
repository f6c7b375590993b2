import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createNodeCommands } from '../bus/node-commands.ts'
import { createSharedBus } from '../bus/testing/shared-bus.ts'
import { silentLog } from '../log.ts'
import { eventually } from '../testing/eventually.ts'
import { shareKeys } from './shared-keys.ts'
import { memoryKeys, type KeyPlace } from './target-keys.ts'

const place: KeyPlace = { cid: 'c'.repeat(32), targetId: 3, url: 'rtmp://a.example/app' }

/** Nodes of one cluster, each of which can be cut off from the bus. */
function cluster() {
  const shared = createSharedBus()
  const clock = manualClock()
  const add = (name: string, row: { keyVersion?: number } = {}) => {
    let isCut = false
    let back = (): void => undefined
    const bus = {
      ...shared,
      onBack: (call: () => void) => ((back = call), () => undefined),
      topic: <Message>(topicName: string) => {
        const topic = shared.topic<Message>(topicName)
        return {
          ...topic,
          publish: (key: string | number, message: Message) => (isCut ? undefined : topic.publish(key, message)),
          subscribe: (key: string | number, handler: (message: Message) => void) =>
            topic.subscribe(key, (message) => (isCut ? undefined : handler(message))),
        }
      },
    }
    const keys = memoryKeys()
    const one = shareKeys({ keys, bus, commands: createNodeCommands(bus, name), clock, log: silentLog })
    const came: boolean[] = []
    const here = (): KeyPlace => ({ ...place, keyVersion: row.keyVersion ?? 0 })
    const start = () =>
      one.start({
        keyCame: (_place, isNew) => void came.push(isNew),
        keyless: () => (keys.get(here()) === undefined ? [here()] : []),
        keyVersion: () => row.keyVersion ?? 0,
      })
    return {
      ...one,
      row,
      start,
      came,
      key: () => keys.get(here()),
      /** Another key, as an operation gives it. */
      async give(key: string, keyVersion: number) {
        await one.keys.set({ ...place, keyVersion }, key)
        row.keyVersion = keyVersion
      },
      cut: () => void (isCut = true),
      /** The bus may not have seen that something was lost. */
      join(isSeen = true) {
        isCut = false
        if (isSeen) back()
      },
    }
  }
  return { add, clock, topic: shared.topic('target-keys') }
}

it('a node that was away takes the key that was changed meanwhile', async () => {
  const { add } = cluster()
  const [a, b] = [add('a'), add('b')]
  for (const node of [a, b]) node.start()
  await a.give('first', 0)
  await eventually(() => expect([b.key(), b.came]).toEqual(['first', [true]]))
  b.cut()
  await a.give('second', 1)
  expect(b.key()).toBe('first')
  // Its row has come.
  b.row.keyVersion = 1
  expect(b.key()).toBeUndefined()
  b.join()
  await eventually(() => expect([b.key(), b.came]).toEqual(['second', [true, true]]))
})

it('a key whose message was lost is asked for once its row has come', async () => {
  const { add, clock } = cluster()
  const [a, b] = [add('a'), add('b')]
  for (const node of [a, b]) node.start()
  await a.give('first', 0)
  await eventually(() => expect(b.key()).toBe('first'))
  b.cut()
  await a.give('second', 1)
  b.join(false)
  b.row.keyVersion = 1
  b.outdated()
  b.outdated()
  clock.advance(999)
  expect(b.key()).toBeUndefined()
  clock.advance(1)
  await eventually(() => expect(b.key()).toBe('second'))
  // One that comes by itself is not asked for.
  b.row.keyVersion = 2
  b.outdated()
  await a.give('third', 2)
  await eventually(() => expect(b.key()).toBe('third'))
  clock.advance(1000)
  expect(b.came).toEqual([true, true, true])
  a.close()
  b.outdated()
  b.close()
  expect(clock.waiting()).toBe(0)
})

it('the same key with a newer version, and a node of the release before, end no connection', async () => {
  const { add, topic } = cluster()
  const [a, b] = [add('a'), add('b')]
  for (const node of [a, b]) node.start()
  await a.give('first', 0)
  await eventually(() => expect(b.key()).toBe('first'))
  await a.give('first', 1)
  b.row.keyVersion = 1
  await eventually(() => expect([b.key(), b.came]).toEqual(['first', [true, false]]))
  topic.publish('all', { place, key: 'second' })
  await eventually(() => expect([a.key(), b.key()]).toEqual(['second', 'second']))
})
