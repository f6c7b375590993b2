import { expect, it } from 'vitest'
import { readLogLine } from './log-lines.ts'

it('reads time, level and message of a line, and what else it tells in its order', () => {
  const line = JSON.stringify({
    level: 40,
    time: 1_795_000_000_000,
    pid: 7,
    hostname: 'desk',
    port: 1935,
    err: { type: 'Error', message: 'in use' },
    msg: 'the port is taken',
  })
  expect(readLogLine(line)).toEqual({
    at: 1_795_000_000_000,
    level: 'warn',
    text: 'the port is taken',
    details: ['port 1935', 'err in use'],
  })
  expect(readLogLine('{"level":"error","time":"2026-11-22T10:00:00.000Z","msg":"gone"}')).toMatchObject({
    at: Date.UTC(2026, 10, 22, 10),
    level: 'error',
    text: 'gone',
  })
})

it('keeps what is no line of the log as it is', () => {
  for (const line of ['Segmentation fault', '[1,2]', 'null', '7', '{"half":', ''])
    expect(readLogLine(line)).toEqual({ at: null, level: 'info', text: line, details: [] })
  expect(readLogLine('{"a":1}')).toEqual({ at: null, level: 'info', text: '{"a":1}', details: [] })
})

it.each([
  [29, 'info'],
  [39, 'info'],
  [40, 'warn'],
  [49, 'warn'],
  [50, 'error'],
  [60, 'error'],
  ['fatal', 'error'],
  ['error', 'error'],
  ['warn', 'warn'],
  ['debug', 'info'],
  [null, 'info'],
] as const)('marks a line of level %s as %s', (level, mark) => {
  expect(readLogLine(JSON.stringify({ level, time: 1, msg: 'x' })).level).toBe(mark)
})

it('has no time where a line has none that can be read, and the line itself where it has no message', () => {
  expect(readLogLine('{"time":"soon","msg":"x"}').at).toBeNull()
  expect(readLogLine('{"msg":"x"}').at).toBeNull()
  const line = '{"time":5,"msg":"","port":1}'
  expect(readLogLine(line)).toEqual({ at: 5, level: 'info', text: line, details: ['port 1'] })
})

it('tells what else a line has as text, objects as they are written', () => {
  const line = JSON.stringify({ msg: 'x', v: 1, name: 'a b', list: [1, 2], none: null, flag: false })
  expect(readLogLine(line).details).toEqual(['name a b', 'list [1,2]', 'none null', 'flag false'])
})
