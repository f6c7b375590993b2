import {
  array,
  assert as holds,
  constantFrom,
  double,
  integer as anyInteger,
  nat,
  oneof,
  property,
  type Arbitrary,
} from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Field, Fields } from '../../contract/field.ts'
import { accounts, friends, operations, relations } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { readParameters } from '../../contract/validate.ts'
import { readFormBody } from '../http/body.ts'
import { formOf } from '../testing/signed-client.ts'
import { startService, type TestService } from '../testing/start-service.ts'

// Every limit of documents 2 and 3, sent as a form: at the limit and one over, in all planes of Unicode.
const messaging = operations.filter(({ document }) => document === 2 || document === 3)

const sampleOf = (field: Field): unknown => {
  switch (field.kind) {
    case 'text':
      if (field.json) return '{}'
      return ['a', '1', 'a@b', '13800000000'].find(
        (text) => field.pattern === undefined || new RegExp(field.pattern, 'u').test(text),
      )
    case 'integer':
      return field.oneOf?.[0] ?? field.min ?? 0
    case 'flag':
      return true
    case 'list':
      return [sampleOf(field.of)]
    case 'object':
      return {}
  }
}
const sampleArguments = ({ parameters }: Operation): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, field]) => (field.required ? [[name, sampleOf(field)]] : [])),
  )
const outcome = (operation: Operation, args: object): number => {
  const body = readFormBody(Buffer.from(formOf(args)))
  if (!body.ok) return operation.invalid
  const reading = readParameters(operation, body.value)
  return reading.ok ? 200 : reading.refusal.code
}
/** Fields of a kind, with their operations. */
const fieldsOf = <K extends Field['kind']>(kind: K, wanted: (field: Field & { kind: K }) => boolean = () => true) =>
  messaging.flatMap((operation) =>
    Object.entries<Field>(operation.parameters as Fields).flatMap(([name, field]) => {
      const one = field as Field & { kind: K }
      return field.kind === kind && wanted(one) ? [[`${operation.path} ${name}`, operation, name, one] as const] : []
    }),
  )

const alphabets = {
  ASCII: [...'azAZ09 +&=%"\'\\{}[]<>#;'],
  Chinese: [...'中文汉字龍，。'],
  astral: [...'😀𠮷𝒳🏳'],
}
const mixed = Object.values(alphabets).flat()
/** Texts of an exact length. */
const textOf = (length: number, from: readonly string[] = mixed): Arbitrary<string> =>
  array(constantFrom(...from), { minLength: length, maxLength: length }).map((characters) => characters.join(''))

describe('a text', () => {
  it.each(
    fieldsOf('text', ({ max, pattern, json }) => max !== undefined && pattern === undefined && json === undefined),
  )(
    '%s may be as long as the document says and no character longer, in any script',
    (_what, operation, name, field) => {
      const args = sampleArguments(operation)
      for (const from of [...Object.values(alphabets), mixed]) {
        holds(
          property(textOf(field.max!, from), (text) => outcome(operation, { ...args, [name]: text }) === 200),
          { numRuns: 3 },
        )
        holds(
          property(textOf(field.max! + 1, from), (text) => outcome(operation, { ...args, [name]: text }) === 414),
          { numRuns: 3 },
        )
      }
    },
  )

  it.each(fieldsOf('text', ({ json, max }) => json === 'object' && max !== undefined))(
    '%s must be a JSON object within its limit',
    (_what, operation, name, field) => {
      const args = sampleArguments(operation)
      const sized = (length: number) =>
        textOf(length - '{"k":""}'.length, alphabets.Chinese.concat(alphabets.astral)).map((pad) => `{"k":"${pad}"}`)
      holds(
        property(sized(field.max!), (text) => outcome(operation, { ...args, [name]: text }) === 200),
        { numRuns: 3 },
      )
      holds(
        property(sized(field.max! + 1), (text) => outcome(operation, { ...args, [name]: text }) === 414),
        { numRuns: 3 },
      )
      for (const wrong of ['[]', '"x"', '1', 'null', '{', '{"k":}', "{'k':1}", 'x'])
        expect([wrong, outcome(operation, { ...args, [name]: wrong })]).toEqual([wrong, 414])
    },
  )
})

describe('an accid', () => {
  const shape = [...'abcXYZ019_@.-']
  it.each(fieldsOf('text', ({ fold }) => fold === true))(
    '%s has 1 to 32 letters, digits, _ @ . - and nothing else',
    (_what, operation, name) => {
      const args = sampleArguments(operation)
      const given = (accid: string): number => outcome(operation, { ...args, [name]: accid })
      for (const length of [1, 32]) holds(property(textOf(length, shape), (accid) => given(accid) === 200))
      holds(property(textOf(33, shape), (accid) => given(accid) === 414))
      holds(
        property(
          textOf(31, shape),
          constantFrom(...alphabets.Chinese, ...alphabets.astral, ...' +/:%&=#"\'\u0000\n\u00e9\u0130\u212a'),
          nat(31),
          (accid, odd, at) => given(accid.slice(0, at) + odd + accid.slice(at)) === 414,
        ),
      )
    },
  )
})

describe('an enumeration', () => {
  it.each(fieldsOf('integer', ({ oneOf }) => oneOf !== undefined))(
    '%s takes its values and nothing else',
    (_what, operation, name, field) => {
      const args = sampleArguments(operation)
      for (const value of field.oneOf!)
        expect([value, outcome(operation, { ...args, [name]: value })]).toEqual([value, 200])
      holds(
        property(
          oneof(
            anyInteger().filter((value) => !field.oneOf!.includes(value)),
            double({ noInteger: true }),
            constantFrom('x', '1e0', '0x1', ' 1', '١', '+1', '01', '1.0', '99999999999999999999', 'true'),
          ),
          (value) => outcome(operation, { ...args, [name]: String(value) }) === 414,
        ),
      )
    },
  )
})

describe('a flag', () => {
  it.each(fieldsOf('flag'))('%s is true, false, 1 or 0', (_what, operation, name) => {
    const args = sampleArguments(operation)
    for (const value of ['true', 'false', '1', '0', true, false, 1, 0])
      expect(outcome(operation, { ...args, [name]: value })).toBe(200)
    for (const value of ['yes', 'TRUE', '2', '-1', 'null', '[]', '1.0'])
      expect([value, outcome(operation, { ...args, [name]: value })]).toEqual([value, 414])
  })
})

describe('an array', () => {
  const elements = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index))
  it.each(fieldsOf('list'))('%s is a JSON array of ids, within its count', (_what, operation, name, field) => {
    const args = sampleArguments(operation)
    const given = (value: unknown): number => outcome(operation, { ...args, [name]: value })
    const most = field.max!
    expect(given(elements(most))).toBe(200)
    expect(given(elements(most + 1))).toBe(field.whenOver ?? 414)
    expect(given(Array.from({ length: most + 1 }, () => 'a'))).toBe(field.whenOver ?? 414)
    expect([given(elements(1)), given([1, '2']), given(['a', 'a'])].slice(0, most)).toEqual(
      [200, 200, 200].slice(0, most),
    )
    if (field.min === 1) expect(given('[]')).toBe(414)
    for (const wrong of [
      '["a"',
      'a',
      'a,b',
      '{"a":1}',
      '"a"',
      '1',
      'null',
      '[null]',
      '[[]]',
      '[{}]',
      '[true]',
      '[1.5]',
      '[""]',
      "['a']",
      '["a",]',
      '[1e99]',
    ])
      if (!(wrong === '[""]' && field.of.kind === 'text' && field.of.pattern === undefined))
        expect([wrong, given(wrong)]).toEqual([wrong, 414])
  })

  it('of accids folds each, and refuses a wrong one among many', () => {
    const read = readParameters(accounts.getUinfos, { accids: '["Bob","AMY",7]' })
    expect(read).toEqual({ ok: true, value: { accids: ['bob', 'amy', '7'] } })
    holds(
      property(nat(199), (at) => {
        const accids = elements(200)
        accids[at] = '中'
        return outcome(accounts.getUinfos, { accids }) === 414
      }),
    )
  })
})

describe('the service itself', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
    for (const accid of ['bob', 'amy']) await service.call(accounts.create, { accid })
    await service.call(friends.add, { accid: 'bob', faccid: 'amy', type: 1 })
  })
  afterAll(() => service.close())

  let made = 0
  const cases: readonly (readonly [Operation, () => Record<string, unknown>])[] = [
    [accounts.create, () => ({ accid: `n${++made}` })],
    [accounts.update, () => ({ accid: 'bob' })],
    [accounts.updateUinfo, () => ({ accid: 'bob' })],
    [friends.add, () => ({ accid: 'bob', faccid: 'amy', type: 2 })],
    [friends.update, () => ({ accid: 'bob', faccid: 'amy' })],
    [relations.set, () => ({ accid: 'bob', targetAcc: 'amy', relationType: 2, value: 1 })],
  ]
  it.each(cases.map(([operation, args]) => [operation.path, operation, args] as const))(
    '%s takes each text at its limit and not one over',
    async (_p, operation, args) => {
      for (const [name, field] of Object.entries<Field>(operation.parameters as Fields)) {
        if (field.kind !== 'text' || field.max === undefined || field.pattern !== undefined) continue
        for (const character of ['x', '中', '😀']) {
          expect([
            name,
            (await service.send(operation, { ...args(), [name]: character.repeat(field.max) })).code,
          ]).toEqual([name, 200])
          expect([
            name,
            (await service.send(operation, { ...args(), [name]: character.repeat(field.max + 1) })).code,
          ]).toEqual([name, 414])
        }
      }
    },
  )

  it('keeps what was given at the limit, character by character', async () => {
    const text = (length: number): string => '中😀x'.repeat(length).match(new RegExp(`^.{${length}}`, 'u'))![0]
    const card = {
      name: text(64),
      icon: text(1024),
      sign: text(256),
      birth: text(16),
      ex: text(1024),
      email: `${'m'.repeat(62)}@x`,
      mobile: '+86-13800000000',
      gender: 2,
    }
    expect((await service.call(accounts.updateUinfo, { accid: 'BOB', ...card })).code).toBe(200)
    expect((await service.call(accounts.getUinfos, { accids: ['bob'] })).uinfos).toEqual([
      { accid: 'bob', ...card, valid: true },
    ])
  })

  it.each([
    ['email', ['a@b', 'x.y+z@例え.jp'], ['a', '@', 'a@', '@b', 'a b@c', 'a@b@c', `${'m'.repeat(63)}@x`]],
    ['mobile', ['13800000000', '8613800000000', '+8613800000000', '+86-19912345678'], ['1'.repeat(33)]],
    ['birth', ['2000-02-29', '2000'], ['2000-02-29 00:00:0']],
    ['gender', ['0', '1', '2'], ['3', '-1', 'male', '1.5']],
  ])('holds %s to its rule', async (name, right, wrong) => {
    for (const value of right)
      expect([value, (await service.send(accounts.updateUinfo, { accid: 'amy', [name]: value })).code]).toEqual([
        value,
        200,
      ])
    for (const value of wrong)
      expect([value, (await service.send(accounts.updateUinfo, { accid: 'amy', [name]: value })).code]).toEqual([
        value,
        414,
      ])
  })

  it.each(['138000', '12800000000', '+113800000000', '1380000000x', '０13800000000', '+49 30 901820'])(
    'keeps a card without a mobile of elsewhere, as it was before: %s',
    async (mobile) => {
      await service.call(accounts.updateUinfo, { accid: 'amy', mobile: '13900000001' })
      expect((await service.call(accounts.updateUinfo, { accid: 'amy', mobile, sign: mobile })).code).toBe(200)
      expect((await service.call(accounts.getUinfos, { accids: ['amy'] })).uinfos).toMatchObject([
        { mobile: '13900000001', sign: mobile },
      ])
    },
  )
})
