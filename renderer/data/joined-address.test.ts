import { expect, it } from 'vitest'
import { joinedAddress, joinedOf, mediaPaths } from './joined-address.ts'

const id = '0123456789abcdef'

it('reads the room of an address that it wrote', () => {
  expect(joinedOf(joinedAddress(id).slice(1))).toBe(id)
})

it.each([
  '',
  '?',
  '?joined=',
  `?joined=${id}0`,
  `?joined=${id.slice(1)}`,
  `?joined=${id.toUpperCase()}`,
  `?joined=${id}&x=1`,
  `?x=1&joined=${id}`,
])('is the own page of the app: %j', (search) => {
  expect(joinedOf(search)).toBeNull()
})

it('takes media of a joined room through the companion, and its own as they are', () => {
  const paths = { flv: '/media/a.flv', hls: null }
  expect(mediaPaths(paths, '')).toEqual(paths)
  expect(mediaPaths(paths, `?joined=${id}`)).toEqual({ flv: `/joined/${id}/media/a.flv`, hls: null })
})
