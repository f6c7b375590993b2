import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { failureOf, scratch } from '../testing/rig.ts'
import { checkedPlace } from './file-place.ts'

const fault = async (folder: string, vid: number, file: string | undefined): Promise<string> => {
  try {
    await checkedPlace(folder, vid, file)
  } catch (error) {
    return (await failureOf(Promise.reject(error as Error))).kind
  }
  return 'none'
}

it('lets a plain file of this number inside the folder through, and nothing else', async () => {
  using dir = scratch()
  const folder = path.join(dir.dir, 'service')
  const place = path.join(folder, 'recordings', 'c')
  mkdirSync(place, { recursive: true })
  mkdirSync(path.join(place, '9.mp4'))
  for (const name of ['7.mp4', '8.flv', '7.sh']) writeFileSync(path.join(place, name), 'x')
  writeFileSync(path.join(dir.dir, '7.mp4'), 'x')
  symlinkSync('/etc/passwd', path.join(place, '10.mp4'))
  expect(await checkedPlace(folder, 7, path.join(place, '7.mp4'))).toBe(path.join(place, '7.mp4'))
  expect(await checkedPlace(folder, 8, path.join(place, '8.flv'))).toBe(path.join(place, '8.flv'))
  expect(await fault(folder, 7, undefined)).toBe('notOurs')
  expect(await fault(folder, 8, path.join(place, '7.mp4'))).toBe('notOurs')
  expect(await fault(folder, 7, path.join(place, '7.sh'))).toBe('notOurs')
  expect(await fault(folder, 7, path.join(folder, '..', '7.mp4'))).toBe('notOurs')
  expect(await fault(folder, 7, '/7.mp4')).toBe('notOurs')
  expect(await fault(folder, 11, path.join(place, '11.mp4'))).toBe('absent')
  expect(await fault(folder, 9, path.join(place, '9.mp4'))).toBe('absent')
  expect(await fault(folder, 10, path.join(place, '10.mp4'))).toBe('absent')
})
