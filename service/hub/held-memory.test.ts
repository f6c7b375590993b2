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
