import { expect, it } from 'vitest'
import { readFileKey } from './file-key.ts'

it('reads begin, end and format from a storage path', () => {
  expect(readFileKey('8c0f_1800000000000_1800001200000_4711-00003.flv')).toEqual({
    begin: 1_800_000_000_000,
    end: 1_800_001_200_000,
    format: 'flv',
  })
})

it('says what it does not know of a path of another shape', () => {
  expect(readFileKey('https://cdn.example.com/video.mp4')).toEqual({ begin: null, end: null, format: 'mp4' })
  expect(readFileKey('4711')).toEqual({ begin: null, end: null, format: null })
})
