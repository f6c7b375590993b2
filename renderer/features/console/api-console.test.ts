import { describe, expect, it } from 'vitest'
import { flag, integer, list, text } from '../../../contract/field.ts'
import { operation, type Operation } from '../../../contract/operation.ts'
import { operations } from '../../../contract/operations/index.ts'
import { faultKinds } from '../../../contract/validate.ts'
import { spoken } from '../../format/languages.ts'
import { consoleWords } from './words.ts'
import {
  constraints,
  faultsOf,
  freshForm,
  groupsOf,
  jsonLine,
  parametersOf,
  readExamples,
  search,
  shortPath,
  withExample,
} from './api-console.ts'

const consoleEn = spoken(consoleWords, 'en')
const consoleZh = spoken(consoleWords, 'zh')

const one: Operation = operation({
  path: '/user/try.action',
  document: 2,
  group: 'accounts',
  encoding: 'form',
  summary: 'Tries.',
  parameters: {
    accid: text({ required: true, max: 4 }),
    size: integer({ min: 0, max: 9, default: 3 }),
    on: flag(),
    ids: list(integer(), { max: 2 }),
    token: text({ secret: true }),
  },
  answer: {},
  codes: [200, 414, 500],
  invalid: 414,
  unknown: 414,
  foreign: 414,
  fault: 500,
})

describe('the list of operations', () => {
  it('has every operation that is served and ends, once, and extensions only on this computer', () => {
    const all = groupsOf(true).flatMap((group) => group.operations)
    expect(new Set(all).size).toBe(all.length)
    const callable = operations.filter(({ pending, stream, startFlag }) => !pending && !stream && !startFlag)
    expect(new Set(all)).toEqual(new Set(callable))
    expect(groupsOf(false).some(({ name }) => name === 'local')).toBe(false)
  })

  it('is searched by path, words, parameters and codes', () => {
    const groups = groupsOf(true)
    const found = (query: string): string[] => search(groups, query).flatMap((group) => group.operations.map(shortPath))
    expect(found('')).toHaveLength(groups.flatMap((group) => group.operations).length)
    expect(found('MERGE')).toContain('video/merge')
    expect(found('outputname')).toEqual(['video/merge'])
    expect(found('639')).toEqual(['video/merge', 'clip/take', 'clip/trim'])
    expect(found('nothing like it')).toEqual([])
  })
})

describe('a form', () => {
  it('stands for the parameters that are sent, in their types', () => {
    expect(parametersOf(one.parameters, { accid: '12', size: '7', on: false, ids: ['1', 'x'] })).toEqual({
      accid: '12',
      size: 7,
      on: false,
      ids: [1, 'x'],
    })
    expect(parametersOf(one.parameters, { accid: undefined, size: '1e3', token: '' })).toEqual({
      size: '1e3',
      token: '',
    })
    expect(freshForm(one)).toEqual({
      accid: undefined,
      size: undefined,
      on: undefined,
      ids: undefined,
      token: undefined,
    })
  })

  it('names what the contract would refuse', () => {
    expect(Object.keys(faultsOf(one, freshForm(one)))).toEqual(['accid'])
    expect(faultsOf(one, { accid: 'abcde', size: '10', ids: ['1', '2', '3'] })).toEqual({
      accid: { kind: 'longest', limit: '4' },
      size: { kind: 'most', limit: '9' },
      ids: { kind: 'mostRows', limit: '2' },
    })
    expect(faultsOf(one, { accid: 'abcd', size: '9', ids: ['1'] })).toEqual({})
  })

  it('names a kind that every language has', () => {
    for (const kind of faultKinds)
      for (const { console: words } of [consoleEn, consoleZh]) expect(words.fault[kind], kind).not.toBe('')
    expect(Object.keys(consoleEn.console.fault).sort()).toEqual([...faultKinds].sort())
  })

  it('shows types, limits and defaults', () => {
    expect(Object.values(one.parameters).map((field) => constraints(field, (word) => word))).toEqual([
      ['text', 'required', '≤ 4'],
      ['integer', '0–9', 'default 3'],
      ['flag'],
      ['list of integer', '≤ 2'],
      ['text'],
    ])
  })
})

describe('saved examples', () => {
  it('replace one of the same name, keep no secret, and are bounded', () => {
    const first = withExample([], one, 'a', { accid: 'x', token: 'hidden', size: undefined })
    expect(first).toEqual([{ name: 'a', path: one.path, values: { accid: 'x' } }])
    expect(withExample(first, one, 'a', { accid: 'y' })).toEqual([
      { name: 'a', path: one.path, values: { accid: 'y' } },
    ])
    let all = first
    for (let index = 0; index < 120; index++) all = withExample(all, one, `n${index}`, { accid: 'x' })
    expect(all).toHaveLength(100)
    expect(readExamples(JSON.stringify(all))).toEqual(all)
  })

  it('are read from whatever was kept', () => {
    for (const text of [
      null,
      '',
      '{',
      '{}',
      '[1,null,{"name":1}]',
      '[{"name":"a","path":"/x","values":{"v":{"deep":1}}}]',
    ])
      expect(readExamples(text)).toEqual([])
  })
})

it('finds the name of a member in a line of JSON', () => {
  expect(jsonLine('  "a\\"b": "c: d"')).toEqual({ lead: '  ', name: '"a\\"b"', rest: ': "c: d"' })
  expect(jsonLine('  "only a string"')).toEqual({ lead: '', name: '', rest: '  "only a string"' })
})

it('writes the last part of a path, without what all have', () => {
  const of = (path: string): string => shortPath({ ...one, path })
  expect(['/app/channel/create', '/local/settings', '/user/create.action'].map(of)).toEqual([
    'channel/create',
    'settings',
    'user/create',
  ])
})

it('sends numbers that are whole as numbers, and anything else as it is typed', () => {
  const typed = [' 7 ', '-1', '0', '007', '1.5', '1234567890123456', '12345678901234567', 'x']
  expect(typed.map((size) => parametersOf(one.parameters, { size })['size'])).toEqual([
    7,
    -1,
    0,
    '007',
    '1.5',
    1_234_567_890_123_456,
    '12345678901234567',
    'x',
  ])
  expect(parametersOf(one.parameters, { accid: '7' })).toEqual({ accid: '7' })
})

it('says of a limit on one side only which side it is, and of JSON that it is', () => {
  const say = (word: string): string => word
  expect(constraints(integer({ min: 1 }), say)).toEqual(['integer', '≥ 1'])
  expect(constraints(integer({ max: 9 }), say)).toEqual(['integer', '≤ 9'])
  expect(constraints(text({ json: 'value' }), say)).toEqual(['text', 'JSON'])
  expect(constraints(flag({ default: false }), say)).toEqual(['flag', 'default false'])
})

it('begins a form of a list that must be sent with one empty row', () => {
  const form = freshForm({ ...one, parameters: { ids: list(text(), { required: true }), more: list(text()) } })
  expect(form).toEqual({ ids: [''], more: undefined })
})

it('keeps the newest example first, and one of the same name of another operation', () => {
  const other = { ...one, path: '/user/other.action' }
  const all = withExample(withExample([], one, 'a', { accid: 'x' }), other, 'a', { accid: 'y' })
  expect(all.map(({ path }) => path)).toEqual([other.path, one.path])
})
