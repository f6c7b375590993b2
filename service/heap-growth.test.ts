import { expect, it, vi } from 'vitest'
import { boundHeapGrowth } from './heap-growth.ts'

const { setFlagsFromString } = vi.hoisted(() => ({ setFlagsFromString: vi.fn<(flag: string) => void>() }))
vi.mock('node:v8', () => ({ setFlagsFromString }))

it('the heap of a service grows by a fifth at a time', () => {
  boundHeapGrowth()
  expect(setFlagsFromString.mock.calls).toEqual([['--heap-growing-percent=20']])
})
