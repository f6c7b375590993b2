import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { groups, type Group } from './groups.ts'
import type { Language } from '../format/languages.ts'

const flat = (tree: object, at = ''): [string, string][] =>
  Object.entries(tree).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'string' ? [[`${at}${key}`, value] as [string, string]] : flat(value as object, `${at}${key}.`),
  )
const names = Object.keys(groups) as Group[]
const read = async (language: Language): Promise<[string, string][]> =>
  flat(Object.assign({}, ...(await Promise.all(names.map((name) => groups[name][language]())))) as object)
const [english, chinese] = await Promise.all([read('en'), read('zh')])
const root = fileURLToPath(new URL('..', import.meta.url))
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(vue|ts)$/.test(file) && !/locales|testing|[\\/]words[-\w]*\.ts$|\.test\.ts$/.test(file))
  .map((file) => [file, readFileSync(path.join(root, file), 'utf8')] as const)

/** Words for how the product is made, which mean nothing to whoever broadcasts. */
const ofEngineers: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:ingest listen\w*|pull address(?:es)?|pull urls?|vids?|cids?|uids?|endpoints?|payloads?|sockets?|daemons?|backends?|frontends?|middleware|booleans?|nullable|null|undefined|NaN|mutex|threads?|rpc|ipc|stack ?traces?|exceptions?|regex\w*|std(?:out|err)|pids?|poll(?:ed|ing|s)?|relay\w*|outbox|event loop|garbage|handshake\w*|fan-?out|muxers?|demux\w*|parsers?|parsed|errno|object Object)\b/i,
  zh: /拉流地址|采集端监听|推流监听|套接字|句柄|进程间|线程|轮询|中继(?!续)|载荷|端点|布尔|堆栈|空指针|未定义|互斥|解析器|握手|\b(?:vid|cid|uid|null|undefined|ingest|payload|socket|RPC|IPC|PID)\b/i,
}
/** Names of faults of the system and of signals. */
const ofTheSystem = /\b(?:E(?:CONN|ADDR|PIPE|ACCES|PERM|NOENT|NOSPC|TIMEDOUT|MFILE)[A-Z]*|SIG[A-Z]{3,})\b/
/** Where the ingest is the source of a figure, and nowhere else. */
const ofTheIngest: ReadonlySet<string> = new Set([
  'channels.column.kbps',
  'health.from.ingest',
  'health.kbps',
  'streamHealth.cause.notGiven',
  'streamHealth.lead',
  'streamHealth.hosted',
])

describe.each([
  ['en', english],
  ['zh', chinese],
] as const)('the words of the screens in %s', (language, texts) => {
  it('are none of engineers', () => {
    expect(
      texts
        .filter(([, text]) => ofEngineers[language].test(text) || ofTheSystem.test(text))
        .map(([key, text]) => `${key}: ${text}`),
    ).toEqual([])
    expect(
      texts.filter(([key, text]) => /\bingest\b/i.test(text) && !ofTheIngest.has(key)).map(([key]) => key),
    ).toEqual([])
  })

  it('say what happened and what to do in two sentences that are not one twice', () => {
    const said = new Map(texts)
    const wordsOf = (text: string): string[] =>
      (language === 'zh' ? [...text.replace(/[^\p{Script=Han}]/gu, '')] : text.toLowerCase().match(/[a-z']+/g)) ?? []
    const run = language === 'zh' ? 6 : 4
    const pairs = texts.flatMap(([key, text]) => {
      const next = key.endsWith('.sentence') ? said.get(key.replace(/sentence$/, 'next')) : said.get(`${key}Next`)
      return next === undefined ? [] : [[key, wordsOf(text), wordsOf(next)] as const]
    })
    expect(pairs.length).toBeGreaterThan(30)
    const doubled = pairs.filter(([, one, next]) =>
      one.some((_, at) => at + run <= one.length && next.join(' ').includes(one.slice(at, at + run).join(' '))),
    )
    expect(doubled.map(([key]) => key)).toEqual([])
  })
})

describe('the keychain', () => {
  /** Said of what is so, by whoever told it, and of what the system answered. */
  const told: ReadonlySet<string> = new Set([
    'settings.secret.keychain',
    'failure.keychain.sentence',
    'seats.certificate.unreadable',
    'seats.noKeychain.next',
    'reason.service.keychain',
  ])
  const promises = english.filter(
    ([key, text]) =>
      /\bkeychain\b/i.test(text) &&
      !/no keychain/i.test(text) &&
      !told.has(key) &&
      !/^(?:computer\.secrets|supportBundle|obs\.\w+\.keychain)\b/.test(key),
  )

  it('is named where a secret is kept in it, and beside it stands what is so without one', () => {
    const keys = new Set(english.map(([key]) => key))
    expect(promises.length).toBeGreaterThan(7)
    expect(promises.map(([key]) => key).filter((key) => !keys.has(`${key}Session`))).toEqual([])
  })

  it.each(promises.map(([key]) => key))('is not promised where there is none: %s', (key) => {
    const asked = sources.filter(([, text]) => text.includes(`'${key}'`))
    expect(asked.length).toBeGreaterThan(0)
    for (const [file, text] of asked)
      for (const at of [...text.matchAll(new RegExp(`'${key.replaceAll('.', '\\.')}'`, 'g'))].map(({ index }) => index))
        expect(text.slice(Math.max(0, at - 40), at + 2 * key.length + 50), file).toMatch(
          new RegExp(`hasKeychain\\s+\\? '${key}'\\s+: '${key}Session'`),
        )
  })
})
