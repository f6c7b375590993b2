import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { ApplicationTable } from '../storage/schema.ts'
import { openStore } from '../storage/testing/open-store.ts'
import type { Store } from '../storage/store.ts'
import { openFiles, type Files } from './files.ts'
import { openIncomingFile, UploadFault } from './incoming-file.ts'

const clock = manualClock()
let dir: string
let store: Store
let asked: unknown[]
let files: Files
let count: number
const open = async (): Promise<Files> => {
  asked = []
  return openFiles({
    db: store.db,
    dataDir: dir,
    clock,
    random: (bytes) => Buffer.alloc(bytes, ++count),
    quarantine: {
      setAside: (paths, reason) => void asked.push(['setAside', [...paths].sort(), reason]),
      putBack: (paths) => {
        asked.push(['putBack', [...paths]])
        return Promise.resolve([])
      },
    },
  })
}
beforeEach(async () => {
  count = 0
  dir = mkdtempSync(join(tmpdir(), 'sidestage-files-'))
  store = await openStore(dir)
  await store.db
    .insertInto('application')
    .values([1, 7].map((uid) => ({ uid, name: `a${uid}`, created: 1 }) as ApplicationTable))
    .execute()
  files = await open()
})
afterEach(async () => {
  await store.close()
  rmSync(dir, { recursive: true, force: true })
})
const hashOf = (content: string): string => createHash('sha256').update(content).digest('hex')
const pathOf = (content: string): string => `files/${hashOf(content).slice(0, 2)}/${hashOf(content)}`
const upload = async (content: string, uid = 1, type = 'png') => {
  const file = await files.begin(1000)
  await file.write(Buffer.from(content))
  return files.store(uid, file, type)
}
const place = (content: string): void => {
  const path = join(dir, pathOf(content))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

describe('an uploaded file', () => {
  it('is found by its token with its type and size, below the name of its content', async () => {
    const { token, channelid } = await upload('hello')
    expect(await files.find(token)).toEqual({ path: join(dir, pathOf('hello')), type: 'png', bytes: 5 })
    expect(await files.find(`${token}x`)).toBeUndefined()
    expect(await store.db.selectFrom('upload').selectAll().execute()).toEqual([
      { channelid, uid: 1, token, hash: hashOf('hello'), bytes: 5, type: 'png', created: clock.now(), removed: 0 },
    ])
    expect(readdirSync(join(dir, 'files', 'incoming'))).toEqual([])
  })

  it('is removed for its own application only, and not found any more', async () => {
    const { token, channelid } = await upload('hello')
    expect(await files.remove(2, channelid)).toBe(false)
    expect(await files.find(token)).toBeDefined()
    expect(await files.remove(1, channelid)).toBe(true)
    expect(await files.find(token)).toBeUndefined()
    expect(existsSync(join(dir, pathOf('hello')))).toBe(false)
  })
})

describe('a file that was put back', () => {
  it('has a row again, and is found by a new token', async () => {
    place('hello')
    expect(await files.adopt(7, pathOf('hello'))).toBe(true)
    const rows = await store.db.selectFrom('upload').selectAll().execute()
    expect(rows).toMatchObject([
      { uid: 7, hash: hashOf('hello'), bytes: 5, type: '', created: clock.now(), removed: 0 },
    ])
    expect(await files.find(rows[0]!.token)).toMatchObject({ path: join(dir, pathOf('hello')) })
  })

  it('keeps the rows that it has', async () => {
    await upload('hello')
    expect(await files.adopt(7, pathOf('hello'))).toBe(true)
    expect(await store.db.selectFrom('upload').selectAll().execute()).toHaveLength(1)
  })

  it('is no upload elsewhere, or under another name', async () => {
    place('hello')
    for (const path of [
      `recordings/${hashOf('hello')}`,
      `files/00/${hashOf('hello')}`,
      `files/incoming/half`,
      `files/${hashOf('hello')}`,
      `x/${pathOf('hello')}`,
    ])
      expect(await files.adopt(7, path), path).toBe(false)
    expect(await store.db.selectFrom('upload').selectAll().execute()).toEqual([])
  })
})

describe('opening the files', () => {
  it('sets aside what no row names and what had not come in whole, and asks for what is missing', async () => {
    await upload('stays')
    await upload('missing')
    const { channelid } = await upload('removed')
    await files.remove(1, channelid)
    rmSync(join(dir, pathOf('missing')))
    place('unknown')
    place('removed')
    mkdirSync(join(dir, 'files', 'ff'), { recursive: true })
    // Known, in a folder that is not its own.
    writeFileSync(join(dir, 'files', 'ff', hashOf('stays')), 'stays')
    writeFileSync(join(dir, 'files', 'incoming', 'half'), 'h')
    writeFileSync(join(dir, 'files', 'note.txt'), 'of a person')
    await open()
    expect(asked).toEqual([
      ['setAside', ['files/incoming/half'], 'unfinished'],
      ['setAside', [pathOf('unknown'), pathOf('removed'), `files/ff/${hashOf('stays')}`].sort(), 'unknown'],
      ['putBack', [pathOf('missing')]],
    ])
  })

  it('asks for nothing in a new folder', () => {
    expect(asked).toEqual([
      ['setAside', [], 'unfinished'],
      ['setAside', [], 'unknown'],
      ['putBack', []],
    ])
  })
})

describe('an incoming file', () => {
  it('has its hash and size when it is finished, and can be read by its owner alone', async () => {
    const path = join(dir, 'one')
    const file = await openIncomingFile(path, 5)
    for (const part of ['he', 'llo']) await file.write(Buffer.from(part))
    expect(await file.finish()).toEqual({ path, hash: hashOf('hello'), bytes: 5 })
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('takes no more bytes than it may have, and leaves nothing when it is discarded, however often', async () => {
    const path = join(dir, 'one')
    const file = await openIncomingFile(path, 5)
    await file.write(Buffer.from('hello'))
    await expect(file.write(Buffer.from('!'))).rejects.toThrow(new UploadFault('the file has more than 5 bytes'))
    await file.discard()
    await file.discard()
    expect(existsSync(path)).toBe(false)
  })

  it('is never one that is there already', async () => {
    writeFileSync(join(dir, 'one'), 'here')
    await expect(openIncomingFile(join(dir, 'one'), 5)).rejects.toMatchObject({ code: 'EEXIST' })
  })
})

describe('one content of several uploads', () => {
  it('is kept once, and until the last of them is removed, whoever has it', async () => {
    const [first, second] = [await upload('same'), await upload('same', 7, 'txt')]
    expect(second.token).not.toBe(first.token)
    expect(readdirSync(join(dir, 'files', 'incoming'))).toEqual([])
    expect(await files.remove(1, first.channelid)).toBe(true)
    expect(existsSync(join(dir, pathOf('same')))).toBe(true)
    expect(await files.find(second.token)).toMatchObject({ type: 'txt' })
    // A second removal of the first one does not take what the other one has.
    expect(await files.remove(1, first.channelid)).toBe(true)
    expect(existsSync(join(dir, pathOf('same')))).toBe(true)
    expect(await files.remove(7, second.channelid)).toBe(true)
    expect(existsSync(join(dir, pathOf('same')))).toBe(false)
  })

  it('stays where it is uploaded again while it is removed', async () => {
    const { channelid } = await upload('same')
    const file = await files.begin(1000)
    await file.write(Buffer.from('same'))
    const [, stored] = await Promise.all([files.remove(1, channelid), files.store(1, file, 'png')])
    expect(existsSync(join(dir, pathOf('same')))).toBe(true)
    expect(await files.find(stored.token)).toMatchObject({ bytes: 4 })
  })

  it('that was removed is registered anew when it is put back', async () => {
    const { channelid } = await upload('same')
    await files.remove(1, channelid)
    place('same')
    expect(await files.adopt(7, pathOf('same'))).toBe(true)
    const rows = await store.db.selectFrom('upload').select(['uid', 'removed']).orderBy('channelid').execute()
    expect(rows).toEqual([
      { uid: 1, removed: 1 },
      { uid: 7, removed: 0 },
    ])
    await expect(files.adopt(7, pathOf('not there'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

it('makes folders of uploads for their user only, and tokens of 24 random bytes', async () => {
  const { token } = await upload('hello')
  expect(Buffer.from(token, 'base64url')).toHaveLength(24)
  expect(token).toMatch(/^[A-Za-z0-9_-]{32}$/)
  if (process.platform === 'win32') return
  for (const path of ['files', 'files/incoming', dirname(pathOf('hello'))])
    expect(statSync(join(dir, path)).mode & 0o777, path).toBe(0o700)
})
