import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { scratch } from '../testing/rig.ts'
import { openAssets } from './assets.ts'

const policy = { styles: [`sha256-${'A'.repeat(43)}=`] }
function page(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries({ 'csp.json': JSON.stringify(policy), ...files })) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true })
    writeFileSync(path.join(dir, name), text)
  }
}

it('has the files of the page by their type; those named by their content may be cached for ever', async () => {
  using folder = scratch()
  page(folder.dir, {
    'index.html': '<!doctype html>',
    'favicon.ico': 'i',
    'assets/a-1.js': 'js',
    'assets/a-1.css': 'css',
    'assets/font.woff2': 'font',
    'secret.pem': 'no',
    'assets/a-1.js.map': 'no',
  })
  const assets = await openAssets(folder.dir)
  expect(assets.policy).toEqual(policy)
  const about = (of: string) => {
    const found = assets.find(of)
    return found && [found.type, found.lasting]
  }
  expect(about('/index.html')).toEqual(['text/html; charset=utf-8', false])
  expect(assets.find('/')).toBe(assets.find('/index.html'))
  expect(about('/favicon.ico')).toEqual(['image/x-icon', false])
  expect(about('/assets/a-1.js')).toEqual(['text/javascript; charset=utf-8', true])
  expect(about('/assets/a-1.css')).toEqual(['text/css; charset=utf-8', true])
  expect(about('/assets/font.woff2')).toEqual(['font/woff2', true])
  for (const none of ['/csp.json', '/secret.pem', '/assets/a-1.js.map', '/assets', '/assets/', '/../index.html', ''])
    expect(about(none), none).toBeUndefined()
  expect((await assets.find('/assets/a-1.js')!.read()).toString()).toBe('js')
})

it('reads a file once, and again where that failed', async () => {
  using folder = scratch()
  page(folder.dir, { 'index.html': 'one' })
  const index = (await openAssets(folder.dir)).find('/')!
  rmSync(path.join(folder.dir, 'index.html'))
  await expect(index.read()).rejects.toThrow('ENOENT')
  writeFileSync(path.join(folder.dir, 'index.html'), 'two')
  expect((await index.read()).toString()).toBe('two')
  writeFileSync(path.join(folder.dir, 'index.html'), 'three')
  expect((await index.read()).toString()).toBe('two')
})

it('serves no link to a file elsewhere', async () => {
  using folder = scratch()
  const dir = path.join(folder.dir, 'page')
  page(dir, { 'index.html': '' })
  writeFileSync(path.join(folder.dir, 'private.json'), '{}')
  symlinkSync(path.join(folder.dir, 'private.json'), path.join(dir, 'linked.json'))
  expect((await openAssets(dir)).find('/linked.json')).toBeUndefined()
})

it('refuses to begin with a page that was not built, or whose policy is damaged', async () => {
  using folder = scratch()
  await expect(openAssets(folder.dir)).rejects.toThrow('ENOENT')
  page(folder.dir, { 'other.html': '' })
  await expect(openAssets(folder.dir)).rejects.toThrow('the page was not built')
  page(folder.dir, { 'index.html': '', 'csp.json': '{}' })
  await expect(openAssets(folder.dir)).rejects.toThrow('csp.json is damaged')
})
