import { expect, it } from 'vitest'
import { createFairWait } from './fair-wait.ts'

const waiting: Promise<unknown>[] = []
const heard = (work: Promise<boolean>, name: string, into: string[]): void => {
  waiting.push(work.then((isTurn) => into.push(`${name} ${isTurn}`)))
}
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('sources take turns, each with those that came first', async () => {
  const line = createFairWait(10)
  const turns: string[] = []
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) heard(line.wait(name[0]!), name, turns)
  while (line.next()) await settled()
  expect(turns).toEqual(['a1 true', 'b1 true', 'c1 true', 'a2 true', 'b2 true', 'a3 true'])
  expect(line.next()).toBe(false)
})

it('when it is full the source with most gives way to one with fewer, and to nobody else', async () => {
  const line = createFairWait(4)
  const turns: string[] = []
  for (const name of ['a1', 'a2', 'a3', 'b1']) heard(line.wait(name[0]!), name, turns)
  for (const name of ['a4', 'c1', 'b2', 'd1']) heard(line.wait(name[0]!), name, turns)
  await settled()
  expect(turns).toEqual(['a4 false', 'a3 false', 'b2 false', 'a2 false'])
  turns.length = 0
  while (line.next()) await settled()
  expect(turns).toEqual(['a1 true', 'b1 true', 'c1 true', 'd1 true'])
})
