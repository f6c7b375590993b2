import { expect, it } from 'vitest'
import { foreignParams, readReason, reasonOf, reasons } from '../../contract/catalogue/reasons.ts'
import { sayReason } from '../ui/reasons.ts'
import { groups } from './groups.ts'

const wordsOf = async (language: 'en' | 'zh'): Promise<Record<string, Record<string, string>>> => {
  const all = await Promise.all(Object.values(groups).map((group): Promise<object> => group[language]()))
  return Object.assign({}, ...all.map((group) => (group as { reason?: object }).reason)) as never
}
const topics = Object.entries<Readonly<Record<string, readonly string[]>>>(reasons)

it.each(topics)('has every reason of the topic %s in both languages, with what varies in it', async (topic, codes) => {
  const all = { ...codes, unknown: ['text'] }
  for (const words of [await wordsOf('en'), await wordsOf('zh')]) {
    expect(Object.keys(words[topic] ?? {}).sort()).toEqual(Object.keys(all).sort())
    for (const [code, params] of Object.entries(all)) {
      const said = words[topic]?.[code] ?? ''
      expect(said, code).not.toBe('')
      expect([...said.matchAll(/\{(\w+)\}/g)].map(([, slot]) => slot)).toEqual(params)
    }
  }
})

it('shows the words of other programs as they are, apart from its own', async () => {
  for (const words of [await wordsOf('en'), await wordsOf('zh')])
    for (const [topic, codes] of topics)
      for (const [code, params] of Object.entries(codes))
        for (const param of params.filter((each) => foreignParams.includes(each)))
          expect(words[topic]?.[code]).toMatch(new RegExp(`(^|[(（：“]|: )\\{${param}\\}([)）”]|$)`))
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
