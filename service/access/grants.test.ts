import { expect, it } from 'vitest'
import { createGrants } from './grants.ts'
import type { Ground } from './players.ts'

const cid = 'c0ffee00'.repeat(4)
let now = 1_800_000_000_000
const grants = createGrants({ key: Buffer.alloc(32, 7), clock: { now: () => now } })
const grounds: Ground[] = [
  { kind: 'free' },
  { kind: 'visit' },
  { kind: 'everybody' },
  { kind: 'passphrase', generation: 3 },
  { kind: 'link', linkId: 4711 },
  { kind: 'own', since: 1_799_999_999_999 },
]

it('a grant is read as what it was made of, and for two minutes somebody may begin with it', () => {
  for (const ground of grounds) {
    const grant = grants.write(cid, ground)
    expect(grant).toMatch(/^[0-9a-z]{1,9}\.[0-9a-z]{1,12}\.[A-Za-z0-9_-]{22}$/)
    expect(grants.read(cid, grant)).toEqual({ ground, isLate: false })
  }
  const grant = grants.write(cid, { kind: 'free' })
  now += 119_000
  expect(grants.read(cid, grant)?.isLate).toBe(false)
  now += 3_000
  expect(grants.read(cid, grant)).toEqual({ ground: { kind: 'free' }, isLate: true })
})

it('a grant of another channel, key, time or ground is none', () => {
  const grant = grants.write(cid, { kind: 'link', linkId: 1 })
  const [until, ground, signature] = grant.split('.') as [string, string, string]
  expect(grants.read('deadbeef'.repeat(4), grant)).toBeUndefined()
  expect(createGrants({ key: Buffer.alloc(32, 8), clock: { now: () => now } }).read(cid, grant)).toBeUndefined()
  const later = (Number.parseInt(until, 36) + 60).toString(36)
  for (const forged of [
    `${later}.${ground}.${signature}`,
    `${until}.f.${signature}`,
    `${until}.l2.${signature}`,
    'x',
    '',
  ])
    expect(grants.read(cid, forged)).toBeUndefined()
})
