import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { costPerPiece, heldBytes, HeldMemory } from './held-memory.ts'

it('a piece counts with the whole memory that it holds, once for all its pieces', () => {
  const block = Buffer.from(new ArrayBuffer(10_000))
  const memory = new HeldMemory()
  expect(memory.add(block.subarray(0, 100))).toBe(10_000)
  expect(memory.add(block.subarray(100, 200))).toBe(0)
  memory.clear()
  expect(memory.add(block.subarray(200, 300))).toBe(10_000)
  expect(heldBytes([block.subarray(0, 100), block.subarray(100, 200)])).toBe(10_000 + 2 * costPerPiece)
})

it('what was counted before is released by collections of the young generation alone', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void
  const memory = new HeldMemory()
  /** Three pieces; after which of them there is a collection. */
  const round = (collected: readonly number[]): number => {
    memory.clear()
    for (let piece = 1; piece <= 3; piece++) {
      memory.add(Buffer.from(new ArrayBuffer(400_000)).subarray(0, 100))
      if (collected.includes(piece)) collect({ type: 'minor' })
    }
    return process.memoryUsage().arrayBuffers
  }
  // What lives during two collections is old from then on.
  const before = Array.from({ length: 4 }, () => round([1, 2, 3])).at(-1)!
  const after = Array.from({ length: 50 }, () => round([2])).at(-1)!
  expect(after - before).toBeLessThan(8_000_000)
})

it('a piece of at least half of its memory counts each time', () => {
  const block = Buffer.from(new ArrayBuffer(1000))
  const memory = new HeldMemory()
  expect([memory.add(block.subarray(0, 500)), memory.add(block.subarray(500))]).toEqual([1000, 1000])
  expect([memory.add(block.subarray(0, 499)), memory.add(block.subarray(0, 499))]).toEqual([1000, 0])
})

it('each piece costs 256 bytes besides its memory, and none cost nothing', () => {
  const block = (): Buffer => Buffer.from(new ArrayBuffer(100))
  expect([heldBytes([block()]), heldBytes([block(), block(), block()]), heldBytes([])]).toEqual([356, 1068, 0])
})
