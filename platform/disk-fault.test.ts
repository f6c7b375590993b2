import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asDiskFault, DiskFault, type DiskFaultKind } from './disk-fault.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'sidestage-fault-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const caught = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('it did not fail')
}
const kindOf = (place: string, work: () => unknown): DiskFaultKind | undefined => {
  const error = asDiskFault(place, caught(work))
  if (error instanceof DiskFault) expect(error.message).toContain(place)
  return error instanceof DiskFault ? error.kind : undefined
}
const write = (place: string) => () => writeFileSync(path.join(place, 'a'), 'text')
const open = (place: string) => () => {
  const database = new DatabaseSync(path.join(place, 'a.db'))
  try {
    database.exec('pragma journal_mode = wal; create table one (a)')
  } finally {
    database.close()
  }
}

describe('what ended a start', () => {
  it.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
    'is a disk that is full or can only be read, whoever says it and however',
    () => {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder])
      try {
        expect(kindOf(folder, () => writeFileSync(path.join(folder, 'much'), Buffer.alloc(200_000)))).toBe('full')
        expect(kindOf(folder, open(folder))).toBe('full')
        rmSync(path.join(folder, 'much'))
        writeFileSync(path.join(folder, 'kept'), '')
        execFileSync('mount', ['-o', 'remount,ro', folder])
        expect(kindOf(folder, write(folder))).toBe('readOnly')
        expect(kindOf(folder, open(folder))).toBe('readOnly')
        expect(kindOf(folder, () => rmSync(path.join(folder, 'kept')))).toBe('readOnly')
        // Node reports ENOENT here.
        expect(kindOf(folder, () => mkdirSync(path.join(folder, 'one', 'two'), { recursive: true }))).toBe('readOnly')
      } finally {
        execFileSync('umount', [folder])
      }
    },
  )

  it.skipIf(process.platform === 'win32')('is a folder of somebody else', () => {
    // Root may write everywhere, so another user tests.
    const script = `import { writeFileSync } from 'node:fs'
      import { asDiskFault } from '${path.join(import.meta.dirname, 'disk-fault.ts')}'
      try { writeFileSync(process.argv[1] + '/a', '') } catch (error) { console.log(asDiskFault(process.argv[1], error).kind) }`
    chmodSync(folder, 0o555)
    const isRoot = process.getuid?.() === 0
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script, folder], {
      encoding: 'utf8',
      ...(isRoot && { uid: 65_534, gid: 65_534 }),
    })
    chmodSync(folder, 0o700)
    expect(stdout.trim()).toBe('denied')
  })

  it('is a file on the way to the folder, or a folder that is not there', () => {
    writeFileSync(path.join(folder, 'file'), '')
    const below = path.join(folder, 'file', 'data')
    expect(kindOf(below, () => mkdirSync(below, { recursive: true }))).toBe('notAFolder')
    const away = path.join(folder, 'away')
    expect(kindOf(away, write(away))).toBe('absent')
    expect(kindOf(away, open(away))).toBe('absent')
  })

  it('is nothing of the disk: a fault of the program, a file that is not there, a port that may not be had', async () => {
    expect(kindOf(folder, () => JSON.parse('{'))).toBe(undefined)
    expect(kindOf(folder, () => readdirSync(path.join(folder, 'none')))).toBe(undefined)
    expect(kindOf(folder, () => new DatabaseSync(':memory:').exec('nonsense'))).toBe(undefined)
    const denied = Object.assign(new Error('listen EACCES: permission denied 0.0.0.0:80'), {
      code: 'EACCES',
      syscall: 'listen',
      port: 80,
    })
    expect(asDiskFault(folder, denied)).toBe(denied)
    const server = net.createServer()
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const taken = await new Promise((resolve) => {
      net
        .createServer()
        .once('error', resolve)
        .listen((server.address() as net.AddressInfo).port, '127.0.0.1')
    })
    server.close()
    expect(asDiskFault(folder, taken)).toBe(taken)
    expect(readdirSync(folder)).toEqual([])
  })
})
