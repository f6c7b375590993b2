import type http from 'node:http'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { mediaAnswer, mediaHeaders, plainAnswer } from './media-answer.ts'
import { playlistBytes } from './playlist.ts'

/** What a far side answered. */
function answered(body: string | Buffer, headers: http.IncomingHttpHeaders = {}, statusCode: number | undefined = 200) {
  const stream = new PassThrough()
  stream.end(body)
  return Object.assign(stream, { statusCode, headers }) as unknown as http.IncomingMessage & PassThrough
}
const read = (
  answer: http.IncomingMessage,
  { method = 'GET', path = '/live/a.flv', rewrite = (list: string) => `<${list}>` } = {},
) => mediaAnswer(answer, method, path, rewrite)

it('gives an answer without a body the headers of media, by which nothing runs or is kept', () => {
  expect(plainAnswer(404)).toEqual({ status: 404, headers: mediaHeaders, body: undefined })
  expect(mediaHeaders).toEqual({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
  })
})

it('passes media on with its length, its range and whether ranges can be had, and with no other header', async () => {
  const headers = {
    'content-type': 'video/mp4; codecs="avc1"',
    'content-length': '3',
    'content-range': 'bytes 0-2/9',
    'accept-ranges': 'bytes',
    'set-cookie': ['a=b'],
    etag: '"x"',
  }
  const found = await read(answered('abc', headers, 206))
  expect([found.status, found.headers]).toEqual([
    206,
    {
      ...mediaHeaders,
      'content-type': 'video/mp4',
      'content-length': '3',
      'content-range': 'bytes 0-2/9',
      'accept-ranges': 'bytes',
    },
  ])
  expect(await text(found.body!)).toBe('abc')
})

it.each([
  [undefined, 'application/octet-stream'],
  ['application/octet-stream', 'application/octet-stream'],
  ['text/html', 'application/octet-stream'],
  ['image/svg+xml', 'application/octet-stream'],
  ['application/javascript', 'application/octet-stream'],
  ['image/webp', 'image/webp'],
  ['VIDEO/X-FLV', 'VIDEO/X-FLV'],
  ['audio/aac ; x', 'audio/aac'],
])('tells of the type %s only %s', async (given, shown) => {
  const found = await read(answered('x', given === undefined ? {} : { 'content-type': given }))
  expect(found.headers['content-type']).toBe(shown)
  found.body?.destroy()
})

it('gives of HEAD the headers without a body, and reads nothing', async () => {
  const answer = answered('abc', { 'content-type': 'video/mp4', 'content-length': '3' })
  const found = await read(answer, { method: 'HEAD' })
  expect([found.status, found.body, found.headers['content-length'], answer.destroyed]).toEqual([
    200,
    undefined,
    '3',
    true,
  ])
})

it.each([
  [400, 400],
  [404, 404],
  [599, 599],
  [600, 502],
  [399, 502],
  [302, 502],
  [204, 502],
  [undefined, 502],
])('answers %s of the far side with %s, without its body', async (given, status) => {
  const answer = answered('x', {}, 200)
  answer.statusCode = given as number
  const found = await read(answer)
  expect([found, answer.destroyed]).toEqual([plainAnswer(status), true])
})

it.each([
  ['its type', { 'content-type': 'Application/X-MpegURL; charset=utf-8' }, '/live/a'],
  ['its name', { 'content-type': 'text/plain' }, '/live/a.m3u8'],
])('rewrites a playlist that is one by %s, with the length that it has then', async (_by, headers, path) => {
  const found = await read(answered('#EXTM3Ué', { ...headers, 'content-length': '9' }), { path })
  expect(found.headers).toEqual({
    ...mediaHeaders,
    'content-type': 'application/vnd.apple.mpegurl',
    'content-length': '11',
  })
  expect([found.status, await text(found.body!)]).toEqual([200, '<#EXTM3Ué>'])
})

it('takes a playlist of 1 MiB, and none of a byte more', async () => {
  const list = { 'content-type': 'application/x-mpegurl' }
  const fits = await read(answered(Buffer.alloc(playlistBytes, 35), list))
  expect([playlistBytes, fits.status]).toEqual([1024 * 1024, 200])
  fits.body?.destroy()
  const answer = answered(Buffer.alloc(playlistBytes + 1, 35), list)
  expect([await read(answer), answer.destroyed]).toEqual([plainAnswer(502), true])
})

it('answers 502 where a playlist cannot be rewritten, or breaks off', async () => {
  const rewrite = (): string => {
    throw new Error('not a playlist')
  }
  expect(await read(answered('x', { 'content-type': 'audio/mpegurl' }), { rewrite })).toEqual(plainAnswer(502))
  const broken = new PassThrough()
  const reading = read(
    Object.assign(broken, {
      statusCode: 200,
      headers: { 'content-type': 'audio/mpegurl' },
    }) as unknown as http.IncomingMessage,
  )
  broken.write('#EXTM3U')
  broken.destroy(new Error('gone'))
  expect(await reading).toEqual(plainAnswer(502))
})

it('rewrites nothing of HEAD, and tells no length of a playlist, which is another one', async () => {
  const found = await read(answered('#EXTM3U', { 'content-type': 'audio/mpegurl', 'content-length': '7' }), {
    method: 'HEAD',
  })
  expect(found.headers).not.toHaveProperty('content-length')
})
