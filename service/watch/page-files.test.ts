import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readPageFiles } from './page-files.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sidestage-page-'))
})
afterEach(() => rmSync(folder, { recursive: true }))
const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text)

it('has the page and its assets by name, each with its type, and no other files', async () => {
  write('index.html', '<!doctype html>')
  write('other.html', 'beside')
  mkdirSync(path.join(folder, 'assets'))
  mkdirSync(path.join(folder, 'assets', 'folder.js'))
  const types = {
    'a.js': 'text/javascript; charset=utf-8',
    'b.css': 'text/css; charset=utf-8',
    'c.svg': 'image/svg+xml',
    'd.woff2': 'font/woff2',
    'e.html': 'text/html; charset=utf-8',
  }
  for (const name of [...Object.keys(types), 'f.txt', 'g.map', 'h']) write(path.join('assets', name), `of ${name}`)
  const page = (await readPageFiles(folder))!
  expect([page.index.type, page.index.bytes.toString()]).toEqual(['text/html; charset=utf-8', '<!doctype html>'])
  expect([...page.assets].map(([name, { type, bytes }]) => [name, type, bytes.toString()]).toSorted()).toEqual(
    Object.entries(types).map(([name, type]) => [name, type, `of ${name}`]),
  )
})

it('is nothing without a page, and a page alone without assets', async () => {
  expect(await readPageFiles(path.join(folder, 'none'))).toBeUndefined()
  mkdirSync(path.join(folder, 'assets'))
  write(path.join('assets', 'a.js'), '')
  expect(await readPageFiles(folder)).toBeUndefined()
  rmSync(path.join(folder, 'assets'), { recursive: true })
  write('index.html', 'page')
  expect((await readPageFiles(folder))!.assets.size).toBe(0)
})
