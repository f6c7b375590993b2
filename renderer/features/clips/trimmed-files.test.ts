import { describe, expect, it } from 'vitest'
import type { ListedFile } from '../../../contract/rpc/index.ts'
import { partsOf } from './trimmed-files.ts'

const file = (vid: number, change: Partial<ListedFile> = {}): ListedFile => ({
  vid,
  cid: 'one',
  name: `file-${vid}`,
  key: `${vid}.mp4`,
  begin: vid * 1000,
  end: null,
  format: 'mp4',
  bytes: 1,
  duration: 1000,
  codecs: 'same',
  merged: false,
  channel: null,
  deleted: false,
  ...change,
})
const vids = (found: ReturnType<typeof partsOf>) => (typeof found === 'string' ? found : found.map(({ vid }) => vid))

describe('what is trimmed', () => {
  it('is one file, also a clip or a merged one', () => {
    expect(vids(partsOf([file(2), file(1)], 1, 1))).toEqual([1])
    expect(vids(partsOf([file(1, { merged: true })], 1, 1))).toEqual([1])
  })

  it('is all of the channel up to another, in order, without clips and other channels', () => {
    const files = [file(5), file(4, { merged: true }), file(3, { cid: 'two' }), file(2), file(1), file(6)]
    expect(vids(partsOf(files, 1, 5))).toEqual([1, 2, 5])
  })

  it('has to be there, in MP4, in order and of the same codecs', () => {
    expect(partsOf([file(1)], 2, 2)).toBe('gone')
    expect(partsOf([file(1, { format: 'flv' })], 1, 1)).toBe('flv')
    expect(partsOf([file(2), file(1)], 2, 1)).toBe('parts')
    expect(partsOf([file(2, { codecs: 'other' }), file(1)], 1, 2)).toBe('parts')
    expect(partsOf([file(2, { cid: 'two' }), file(1)], 1, 2)).toBe('parts')
  })
})
