import { expect, it } from 'vitest'
import { recordedPath } from './recorded-path.ts'

it('says where recordings lie as the system writes it', () => {
  expect(recordedPath('/home/mara/Sidestage')).toBe('/home/mara/Sidestage/recordings')
  expect(recordedPath('/home/mara/Sidestage/', 'c1', { vid: 7, format: 'mp4' })).toBe(
    '/home/mara/Sidestage/recordings/c1/7.mp4',
  )
  expect(recordedPath('D:\\Sidestage', 'c1')).toBe('D:\\Sidestage\\recordings\\c1')
})

it('has the folder of the channel where a file has no format, and no separator twice', () => {
  expect(recordedPath('/home/mara/Sidestage', 'c1', { vid: 7, format: null })).toBe(
    '/home/mara/Sidestage/recordings/c1',
  )
  expect(recordedPath('D:\\Sidestage\\', 'c1', { vid: 7, format: 'flv' })).toBe('D:\\Sidestage\\recordings\\c1\\7.flv')
})
