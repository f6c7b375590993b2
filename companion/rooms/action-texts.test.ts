import { expect, it } from 'vitest'
import type { LoggedAction } from '../../contract/rpc/index.ts'
import { loggedAction, loggedText } from './action-texts.ts'

it('keeps a text of 1,000 characters whole, and of a longer one the begin with how much of it that is', () => {
  expect(loggedText('x'.repeat(1_000))).toBe('x'.repeat(1_000))
  expect(loggedText('x'.repeat(1_001))).toBe(`${'x'.repeat(1_000)}… [1000/1001]`)
})

it('cuts no character in two', () => {
  expect(loggedText(`${'x'.repeat(999)}😀y`)).toBe(`${'x'.repeat(999)}… [999/1002]`)
  expect(loggedText(`${'x'.repeat(998)}😀y`)).toBe(`${'x'.repeat(998)}😀… [1000/1001]`)
})

const long = 'x'.repeat(1_001)
const cut = `${'x'.repeat(1_000)}… [1000/1001]`
it('cuts the texts of an announcement and of the one before, and the value of an element of the queue', () => {
  expect(loggedAction({ kind: 'announce', text: long, was: long })).toEqual({ kind: 'announce', text: cut, was: cut })
  expect(loggedAction({ kind: 'announce', text: long })).toEqual({ kind: 'announce', text: cut })
  expect(loggedAction({ kind: 'queueAdd', key: 'k', value: long } as LoggedAction)).toEqual({
    kind: 'queueAdd',
    key: 'k',
    value: cut,
  })
})

it('leaves other actions as they are', () => {
  const action = { kind: 'mute', target: 'ana', on: true } as const
  expect(loggedAction(action)).toBe(action)
})
