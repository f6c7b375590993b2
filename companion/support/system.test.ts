import os from 'node:os'
import { expect, it } from 'vitest'
import { readSystem } from './system.ts'

it('tells system, processors, memory, versions and the seconds of this process, and nothing else', () => {
  const facts = readSystem()
  expect(Object.keys(facts).toSorted()).toEqual(
    ['architecture', 'home', 'memory', 'platform', 'processors', 'release', 'running', 'versions'].toSorted(),
  )
  expect(facts).toMatchObject({
    home: os.homedir(),
    platform: process.platform,
    release: os.release(),
    architecture: process.arch,
    processors: os.availableParallelism(),
  })
  expect(facts.memory.total).toBe(os.totalmem())
  expect(facts.memory.free).toBeLessThanOrEqual(facts.memory.total)
  expect(facts.versions).toMatchObject({ node: process.versions.node, v8: process.versions.v8 })
  // Only what this process has.
  expect(facts.versions).not.toHaveProperty('electron')
  expect(Math.abs(facts.running - process.uptime())).toBeLessThanOrEqual(1)
  expect(Number.isInteger(facts.running)).toBe(true)
})
