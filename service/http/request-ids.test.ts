import { expect, it } from 'vitest'
import { createRequestIds } from './request-ids.ts'

it('ids of requests have the prefix of their process, and a count in base 36', () => {
  const next = createRequestIds((bytes) => Buffer.alloc(bytes, 0xab))
  const ids = Array.from({ length: 37 }, () => next())
  expect(ids.slice(0, 2)).toEqual(['abababab-1', 'abababab-2'])
  expect(ids.at(-1)).toBe('abababab-11')
  expect(createRequestIds((bytes) => Buffer.alloc(bytes, 1))()).toBe('01010101-1')
})
