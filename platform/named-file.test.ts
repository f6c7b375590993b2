import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { NotThisFile, readNamedFile } from './named-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'sidestage-named-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const at = (name: string): string => join(folder, name)

it('a file of bounded length is read, through a link too', async () => {
  writeFileSync(at('some'), 'a'.repeat(100))
  symlinkSync(at('some'), at('link'))
  for (const name of ['some', 'link']) expect((await readNamedFile(at(name), 100)).toString()).toBe('a'.repeat(100))
  await expect(readNamedFile(at('some'), 99)).rejects.toThrow(NotThisFile)
  await expect(readNamedFile(at('none'), 99)).rejects.toThrow('ENOENT')
  writeFileSync(at('huge'), '')
  truncateSync(at('huge'), 1e12)
  await expect(readNamedFile(at('huge'), 1000)).rejects.toThrow('larger')
})

it.skipIf(process.platform === 'win32')('whatever is not a file is refused at once', async () => {
  execFileSync('mkfifo', [at('fifo')])
  symlinkSync(at('fifo'), at('to-fifo'))
  const server = createServer().listen(at('socket'))
  await once(server, 'listening')
  for (const name of [at('fifo'), at('to-fifo'), at('socket'), folder, '/dev/zero', '/dev/tty', '/dev/stdin'])
    await expect(readNamedFile(name, 1000), name).rejects.toThrow(/not a file|ENXIO|ENOENT/)
  server.close()
})
