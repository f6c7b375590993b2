import { expect, it } from 'vitest'
import { recordedPath } from './recorded-path.ts'

it('says where recordings lie as the system writes it', () => {
  expect(recordedPath('/home/mara/Sidestage')).toBe('/home/mara/Sidestage/recordings')
  expect(recordedPath('/home/mara/Sidestage/', 'c1', { vid: 7, format: 'mp4' })).toBe(
    '/home/mara/Sidestage/recordings/c1/7.mp4',
  )
  expect(recordedPath('D:\\Sidestage', 'c1')).toBe('D:\\Sidestage\\recordings\\c1')
})
