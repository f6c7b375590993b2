import { expect, it } from 'vitest'
import { isRoomNotice, readNotice, roomNotices } from './notices.ts'

it('reads a notice by its two members, and nothing else', () => {
  const sent = { data: { operator: 'ana', target: ['lee'] }, id: roomNotices.muted }
  expect(readNotice(JSON.stringify(sent))).toEqual(sent)
  for (const other of [
    '',
    'hello',
    'null',
    '[]',
    '7',
    '{}',
    '{"id":305}',
    '{"id":"305","data":{}}',
    '{"id":305,"data":null}',
    '{"id":305,"data":[]}',
  ])
    expect(readNotice(other), other).toBeUndefined()
})

it('has an id of its own for each notice, without a gap', () => {
  const ids = Object.values(roomNotices)
  expect(ids).toEqual(ids.map((_, index) => 301 + index))
  expect([...ids.map(isRoomNotice), isRoomNotice(300), isRoomNotice(301 + ids.length)]).toEqual([
    ...ids.map(() => true),
    false,
    false,
  ])
})
