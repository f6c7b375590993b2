import { expect, it } from 'vitest'
import { flag, integer, list, object, text } from './field.ts'
import { knownMembers } from './known-members.ts'

const members = {
  name: text(),
  more: text({ optional: true }),
  ret: object({ on: flag(), list: list(object({ cid: text(), free: object({}), ids: list(integer()) })) }),
}

it('leaves out what is not described, at any depth, and keeps free objects whole', () => {
  const row = { cid: 'c', free: { any: { of: 'it' } }, ids: [1, 2] }
  const value = { name: 'n', ret: { on: true, list: [row, row] } }
  const beyond = { name: 'n', later: 'x', ret: { on: true, list: [row, { ...row, later: [] }], later: {} } }
  expect(knownMembers(members, beyond)).toEqual(value)
  expect(knownMembers(members, { ...value, more: 'm' })).toEqual({ ...value, more: 'm' })
})

it('takes only own members: what a text of JSON names after one of every object is no member', () => {
  const value = JSON.parse('{"__proto__": {"name": "other"}, "constructor": "x"}') as object
  expect(knownMembers({ name: text({ optional: true }), toString: text({ optional: true }) }, value)).toEqual({})
})
