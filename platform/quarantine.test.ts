import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openQuarantine } from './quarantine.ts'

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

it.each(['-wal', '-shm', '-journal'])('puts %s back with its own database only, never beside another one', async (end) => {
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
})

it('puts files back whatever else they are called', async () => {
  const quarantine = open()
  write('files/3c/3c01', 'a')
  write('recordings/c/1.mp4', 'b')
  const { id } = quarantine.setAside(['files/3c/3c01', 'recordings'], 'unknown', 'for a test')!
  expect((await quarantine.restore(id))?.restored).toEqual(['files/3c/3c01', 'recordings/c/1.mp4'])
  expect(readdirSync(join(folder, 'recordings', 'c'))).toEqual(['1.mp4'])
})
