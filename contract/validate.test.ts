import { describe, expect, it } from 'vitest'
import { flag, integer, list, object, text } from './field.ts'
import { readLocalEvent } from './local-events.ts'
import { operation } from './operation.ts'
import { accounts, live, local as operations, recordings } from './operations/index.ts'
import { answerFault, characters, readParameters } from './validate.ts'

const codeOf = (op: Parameters<typeof readParameters>[0], raw: unknown): number => {
  const reading = readParameters(op, raw)
  return reading.ok ? 200 : reading.refusal.code
}

describe('a refusal of a shape', () => {
  const reasonOf = (op: Parameters<typeof readParameters>[0], raw: unknown): string => {
    const reading = readParameters(op, raw)
    return reading.ok ? '' : reading.refusal.reason
  }
  const shape = (name: string, allowed: string): string =>
    `${name} has characters or a shape that are not allowed; allowed: ${allowed}`

  it('says what is allowed', () => {
    expect([
      reasonOf(live.create, { name: 'a b' }),
      reasonOf(recordings.setCallback, { recordClk: 'ftp://a' }),
      reasonOf(recordings.merge, { outputName: 'a b', vidList: [1] }),
      reasonOf(live.list, { ofield: 'name' }),
    ]).toEqual([
      shape('name', '1 to 64 Chinese characters, letters, digits and _'),
      shape('recordClk', 'an address that begins with http:// or https://'),
      shape('outputName', '1 to 128 characters without white space and control characters'),
      'ofield must be one of ctime',
    ])
  })

  it('must be described with its pattern', () => {
    const described = { parameters: { name: text({ pattern: '^x$' }) } }
    expect(() => operation({ ...live.create, ...described })).toThrow('nothing says what name allows')
  })
})

describe('a channel name', () => {
  const create = (name: unknown): number => codeOf(live.create, { name })

  it.each([
    ['a', 200],
    ['Z_9', 200],
    ['直播间_1', 200],
    ['𠀀𠮷', 200],
    ['々', 200],
    ['a b', 604],
    ['a-b', 604],
    ['é', 604],
    ['ひらがな', 604],
    ['한', 604],
    ['😀', 604],
    ['a\n', 604],
    ['<img>', 604],
    ['a\u0000', 604],
    ['\ud800', 604],
    ['', 610],
    [null, 610],
    [undefined, 610],
    // Loosely typed clients.
    [5, 200],
    [71795, 200],
    [5.5, 604],
    [['a'], 604],
    [{}, 604],
  ])('%j answers %i', (name, code) => {
    expect(create(name)).toBe(code)
  })

  it('counts code points: 64 are allowed, 65 are not, also outside the basic plane', () => {
    expect(create('名'.repeat(64))).toBe(200)
    expect(create('名'.repeat(65))).toBe(604)
    expect(create('𠮷'.repeat(64))).toBe(200)
    expect(create('𠮷'.repeat(65))).toBe(604)
    expect(characters('𠮷a名')).toBe(3)
  })
})

describe('an integer', () => {
  const page = (pnum: unknown): number => codeOf(live.list, { pnum })

  it.each([
    [1, 200],
    ['1', 200],
    ['9007199254740991', 200],
    [9007199254740991, 200],
    [9007199254740992, 631],
    ['9007199254740993', 631],
    ['99999999999999999999', 631],
    [0, 631],
    [-1, 631],
    ['-1', 631],
    [1.5, 631],
    ['1.0', 631],
    ['1e3', 631],
    ['0x10', 631],
    [' 1', 631],
    ['01', 631],
    ['+1', 631],
    ['1;', 631],
    [true, 631],
    [[1], 631],
    [{}, 631],
    ['NaN', 631],
    [Infinity, 631],
  ])('%j answers %i', (value, code) => {
    expect(page(value)).toBe(code)
  })

  it('above a lowered limit counts as the limit', () => {
    const reading = readParameters(live.list, { records: 5000 })
    expect(reading.ok && reading.value.records).toBe(1000)
  })

  it('has its default when absent or empty', () => {
    for (const raw of [{}, { records: '' }, { records: null }]) {
      const reading = readParameters(live.list, raw)
      expect(reading.ok && reading.value).toEqual({ records: 10, pnum: 1, ofield: 'ctime', sort: 0 })
    }
  })

  it('of a type that is not offered answers 612', () => {
    expect(codeOf(live.create, { name: 'a', type: 1 })).toBe(612)
    expect(codeOf(live.create, { name: 'a', type: 'rtmp' })).toBe(612)
    expect(codeOf(live.create, { name: 'a', type: '0' })).toBe(200)
  })
})

describe('a list', () => {
  it('takes ids as numbers and as strings', () => {
    const reading = readParameters(live.pauseMany, { cidList: ['a', 12] })
    expect(reading.ok && reading.value.cidList).toEqual(['a', '12'])
  })

  it.each([
    [{ cidList: 'a' }],
    [{ cidList: {} }],
    [{ cidList: [] }],
    [{ cidList: [['a']] }],
    [{ cidList: [null] }],
    [{ cidList: Array.from({ length: 1001 }, () => 'a') }],
    [{ cidList: '["a"]' }],
    [{ cidList: ['x'.repeat(65)] }],
    [{}],
  ])('refuses %#', (raw) => {
    expect(codeOf(live.pauseMany, raw)).toBe(631)
  })

  it('written in a form is a JSON string, and one of a million elements is refused', () => {
    const form = operation({
      path: '/x',
      document: 1,
      group: 'x',
      encoding: 'form',
      summary: 'X.',
      parameters: { ids: list(integer(), { required: true, max: 3 }) },
      answer: {},
      codes: [200, 631],
      invalid: 631,
      unknown: 631,
      foreign: 631,
      fault: 631,
    })
    expect(codeOf(form, { ids: '[1,"2"]' })).toBe(200)
    expect(codeOf(form, { ids: '[1' })).toBe(631)
    expect(codeOf(form, { ids: `[${'1,'.repeat(1_000_000)}1]` })).toBe(631)
  })
})

describe('a truth value', () => {
  const one = operation({
    path: '/x',
    document: 1,
    group: 'x',
    encoding: 'json',
    summary: 'X.',
    parameters: { on: flag() },
    answer: {},
    codes: [200, 631],
    invalid: 631,
    unknown: 631,
    foreign: 631,
    fault: 631,
  })
  it.each([
    [true, true],
    [1, true],
    ['1', true],
    ['true', true],
    [false, false],
    [0, false],
    ['0', false],
    ['false', false],
  ])('%j is %j', (given, value) => {
    const reading = readParameters(one, { on: given })
    expect(reading.ok && reading.value.on).toBe(value)
  })
  it.each([['yes'], [2], ['TRUE'], [[]], [{}]])('%j is refused', (given) => {
    expect(codeOf(one, { on: given })).toBe(631)
  })
})

describe('a body', () => {
  it.each([[null], [[]], ['text'], [5], [undefined]])('of %j is refused', (raw) => {
    expect(codeOf(live.state, raw)).toBe(602)
  })

  it('with keys of the prototype gives nothing to anybody', () => {
    const raw: unknown = JSON.parse('{"__proto__":{"cid":"x","polluted":1},"constructor":{"prototype":{"polluted":1}}}')
    expect(codeOf(live.state, raw)).toBe(609)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
    const inherited: unknown = Object.create({ cid: 'inherited' })
    expect(codeOf(live.state, inherited)).toBe(609)
  })

  it('may have extra fields', () => {
    expect(codeOf(live.state, { cid: 'x', unknown: { deep: [] } })).toBe(200)
  })

  it('of an extension operation has no parameter that the operation does not know', () => {
    const reasonOf = (op: Parameters<typeof readParameters>[0], raw: unknown): unknown => {
      const reading = readParameters(op, raw)
      return reading.ok ? reading.value : [reading.refusal.code, reading.refusal.reason]
    }
    const limits = 'maxViewers, maxKbps, maxGigabytes'
    expect([
      reasonOf(operations.updateAccess, { cid: 'x', close: true }),
      reasonOf(operations.updateWatchLimits, { viewers: 5 }),
      reasonOf(operations.updateWatchLimits, { nothing: null }),
      reasonOf(operations.updateSettings, { recordingLinkhours: 5 }),
      reasonOf(operations.info, { a: 1 }),
      reasonOf(operations.updateWatchLimits, JSON.parse('{"__proto__":1}')),
      reasonOf(operations.updateWatchLimits, { ['a'.repeat(1_000_000)]: 5 }),
      reasonOf(operations.updateWatchLimits, {}),
    ]).toEqual([
      [631, 'close is not a parameter of this operation, which has closed'],
      [631, 'viewers is not a parameter of this operation, which has maxViewers'],
      [631, `nothing is not a parameter of this operation, which has ${limits}`],
      [631, 'recordingLinkhours is not a parameter of this operation, which has recordingLinkHours'],
      [631, 'a is not a parameter of this operation, which has none'],
      [631, `__proto__ is not a parameter of this operation, which has ${limits}`],
      [631, `${'a'.repeat(64)}… is not a parameter of this operation, which has ${limits}`],
      {},
    ])
  })

  it('is judged by the first parameter that is not acceptable', () => {
    expect(codeOf(live.update, { cid: '', name: '', type: 9 })).toBe(609)
    expect(codeOf(live.update, { cid: 'x', name: '', type: 9 })).toBe(610)
    expect(codeOf(live.update, { cid: 'x', name: 'a', type: 9 })).toBe(612)
  })

  it('keeps absent optional parameters absent', () => {
    const reading = readParameters(recordings.setAlwaysRecord, { cid: 'x', needRecord: 1, duration: '', filename: '' })
    expect(reading.ok && reading.value).toEqual({ cid: 'x', needRecord: 1 })
  })
})

describe('an empty parameter that can be cleared', () => {
  const emptied = (op: Parameters<typeof readParameters>[0], raw: unknown): unknown => {
    const reading = readParameters(op, raw)
    return reading.ok && reading.value
  }

  it('clears in the three documents only without other optional values', () => {
    expect([
      emptied(accounts.updateUinfo, { accid: 'mei', sign: '', ex: null }),
      emptied(accounts.updateUinfo, { accid: 'mei', sign: '', name: 'Mei' }),
    ]).toEqual([
      { accid: 'mei', sign: '' },
      { accid: 'mei', name: 'Mei' },
    ])
  })

  it('clears in an extension operation beside other values too; null and absence never do', () => {
    const port = { reach: 'port', port: 8443 }
    expect([
      emptied(operations.updateReach, { publicUrl: '' }),
      emptied(operations.updateReach, { ...port, publicUrl: '' }),
      emptied(operations.updateReach, { ...port, publicUrl: null }),
      emptied(operations.updateReach, port),
    ]).toEqual([{ publicUrl: '' }, { ...port, publicUrl: '' }, port, port])
  })
})

describe('an answer', () => {
  it('keeps the contract or says where it does not', () => {
    expect(answerFault(live.update, { code: 200, ret: {} })).toBeUndefined()
    expect(answerFault(live.update, { code: 200 })).toMatch(/ret is missing/)
    expect(answerFault(live.update, { code: 618, msg: 'x' })).toMatch(/618 is not in its list/)
    expect(answerFault(live.update, { code: 605 })).toMatch(/without a text/)
    expect(answerFault(live.update, { code: '200', ret: {} })).toMatch(/not a number/)
    expect(answerFault(live.update, [])).toMatch(/not an object/)
    expect(answerFault(live.pauseMany, { code: 200, ret: { successList: ['a', 5] } })).toMatch(/successList\[1\]/)
  })

  it('of messaging says its fault in desc', () => {
    const one = operation({
      path: '/x',
      document: 2,
      group: 'x',
      encoding: 'form',
      summary: 'X.',
      parameters: {},
      answer: { info: object({ name: text() }) },
      codes: [200, 414],
      invalid: 414,
      unknown: 414,
      foreign: 414,
      fault: 414,
    })
    expect(answerFault(one, { code: 414, desc: 'checksum' })).toBeUndefined()
    expect(answerFault(one, { code: 414, msg: 'checksum' })).toMatch(/without a text/)
  })
})

describe('a line of the event stream', () => {
  it('is read when it has the members of its type', () => {
    expect(readLocalEvent({ type: 'heartbeat', at: 5 })).toEqual({ type: 'heartbeat', at: 5 })
    expect(
      readLocalEvent({ type: 'tally', at: 5, cid: 'x', status: 1, keyExpires: 1, viewers: 0, since: 4 }),
    ).toMatchObject({ status: 1 })
  })
  it.each([
    [null],
    ['x'],
    [{}],
    [{ type: 'toString', at: 1 }],
    [{ type: 'tally', at: 5, cid: 'x' }],
    [{ type: 'heartbeat', at: 'now' }],
  ])('is not read from %j', (value) => {
    expect(readLocalEvent(value)).toBeUndefined()
  })
})

it('a text that is none of some words is refused with those words', () => {
  const reading = readParameters(operations.updateAccess, { cid: 'a'.repeat(32), mode: 'open' })
  expect(reading.ok ? '' : reading.refusal.reason).toBe('mode must be one of everybody, passphrase, links')
})
