import { expect, it } from 'vitest'
import { createOutgoing } from './outgoing.ts'

/** Messages to a place that takes them when the test says so. */
function begin(bounds = { messages: 3, length: 100, underWay: 2 }) {
  const sent: { readonly text: string; readonly taken: () => void; readonly failed: (error: Error) => void }[] = []
  const lost: unknown[] = []
  let isOpen = true
  const outgoing = createOutgoing({
    send: (channel, text) =>
      new Promise<void>((resolve, reject) => sent.push({ text: `${channel} ${text}`, taken: resolve, failed: reject })),
    isOpen: () => isOpen,
    lost: (error) => lost.push(error),
    bounds,
  })
  const add = (...texts: string[]): void => texts.forEach((text) => outgoing.add('c', text))
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
  return {
    outgoing,
    add,
    sent,
    lost,
    turn,
    texts: () => sent.map(({ text }) => text),
    open: (is: boolean) => (isOpen = is),
  }
}

it('go out in order, some at once, the next when one has arrived', async () => {
  const { add, sent, texts, turn } = begin()
  add('1', '2', '3', '4')
  expect(texts()).toEqual(['c 1', 'c 2'])
  sent[0]!.taken()
  await turn()
  expect(texts()).toEqual(['c 1', 'c 2', 'c 3'])
  sent[1]!.taken()
  sent[2]!.taken()
  await turn()
  expect(texts()).toEqual(['c 1', 'c 2', 'c 3', 'c 4'])
})

it('wait while nothing is open, the oldest dropped beyond the bound of messages', () => {
  const { outgoing, add, lost, texts, open } = begin()
  open(false)
  add('1', '2', '3', '4', '5')
  expect([texts(), lost]).toEqual([[], [undefined, undefined]])
  open(true)
  outgoing.go()
  expect(texts()).toEqual(['c 3', 'c 4'])
})

it('and beyond that of characters', () => {
  const { outgoing, add, lost, texts, open } = begin({ messages: 9, length: 10, underWay: 9 })
  open(false)
  add('12345', '1234', 'x', 'y', 'z')
  expect(lost).toHaveLength(1)
  open(true)
  outgoing.go()
  expect(texts()).toEqual(['c 1234', 'c x', 'c y', 'c z'])
})

it('of which it is unknown whether it arrived counts as lost, and the next go on', async () => {
  const { add, sent, lost, texts, turn } = begin()
  const error = new Error('gone')
  add('1', '2', '3')
  sent[0]!.failed(error)
  await turn()
  expect([lost, texts()]).toEqual([[error], ['c 1', 'c 2', 'c 3']])
})

it('are empty once the last has arrived or is lost', async () => {
  const { outgoing, add, sent, turn } = begin()
  await outgoing.empty()
  let isEmpty = false
  add('1', '2', '3')
  const empty = outgoing.empty().then(() => (isEmpty = true))
  sent[0]!.taken()
  await turn()
  sent[1]!.failed(new Error('gone'))
  await turn()
  expect(isEmpty).toBe(false)
  sent[2]!.taken()
  await empty
})

it('keep their order where very many wait', async () => {
  const { outgoing, texts, sent, open } = begin({ messages: 10_000, length: 100_000, underWay: 1 })
  open(false)
  const all = Array.from({ length: 5000 }, (_, n) => String(n))
  for (const text of all) outgoing.add('c', text)
  open(true)
  outgoing.go()
  for (let n = 0; n < all.length; n++) {
    sent[n]!.taken()
    await Promise.resolve()
    await Promise.resolve()
  }
  await outgoing.empty()
  expect(texts()).toEqual(all.map((text) => `c ${text}`))
})
