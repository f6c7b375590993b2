import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { errorTable } from './errors.ts'
import { flag, integer, list, object, text } from './field.ts'
import { operation, type Operation } from './operation.ts'
import { operations } from './operations/index.ts'

const specification = (name: string): string =>
  readFileSync(new URL(`../docs/specification/${name}`, import.meta.url), 'utf8')

/** Table rows of a section, as cells. */
const rows = (document: string, section: string): string[][] => {
  const part = document.split(/^## /m).find((text) => text.startsWith(`${section}\n`)) ?? ''
  return part
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

/** Documented paths: from tables (1 and 3) or paragraph headings (2). */
const documented = (name: string): string[] => {
  const document = specification(name)
  const headed = [...document.matchAll(/^\*\*POST (\/\S+)\*\*/gm)].map((match) => match[1]!)
  return [
    ...headed,
    ...rows(document, 'Endpoints').flatMap((cells) => cells.filter((cell) => /^\/[a-zA-Z/]+(\.action)?$/.test(cell))),
  ]
}

const first = documented('1-live.md')
const second = documented('2-messaging.md')
const third = documented('3-chatrooms.md')
const ofDocument = (document: Operation['document']): Operation[] =>
  operations.filter((one) => one.document === document)

/** Parameters that clients send beyond the documents (docs/guide/en/integrating.md). */
const beyond: Readonly<Record<string, readonly string[]>> = {
  '/app/videolist': ['records', 'pnum'],
  '/friend/get.action': ['updatetime'],
  '/history/querySessionMsg.action': ['type'],
  '/history/queryTeamMsg.action': ['type'],
  '/msg/recall.action': ['ignoreTime'],
  '/msg/sendBatchMsg.action': ['returnMsgid'],
  '/team/create.action': ['teamMemberLimit'],
  '/team/kick.action': ['members'],
  '/team/muteTlistAll.action': ['muteType'],
  '/team/query.action': ['ignoreInvalid'],
  '/team/update.action': ['teamMemberLimit'],
  '/user/create.action': ['sign', 'email', 'birth', 'mobile', 'gender', 'ex'],
}
const namedByDocument = ({ path, parameters }: Operation): string[] =>
  Object.keys(parameters).filter((name) => !beyond[path]?.includes(name))

describe('the operations of the three documents', () => {
  it('are 76, each described once', () => {
    const all = [...first, ...second, ...third]
    expect(new Set(all).size).toBe(all.length)
    expect([first.length, second.length + third.length]).toEqual([16, 60])
  })

  it('of document 1 are in the contract, under the same paths', () => {
    expect(
      ofDocument(1)
        .map(({ path }) => path)
        .sort(),
    ).toEqual([...first].sort())
  })

  it('of document 3 are in the contract, with its parameters in its order and exactly its codes', () => {
    const endpoints = rows(specification('3-chatrooms.md'), 'Endpoints').filter(([, path = '']) => path.startsWith('/'))
    expect(endpoints).toHaveLength(19)
    expect(ofDocument(3)).toHaveLength(19)
    for (const [, path = '', named = '', , codes = ''] of endpoints) {
      const described = operations.find((one) => one.path === path)!
      const names = named
        .replaceAll(/\([^()]*\)/g, '')
        .split('.')[0]!
        .split(';')
        .map((name) => name.trim())
      expect([path, ...namedByDocument(described)]).toEqual([path, ...names])
      expect([path, described.document, ...described.codes]).toEqual([path, 3, ...codes.split(',').map(Number)])
    }
  })

  it('of document 1 list exactly the codes of its error table', () => {
    const pathOf = (name: string): string =>
      first.find((path) => path === `/app/${name}`) ??
      first.find((path) => path === `/app/channel/${name}`) ??
      `no operation is called ${name}`
    const codes = new Map(first.map((path) => [path, new Set<number>()]))
    for (const [code = '', , named = ''] of rows(specification('1-live.md'), 'Errors')) {
      if (!/^[0-9]+$/.test(code)) continue
      for (const path of named === 'all' ? first : named.split(', ').map(pathOf)) {
        const known = codes.get(path)
        if (!known) throw new Error(path)
        known.add(Number(code))
      }
    }
    for (const one of ofDocument(1))
      expect([...one.codes], one.path).toEqual([...codes.get(one.path)!].sort((a, b) => a - b))
  })

  it('take the parameters that document 1 names, in its order', () => {
    for (const cells of rows(specification('1-live.md'), 'Endpoints')) {
      const described = operations.find(({ path }) => path === cells[1])
      if (!described) continue
      const names = [...cells[2]!.matchAll(/(?:^|; )([a-zA-Z]+) \(/g)].map((match) => match[1]!)
      expect(new Set(namedByDocument(described)), described.path).toEqual(new Set(names))
    }
  })

  it('of document 2 are in the contract, under the same paths', () => {
    expect(
      ofDocument(2)
        .map(({ path }) => path)
        .sort(),
    ).toEqual([...second].sort())
  })

  it('take the parameters that document 2 names, and list its codes', () => {
    const document = specification('2-messaging.md')
    const common = document
      .match(/^Return codes listed for every operation below: ([0-9, ]+);/m)![1]!
      .split(', ')
      .map(Number)
    const headings = [...document.matchAll(/^\*\*POST (\/\S+)\*\*(.*)$/gm)]
    expect(headings).toHaveLength(41)
    for (const [, path = '', paragraph = ''] of headings) {
      // Rules are in brackets; after the first full stop comes description.
      const named = paragraph
        .replaceAll(/\([^()]*\)/g, '')
        .split(' - ')[1]!
        .split('.')[0]!
        .replace('multipart form: ', '')
      const described = operations.find((one) => one.path === path)!
      const names = namedByDocument(described)
      expect([path, ...names.toSorted()]).toEqual([
        path,
        ...named
          .split(/[;,]/)
          .map((name) => name.trim())
          .toSorted(),
      ])
      const extra =
        paragraph
          .match(/Extra codes?: ([0-9, ]+)/)?.[1]
          ?.split(', ')
          .map(Number) ?? []
      expect([path, ...described.codes]).toEqual([path, ...common, ...extra])
    }
  })

  it('have paths that no two share', () => {
    expect(new Set(operations.map(({ path }) => path)).size).toBe(operations.length)
  })
})

describe('the table of codes', () => {
  const listed = new Set(operations.flatMap(({ codes }) => [...codes] as number[]))

  it('has every code that an operation lists', () => {
    for (const code of listed) expect(errorTable).toHaveProperty(String(code))
  })

  it('has every code of the documents', () => {
    const numbers = (name: string, section: string): number[] =>
      rows(specification(name), section).flatMap(([cell = '']) => (/^[0-9]{3,5}$/.test(cell) ? [Number(cell)] : []))
    const ofEndpoints = (name: string): number[] =>
      rows(specification(name), 'Endpoints').flatMap((cells) =>
        (cells.at(-1)?.match(/\b[0-9]{3,5}\b/g) ?? []).map(Number),
      )
    const all = new Set([
      ...numbers('1-live.md', 'Errors'),
      ...numbers('2-messaging.md', 'Errors'),
      ...ofEndpoints('3-chatrooms.md'),
    ])
    expect(all.size).toBeGreaterThan(30)
    for (const code of all) expect(errorTable, `code ${code}`).toHaveProperty(String(code))
  })

  it('says of every fault in both languages what happened and what to do next', () => {
    for (const [code, { meaning, sentence, next }] of Object.entries(errorTable)) {
      expect(meaning.length, code).toBeGreaterThan(0)
      expect(sentence.en, code).toMatch(/^[A-Z].*\.$/)
      expect(sentence.zh, code).toMatch(/\p{Script=Han}.*。$/u)
      if (code === '200') continue
      expect(next.en, code).toMatch(/^[A-Z].*\.$/)
      expect(next.zh, code).toMatch(/\p{Script=Han}.*。$/u)
    }
  })
})

describe('defining an operation', () => {
  const sound = {
    path: '/app/x',
    document: 1,
    group: 'x',
    encoding: 'json',
    summary: 'X.',
    parameters: {},
    answer: {},
    codes: [200, 409, 602],
    invalid: 602,
    unknown: 602,
    foreign: 602,
    fault: 602,
  } as const satisfies Operation

  it('takes a sound one', () => {
    expect(operation(sound).path).toBe('/app/x')
  })

  it.each<[string, Partial<Operation>, RegExp]>([
    ['a path without a slash', { path: 'app/x' }, /path/],
    ['a path with a query', { path: '/app/x?y=1' }, /path/],
    ['codes without success', { codes: [409, 602] }, /success/],
    ['codes out of order', { codes: [200, 602, 409] }, /ascend/],
    ['a code twice', { codes: [200, 409, 409, 602] }, /ascend/],
    ['a code that is not in the table', { codes: [200, 409, 601 as never, 602] }, /601/],
    ['an own failure code that it does not list', { fault: 501 }, /fault answers 501/],
    ['a code for bad parameters that it does not list', { invalid: 631 }, /invalid answers 631/],
    ['a code for unknown things that it does not list', { unknown: 618 }, /unknown answers 618/],
    ['a code for foreign things that it does not list', { foreign: 617 }, /foreign answers 617/],
    [
      'a rate rule with a code that it does not list',
      { rates: [{ per: 'application', calls: 1, seconds: 1, code: 638, block: 0 }] },
      /638/,
    ],
    [
      'a field with a code that it does not list',
      { parameters: { cid: text({ required: true, whenEmpty: 609 }) } },
      /609/,
    ],
    [
      'a required field with a default',
      { parameters: { cid: text({ required: true, default: 'x' }) } },
      /required and has a default/,
    ],
    ['a default outside the values', { parameters: { type: integer({ oneOf: [0], default: 1 }) } }, /default of type/],
    [
      'a default outside the range',
      { parameters: { size: integer({ min: 1, max: 9, default: 10 }) } },
      /default of size/,
    ],
    ['a pattern that is none', { parameters: { name: text({ pattern: '(' }) } }, /Invalid regular expression/],
  ])('throws on %s', (_what, change, message) => {
    expect(() => operation({ ...sound, ...change })).toThrow(message)
  })

  it('describes lists, objects and flags as plain data', () => {
    expect(list(object({ on: flag() }), { max: 2 })).toEqual({
      kind: 'list',
      of: { kind: 'object', members: { on: { kind: 'flag' } } },
      max: 2,
    })
  })
})
