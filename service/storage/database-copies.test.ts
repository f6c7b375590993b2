import { systemClock } from '../../platform/clock.ts'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openQuarantine } from '../../platform/quarantine.ts'
import { trySmallDisk } from '../../platform/testing/small-disk.ts'
import { describeOnSqlite } from '../testing/engines.ts'
import { startService } from '../testing/start-service.ts'
import { copiesFolder, copyBeforeUpdate, createDatabaseCopies, listCopies } from './database-copies.ts'

const hour = 3600 * 1000
const day = 24 * hour
const monday = Date.UTC(2026, 5, 1, 12)
let dataDir: string
let now: number
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'sidestage-copies-'))
  now = monday
  await (await startService({ dataDir })).stop()
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const make = async (): Promise<string> => {
  const copies = createDatabaseCopies({
    dataDir,
    clock: { ...systemClock, now: () => now },
    log: { info: () => undefined, warn: () => undefined },
    free: () => Promise.resolve(Number.MAX_SAFE_INTEGER),
  })
  const made = await copies.make()
  await copies.close()
  return made
}
const times = (): number[] => listCopies(dataDir, now).map(({ at }) => at)

describeOnSqlite('daily copies', () => {
  it('are made once a day, and the last 3 are kept', async () => {
    const made: string[] = []
    for (const at of [0, 1, 25, 26, 50, 75]) {
      now = monday + at * hour
      made.push(await make())
    }
    expect(made).toEqual(['made', 'young', 'made', 'young', 'made', 'made'])
    expect(times()).toEqual([75, 50, 25].map((at) => monday + at * hour))
  })

  it('do not count those before an update, and leave them', async () => {
    const name = await copyBeforeUpdate(dataDir, monday - hour, () => Promise.resolve(Number.MAX_SAFE_INTEGER))
    for (const at of [0, 1, 2, 3]) {
      now = monday + at * day
      expect(await make()).toBe('made')
    }
    expect(times()).toEqual([...[3, 2, 1].map((at) => monday + at * day), monday - hour])
    expect(listCopies(dataDir, now).at(-1)).toMatchObject({ name, isBeforeUpdate: true })
  })

  it('go on once a day, and the newest is the one made last, after a clock that was ahead', async () => {
    for (const ahead of [30, 31, 32]) {
      now = monday + ahead * day
      expect(await make()).toBe('made')
    }
    const made: string[] = []
    for (const at of [0, 1, 2, 25, 50]) {
      now = monday + at * hour
      made.push(await make())
      expect(times()[0]).toBe(made.at(-1) === 'made' ? now : monday)
    }
    expect(made).toEqual(['made', 'young', 'young', 'made', 'made'])
    // Copies from the wrong clock are last and do not count.
    expect(times()).toEqual([
      ...[50, 25, 0].map((at) => monday + at * hour),
      ...[32, 31, 30].map((ahead) => monday + ahead * day),
    ])
  })

  it('never go for those of a clock that is ahead, however often it starts, and the newest is a good one', async () => {
    const good: number[] = []
    for (const at of [0, 1, 2]) {
      now = monday + at * day
      good.unshift(now)
      expect(await make()).toBe('made')
    }
    const ahead: number[] = []
    for (const at of [30, 31, 32, 90, 400, 33]) {
      now = monday + at * day
      ahead.push(now)
      // The next start within the hour makes none.
      expect([await make(), await make()]).toEqual(['made', 'young'])
      expect(times().slice(0, 3)).toEqual(good)
      expect(times()).toContain(now)
      expect(times().length).toBeLessThanOrEqual(6)
    }
    now = monday + 3 * day
    expect(await make()).toBe('made')
    expect(times().slice(0, 3)).toEqual([now, ...good.slice(0, 2)])
    expect(
      times()
        .slice(3)
        .every((at) => ahead.includes(at)),
    ).toBe(true)
    // After the clock is corrected, copies from the future are deleted first.
    const kept = times().slice(0, 3)
    now = Date.UTC(2000, 0, 1)
    expect(await make()).toBe('made')
    expect(times()).toEqual([now, ...kept])
  })

  it('are of a clock that is believed after a day of running', async () => {
    await make()
    now = monday + 30 * day
    let passed = 0
    const copies = createDatabaseCopies({
      dataDir,
      clock: { ...systemClock, now: () => now, monotonic: () => passed },
      log: { info: () => undefined, warn: () => undefined },
      free: () => Promise.resolve(Number.MAX_SAFE_INTEGER),
    })
    const went = async (hours: number): Promise<string> => {
      now += hours * hour
      passed += hours * hour
      return await copies.make()
    }
    expect([await went(0), times()[0]]).toEqual(['made', monday])
    expect([await went(12), times()[0]]).toEqual(['young', monday])
    expect([await went(12), times()]).toEqual(['made', [31, 30, 0].map((at) => monday + at * day)])
    expect([await went(24), times()]).toEqual(['made', [32, 31, 30].map((at) => monday + at * day)])
    await copies.close()
  })

  it('are not made where less than 512 MiB would stay free beside them, which is said with the figures', async () => {
    const said: unknown[] = []
    let free = 0
    const copies = createDatabaseCopies({
      dataDir,
      clock: { ...systemClock, now: () => now },
      log: { info: () => undefined, warn: (details, message) => void said.push([details, message]) },
      free: () => Promise.resolve(free),
    })
    const bytes = statSync(join(dataDir, 'sidestage.db')).size
    free = bytes + 512 * 1024 * 1024 - 1
    expect(await copies.make()).toBe('noRoom')
    expect(said).toEqual([[{ bytes, free }, 'the daily copy of the database was skipped: the disk is too full']])
    expect(times()).toEqual([])
    free += 1
    expect(await copies.make()).toBe('made')
    await copies.close()
  })

  it('are looked for a minute after the start, then every hour, until they are closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    let looked = 0
    const copies = createDatabaseCopies({
      dataDir,
      clock: { ...systemClock, now: () => now },
      log: { info: () => undefined, warn: () => undefined },
      free: () => {
        looked++
        return Promise.resolve(0)
      },
    })
    const settled = () => copies.make()
    try {
      vi.advanceTimersByTime(59_999)
      expect(looked).toBe(0)
      vi.advanceTimersByTime(1)
      // The same look as the one under way.
      await settled()
      expect(looked).toBe(1)
      vi.advanceTimersByTime(3600_000 - 60_000)
      await settled()
      expect(looked).toBe(2)
      await copies.close()
      vi.advanceTimersByTime(10 * 3600_000)
      await settled()
      expect(looked).toBe(3)
    } finally {
      vi.useRealTimers()
    }
  })

  it('are listed only where they have the name and the content of one', () => {
    const folder = join(dataDir, copiesFolder)
    expect(listCopies(dataDir, now)).toEqual([])
    mkdirSync(folder)
    for (const [name, content] of [
      ['sidestage-2026-06-01T12-00-00Z.db', 'x'],
      ['sidestage-2026-06-01T13-00-00Z.db', ''],
      ['copy.new', 'x'],
      ['sidestage-2026-06-01.db', 'x'],
    ] as const)
      writeFileSync(join(folder, name), content)
    mkdirSync(join(folder, 'sidestage-2026-06-01T14-00-00Z.db'))
    expect(listCopies(dataDir, now).map(({ name, at, bytes }) => [name, at, bytes])).toEqual([
      ['sidestage-2026-06-01T12-00-00Z.db', monday, 1],
    ])
  })

  it('leave those of before and no part on a full disk, say so, and go on with room', async ({ skip }) => {
    const disk = trySmallDisk(join(dataDir, copiesFolder), 2)
    if (typeof disk === 'string') return skip(disk)
    try {
      await make()
      now += 2 * day
      disk.fill()
      const said: string[] = []
      const copies = createDatabaseCopies({
        dataDir,
        clock: { ...systemClock, now: () => now },
        log: { info: () => undefined, warn: (_details, message) => void said.push(message) },
        // The disk fills up after the check.
        free: () => Promise.resolve(Number.MAX_SAFE_INTEGER),
      })
      expect(await copies.make()).toBe('failed')
      expect(said).toEqual(['the daily copy of the database failed; it is tried again in an hour'])
      expect(times()).toEqual([monday])
      disk.empty()
      expect(await copies.make()).toBe('made')
      expect(times()).toEqual([now, monday])
      expect(readdirSync(join(dataDir, copiesFolder))).toHaveLength(2)
      await copies.close()
    } finally {
      disk.remove()
    }
  })

  it.skipIf(process.platform === 'win32')(
    'can be read by their owner alone, and so can what is restored of them',
    async () => {
      chmodSync(dataDir, 0o755)
      await make()
      const copy = join(dataDir, copiesFolder, listCopies(dataDir, now)[0]!.name)
      const modeOf = (file: string): number => statSync(file).mode & 0o777
      expect(modeOf(copy)).toBe(0o600)
      chmodSync(copy, 0o644)
      writeFileSync(join(dataDir, 'sidestage.db'), 'no database')
      await (await startService({ dataDir, recovery: { copy: 'latest' } })).stop()
      expect(modeOf(join(dataDir, 'sidestage.db'))).toBe(0o600)
    },
  )
})

describeOnSqlite('when a copy is made', () => {
  it('is a day after the last one, and not a second before', async () => {
    expect(await make()).toBe('made')
    now = monday + day - 1000
    expect(await make()).toBe('young')
    now = monday + day
    expect(await make()).toBe('made')
  })

  it('is believed at once where the last one is 10 days old at most', async () => {
    await make()
    now = monday + 10 * day
    expect([await make(), listCopies(dataDir, now)[0]]).toMatchObject(['made', { at: now, isBelieved: true }])
    now += 10 * day + 1000
    await make()
    expect(listCopies(dataDir, now).map(({ at, isBelieved }) => [at, isBelieved])).toEqual([
      [monday + 10 * day, true],
      [monday, true],
      [now, false],
    ])
  })

  it('is said with its name and size, and that the clock is far ahead where it is', async () => {
    const said: unknown[] = []
    const copies = createDatabaseCopies({
      dataDir,
      clock: { ...systemClock, now: () => now },
      log: {
        info: (details, message) => void said.push(['info', details, message]),
        warn: (details, message) => void said.push(['warn', details, message]),
      },
      free: () => Promise.resolve(Number.MAX_SAFE_INTEGER),
    })
    const bytes = statSync(join(dataDir, 'sidestage.db')).size
    await copies.make()
    now = monday + 40 * day
    await copies.make()
    await copies.close()
    const first = 'sidestage-2026-06-01T12-00-00Z.db'
    expect(said).toEqual([
      ['info', { name: first, bytes }, 'a copy of the database was made'],
      [
        'warn',
        { name: 'sidestage-2026-07-11T12-00-00Z.db', bytes, last: first },
        'a copy of the database was made; the clock is far ahead of the last one, which stays',
      ],
    ])
  })

  it('counts the log beside the database among the bytes for which there must be room', async () => {
    const said: unknown[] = []
    writeFileSync(join(dataDir, 'sidestage.db-wal'), Buffer.alloc(1000))
    const copies = createDatabaseCopies({
      dataDir,
      clock: { ...systemClock, now: () => now },
      log: { info: () => undefined, warn: (details) => void said.push(details) },
      free: () => Promise.resolve(0),
    })
    expect(await copies.make()).toBe('noRoom')
    await copies.close()
    expect(said).toEqual([{ bytes: statSync(join(dataDir, 'sidestage.db')).size + 1000, free: 0 }])
  })

  it('is one at a time, which everybody who asks waits for', async () => {
    const copies = createDatabaseCopies({
      dataDir,
      clock: { ...systemClock, now: () => now },
      log: { info: () => undefined, warn: () => undefined },
      free: () => Promise.resolve(Number.MAX_SAFE_INTEGER),
    })
    expect(await Promise.all([copies.make(), copies.make()])).toEqual(['made', 'made'])
    expect(await copies.make()).toBe('young')
    await copies.close()
  })
})

describeOnSqlite('the folder of copies', () => {
  it('is made for its owner alone, and what is no folder in its place is set aside', async () => {
    const folder = join(dataDir, copiesFolder)
    writeFileSync(folder, 'not a folder')
    expect(await make()).toBe('made')
    if (process.platform !== 'win32') expect(statSync(folder).mode & 0o777).toBe(0o700)
    const quarantine = openQuarantine({ folder: dataDir, now: Date.now })
    expect(quarantine.list()).toMatchObject([{ reason: 'notAFile', paths: [copiesFolder] }])
  })
})

describeOnSqlite('a copy in the list', () => {
  const folder = (): string => join(dataDir, copiesFolder)
  const put = (name: string, time: number): void => {
    mkdirSync(folder(), { recursive: true })
    writeFileSync(join(folder(), name), 'x')
    utimesSync(join(folder(), name), time / 1000, time / 1000)
  }
  it('is not believed where its time is to come, or more than a day after that of its file', () => {
    put('sidestage-2026-06-01T12-00-00Z.db', monday - day)
    put('sidestage-2026-06-01T12-00-01Z.db', monday - day)
    put('sidestage-2026-06-01T12-00-02Z.db', monday + 2000)
    now = monday + 1000
    expect(
      listCopies(dataDir, now).map(({ at, isBelieved, hadJumped }) => [at - monday, isBelieved, hadJumped]),
    ).toEqual([
      [0, true, false],
      [2000, false, false],
      [1000, false, true],
    ])
  })
})

describeOnSqlite('a clock that is far ahead of the last copy', () => {
  /** Whether the copy is believed that is made after so many ms of running, in which the clock went on by so many. */
  const isBelieved = async (passedMs: number, clockMs: number): Promise<boolean> => {
    await make()
    now = monday + 30 * day
    let passed = 0
    const copies = createDatabaseCopies({
      dataDir,
      clock: { ...systemClock, now: () => now, monotonic: () => passed },
      log: { info: () => undefined, warn: () => undefined },
      free: () => Promise.resolve(Number.MAX_SAFE_INTEGER),
    })
    expect(await copies.make()).toBe('made')
    now += clockMs
    passed += passedMs
    expect(await copies.make()).toBe('made')
    await copies.close()
    return listCopies(dataDir, now)[0]!.at > monday
  }
  const minutes = 60_000

  it.each([
    [5 * minutes, true],
    [-5 * minutes, true],
    [5 * minutes + 1, false],
    [-5 * minutes - 1, false],
  ])('and is set by %i ms while the service runs is believed after a day: %s', async (set, expected) => {
    expect(await isBelieved(2 * day, 2 * day + set)).toBe(expected)
  })

  it('is believed after a day less the 5 minutes by which it may be off', async () => {
    expect(await isBelieved(day - 5 * minutes, day)).toBe(true)
  })
})
