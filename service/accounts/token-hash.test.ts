import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { hashToken, tokenIs } from './token-hash.ts'

it('a token is kept as a salted SHA-256, and only it matches', () => {
  const kept = hashToken('token', (bytes) => Buffer.alloc(bytes, 0xab))
  const salt = 'ab'.repeat(16)
  expect(kept).toBe(`${salt}:${createHash('sha256').update(`${salt}:token`).digest('hex')}`)
  expect([tokenIs(kept, 'token'), tokenIs(kept, 'Token'), tokenIs(kept, '')]).toEqual([true, false, false])
  for (const broken of ['', ':', salt, `${salt}:`, `${salt}:ab`]) expect(tokenIs(broken, 'token'), broken).toBe(false)
})
