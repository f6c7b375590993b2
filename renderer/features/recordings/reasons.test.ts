import { expect, it } from 'vitest'
import { readReason, reasonOf, reasons, type Topic } from '../../../contract/catalogue/reasons.ts'
import { recordingsEn } from './words.en.ts'
import { recordingsZh } from './words.zh.ts'
import { sayReason } from './reasons.ts'

it('has every reason of the catalogue in both languages, with what varies in it', () => {
  for (const [topic, codes] of Object.entries(reasons))
    for (const [code, params] of Object.entries<readonly string[]>({ ...codes, unknown: ['text'] }))
      for (const locale of [recordingsEn, recordingsZh]) {
        const said = (locale.reason[topic as Topic] as Record<string, string>)[code] ?? ''
        expect(said, `${topic} ${code}`).not.toBe('')
        expect([...said.matchAll(/\{(\w+)\}/g)].map(([, slot]) => slot)).toEqual(params)
      }
})

it('says a reason by its code, and one that an earlier version kept in its own words', () => {
  const t = (key: string, named: Readonly<Record<string, string>>): string => `${key} ${JSON.stringify(named)}`
  expect(sayReason(t, 'delivery', reasonOf('delivery', 'status', { status: '503' }))).toBe(
    'reason.delivery.status {"status":"503"}',
  )
  expect(sayReason(t, 'delivery', readReason('delivery', 'HTTP 503')!)).toBe(
    'reason.delivery.unknown {"text":"HTTP 503"}',
  )
})
