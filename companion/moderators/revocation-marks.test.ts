import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openQuarantine } from '../../platform/quarantine.ts'
import { scratch } from '../testing/rig.ts'
import { openRevocationMarks } from './revocation-marks.ts'

const [one, other] = ['0123456789abcdef', 'f'.repeat(16)]
let folder: ReturnType<typeof scratch>
let file: string
const log: string[] = []
beforeEach(() => {
  folder = scratch()
  file = path.join(folder.dir, 'revoked-seats')
  log.length = 0
})
afterEach(() => folder[Symbol.dispose]())
const open = () => openRevocationMarks(folder.dir, (line) => void log.push(line))
const aside = () => openQuarantine({ folder: folder.dir, now: Date.now }).list()

it('makes a file of 4 KiB for the own user, so that later writes need no room', async () => {
  const { left } = await open()
  expect([left, statSync(file).size, readFileSync(file, 'latin1')]).toEqual([[], 4_096, '\n'.repeat(4_096)])
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(log).toEqual([])
})

it('keeps what is put for the next start, each time in place of what was there', async () => {
  const marks = await open()
  expect(await marks.put([one, other])).toBe(true)
  expect((await open()).left).toEqual([one, other])
  expect(await marks.put([other])).toBe(true)
  expect((await open()).left).toEqual([other])
  await marks.put([])
  expect([(await open()).left, statSync(file).size]).toEqual([[], 4_096])
})

it('has room for 200 seats', async () => {
  const ids = Array.from({ length: 200 }, (_, index) => index.toString(16).padStart(16, '0'))
  await (await open()).put(ids)
  expect([(await open()).left, statSync(file).size]).toEqual([ids, 4_096])
})

it.each([
  ['an id that is too short', `${'a'.repeat(15)}\n`.padEnd(4_096, '\n')],
  ['an id in capitals', `${'A'.repeat(16)}\n`.padEnd(4_096, '\n')],
  ['an id behind an empty line', `\n${one}\n`.padEnd(4_096, '\n')],
  ['a file that is too short', '\n'.repeat(4_095)],
  ['a file that is too long', '\n'.repeat(4_097)],
  ['an empty file', ''],
])('sets %s aside, and begins anew', async (_what, text) => {
  await open()
  writeFileSync(file, text)
  expect((await open()).left).toEqual([])
  expect(aside()).toMatchObject([{ reason: 'damaged', paths: ['revoked-seats'] }])
  expect(readFileSync(file, 'latin1')).toBe('\n'.repeat(4_096))
})

it('says that what was put could not be written', async () => {
  const marks = await open()
  await marks.put([one])
  rmSync(file)
  mkdirSync(file)
  expect(await marks.put([other])).toBe(false)
})

it.skipIf(process.getuid?.() === 0)('sets a file aside that may not be read', async () => {
  await open()
  chmodSync(file, 0)
  expect((await open()).left).toEqual([])
  expect(aside()).toMatchObject([{ reason: 'unreadable' }])
})

it('says that its file is missing which was there before', async () => {
  await open()
  rmSync(file)
  expect((await open()).left).toEqual([])
  expect(aside()).toMatchObject([{ reason: 'missing', paths: ['revoked-seats'] }])
})
