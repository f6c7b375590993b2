import { array as arrayOf, assert as holds, constantFrom, property, string as anyString } from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { local } from '../../../contract/operations/index.ts'
import { startService, type TestService } from '../../testing/start-service.ts'
import { createWordMatcher, plainForm } from './word-matcher.ts'

describe('a word list', () => {
  it('catches a text that holds a word, whatever its case, width and composition', () => {
    const catches = createWordMatcher(['Bad', '坏话', 'caf\u00e9', '😀😀'])
    for (const text of ['bad', 'xxBADxx', 'ｂａｄ', '说坏话的', 'cafe\u0301', 'a😀😀']) expect([text, catches(text)]).toEqual([text, true])
    for (const text of ['', 'ba d', '坏', 'cafe', '😀', 'dab']) expect([text, catches(text)]).toEqual([text, false])
    expect(createWordMatcher([])('bad')).toBe(false)
  })

  it('does what looking for each word does, for any words and texts', () => {
    const letters = anyString({ unit: constantFrom('a', 'b', 'A', '中', '😀'), maxLength: 12 })
    const words = arrayOf(
      letters.filter((word) => word !== ''),
      { maxLength: 6 },
    )
    holds(
      property(words, letters, (list, text) => createWordMatcher(list)(text) === list.some((word) => plainForm(text).includes(plainForm(word)))),
      { numRuns: 2000 },
    )
  })

  it('takes no longer for many words that begin alike than the text is long', () => {
    const words = Array.from({ length: 10_000 }, (_, index) => `${'a'.repeat(58)}${index}x`.slice(0, 64))
    const catches = createWordMatcher(words)
    expect(catches('a'.repeat(5000))).toBe(false)
    expect(catches(`${'a'.repeat(5000)}7x`)).toBe(true)
  })
})

describe('words/get and words/set', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startService({ faults: true })
  })
  afterEach(() => service.close())

  it('keep the list of each application, trimmed and once each, over a restart', async () => {
    expect((await service.call(local.words, {})).ret).toEqual({ words: [], hold: false })
    expect(await service.call(local.setWords, { words: [' spam ', 'Spam', '垃圾'], hold: true })).toEqual({ code: 200 })
    expect((await service.call(local.words, {})).ret).toEqual({ words: ['Spam', '垃圾'], hold: true })
    expect((await service.other.call(local.words, {})).ret).toEqual({ words: [], hold: false })
    await service.stop()
    const again = await startService({ dataDir: service.dataDir })
    expect((await again.call(local.words, {})).ret).toEqual({ words: ['Spam', '垃圾'], hold: true })
    expect((await again.call(local.setWords, { words: [] })).code).toBe(200)
    expect((await again.call(local.words, {})).ret).toEqual({ words: [], hold: false })
    await again.stop()
  })

  it('answer 631 to a list that is not acceptable, and 501 when the service itself fails', async () => {
    for (const words of [undefined, 'x', ['  '], ['x'.repeat(65)], [1.5], Array.from({ length: 10_001 }, (_, index) => `w${index}`)])
      expect((await service.send(local.setWords, { words })).code).toBe(631)
    expect((await service.send(local.setWords, { words: Array.from({ length: 10_000 }, (_, index) => `w${index}`), hold: 'x' })).code).toBe(631)
    for (const operation of [local.words, local.setWords]) {
      await service.call(local.faults, { path: operation.path, code: 501, times: 1 })
      expect((await service.send(operation, { words: [] })).code).toBe(501)
    }
    expect((await service.send(local.words, [])).code).toBe(631)
  })
})
