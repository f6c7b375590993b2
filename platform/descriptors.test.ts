import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { createDescriptorBudget, descriptorLimit } from './descriptors.ts'

it('leaves a quarter to the app, at most 512', () => {
  expect([64, 1024, 4096, 65_536].map((limit) => createDescriptorBudget(limit).sockets)).toEqual([
    48, 768, 3584, 65_024,
  ])
})

it('gives a share what it keeps however much the others want, and lets others use what nobody keeps', () => {
  const budget = createDescriptorBudget(128)
  const [kept, greedy] = [budget.share(0.25), budget.share(0)]
  let taken = 0
  while (greedy.take()) taken += 1
  expect(taken).toBe(72)
  for (let count = 0; count < 24; count += 1) expect(kept.take()).toBe(true)
  expect(kept.take()).toBe(false)
  greedy.give()
  expect(kept.take()).toBe(true)
  expect(greedy.take()).toBe(false)
})

it.runIf(process.platform === 'linux')('reads the limit of the process', () => {
  expect(descriptorLimit()).toBeGreaterThan(64)
  const source = `import { descriptorLimit } from ${JSON.stringify(new URL('descriptors.ts', import.meta.url).href)}; console.log(descriptorLimit())`
  const said = execFileSync('prlimit', ['--nofile=300', process.execPath, '--input-type=module', '-e', source], {
    encoding: 'utf8',
  })
  expect(Number(said)).toBe(300)
})
