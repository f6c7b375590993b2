import { expect, it } from 'vitest'
import { lastRefusal, refusalOf } from './push-refusals.ts'

const refused = (remedy: string | null, from?: string) => ({ kind: 'refused', remedy, from })

it('advises to copy the key for a push of this computer, and names where another one came from', () => {
  for (const from of ['127.0.0.1', '::1', '::ffff:127.0.0.1', undefined])
    expect(refusalOf(refused('key', from)).why).toBe('key')
  expect(refusalOf(refused('key', '::ffff:203.0.113.9'))).toEqual({ why: 'keyFrom', from: '203.0.113.9' })
  expect(refusalOf(refused('key', '2001:db8::1'))).toEqual({ why: 'keyFrom', from: '2001:db8::1' })
  // Who is refused for anything else has the key.
  expect(refusalOf(refused('expired', '203.0.113.9')).why).toBe('expired')
  expect(refusalOf(refused('moon', '203.0.113.9')).why).toBe('other')
})

it('does not let strangers hide why the own push was refused, until one began', () => {
  const stranger = refused('key', '203.0.113.9')
  const own = refused('expired', '127.0.0.1')
  const started = { kind: 'started', remedy: null }
  expect(lastRefusal([stranger, stranger, own])).toBe(own)
  expect(lastRefusal([stranger, started, own])).toBe(stranger)
  expect(lastRefusal([started, own])).toBeNull()
  // Another encoder was on air: now none is.
  for (const kind of ['ended', 'serviceLost'])
    expect([lastRefusal([{ ...started, kind }, own, started]), lastRefusal([own, { ...started, kind }])]).toEqual([
      null,
      own,
    ])
  expect(lastRefusal([])).toBeNull()
})
