import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openQuarantine, quarantineLife } from './quarantine.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sidestage-quarantine-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string, text: string): void => {
  mkdirSync(join(folder, name, '..'), { recursive: true })
  writeFileSync(join(folder, name), text)
}
const open = () => openQuarantine({ folder, now: () => Date.parse('2026-11-12T10:00:00Z') })

it.each(['-wal', '-shm', '-journal'])(
  'puts %s back with its own database only, never beside another one',
  async (end) => {
    const quarantine = open()
    const [database, log] = ['rooms.db', `rooms.db${end}`]
    write(database, 'first')
    write(log, 'log of the first')
    const { id } = quarantine.setAside([log, database], 'damaged', 'for a test')!
    write(database, 'second')
    expect(await quarantine.restore(id)).toEqual({ restored: [], taken: [database, log] })
    expect(existsSync(join(folder, log))).toBe(false)
    expect(await quarantine.putBack(new Set([log]))).toEqual([])
    expect(existsSync(join(folder, log))).toBe(false)

    rmSync(join(folder, database))
    expect(await quarantine.restore(id)).toEqual({ restored: [database, log], taken: [] })
    expect(readFileSync(join(folder, log), 'utf8')).toBe('log of the first')
    expect(quarantine.list()).toEqual([])
  },
)

it('puts files back whatever else they are called', async () => {
  const quarantine = open()
  write('files/3c/3c01', 'a')
  write('recordings/c/1.mp4', 'b')
  const { id } = quarantine.setAside(['files/3c/3c01', 'recordings'], 'unknown', 'for a test')!
  expect((await quarantine.restore(id))?.restored).toEqual(['files/3c/3c01', 'recordings/c/1.mp4'])
  expect(readdirSync(join(folder, 'recordings', 'c'))).toEqual(['1.mp4'])
})

const day = 24 * 3600 * 1000
const right = Date.parse('2026-11-12T10:00:00Z')
/** A quarantined recording; `tidied` returns whether it is deleted at another time. */
const setAsideAt = (at: number) => {
  let now = at
  const quarantine = openQuarantine({ folder, now: () => now })
  write('recordings/c/77.mp4', 'a film')
  quarantine.setAside(['recordings/c/77.mp4'], 'unknown', 'for a test')
  return {
    quarantine,
    tidied: (time: number): boolean => {
      now = time
      const gone = quarantine.tidy().length > 0
      expect(quarantine.list()).toHaveLength(gone ? 0 : 1)
      return gone
    },
  }
}

it.each([
  ['in 2000', Date.parse('2000-01-01T00:05:00Z')],
  ['a year ahead', right + 365 * day],
])('keeps what was set aside by a clock %s for 30 days of the right one', (_which, at) => {
  const { quarantine, tidied } = setAsideAt(at)
  for (let count = 0; count < 29; count++) {
    expect(tidied(right + count * day)).toBe(false)
    expect(tidied(right + count * day + 3600_000)).toBe(false)
  }
  expect(quarantine.list()[0]!.until).toBeGreaterThan(right + 28 * day)
  expect([tidied(right + 30 * day), existsSync(join(folder, 'quarantine'))]).toEqual([true, true])
})

it('throws nothing away by a clock that is ahead for a while, again and again', () => {
  const { tidied } = setAsideAt(right)
  for (let turn = 0; turn < 20; turn++) {
    expect(tidied(right + 400 * day)).toBe(false)
    expect(tidied(right + turn * 3600_000)).toBe(false)
  }
})

it('keeps the days when somebody is told, and counts them without a manifest', () => {
  const { quarantine, tidied } = setAsideAt(right)
  for (let count = 1; count < 15; count++) tidied(right + count * day)
  quarantine.see([quarantine.list()[0]!.id])
  for (let count = 15; count < 30; count++) expect(tidied(right + count * day)).toBe(false)
  expect(tidied(right + 30 * day)).toBe(true)
  const other = setAsideAt(right)
  rmSync(join(folder, 'quarantine', other.quarantine.list()[0]!.id, 'manifest.json'))
  for (let count = 1; count < 30; count++) expect(other.tidied(right + count * day)).toBe(false)
  expect(other.tidied(right + 30 * day)).toBe(true)
})

it('what is set aside is kept for 30 days', () => {
  expect(quarantineLife).toBe(2_592_000_000)
})
