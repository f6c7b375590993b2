import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import type { FolderFault } from '../../contract/rpc/index.ts'
import { digestsOf, fillData, installation, openDataFolder } from '../testing/data-stage.ts'
import { scratch } from '../testing/rig.ts'
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
