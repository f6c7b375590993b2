import { expect, it } from 'vitest'
import { textOf } from './line-text.ts'

it.each([
  ['plain text', 'hello there'],
  ['a number', '42'],
  ['a list', '["hello"]'],
  ['null', 'null'],
  ['a text in quotes', '"hello"'],
  ['an object that is not whole', '{"msg":'],
])('shows a line as it was written: %s', (_what, attach) => {
  expect(textOf(0, attach)).toBe(attach)
  expect(textOf(100, attach)).toBe(attach)
})

it('takes the message of an object before its name, its title and its address', () => {
  const all = { msg: 'words', name: 'a.png', title: 'a place', url: 'http://a.example/1' }
  expect(textOf(1, JSON.stringify(all))).toBe('words')
  expect(textOf(1, JSON.stringify({ ...all, msg: '' }))).toBe('a.png')
  expect(textOf(1, JSON.stringify({ ...all, msg: undefined, name: undefined }))).toBe('a place')
  expect(textOf(1, JSON.stringify({ url: all.url }))).toBe('http://a.example/1')
})

it('takes nothing of an object that is no text', () => {
  expect(textOf(1, '{"msg":7,"name":["x"],"title":null,"url":"http://a.example/2"}')).toBe('http://a.example/2')
})

it('shows an object without a text as it was written in a line of text, and as nothing in another', () => {
  expect(textOf(0, '{"id":5}')).toBe('{"id":5}')
  expect(textOf(1, '{"id":5}')).toBe('')
  expect(textOf(100, '{}')).toBe('')
})

it('shows 4,096 characters of a line and no more', () => {
  expect(textOf(0, 'x'.repeat(4096))).toHaveLength(4096)
  expect(textOf(0, `${'x'.repeat(4095)}yz`)).toBe(`${'x'.repeat(4095)}y`)
  expect(textOf(1, JSON.stringify({ msg: 'x'.repeat(5000) }))).toHaveLength(4096)
})
