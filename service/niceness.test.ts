import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeFlvTag } from './media/flv-writer.ts'
import { FlvSlice } from './recording/slice-flv.ts'
import { soundTracks } from './recording/testing/written-slice.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sidestage-nice-'))
  chmodSync(dir, 0o777)
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** Runs an expression of these modules at this niceness, without the permission to raise a priority. */
async function niceTo(niceness: number, imports: string, expression: string): Promise<unknown> {
  const program = `
    import { setPriority, getPriority } from 'node:os'
    ${imports}
    setPriority(${niceness})
    if (process.getuid() === 0) {
      process.setgid(65534)
      process.setuid(65534)
    }
    process.stdout.write(JSON.stringify((await (${expression})) ?? null))`
  const args = ['--input-type=module', '-e', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  return JSON.parse(stdout)
}

describe.skipIf(process.platform !== 'linux')('a process that is nicer than its threads would be', () => {
  it('finishes recordings', async () => {
    const path = join(dir, 'a.flv')
    const tag = writeFlvTag('audio', 0, Buffer.from([0xaf, 1, 0]))
    writeFileSync(path, Buffer.concat([new FlvSlice(soundTracks, 60_000).head, tag]))
    chmodSync(path, 0o666)
    const finished = await niceTo(
      19,
      `import { createWorkers } from './service/recording/workers.ts'`,
      `createWorkers().run({ kind: 'flv', path: ${JSON.stringify(path)}, end: { duration: 4321, keyFrames: [] } })`,
    )
    expect(finished).toMatchObject({ duration: 4321 })
  })

  it('copies and checks its database', async () => {
    const path = join(dir, 'a.db')
    const database = new DatabaseSync(path)
    database.exec('create table item (name text)')
    database.close()
    chmodSync(path, 0o666)
    const work = { path, temporary: join(dir, 'copy.new'), target: join(dir, 'copy.db'), time: 1000 }
    const done = await niceTo(
      19,
      `import { inThread } from './service/storage/database-copies.ts'`,
      `(async () => {
        const { signal } = new AbortController()
        await inThread(${JSON.stringify({ kind: 'copy', ...work })}, signal)
        return [await inThread(${JSON.stringify({ kind: 'check', path: work.target })}, signal) ?? 'sound']
      })()`,
    )
    expect(done).toEqual(['sound'])
  })

  it('keeps its priority, and one that is less nice gets that of bulk work', async () => {
    const lowered = (niceness: number): Promise<unknown> =>
      niceTo(
        niceness,
        `import { lowerThreadPriority } from './platform/thread-priority.ts'`,
        '(lowerThreadPriority(), getPriority())',
      )
    expect([await lowered(19), await lowered(Math.max(0, getPriority()))]).toEqual([19, Math.max(10, getPriority())])
  })
})
