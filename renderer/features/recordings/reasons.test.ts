import { expect, it } from 'vitest'
import { copyFaults } from '../../../contract/callbacks/copy-faults.ts'
import { callbackFaults } from '../../../contract/callbacks/faults.ts'
import { deliveryResults } from '../../../contract/callbacks/results.ts'
import { mergeFailures } from '../../../contract/merge-failures.ts'
import { sentence, type Sentences } from '../../../contract/sentences.ts'
import { recordingsEn } from './words.en.ts'
import { recordingsZh } from './words.zh.ts'
import { reasonKey, sayReason, type ReasonOf } from './reasons.ts'

const tables: readonly (readonly [ReasonOf, Sentences])[] = [
  ['delivery', deliveryResults],
  ['merge', mergeFailures],
  ['fault', callbackFaults],
  ['copy', copyFaults],
]
const filling = { host: 'hooks.example', status: '503', code: 'EIO' }

it('has every sentence of the service in both languages, with the same places', () => {
  for (const [of, table] of tables)
    for (const [name, text] of Object.entries(table)) {
      expect(reasonKey(of, sentence(table, name, filling))?.key).toBe(`reason.${of}.${name}`)
      const slots = [...text.matchAll(/\{\w+\}/g)].map(([slot]) => slot)
      for (const locale of [recordingsEn, recordingsZh]) {
        const said = (locale.reason[of] as Record<string, string>)[name] ?? ''
        expect(said, name).not.toBe('')
        for (const slot of slots) expect(said, name).toContain(slot)
      }
    }
})

it('shows a sentence that is not known as it came', () => {
  const t = (key: string, named: Readonly<Record<string, string>>): string => `${key} ${JSON.stringify(named)}`
  expect(sayReason(t, 'delivery', 'HTTP 503')).toBe('reason.delivery.status {"status":"503"}')
  expect(sayReason(t, 'merge', 'something new')).toBe('something new')
})
