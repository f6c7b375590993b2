import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../testing/condition.ts'
import { lockDataDir } from './instance-lock.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sidestage-lock-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

describe('the lock of a data directory', () => {
  it('is held once, says by whom, and is free after its release', () => {
    const release = lockDataDir(dir)
    expect(() => lockDataDir(dir)).toThrow(
      `the data directory ${dir} is in use by another service (process ${process.pid}); stop it or choose another directory`,
    )
    release()
    lockDataDir(dir)()
  })

  it('makes a directory that nobody else may enter', () => {
    const inner = join(dir, 'a', 'b')
    lockDataDir(inner)()
    expect(statSync(inner).mode & 0o777).toBe(0o700)
  })

  it('is free at once when its holder is killed', async () => {
    const module = new URL('instance-lock.ts', import.meta.url).href
    // An unreferenced release is garbage collected, and the lock with it.
    const child = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { lockDataDir } from ${JSON.stringify(module)}; globalThis.release = lockDataDir(${JSON.stringify(dir)}); console.log('held'); setInterval(() => {}, 1000)`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    await once(child.stdout, 'data')
    expect(() => lockDataDir(dir)).toThrow(`process ${child.pid}`)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await until(
      'the lock is free',
      () => {
        lockDataDir(dir)()
        return true
      },
      100,
    )
  })

  const noted = (): string => join(dir, 'lock.pid')

  it('notes its holder for the owner of the directory alone, in the place of an earlier note', () => {
    writeFileSync(noted(), '1\n', { mode: 0o644 })
    const release = lockDataDir(dir)
    expect(readFileSync(noted(), 'utf8')).toBe(`${process.pid}\n`)
    if (process.platform !== 'win32') expect(statSync(noted()).mode & 0o777).toBe(0o600)
    release()
  })

  it.each([
    ['nobody', undefined, 'unknown'],
    ['what is no number', 'somebody', 'unknown'],
    ['a number before other words', '12 and more', '12'],
    ['a number of more than ten digits', '12345678901', '1234567890'],
  ])('is refused with the holder as it is noted: %s', (_what, note, told) => {
    const release = lockDataDir(dir)
    if (note === undefined) rmSync(noted())
    else writeFileSync(noted(), note)
    expect(() => lockDataDir(dir)).toThrow(`is in use by another service (process ${told});`)
    release()
  })

  it.skipIf(process.platform === 'win32')('closes to others what an older version left open in it', () => {
    writeFileSync(join(dir, 'sidestage.db'), '', { mode: 0o644 })
    lockDataDir(dir)()
    expect(statSync(join(dir, 'sidestage.db')).mode & 0o777).toBe(0o600)
  })

  it('sets aside what is not a file in the place of the note of its holder', () => {
    mkdirSync(noted())
    writeFileSync(join(noted(), 'x'), 'x')
    const release = lockDataDir(dir)
    expect(readFileSync(noted(), 'utf8')).toBe(`${process.pid}\n`)
    release()
    lockDataDir(dir)()
  })
})
