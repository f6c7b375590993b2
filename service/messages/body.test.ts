import { expect, it } from 'vitest'
import { readAntispamCustom, readBody } from './body.ts'
import { readMessageOptions, readNotificationOptions } from './message-options.ts'

const read = (type: number, body: object): string => readBody(type, JSON.stringify(body))
const code = (type: number, body: object): unknown => {
  try {
    read(type, body)
    return 200
  } catch (error) {
    return (error as { code?: unknown }).code
  }
}

it.each([
  [0, { msg: 'm' }, 'msg'],
  [1, { url: 'u' }, 'url'],
  [2, { url: 'u', dur: 1 }, 'url'],
  [2, { url: 'u', dur: 1 }, 'dur'],
  [3, { url: 'u' }, 'url'],
  [4, { lng: 1, lat: 2 }, 'lng'],
  [4, { lng: 1, lat: 2 }, 'lat'],
  [6, { url: 'u' }, 'url'],
])('a body of type %i %j needs %s', (type, body, member) => {
  expect(code(type, body)).toBe(200)
  expect(code(type, { ...body, [member]: undefined })).toBe(414)
  expect(code(type, { ...body, [member]: null })).toBe(414)
  expect(code(type, { ...body, [member]: [] })).toBe(414)
})

it.each([
  [1, { url: 'u' }, { md5: 1, ext: 1, size: 'x', w: 'x', h: 'x', name: 1 }],
  [2, { url: 'u', dur: 1 }, { md5: 1, ext: 'mp3', size: 'x' }],
  [3, { url: 'u' }, { md5: 1, ext: 1, size: 'x', w: 'x', h: 'x', dur: 'x', name: 1 }],
  [4, { lng: 1, lat: 2 }, { title: 1 }],
  [6, { url: 'u' }, { md5: 1, ext: 1, size: 'x', name: 1 }],
])('a body of type %i may leave its other members out, and may not have others in their place', (type, body, wrong) => {
  for (const [name, value] of Object.entries(wrong)) {
    expect(code(type, { ...body, [name]: value }), name).toBe(414)
    expect(code(type, { ...body, [name]: null }), name).toBe(200)
  }
  expect(code(type, { ...body, unknown: [1] })).toBe(200)
})

it('takes numbers as numbers and as their decimal text', () => {
  const dur = (value: unknown): unknown => code(2, { url: 'u', dur: value })
  for (const good of [0, -1, 1.5, '0', '-1', '1.5', '123456789012345']) expect(dur(good), String(good)).toBe(200)
  for (const bad of ['', '1.', '.5', '1e3', ' 1', '0x1', '1234567890123456', true])
    expect(dur(bad), String(bad)).toBe(414)
})

it('takes AAC in any case', () => {
  expect(code(2, { url: 'u', dur: 1, ext: 'AAC' })).toBe(200)
})

it('reads what people see of a body, and of a custom one every text and name', () => {
  expect(read(0, { msg: 'hello', url: 'no' })).toBe('hello')
  expect(read(1, { url: 'no', name: 'a.png', md5: 'no', ext: 'no' })).toBe('a.png')
  expect(read(2, { url: 'no', dur: 1, name: 'no' })).toBe('')
  expect(read(3, { url: 'no', name: 'a.mp4' })).toBe('a.mp4')
  expect(read(4, { lng: 1, lat: 2, title: 'here' })).toBe('here')
  expect(read(6, { url: 'no', name: 'a.pdf' })).toBe('a.pdf')
  expect(read(1, { url: 'no' })).toBe('')
  expect(read(100, { key: ['one', { inner: 'two' }, 3, null], last: true }).split('\n')).toEqual([
    'key',
    'one',
    'inner',
    'two',
    'last',
  ])
})

it('reads the texts of an antispamCustom that is JSON, and any other as it is', () => {
  expect(readAntispamCustom('{"type":1,"data":"b\\u0061d"}')).toBe('type\ndata\nbad')
  expect(readAntispamCustom('plain {')).toBe('plain {')
})

it('begins with the options that the specification gives, for messages and notifications', () => {
  expect(readMessageOptions(undefined)).toEqual({
    roam: true,
    history: true,
    sendersync: true,
    push: true,
    route: true,
    badge: true,
    needPushNick: true,
    persistent: true,
  })
  expect(readNotificationOptions(undefined)).toEqual({ badge: true, needPushNick: false, route: true })
  expect(readMessageOptions('{"roam":0}')).toEqual({ ...readMessageOptions(undefined), roam: false })
})
