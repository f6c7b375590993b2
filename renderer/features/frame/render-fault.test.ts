import { expect, it } from 'vitest'
import { isRenderFault } from './render-fault.ts'

it.each([
  'https://vuejs.org/error-reference/#runtime-0',
  'https://vuejs.org/error-reference/#runtime-1',
  'https://vuejs.org/error-reference/#runtime-13',
  'https://vuejs.org/error-reference/#runtime-15',
  'setup function',
  'render function',
  'async component loader',
  'component update',
])('a component is not shown after a fault in its %s', (info) => {
  expect(isRenderFault(info)).toBe(true)
})

it.each([
  'https://vuejs.org/error-reference/#runtime-5',
  'https://vuejs.org/error-reference/#runtime-10',
  'https://vuejs.org/error-reference/#runtime-131',
  'native event handler',
  'watcher callback',
  'mounted hook',
  '',
])('a component stays as it is after a fault in its %s', (info) => {
  expect(isRenderFault(info)).toBe(false)
})
