import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, afterEach, expect, it } from 'vitest'
import { scratch } from '../testing/rig.ts'
import { markName } from './folder-content.ts'
import { readMark, removeMark, removeNames, removePartial, writeMark } from './move-mark.ts'

let at: ReturnType<typeof scratch>
let to: string
beforeEach(() => {
  at = scratch()
  to = path.join(at.dir, 'to')
  mkdirSync(to)
})
afterEach(() => at[Symbol.dispose]())
const put = (...names: string[]): void => {
  for (const name of names) {
    mkdirSync(path.dirname(path.join(to, name)), { recursive: true })
    writeFileSync(path.join(to, name), '')
  }
}
const mark = { version: 1, installation: 'ours', made: true, names: ['recordings', 'sidestage.db'] } as const
const marked = { ...mark, names: [...mark.names] }

it('reads the mark of this installation, and of no other', async () => {
  await writeMark(to, marked)
  expect(await readMark(to, 'ours')).toEqual(marked)
  expect(await readMark(to, 'another')).toBeUndefined()
})

it('takes a folder without a mark, or with a damaged one, for unmarked, and leaves that as it is', async () => {
  expect(await readMark(to, 'ours')).toBeUndefined()
  for (const text of ['{', JSON.stringify({ ...marked, version: 2 }), JSON.stringify({ ...marked, names: [7] })]) {
    writeFileSync(path.join(to, markName), text)
    expect(await readMark(to, 'ours'), text).toBeUndefined()
    expect(readFileSync(path.join(to, markName), 'utf8')).toBe(text)
  }
  expect(readdirSync(to)).toEqual([markName])
})

it('takes the mark away with what a write of it left, and is content where there is none', async () => {
  put(markName, `${markName}.new`, 'kept')
  await removeMark(to)
  await removeMark(to)
  expect(readdirSync(to)).toEqual(['kept'])
})

it('removes only what lies directly in the folder under these names', async () => {
  put('recordings/a/1.mp4', 'files/x', 'sidestage.db', 'notes.txt')
  writeFileSync(path.join(at.dir, 'precious'), '')
  await removeNames(to, ['recordings', '../precious', '..', '.', '', 'files/x', path.join(to, 'notes.txt')], true)
  expect(readdirSync(to).toSorted()).toEqual(['files', 'notes.txt', 'sidestage.db'])
  expect(existsSync(path.join(to, 'files', 'x'))).toBe(true)
  expect(existsSync(path.join(at.dir, 'precious'))).toBe(true)
})

it('removes the folder itself only as a whole, and only when nothing of others is in it', async () => {
  put('a')
  await removeNames(to, ['a'], false)
  expect(readdirSync(to)).toEqual([])
  put('a', 'mine')
  await removeNames(to, ['a'], true)
  expect(readdirSync(to)).toEqual(['mine'])
  await removeNames(to, ['mine'], true)
  expect(existsSync(to)).toBe(false)
  // Gone already.
  await removeNames(to, ['mine'], true)
})

it('removes of an interrupted move what its mark names, the mark, and the folder that it made', async () => {
  put('recordings/1.mp4', 'sidestage.db')
  await writeMark(to, marked)
  await removePartial(to, 'ours', false)
  expect(existsSync(to)).toBe(false)
})

it('keeps a folder that stood there before the move', async () => {
  put('recordings/1.mp4')
  await writeMark(to, { ...marked, made: false })
  await removePartial(to, 'ours', true)
  expect(readdirSync(to)).toEqual([])
})

it('removes nothing under the mark of another installation, but the begin of a mark', async () => {
  put('recordings/1.mp4', `${markName}.new`)
  await writeMark(to, { ...marked, installation: 'another' })
  put(`${markName}.new`)
  await removePartial(to, 'ours', true)
  expect(readdirSync(to).toSorted()).toEqual(['recordings', markName].toSorted())
})

it('removes an empty folder that it made before it could be marked, and leaves one that was there', async () => {
  put(`${markName}.new`)
  await removePartial(to, 'ours', false)
  expect(readdirSync(to)).toEqual([])
  await removePartial(to, 'ours', true)
  expect(existsSync(to)).toBe(false)
})
