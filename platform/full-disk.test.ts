import { expect, it } from 'vitest'
import { diskRefusalOf, isDiskFull, withDiskRefusal } from './full-disk.ts'

const ofSystem = (code: string) => Object.assign(new Error(code), { code })
const ofSqlite = (errcode: number) => Object.assign(new Error('sqlite'), { errcode })

it.each([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EROFS', 'readOnly'],
  ['EIO', 'broken'],
  ['EACCES', undefined],
  ['ENOENT', undefined],
  ['53100', 'full'],
  ['25006', 'readOnly'],
  ['58030', 'broken'],
  ['53000', undefined],
])('takes %s of the system or PostgreSQL for a disk that is %s', (code, refusal) => {
  expect(diskRefusalOf(ofSystem(code))).toBe(refusal)
  expect(isDiskFull(ofSystem(code))).toBe(refusal === 'full')
})

it.each([
  [13, 'full'],
  [778, 'full'],
  [4874, 'full'],
  [5386, 'full'],
  [8, 'readOnly'],
  [8 + 256, 'readOnly'],
  [266, 'broken'],
  [1034, 'broken'],
  [1290, 'broken'],
  [1546, 'broken'],
  [1802, 'broken'],
  [2570, 'broken'],
  [4618, 'broken'],
  [5, undefined],
  [11, undefined],
  [14, undefined],
])('takes %s of SQLite for a disk that is %s', (errcode, refusal) => {
  expect(diskRefusalOf(ofSqlite(errcode))).toBe(refusal)
})

const caused = (depth: number, cause: unknown): unknown =>
  depth === 0 ? cause : new Error('outer', { cause: caused(depth - 1, cause) })
it('looks for the disk in the causes of an error, four deep', () => {
  expect(diskRefusalOf(caused(4, ofSystem('ENOSPC')))).toBe('full')
  expect(diskRefusalOf(caused(5, ofSystem('ENOSPC')))).toBeUndefined()
  for (const none of [undefined, 'ENOSPC', { code: 'ENOSPC' }, new Error('x')])
    expect(diskRefusalOf(none)).toBeUndefined()
})

it('goes by a trial where SQLite does not say why it cannot write', () => {
  for (const [errcode, trial, refusal] of [
    [14, 'EROFS', 'readOnly'],
    [778, 'EIO', 'broken'],
    [4874, 'EROFS', 'readOnly'],
    [778, undefined, 'broken'],
    [266, undefined, 'broken'],
    [4874, undefined, 'full'],
    [14, undefined, undefined],
    [270, 'ENOSPC', 'full'],
  ] as const) {
    const error = ofSqlite(errcode)
    const cause = caused(1, error)
    expect(withDiskRefusal(cause, () => trial && ofSystem(trial))).toBe(cause)
    expect(diskRefusalOf(cause), `${errcode} ${trial}`).toBe(refusal)
  }
})

it('makes no trial for an error that is not of the disk', () => {
  let trials = 0
  const look = () => {
    trials++
    return ofSystem('ENOSPC')
  }
  for (const error of [ofSqlite(5), ofSqlite(13), ofSqlite(8), ofSystem('EACCES'), 'text']) withDiskRefusal(error, look)
  expect(trials).toBe(0)
})
