import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import type { FolderFault } from '../../contract/rpc/index.ts'
import { digestsOf, fillData, installation, openDataFolder } from '../testing/data-stage.ts'
import { scratch } from '../testing/rig.ts'
import { openComputerDocument } from '../this-computer/computer-document.ts'
import { lookAtFolder } from './folder-check.ts'
import { markName } from './folder-content.ts'
import { writeMark } from './move-mark.ts'

function stage(): { dir: string; home: string; usual: string; [Symbol.dispose](): void } {
  const folder = scratch()
  const home = path.join(folder.dir, 'app')
  const usual = path.join(home, 'service')
  fillData(usual)
  return { dir: folder.dir, home, usual, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}
const handleOf = async (data: Awaited<ReturnType<typeof openDataFolder>>, to: string): Promise<string> => {
  const { handle, fault } = await data.plan(to)
  if (handle === null) throw new Error(`refused: ${fault}`)
  return handle
}

it('moves everything that is kept and nothing of the moment, tells how far it is, and offers to remove what is left', async () => {
  using at = stage()
  const shown: string[] = []
  const data = await openDataFolder(at.home, {
    changed: () => {
      const { move } = data.state()
      if (move && shown.at(-1) !== move.phase) shown.push(move.phase)
    },
  })
  const before = digestsOf(at.usual)
  const to = path.join(at.dir, 'big disk')
  const plan = await data.plan(to)
  expect(plan).toMatchObject({ path: to, fault: null })
  expect(plan.need).toBeGreaterThan(1_200_000)
  expect(plan.free).toBeGreaterThan(plan.need)
  expect(existsSync(to)).toBe(false)
  await data.move(plan.handle ?? '')
  expect(shown).toEqual(['stopping', 'copying', 'checking', 'switching'])
  expect(data.said).toEqual(['hold', `release: ${to}`])
  expect(data.path()).toBe(to)
  expect(digestsOf(to)).toEqual(before)
  expect(readdirSync(to).sort()).toEqual(['files', 'recordings', 'sidestage.db', 'sidestage.db-wal'])
  expect(digestsOf(at.usual)).toEqual(before)
  expect(data.state()).toMatchObject({ old: { path: at.usual }, move: null, moved: { outcome: 'moved', to } })
  // A second use of the handle moves nothing.
  expect(data.knows(plan.handle ?? '')).toBe(false)

  // What somebody else put into the old folder stays.
  writeFileSync(path.join(at.usual, 'notes.txt'), 'mine')
  expect(await data.removeOld(false)).toBe(true)
  expect(readdirSync(at.usual)).toEqual(['notes.txt'])
  expect(data.state().old).toBeNull()
  const again = await openDataFolder(at.home)
  await again.resume()
  expect(again.path()).toBe(to)
  expect(again.state().moved).toBeNull()

  // And back again, to the usual place.
  rmSync(at.usual, { recursive: true })
  await again.move(await handleOf(again, at.usual))
  expect(again.path()).toBe(at.usual)
  expect(digestsOf(at.usual)).toEqual(before)
  expect(await again.removeOld(true)).toBe(true)
  expect(digestsOf(to)).toEqual(before)
})

it('says of every folder that cannot be used why, before anything is touched', async () => {
  using at = stage()
  const data = await openDataFolder(at.home)
  const place = (name: string): string => path.join(at.dir, name)
  const fault = async (chosen: string): Promise<FolderFault | null> => (await data.plan(chosen)).fault
  writeFileSync(place('file'), '')
  mkdirSync(place('other data'))
  fillData(place('other data'), 1)
  mkdirSync(place('full'))
  writeFileSync(path.join(place('full'), 'holiday.jpg'), '')
  mkdirSync(place('twice'))
  mkdirSync(path.join(place('twice'), 'Sidestage'))
  writeFileSync(path.join(place('twice'), 'Sidestage', 'holiday.jpg'), '')
  symlinkSync(at.usual, place('way in'))
  const before = readdirSync(at.dir, { recursive: true })
  expect(await fault('somewhere')).toBe('relative')
  expect(await fault(at.usual)).toBe('same')
  expect(await fault(place('way in'))).toBe('same')
  expect(await fault(path.join(at.usual, 'recordings', 'new'))).toBe('inside')
  expect(await fault(path.join(place('way in'), 'new'))).toBe('inside')
  expect(await fault(path.join(at.home, 'beside'))).toBe('app')
  expect(await fault(place('file'))).toBe('file')
  expect(await fault(path.join(place('file'), 'below'))).toBe('refused')
  expect(await fault(place('other data'))).toBe('data')
  expect(await fault(place('twice'))).toBe('occupied')
  expect(await fault('/proc/sidestage')).toBe('refused')
  // In a folder with other files ours have one of their own.
  expect(await data.plan(place('full'))).toMatchObject({ fault: null, path: path.join(place('full'), 'Sidestage') })
  symlinkSync('/etc', path.join(at.usual, 'recordings', 'away'))
  expect(await data.plan(place('new'))).toMatchObject({
    fault: 'link',
    handle: null,
    detail: path.join(at.usual, 'recordings', 'away'),
  })
  rmSync(path.join(at.usual, 'recordings', 'away'))
  expect(readdirSync(at.dir, { recursive: true })).toEqual(before)
  const question = { present: at.usual, home: at.home, usual: at.usual, installation: 'x' }
  expect(await lookAtFolder(place('a:b'), question, 'win32')).toMatchObject({ fault: 'name', detail: 'a:b' })
  expect((await lookAtFolder(place('a:b'), question, 'linux')).fault).toBe(null)
  const named = await openDataFolder(at.home, { named: true })
  expect((await named.plan(place('new'))).fault).toBe('named')
})

it('goes back to where it was when it is called off or fails, and leaves nothing behind', async () => {
  using at = stage()
  const before = digestsOf(at.usual)
  const to = path.join(at.dir, 'new')
  const data = await openDataFolder(at.home, {
    changed: () => {
      if (data.state().move?.phase === wanted) act()
    },
  })
  let wanted = 'copying'
  let act: () => void = () => void data.cancel()
  await data.move(await handleOf(data, to))
  expect(data.state().moved).toMatchObject({ outcome: 'cancelled', to })
  wanted = 'checking'
  await data.move(await handleOf(data, to))
  expect(data.state().moved).toMatchObject({ outcome: 'cancelled', to })
  expect(existsSync(to)).toBe(false)
  // A folder that stood there before is left as it was.
  mkdirSync(to)
  act = () => {
    writeFileSync(path.join(to, 'sidestage.db'), 'somebody wrote here')
  }
  await data.move(await handleOf(data, to))
  expect(data.state().moved).toMatchObject({
    outcome: 'failed',
    reason: { code: 'differs', params: { name: 'sidestage.db' } },
  })
  expect(readdirSync(to)).toEqual([])
  wanted = 'switching'
  act = () => {
    expect(data.cancel()).toBe(false)
  }
  await data.move(await handleOf(data, to))
  expect(data.path()).toBe(to)
  expect(digestsOf(to)).toEqual(before)
  expect(data.said.filter((line) => line.startsWith('release')).length).toBe(4)
})

it('never begins an empty folder while the disk of the moved one is away, and can go back to the usual one', async () => {
  using at = stage()
  const data = await openDataFolder(at.home)
  const to = path.join(at.dir, 'usb')
  await data.move(await handleOf(data, to))
  renameSync(to, path.join(at.dir, 'unplugged'))
  const later = await openDataFolder(at.home)
  await expect(later.present()).rejects.toMatchObject({ reason: { code: 'folderGone' } })
  mkdirSync(to)
  await expect(later.present()).rejects.toMatchObject({ reason: { code: 'folderGone' } })
  expect(readdirSync(to)).toEqual([])
  rmSync(to, { recursive: true })
  renameSync(path.join(at.dir, 'unplugged'), to)
  await later.present()
  expect(await later.useUsual()).toBe(true)
  expect(later.path()).toBe(at.usual)
  expect(later.said).toEqual([`release: ${at.usual}`])
})

it('removes only its own half copy, by a mark of its own', async () => {
  using at = stage()
  const to = path.join(at.dir, 'half')
  const write = async (mark: Partial<Parameters<typeof writeMark>[1]>): Promise<void> => {
    mkdirSync(path.join(to, 'recordings'), { recursive: true })
    writeFileSync(path.join(to, 'recordings', 'part'), '')
    writeFileSync(path.join(at.dir, 'precious'), '')
    await writeMark(to, {
      version: 1,
      installation,
      made: true,
      names: ['recordings', '../precious', '..', '.'],
      ...mark,
    })
    writeFileSync(
      path.join(at.home, 'computer.json'),
      JSON.stringify({
        version: 1,
        folder: null,
        old: null,
        moving: { to, made: true },
        ports: { api: null, media: null, rtmp: null },
        timeZone: null,
      }),
    )
  }
  await write({ installation: 'somebody else' })
  let data = await openDataFolder(at.home)
  await data.resume()
  expect(data.state().moved).toMatchObject({ outcome: 'interrupted', to })
  expect(readdirSync(to).sort()).toEqual(['recordings', markName])
  await write({})
  data = await openDataFolder(at.home)
  // Choosing it again is no fault: it is ours.
  await data.resume()
  expect(existsSync(to)).toBe(false)
  expect(existsSync(path.join(at.dir, 'precious'))).toBe(true)
  expect(digestsOf(at.usual)).not.toEqual({})
})

it('refuses a folder without the room, one around the data, and a path with a zero byte', async () => {
  using at = stage()
  const data = await openDataFolder(at.home)
  // A file with a hole takes no room here, and needs it there.
  truncateSync(path.join(at.usual, 'recordings', 'c'.repeat(32), '0.mp4'), 2 ** 43)
  const plan = await data.plan(path.join(at.dir, 'new'))
  expect(plan).toMatchObject({ fault: 'space', handle: null, spare: 2 ** 30 })
  expect(plan.need).toBeGreaterThan(2 ** 43)
  await writeMark(at.dir, { version: 1, installation, made: false, names: [] })
  expect((await data.plan(at.dir)).fault).toBe('around')
  expect((await data.plan(`${at.dir}/a\0b`)).fault).toBe('relative')
})

it('moves nothing with an older handle, nor with one that was used or guessed', async () => {
  using at = stage()
  const data = await openDataFolder(at.home)
  const first = await handleOf(data, path.join(at.dir, 'one'))
  const second = await handleOf(data, path.join(at.dir, 'two'))
  expect([data.knows(first), data.knows(second), data.knows('')]).toEqual([false, true, false])
  await data.move(first)
  await data.move('guessed')
  expect(data.said).toEqual([])
  // A plan that fails takes the one before with it.
  await data.plan('relative')
  expect(data.knows(second)).toBe(false)
  const third = await handleOf(data, path.join(at.dir, 'three'))
  const moving = data.move(third)
  expect([data.knows(third), await data.removeOld(false), await data.useUsual()]).toEqual([false, false, false])
  await data.move(third)
  await moving
  expect(data.said.filter((line) => line === 'hold')).toHaveLength(1)
})

it('looks again when the service has stopped', async () => {
  using at = stage()
  const to = path.join(at.dir, 'new')
  const changes: [string, () => void, { code: string; params?: object }][] = [
    ['taken', () => fillData(to, 1), { code: 'unusable' }],
    ['full', () => truncateSync(path.join(at.usual, 'files', 'empty'), 2 ** 43), { code: 'space' }],
    ['without a database', () => rmSync(path.join(at.usual, 'sidestage.db')), { code: 'noDatabase' }],
  ]
  for (const [what, change, reason] of changes) {
    const released: string[] = []
    const data = await openDataFolder(at.home, {
      service: {
        hold: () => {
          change()
          return Promise.resolve()
        },
        release: (folder) => released.push(folder),
      },
    })
    await data.move(await handleOf(data, to))
    expect(data.state().moved, what).toMatchObject({ outcome: 'failed', to, reason })
    expect(released, what).toEqual([at.usual])
    expect(data.said[0], what).toMatch(`log: the data folder was not moved to ${to}: `)
    expect((await openComputerDocument(at.home)).value().moving).toBeNull()
    rmSync(to, { recursive: true, force: true })
    writeFileSync(path.join(at.usual, 'files', 'empty'), '')
  }
})

it('does not hold the data where the service does not stop', async () => {
  using at = stage()
  const released: string[] = []
  const data = await openDataFolder(at.home, {
    service: { hold: () => Promise.reject(new Error('it does not stop')), release: (folder) => released.push(folder) },
  })
  await data.move(await handleOf(data, path.join(at.dir, 'new')))
  expect(data.state()).toMatchObject({
    move: null,
    moved: { outcome: 'failed', reason: { code: 'other', params: { system: 'it does not stop' } } },
  })
  expect([data.path(), released]).toEqual([at.usual, [at.usual]])
})

it.each([
  ['ENOSPC', 'space'],
  ['EDQUOT', 'space'],
  ['EFBIG', 'tooLarge'],
  ['EACCES', 'refused'],
  ['EPERM', 'refused'],
  ['EROFS', 'refused'],
  ['ENOENT', 'gone'],
  ['EIO', 'gone'],
  ['ENODEV', 'gone'],
  ['ENXIO', 'gone'],
])('says of %s that it is %s', async (code, reason) => {
  using at = stage()
  const data = await openDataFolder(at.home, {
    service: { hold: () => Promise.reject(Object.assign(new Error('x'), { code })), release: () => undefined },
  })
  await data.move(await handleOf(data, path.join(at.dir, 'new')))
  expect(data.state().moved).toMatchObject({ outcome: 'failed', reason: { code: reason } })
})

it('tells how far a move is at each phase and at most every 250 ms within one', async () => {
  using at = stage()
  let now = 1_000
  const shown: [string, number, number][] = []
  const data = await openDataFolder(at.home, {
    now: () => now,
    changed: () => {
      const { move } = data.state()
      if (move) shown.push([move.phase, move.bytes, move.total])
    },
  })
  const plan = await data.plan(path.join(at.dir, 'still'))
  await data.move(plan.handle!)
  // The clock stands: each phase is told once, at its begin.
  expect(shown).toEqual([
    ['stopping', 0, 0],
    ['copying', 0, plan.need],
    ['checking', 0, plan.need],
    ['switching', plan.need, plan.need],
  ])
  expect(data.state().old).toEqual({ path: at.usual, at: 1_000 })
  await data.removeOld(false)
  shown.length = 0
  const step = setInterval(() => (now += 250), 1)
  const next = await openDataFolder(at.home, {
    now: () => (now += 250),
    changed: () => {
      const { move } = next.state()
      if (move) shown.push([move.phase, move.bytes, move.total])
    },
  })
  await next.move(await handleOf(next, at.usual))
  clearInterval(step)
  const copied = shown.filter(([phase]) => phase === 'copying').map(([, bytes]) => bytes)
  expect(copied.length).toBeGreaterThan(3)
  expect(copied).toEqual(copied.toSorted((a, b) => a - b))
  expect(copied.at(-1)).toBe(plan.need)
})

it('never removes the folder in use as the old one', async () => {
  using at = stage()
  const before = digestsOf(at.usual)
  writeFileSync(
    path.join(at.home, 'computer.json'),
    JSON.stringify({
      version: 1,
      folder: null,
      old: { folder: at.usual, names: ['recordings', 'sidestage.db'], at: 1 },
      moving: null,
      ports: { api: null, media: null, rtmp: null },
      timeZone: null,
    }),
  )
  const data = await openDataFolder(at.home)
  expect(await data.removeOld(false)).toBe(true)
  expect([digestsOf(at.usual), data.state().old]).toEqual([before, null])
  expect(await data.removeOld(false)).toBe(false)
  expect(await data.useUsual()).toBe(false)
  const elsewhere = path.join(at.dir, 'elsewhere')
  await (await openComputerDocument(at.home)).change({ folder: elsewhere })
  const named = await openDataFolder(at.home, { named: true })
  expect([named.path(), await named.useUsual()]).toEqual([at.usual, false])
  expect((await openDataFolder(at.home)).path()).toBe(elsewhere)
})

it('takes the mark of a move that had switched off the folder in use, and keeps the data there', async () => {
  using at = stage()
  const before = digestsOf(at.usual)
  await writeMark(at.usual, { version: 1, installation, made: true, names: ['recordings', 'files'] })
  await (await openComputerDocument(at.home)).change({ moving: { to: at.usual, made: true } })
  let told = 0
  const data = await openDataFolder(at.home, { changed: () => told++ })
  await data.resume()
  expect(digestsOf(at.usual)).toEqual(before)
  expect(existsSync(path.join(at.usual, markName))).toBe(false)
  expect([data.state().moved?.outcome, told]).toEqual(['interrupted', 1])
  // Nothing was interrupted the next time.
  const again = await openDataFolder(at.home)
  await again.resume()
  expect(again.state().moved).toBeNull()
})

it('calls a move off and waits for its end when it is closed', async () => {
  using at = stage()
  const to = path.join(at.dir, 'new')
  const data = await openDataFolder(at.home)
  const moving = data.move(await handleOf(data, to))
  await data.close()
  expect(data.state()).toMatchObject({ move: null, moved: { outcome: 'cancelled' } })
  expect([data.path(), existsSync(to)]).toEqual([at.usual, false])
  await moving
  expect(data.cancel()).toBe(false)
})

it.each([
  [249, 1],
  [250, 2],
])('tells of a phase %s ms after its begin so many times: %s', async (ms, times) => {
  using at = stage()
  let now = 1_000
  let copying = 0
  const data = await openDataFolder(at.home, {
    now: () => now,
    changed: () => {
      if (data.state().move?.phase === 'copying' && ++copying === 1) now += ms
    },
  })
  await data.move(await handleOf(data, path.join(at.dir, 'new')))
  expect([copying, data.state().moved?.outcome]).toEqual([times, 'moved'])
})
