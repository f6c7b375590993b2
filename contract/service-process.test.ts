import { expect, it } from 'vitest'
import { isRecordingChoices, readRecordingSwitches, writeRecordingSwitches } from './service-process.ts'

const read = (given: Parameters<typeof readRecordingSwitches>[0]) =>
  readRecordingSwitches(given, (sentence) => new Error(sentence))

it.each([
  ['recording-minute', '199', 'ms from 200 to 60000'],
  ['recording-minute', '60001', 'ms from 200 to 60000'],
  ['recording-minute', '', 'ms from 200 to 60000'],
  ['recording-minute', '1.5e3', 'ms from 200 to 60000'],
  ['recording-reserve', '-1', 'bytes from 0 to 1125899906842624'],
  ['recording-reserve', '1125899906842625', 'bytes from 0 to 1125899906842624'],
])('--%s %j is refused in a sentence', (flag, value, range) => {
  expect(() => read({ [flag]: value })).toThrow(`--${flag} must be a whole number of ${range}, not "${value}".`)
})

it('switches of recording say the same when they are read and written again', () => {
  expect(read({})).toBeUndefined()
  expect(writeRecordingSwitches(undefined)).toEqual([])
  const choices = read({ 'recording-minute': '200', 'recording-reserve': '1125899906842624' })
  expect(choices).toEqual({ minute: 200, reserve: 2 ** 50 })
  expect(writeRecordingSwitches(choices)).toEqual([
    '--recording-minute',
    '200',
    '--recording-reserve',
    '1125899906842624',
  ])
  expect(writeRecordingSwitches(read({ 'recording-reserve': '0' }))).toEqual(['--recording-reserve', '0'])
})

it('only choices in their ranges pass the process channel', () => {
  for (const good of [{}, { minute: 200 }, { reserve: 0 }, { minute: 60_000, reserve: 2 ** 50 }])
    expect(isRecordingChoices(good), JSON.stringify(good)).toBe(true)
  for (const bad of [
    null,
    'x',
    5,
    [1],
    [],
    { minute: 199 },
    { minute: 200.5 },
    { minute: '200' },
    { reserve: -1 },
    { reserve: 2 ** 51 },
    { lookEvery: 5 },
  ])
    expect(isRecordingChoices(bad), JSON.stringify(bad)).toBe(false)
})
