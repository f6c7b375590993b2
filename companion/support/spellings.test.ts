import { expect, it } from 'vitest'
import { spellingsOf } from './spellings.ts'

const all = (secret: string): ReadonlySet<string> => new Set(spellingsOf(secret))

it('spells a secret as it is, in addresses and forms, and twice encoded', () => {
  const spelled = all('a b/ü"')
  for (const each of [
    'a b/ü"',
    'a%20b%2F%C3%BC%22',
    'a%20b%2f%c3%bc%22',
    'a+b%2F%C3%BC%22',
    'a+b%2f%c3%bc%22',
    'a%2520b%252F%25C3%25BC%2522',
  ])
    expect(spelled.has(each), each).toBe(true)
})

it('spells a secret in JSON, in JSON within JSON, and in JSON of ASCII only', () => {
  const spelled = all('a"ü😀\n')
  for (const each of ['a\\"ü😀\\n', 'a\\\\\\"ü😀\\\\n', 'a\\"\\u00fc\\ud83d\\ude00\\n'])
    expect(spelled.has(each), each).toBe(true)
})

it('spells a secret in hexadecimal of both cases', () => {
  const spelled = all('key\xff')
  expect([spelled.has('6b6579c3bf'), spelled.has('6B6579C3BF')]).toEqual([true, true])
})

it('spells a secret in Base64 wherever it begins, also in the form of addresses', () => {
  const secret = '>>>???abc~~~'
  for (const [before, after] of [
    ['', ''],
    ['x', 'yz'],
    ['xy', 'z'],
    ['xyz', ''],
    ['x', ''],
  ]) {
    const written = Buffer.from(`${before}${secret}${after}`).toString('base64')
    const found = spellingsOf(secret).filter((each) => each.length >= 12 && written.includes(each))
    expect(found.length, written).toBeGreaterThan(0)
    const inAddress = written.replaceAll('+', '-').replaceAll('/', '_')
    expect(
      spellingsOf(secret).some((each) => each.length >= 12 && inAddress.includes(each)),
      inAddress,
    ).toBe(true)
  }
})

it('gives each spelling once, and none of under 4 letters', () => {
  const plain = spellingsOf('abcd')
  expect(plain).toHaveLength(new Set(plain).size)
  expect(plain.every((each) => each.length >= 4)).toBe(true)
  expect(plain[0]).toBe('abcd')
  expect(spellingsOf('ab')).toEqual(['6162'])
  expect(spellingsOf('')).toEqual([])
})

it('spells a text with half a character too', () => {
  const half = 'abc\ud800'
  for (const each of [half, 'abc\\ud800', 'abc%EF%BF%BD', 'abc%25EF%25BF%25BD', '616263efbfbd'])
    expect(all(half).has(each), each).toBe(true)
})
