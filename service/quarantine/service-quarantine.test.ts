import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import type { QuarantineEntry } from '../../platform/quarantine.ts'
import { keepTidy, openServiceQuarantine } from './service-quarantine.ts'

const lines: { readonly fields: object; readonly sentence: string }[] = []
const log = { warn: (fields: object, sentence: string) => void lines.push({ fields, sentence }) }
afterEach(() => {
  lines.length = 0
  vi.useRealTimers()
})

it('logs what is set aside, with 20 of its paths at most', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sidestage-quarantine-'))
  try {
    const names = Array.from({ length: 21 }, (_, index) => `file-${String(index).padStart(2, '0')}`)
    for (const name of names) writeFileSync(join(folder, name), 'abc')
    openServiceQuarantine(folder, { now: () => 1_800_000_000_000 }, log).setAside(names, 'unknown', 'nobody knows them')
    expect(lines).toEqual([
      {
        fields: {
          id: expect.stringMatching(/^2027-01-15\//) as string,
          at: 1_800_000_000_000,
          reason: 'unknown',
          detail: 'nobody knows them',
          paths: names.slice(0, 20),
          count: 21,
          bytes: 63,
        },
        sentence: 'set aside',
      },
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

it('throws away what is beyond its time at once and once a day, logs each, and ends', () => {
  vi.useFakeTimers()
  let asked = 0
  const end = keepTidy(
    {
      tidy() {
        asked++
        return asked === 2 ? [{ id: 'one', reason: 'unknown', bytes: 7 } as QuarantineEntry] : []
      },
    },
    log,
  )
  expect([asked, lines]).toEqual([1, []])
  vi.advanceTimersByTime(24 * 3600_000 - 1)
  expect(asked).toBe(1)
  vi.advanceTimersByTime(1)
  expect([asked, lines]).toEqual([
    2,
    [{ fields: { id: 'one', reason: 'unknown', bytes: 7 }, sentence: 'thrown away after its time in the quarantine' }],
  ])
  end()
  vi.advanceTimersByTime(48 * 3600_000)
  expect(asked).toBe(2)
})
