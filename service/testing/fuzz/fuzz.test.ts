import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SeededRandom } from './random.ts'
import { fuzz, promise, type FuzzTarget } from './target.ts'
import { targets } from './targets.ts'

test.each(targets)('$name bears 5,000 seeded inputs, of which it takes some and refuses some', (target) => {
  const outcome = fuzz(target, 20_260_101, 5000)
  expect(outcome.crasher).toBeUndefined()
  expect(outcome.taken).toBeGreaterThan(100)
  expect(outcome.refused).toBeGreaterThan(100)
})

const folder = join(import.meta.dirname, 'crashers')
const crashers = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.bin')) : []
test.each(crashers)('the input %s, which once broke its reader, is borne', (name) => {
  const target = targets.find((one) => name.startsWith(`${one.name}-`))
  const input = readFileSync(join(folder, name))
  for (let seed = 0; seed < 50; seed++)
    expect(target?.check(input, new SeededRandom(seed))).toMatch(/^(taken|refused)$/)
})

test('a broken promise is found, and the same seed finds it again', () => {
  const faulty: FuzzTarget = {
    name: 'faulty',
    make: (random) => random.bytes(4),
    check: (input) => {
      promise(input[0] !== 0x42, 'no 42')
      return 'taken'
    },
  }
  const [one, two] = [fuzz(faulty, 1, 10_000), fuzz(faulty, 1, 10_000)]
  expect(one.crasher?.input[0]).toBe(0x42)
  expect(two.crasher?.input).toEqual(one.crasher?.input)
  expect(two.inputs).toBe(one.inputs)
})
