import { expect, it } from 'vitest'
import { PeerInflow } from './peer-inflow.ts'

it('a peer that takes media sends 64 KiB in 10 s at most, and 4096 chunks', () => {
  let now = 50_000
  const chunks = { allowance: 0 }
  const inflow = new PeerInflow({ monotonic: () => now }, chunks)
  expect([inflow.count(60 * 1024), inflow.count(64 * 1024)]).toEqual([60 * 1024, 4 * 1024])
  expect(chunks.allowance).toBe(4096)
  chunks.allowance = 7
  now += 9_999
  expect(() => inflow.take(1)).toThrow('the peer sends too much')
  expect(chunks.allowance).toBe(7)
  now += 1
  inflow.take(64 * 1024)
  expect(chunks.allowance).toBe(4096)
})
