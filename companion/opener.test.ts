import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openEntrance, openInBrowser } from './opener.ts'

let folder: string
let pid: number | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sidestage-opener-'))
  vi.stubEnv('PATH', folder)
})
afterEach(() => {
  vi.useRealTimers()
  if (pid !== undefined) process.kill(pid)
  pid = undefined
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

/** Puts an opener in the place of the system's, of which one note and an exit code are wanted. */
const opener = (code: number): void => {
  for (const name of ['xdg-open', 'open']) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho "$1" > ${join(folder, 'asked')}\nexit ${code}\n`)
    chmodSync(join(folder, name), 0o755)
  }
}

it('gives the address to the opener of the system, as one argument', async () => {
  opener(0)
  await openInBrowser('https://a.example/?x=1&y=2')
  expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe('https://a.example/?x=1&y=2\n')
})

it('says that nothing was opened where the opener finds no browser, or is not there', async () => {
  await expect(openInBrowser('https://a.example/')).rejects.toThrow('ENOENT')
  opener(3)
  await expect(openInBrowser('https://a.example/')).rejects.toThrow('found no browser (code 3)')
})

it('shows no secret of an address to other users of a computer with macOS: a file of this user leads there', async () => {
  opener(0)
  const secret = 'http://127.0.0.1:7701/#token=abc-123_XYZ'
  await openEntrance(secret, 'darwin')
  const asked = readFileSync(join(folder, 'asked'), 'utf8').trim()
  expect(asked).toMatch(/^file:/)
  const file = fileURLToPath(asked)
  expect(readFileSync(file, 'utf8')).toContain(`content="0;url=${secret}"`)
  if (process.platform !== 'win32')
    expect([file, dirname(file)].map((each) => statSync(each).mode & 0o077)).toEqual([0, 0])
  rmSync(dirname(file), { recursive: true })
  await openEntrance(secret, 'linux')
  expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe(`${secret}\n`)
})

it('counts an opener that runs for 3 s as one that found a browser, and does not end it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const noted = join(folder, 'pid')
  writeFileSync(
    join(folder, 'xdg-open'),
    `#!/bin/sh\necho $$ > ${noted}.new\n/bin/mv ${noted}.new ${noted}\nexec /bin/sleep 600\n`,
  )
  chmodSync(join(folder, 'xdg-open'), 0o755)
  let isOver = false
  const opening = openInBrowser('https://a.example/').then(() => (isOver = true))
  while (!existsSync(noted)) await new Promise((resolve) => setImmediate(resolve))
  pid = Number(readFileSync(noted, 'utf8'))
  vi.advanceTimersByTime(2_999)
  await new Promise((resolve) => setImmediate(resolve))
  expect(isOver).toBe(false)
  vi.advanceTimersByTime(1)
  await opening
  expect(process.kill(pid, 0)).toBe(true)
})

it('removes the file that leads a browser of macOS after a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  opener(0)
  await openEntrance('http://127.0.0.1:7701/#token=abc', 'darwin')
  const file = fileURLToPath(readFileSync(join(folder, 'asked'), 'utf8').trim())
  vi.advanceTimersByTime(59_999)
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(existsSync(file)).toBe(true)
  vi.advanceTimersByTime(1)
  while (existsSync(dirname(file))) await new Promise((resolve) => setImmediate(resolve))
})
