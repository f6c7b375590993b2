import { expect, it } from 'vitest'
import { callbackFaults } from './callbacks/faults.ts'
import { deliveryResults } from './callbacks/results.ts'
import { mergeFailures } from './merge-failures.ts'
import { readSentence, sentence } from './sentences.ts'

const filling = { host: 'receiver.example', status: '503', code: 'ECERT_1' }

it('reads back every sentence that it writes, by one name only', () => {
  for (const table of [deliveryResults, mergeFailures, callbackFaults])
    for (const name of Object.keys(table) as (keyof typeof table)[]) {
      const said = sentence(table, name, filling)
      expect(said).not.toMatch(/[{}]/)
      const read = readSentence(table, said)
      expect(read?.name, said).toBe(name)
      for (const [key, value] of Object.entries(read?.filling ?? {}))
        expect(value).toBe(filling[key as keyof typeof filling])
    }
})

it('keeps what varies apart from the words around it', () => {
  expect(readSentence(deliveryResults, 'HTTP 302, redirects are not followed')).toEqual({
    name: 'redirect',
    filling: { status: '302' },
  })
  expect(readSentence(deliveryResults, '2001:db8::1 is a port of this service itself')).toEqual({
    name: 'ownPort',
    filling: { host: '2001:db8::1' },
  })
})

it('knows no name of other words', () => {
  for (const text of ['', 'HTTP', 'a b does not resolve to an address', 'connection refused.', 'Connection refused'])
    expect(readSentence(deliveryResults, text)).toBeUndefined()
})
