import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { scratch } from '../companion/testing/rig.ts'
import { ensureBuilt, isStale } from './launch-build.ts'

/** A checkout with a builder that only notes that it ran. */
function checkout(dir: string): void {
  for (const folder of ['renderer/features', 'contract', 'out/renderer', 'node_modules/electron-vite/bin'])
    mkdirSync(path.join(dir, folder), { recursive: true })
  for (const file of ['renderer/main.ts', 'renderer/features/a.vue', 'electron.vite.config.ts', 'package-lock.json'])
    writeFileSync(path.join(dir, file), '')
  const script = `const fs = require('fs'); fs.appendFileSync('runs', 'x'); setTimeout(() => fs.writeFileSync('out/renderer/csp.json', '{}'), 200)`
  writeFileSync(path.join(dir, 'node_modules/electron-vite/bin/electron-vite.js'), script)
}

it('builds once for all who ask at once, and again only when something changed', async () => {
  using folder = scratch()
  checkout(folder.dir)
  const built = (): Promise<boolean> => ensureBuilt(folder.dir, ['renderer'], () => undefined)
  expect((await Promise.all([built(), built(), built()])).filter(Boolean)).toHaveLength(1)
  expect(await built()).toBe(false)
  const later = new Date(Date.now() + 5_000)
  utimesSync(path.join(folder.dir, 'renderer/features/a.vue'), later, later)
  expect(isStale(folder.dir, 'renderer')).toBe(true)
})

it('notices a file that was deleted, and no test', async () => {
  using folder = scratch()
  checkout(folder.dir)
  await ensureBuilt(folder.dir, ['renderer'], () => undefined)
  const old = new Date(Date.now() - 60_000)
  for (const place of ['renderer', 'renderer/features']) utimesSync(path.join(folder.dir, place), old, old)
  writeFileSync(path.join(folder.dir, 'renderer/features/a.test.ts'), '')
  utimesSync(path.join(folder.dir, 'renderer/features'), old, old)
  expect(isStale(folder.dir, 'renderer')).toBe(false)
  rmSync(path.join(folder.dir, 'renderer/features/a.vue'))
  const later = new Date(Date.now() + 1_000)
  utimesSync(path.join(folder.dir, 'renderer/features'), later, later)
  expect(isStale(folder.dir, 'renderer')).toBe(true)
})

it('says the last words of a build that failed', async () => {
  using folder = scratch()
  checkout(folder.dir)
  writeFileSync(
    path.join(folder.dir, 'node_modules/electron-vite/bin/electron-vite.js'),
    `console.error('no such view'); process.exit(1)`,
  )
  await expect(ensureBuilt(folder.dir, ['renderer'], () => undefined)).rejects.toThrow('no such view')
})
