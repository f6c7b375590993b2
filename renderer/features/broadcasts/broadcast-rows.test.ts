import { expect, it } from 'vitest'
import { broadcastFiles, makeBroadcast } from '../../testing/broadcast-values.ts'
import { keptRows, secondAt } from './broadcast-rows.ts'

const began = Date.UTC(2026, 10, 26, 5, 30)
const minute = 60_000
const made = makeBroadcast(began, 'c')
const files = broadcastFiles(began, 'c')
const keys = (...asked: Parameters<typeof keptRows>): string[] => keptRows(...asked).map(({ key }) => key)

it('files are its own alone, and clips those of its files or of its time', () => {
  const [cut, ...others] = files
  const { clip, ...merged } = cut!
  const at = (vid: number, change: object) => ({ ...cut!, vid, clip: { ...clip!, ...change } })
  const more = [
    ...others,
    { ...merged, vid: 10 },
    at(11, { vids: [99] }),
    at(12, { vids: [], begin: began + 5 * minute }),
    at(13, { vids: [], begin: began + 120 * minute }),
    at(14, { vids: [2, 99] }),
    { ...others[0]!, vid: 20 },
  ]
  const kept = keys({ ...made, markers: [] }, more, null)
  expect(kept.toSorted()).toEqual(['clip12', 'clip14', 'file1', 'file2'])
})

it('a file that is being written stands where the last one ended', () => {
  const rows = keptRows({ ...made, markers: [], vids: [1] }, files.slice(2), began)
  expect(rows.at(-1)).toEqual({ kind: 'writing', key: 'writing', at: began + 60 * minute, part: 2 })
})

it('a time is found in the file that has it, and not in the result of a merge', () => {
  expect(secondAt(files, began + 62 * minute)).toMatchObject({ from: 60, file: { vid: 2 } })
  expect(secondAt(files, began + 60.5 * minute)).toBeUndefined()
  expect(secondAt([{ ...files[1]!, merged: true }], began + 62 * minute)).toBeUndefined()
})
