import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { array as arrayOf, assert as holds, constantFrom, property, string as anyString } from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import { createMemoryJournal } from '../journal/memory-journal.ts'
import { openStore } from '../storage/testing/open-store.ts'
import type { Store } from '../storage/store.ts'
import { messagingSettings } from '../storage/schema.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { formsOf, plainForm, skeletonOf } from './folding.ts'
import { buildWordMatcher, createWordMatcher, readWord } from './word-matcher.ts'
import { createWords } from './words.ts'

const unspaced = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}]/u
/** A naive reference of the matcher. */
function holdsOne(list: readonly string[], text: string): boolean {
  const inWord = (character: string | undefined): boolean =>
    character !== undefined && /[\p{L}\p{N}\p{M}_]/u.test(character) && !unspaced.test(character)
  const isEdge = (characters: readonly string[], at: number): boolean =>
    !(inWord(characters[at - 1]) && inWord(characters[at]))
  const isJoined = (character: string | undefined): boolean => character !== undefined && unspaced.test(character)
  const together = (form: string): string =>
    [...form]
      .filter((character, at, all) => character !== ' ' || !(isJoined(all[at - 1]) && isJoined(all[at + 1])))
      .join('')
  const { plain, written = plain } = formsOf(text)
  return [together(plain), skeletonOf(together(plain)), together(written)].some((form) => {
    const characters = [...form]
    return list.some((word) => {
      const pattern = readWord(word)
      if (!pattern) return false
      return [pattern.text, skeletonOf(pattern.text)].some((wanted) => {
        const { length } = [...wanted]
        return characters.some(
          (_, at) =>
            characters.slice(at, at + length).join('') === wanted &&
            (!pattern.begins || isEdge(characters, at)) &&
            (!pattern.ends || isEdge(characters, at + length)),
        )
      })
    })
  })
}

describe('a word list', () => {
  it('catches a text that holds a word, whatever its case, width and composition', () => {
    const catches = createWordMatcher(['Bad', '坏话', 'caf\u00e9', '😀😀'])
    for (const text of ['bad', 'xx BAD xx', 'ｂａｄ', '说坏话的', 'cafe\u0301', 'a😀😀'])
      expect([text, catches(text)]).toEqual([text, true])
    for (const text of ['', 'ba d', '坏', 'caf', '😀', 'dab']) expect([text, catches(text)]).toEqual([text, false])
    expect(createWordMatcher([])('bad')).toBe(false)
  })

  it('is not beaten by what is not seen, by marks, by letters that look alike and by doubled spaces', () => {
    const catches = createWordMatcher(['badword', 'two words', 'kill', 'host'])
    const hidden = [
      'bad\u200bword',
      'b\u00e1dword',
      'ba\u0301\u0302dword',
      'bad\u00adword',
      'b\u0430dw\u043erd',
      'badw0rd',
      'b\u{1d41a}dword',
      '\u202ebadword\u202c',
      'badword|',
    ]
    const others = [
      'two   words',
      'two\u3000words',
      'two\n\t words',
      'kiII',
      'KILL',
      '\u0397\u043e\u0455t',
      'H\u2062OST',
      'b\u{e0061}adword',
    ]
    for (const text of [...hidden, ...others]) expect([text, catches(text)]).toEqual([text, true])
  })

  it('means whole words where the script has words, parts in Han, Kana and Thai, and parts anywhere with *', () => {
    const catches = createWordMatcher(['badword', '笨蛋', 'ばか', 'ไทย', 'damn*', '*ship', '*rude*'])
    for (const text of [
      'a badword!',
      '说badword了',
      '你是笨蛋吗',
      'おばかさん',
      'ภาษาไทยครับ',
      'damned',
      'flagship',
      'intruder',
      '_rude_',
    ])
      expect([text, catches(text)]).toEqual([text, true])
    for (const text of ['embadwordment', 'badwords', 'goddamn', 'shipping', 'badword2', 'はか'])
      expect([text, catches(text)]).toEqual([text, false])
  })

  it.each([
    ['a space', ' '],
    ['several spaces', '   '],
    ['a wide space', '\u3000'],
    ['ends of lines', '\n\t\r\n'],
    ['a zero-width space', '\u200b'],
    ['a zero-width space between spaces', ' \u200b '],
    ['a word joiner and a soft hyphen', '\u2060\u00ad'],
    ['a Braille blank', '\u2800'],
    ['a null notehead', '\u{1d159}'],
    ['a mark', '\u0301'],
  ])('between characters of Han, Kana and Thai %s does not separate', (_what, between) => {
    const catches = createWordMatcher([
      '傻瓜',
      '大笨蛋',
      'ばか',
      'バカ',
      'ไทย',
      '你 好',
      'two words',
      '*rude*',
      '瓜bad',
    ])
    const apart = (word: string): string => [...word].join(between)
    for (const word of ['傻瓜', '大笨蛋', 'ばか', 'ﾊﾞｶ', 'ไทย', '你好', '你 好']) {
      const caught = [
        apart(word),
        `这个${apart(word)}很${between}好`,
        `x ${apart(word)} y`,
        `${between}${apart(word)}`,
        `大${between}${apart(word)}`,
      ]
      for (const text of caught) expect([text, catches(text)]).toEqual([text, true])
    }
    for (const text of [
      apart('傻子瓜'),
      apart('瓜傻'),
      `傻${between}a${between}瓜`,
      `傻${between},${between}瓜`,
      apart('かば'),
    ])
      expect([text, catches(text)]).toEqual([text, false])
    // Between spaced words a space is kept.
    for (const text of ['ru de', 'twowords', '瓜 bad']) expect([text, catches(text)]).toEqual([text, false])
  })

  it('takes a time that grows with the text only, also where all its characters stand apart', () => {
    const catches = createWordMatcher(['傻瓜'])
    const text = '傻 '.repeat(300_000)
    expect([catches(text), catches(`${text}瓜`)]).toEqual([false, true])
  })

  it('keeps scripts apart that lose their meaning without marks, and does not take other words for one', () => {
    const catches = createWordMatcher(['กี่', 'बिल', 'corn'])
    for (const text of ['กา', 'बल', 'barn', 'cord']) expect([text, catches(text)]).toEqual([text, false])
    for (const text of ['ดกี่ด', 'बिल', 'Corn']) expect([text, catches(text)]).toEqual([text, true])
  })

  it('does what looking for each word at each place does, for any words and texts', () => {
    const letters = anyString({
      unit: constantFrom('a', 'b', 'A', 'I', 'l', 'm', 'r', 'n', '中', '文', '😀', ' ', '*', '\u0301', '\u0430', '0'),
      maxLength: 12,
    })
    const words = arrayOf(letters, { maxLength: 6 })
    holds(
      property(words, letters, (list, text) => createWordMatcher(list)(text) === holdsOne(list, text)),
      { numRuns: 5000 },
    )
  })

  it('has a skeleton that does not change when it is made again, for any text', () => {
    holds(
      property(anyString({ unit: 'grapheme', maxLength: 40 }), (text) => {
        const skeleton = skeletonOf(plainForm(text))
        return skeletonOf(plainForm(skeleton)) === skeleton
      }),
      { numRuns: 5000 },
    )
  })

  it('folds every character into at most four, but for some that are whole words, of which a text has few', () => {
    const lengths = (text: string): readonly number[] => {
      const { plain, skeleton, written = '' } = formsOf(text)
      return [plain.length, skeleton.length, written.length]
    }
    const long: string[] = []
    for (let code = 0x80; code < 0x30000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue
      const character = String.fromCodePoint(code)
      const [plain = 0, ...looks] = lengths(character)
      if (plain <= 4 && Math.max(...looks) <= 6) continue
      const many = Math.max(...lengths(character.repeat(1000)))
      if (many > 32 * 19) long.push(`${code.toString(16)} ${many}`)
    }
    expect(long).toEqual([])
  })

  it.each(['\ufdfa', '\u3300', '½', 'I\u0301', '각', '\u1f82'])(
    'reads 4,096 of %j with a bounded amount of work',
    (character) => {
      const catches = createWordMatcher(['villain'])
      const text = character.repeat(4096).slice(0, 4096)
      const worked = vi.spyOn(String.prototype, 'normalize')
      try {
        expect(catches(text)).toBe(false)
        const made = worked.mock.results.reduce((sum, { value }) => sum + (value as string).length, 0)
        expect(made).toBeLessThanOrEqual(16 * 4096)
      } finally {
        worked.mockRestore()
      }
    },
  )

  it('finds a word behind many characters that are whole words', () => {
    const catches = createWordMatcher(['villain', 'صلى'])
    expect(catches(`${'\ufdfa'.repeat(1000)} so villain`)).toBe(true)
    expect(catches(`${'\ufdfa'.repeat(1000)}villain`)).toBe(true)
    expect(catches('so \ufdfa')).toBe(true)
  })

  it('takes no longer for many words that begin alike than the text is long', () => {
    const words = Array.from({ length: 10_000 }, (_, index) => `${'a'.repeat(58)}${index}x`.slice(0, 64))
    const catches = createWordMatcher(words)
    expect(catches('a'.repeat(5000))).toBe(false)
    expect(catches(`${'a'.repeat(5000)} ${'a'.repeat(58)}7x`)).toBe(true)
    expect(catches(`${'a'.repeat(5000)}7x`)).toBe(false)
    expect(createWordMatcher([`*${words[7]!}`])(`${'a'.repeat(5000)}7x`)).toBe(true)
  })
})

describe('the lists of applications', () => {
  let store: Store
  let folder: string
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sidestage-words-'))
    store = await openStore(folder)
    for (const uid of [1, 2])
      await store.db
        .insertInto('application')
        .values({
          uid,
          name: `application ${uid}`,
          created: 0,
          ownerPresent: 1,
          liveEnabled: 1,
          vodEnabled: 1,
          frozen: 0,
          oneTimeCheckSum: 0,
          pushLifeDays: 30,
          localTargets: null,
          recordingDays: 0,
          recordingGigabytes: 0,
          recordingLinkHours: 24,
          ...messagingSettings,
        })
        .execute()
  })
  afterEach(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('catch texts of their own application only, over a restart too, until they are replaced', async () => {
    const words = await createWords(store.db, createMemoryJournal(store))
    const caught = (of = words) => [1, 2].map((uid) => of.catches(uid, 'so bad'))
    expect([words.catches(1, 'so bad'), words.read(1)]).toEqual([false, { words: [], hold: false }])
    await words.replace(1, { words: ['bad'], hold: true })
    expect([caught(), words.read(1), words.read(2).words]).toEqual([[true, false], { words: ['bad'], hold: true }, []])
    const again = await createWords(store.db, createMemoryJournal(store))
    expect([caught(again), again.read(1)]).toEqual([[true, false], { words: ['bad'], hold: true }])
    await again.replace(1, { words: ['good'], hold: false })
    expect([caught(again), again.catches(1, 'so good'), again.read(1).hold]).toEqual([[false, false], true, false])
  })

  it('stay as they were where a new one cannot be stored', async () => {
    const words = await createWords(store.db, createMemoryJournal(store))
    await words.replace(1, { words: ['bad'], hold: false })
    await store.db.schema.alterTable('wordList').renameTo('away').execute()
    await expect(words.replace(1, { words: ['good'], hold: true })).rejects.toThrow('wordList')
    expect([words.catches(1, 'bad'), words.catches(1, 'good'), words.read(1).hold]).toEqual([true, false, false])
    await store.db.schema.alterTable('away').renameTo('wordList').execute()
    await words.replace(1, { words: ['good'], hold: true })
    expect([words.catches(1, 'bad'), words.catches(1, 'good')]).toEqual([false, true])
  })

  it('are built one after the other, the last one given stays', async () => {
    let building = 0
    let most = 0
    const words = await createWords(store.db, createMemoryJournal(store), async () => {
      most = Math.max(most, ++building)
      await new Promise((resolve) => setImmediate(resolve))
      building--
    })
    const list = (word: string) => ({ words: Array.from({ length: 64 }, (_, index) => `${word}${index}`), hold: false })
    await Promise.all([words.replace(1, list('one')), words.replace(2, list('two')), words.replace(1, list('three'))])
    expect(most).toBe(1)
    expect([words.catches(1, 'one7'), words.catches(1, 'three7'), words.catches(2, 'two7')]).toEqual([
      false,
      true,
      true,
    ])
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

  it('hold no line for a moderator unless that is asked for', async () => {
    await service.call(local.setWords, { words: ['a'], hold: true })
    await service.call(local.setWords, { words: ['a'] })
    expect((await service.call(local.words, {})).ret).toEqual({ words: ['a'], hold: false })
  })

  it('keep a whole word and its forms with an asterisk beside each other', async () => {
    const words = ['damn', 'damn*', '*damn', '*damn*']
    await service.call(local.setWords, { words })
    expect((await service.call(local.words, {})).ret?.words).toEqual(words)
  })

  it('answer 631 to a list that is not acceptable, and 501 when the service itself fails', async () => {
    const many = (word: string): string[] => Array.from({ length: 2000 }, (_, index) => `${word}${index}`)
    for (const words of [
      undefined,
      'x',
      ['  '],
      ['*'],
      ['\u200b'],
      many('\ufdfa'.repeat(60)),
      ['x'.repeat(65)],
      [1.5],
      Array.from({ length: 10_001 }, (_, index) => `w${index}`),
    ])
      expect((await service.send(local.setWords, { words })).code).toBe(631)
    expect(
      (
        await service.send(local.setWords, {
          words: Array.from({ length: 10_000 }, (_, index) => `w${index}`),
          hold: 'x',
        })
      ).code,
    ).toBe(631)
    for (const operation of [local.words, local.setWords]) {
      await service.call(local.faults, { path: operation.path, code: 501, times: 1 })
      expect((await service.send(operation, { words: [] })).code).toBe(501)
    }
    expect((await service.send(local.words, [])).code).toBe(631)
  })
})

it('takes a long list in with a turn for others every few words, and catches the same', async () => {
  const list = Array.from({ length: 1_000 }, (_, index) => `word${index} of many letters ${'x'.repeat(index % 30)}`)
  let turns = 0
  const built = await buildWordMatcher(list, () => {
    turns += 1
    return Promise.resolve()
  })
  // 62 for the words, and one per 2,048 transitions.
  expect(turns).toBeGreaterThan(80)
  const atOnce = createWordMatcher(list)
  for (const text of [list[0]!, `so ${list[999]!}!`, 'word0', 'nothing', `${list[500]!}y`])
    expect(built(text), text).toBe(atOnce(text))
  expect(built(list[777]!)).toBe(true)
})
