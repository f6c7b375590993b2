import { expect, it } from 'vitest'
import type { Ground } from '../access/players.ts'
import { createGuestTokens } from './guest-tokens.ts'

const cid = 'c'.repeat(32)
const pass = { created: 1_800_000_000_000, issued: 1_800_000_050_000, roomid: 7, cid }
const [mine, other] = [createGuestTokens('secret'), createGuestTokens('another')]

it.each<Ground>([
  { kind: 'free' },
  { kind: 'everybody' },
  { kind: 'visit' },
  { kind: 'passphrase', generation: 40 },
  { kind: 'link', linkId: Number.MAX_SAFE_INTEGER },
  { kind: 'own', since: 1_800_000_000_000 },
])('a token says of whom it is, and on what ground they came: $kind', (ground) => {
  const token = mine.write(1, 'guest-a', { ...pass, roomid: Number.MAX_SAFE_INTEGER, ground })
  // The longest that the contract of the link takes.
  expect(token.length).toBeLessThanOrEqual(128)
  expect(createGuestTokens('secret').read(1, 'guest-a', token)).toEqual({
    ...pass,
    roomid: Number.MAX_SAFE_INTEGER,
    ground,
  })
  for (const [uid, accid] of [
    [2, 'guest-a'],
    [1, 'guest-b'],
  ] as const)
    expect(mine.read(uid, accid, token)).toBeUndefined()
  expect(other.read(1, 'guest-a', token)).toBeUndefined()
})

it('a token with any other character is none', () => {
  const token = mine.write(1, 'guest-a', { ...pass, ground: { kind: 'everybody' } })
  for (let index = 0; index < token.length; index++) {
    const changed = token[index] === '0' ? '1' : '0'
    expect(mine.read(1, 'guest-a', token.slice(0, index) + changed + token.slice(index + 1))).toBeUndefined()
  }
  for (const text of ['', `${token}0`, token.slice(1), token.slice(0, -1)])
    expect(mine.read(1, 'guest-a', text)).toBeUndefined()
})
