import { expect, it } from 'vitest'
import { unkeepableName } from './path-names.ts'

it.each([
  'NUL',
  'con',
  'Aux.txt',
  'COM1',
  'lpt9.data',
  'COM²',
  'CONIN$',
  'data.',
  'data ',
  'a:b',
  'what?',
  'a|b',
  '<a>',
  'a"b',
  'tab\tbed',
])('finds %j, wherever it stands in a path of Windows', (name) => {
  for (const place of [
    `C:\\Users\\${name}`,
    `C:/${name}/data`,
    `C:\\${name}\\data`,
    `\\\\?\\C:\\${name}`,
    `..\\${name}\\x`,
  ])
    expect(unkeepableName(place, 'win32')).toBe(name)
})

it.each([
  'C:\\',
  'C:\\Users\\侧台 数据\\.sidestage',
  'D:\\console\\company1\\com10\\nullable',
  'C:\\a\\..\\b\\.',
  '\\\\server\\share\\data',
  '\\\\?\\C:\\data',
])('lets %s be', (place) => {
  expect(unkeepableName(place, 'win32')).toBeUndefined()
})

it('says nothing elsewhere, where such names are names', () => {
  expect(unkeepableName('/data/NUL', 'linux')).toBeUndefined()
  expect(unkeepableName('/data/a:b', 'darwin')).toBeUndefined()
})
