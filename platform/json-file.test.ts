import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { jsonFile, keptDocument } from './json-file.ts'
import { openQuarantine } from './quarantine.ts'

interface Note {
  readonly text: string
}
let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sidestage-json-'))
  file = path.join(folder, 'note.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))
const read = (raw: unknown): Note => {
  const { text } = raw as Partial<Note>
  if (typeof text !== 'string') throw new Error('no text')
  return { text }
}
const open = (more: object = {}) => jsonFile(file, read, more)
const aside = () => openQuarantine({ folder, now: Date.now }).list()

it('gives what was saved, as text for people and for the own user only', async () => {
  expect(await open().load()).toBeUndefined()
  await open().save({ text: 'one' })
  expect(await open().load()).toEqual({ text: 'one' })
  expect(readFileSync(file, 'utf8')).toBe('{\n  "text": "one"\n}\n')
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).not.toContain('note.json.new')
})

it('saves in the order of the calls', async () => {
  const saved = open()
  await Promise.all(['one', 'two', 'three'].map((text) => saved.save({ text })))
  expect(await saved.load()).toEqual({ text: 'three' })
})

it.each([
  ['an empty file', '', 'damaged', 'the file is empty'],
  ['no JSON', '{', 'damaged', 'it is not JSON: '],
  ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'damaged', 'it is not JSON: '],
  ['another form', '{"text":7}', 'damaged', 'it does not have the expected form'],
  ['a newer form', '{"version":2,"text":"x"}', 'newer', 'it was made by a newer Sidestage (form 2, this one knows 1)'],
  ['more than 4 MiB', ' '.repeat(4 * 1024 * 1024 + 1), 'damaged', 'it is larger than expected'],
] as const)('sets %s aside and counts it as none', async (_what, text, reason, detail) => {
  writeFileSync(file, text)
  expect(await open().load()).toBeUndefined()
  const [entry, ...more] = aside()
  expect([entry?.reason, entry?.paths, more]).toEqual([reason, ['note.json'], []])
  expect(entry?.detail.startsWith(detail)).toBe(true)
  expect(readdirSync(folder)).not.toContain('note.json')
})

it('takes a file of 4 MiB, and one of this form with its number', async () => {
  const text = '{"version":1,"text":"x"}'
  writeFileSync(file, text.padEnd(4 * 1024 * 1024))
  expect(await open().load()).toEqual({ text: 'x' })
})

it('says once that a file is gone which was there before', async () => {
  await open().save({ text: 'one' })
  rmSync(file)
  expect(await open().load()).toBeUndefined()
  expect(aside()).toMatchObject([{ reason: 'missing', paths: ['note.json'] }])
  await open().load()
  expect(aside()).toHaveLength(1)
})

it('misses no file that may be absent at any time', async () => {
  await open({ passing: true }).save({ text: 'one' })
  rmSync(file)
  expect(await open({ passing: true }).load()).toBeUndefined()
  expect(aside()).toEqual([])
})

it('leaves a file in the folder of others where it is, and says what is wrong with it', async () => {
  const foreign = open({ foreign: true })
  expect(await foreign.load()).toBeUndefined()
  writeFileSync(file, '{')
  await expect(foreign.load()).rejects.toThrow('it is not JSON')
  expect(readdirSync(folder)).toEqual(['note.json'])
  await foreign.save({ text: 'one' })
  expect(await foreign.load()).toEqual({ text: 'one' })
  expect(readdirSync(folder)).toEqual(['note.json'])
})

it('sets aside what is in its place and is no file', async () => {
  mkdirSync(file)
  expect(await open().load()).toBeUndefined()
  expect(aside()).toMatchObject([{ reason: 'notAFile', paths: ['note.json'] }])
  await open().save({ text: 'one' })
  expect(await open().load()).toEqual({ text: 'one' })
})

it('a kept document begins with the file, or with what is given where there is none', async () => {
  const first = await keptDocument(open(), { text: 'first' })
  expect(first.value()).toEqual({ text: 'first' })
  expect(readdirSync(folder)).not.toContain('note.json')
  await first.change(() => ({ text: 'changed' }))
  expect((await keptDocument(open(), { text: 'first' })).value()).toEqual({ text: 'changed' })
})

it('a kept document takes each change on top of the one before, in force once it is written', async () => {
  const kept = await keptDocument(open(), { text: '' })
  const add = (letter: string) => kept.change(({ text }) => ({ text: text + letter }))
  const both = [add('a'), add('b')]
  expect(kept.value()).toEqual({ text: '' })
  await Promise.all(both)
  expect(kept.value()).toEqual({ text: 'ab' })
})

it('a kept document writes nothing of a change that is none', async () => {
  let saved = 0
  const kept = await keptDocument(
    {
      load: () => Promise.resolve({ text: 'x' }),
      save: () => {
        saved++
        return Promise.resolve()
      },
    },
    { text: '' },
  )
  await kept.change((value) => value)
  expect(saved).toBe(0)
  await kept.change(({ text }) => ({ text }))
  expect(saved).toBe(1)
})

it('a kept document stays as it is where a change cannot be written, and takes the next one', async () => {
  let refuses = true
  const kept = await keptDocument<Note>(
    {
      load: () => Promise.resolve(undefined),
      save: () => (refuses ? Promise.reject(new Error('full')) : Promise.resolve()),
    },
    { text: '' },
  )
  const failed = kept.change(() => ({ text: 'lost' }))
  const next = kept.change(({ text }) => ({ text: `${text}next` })).catch((error: Error) => error.message)
  await expect(failed).rejects.toThrow('full')
  expect([await next, kept.value()]).toEqual(['full', { text: '' }])
  refuses = false
  await kept.change(({ text }) => ({ text: `${text}kept` }))
  expect(kept.value()).toEqual({ text: 'kept' })
})
