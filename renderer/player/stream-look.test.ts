import { expect, it } from 'vitest'
import { createFlvLook, lookAtFlv } from './flv-look.ts'
import { lookAtHls } from './hls-look.ts'

const tag = (type: number, time: number, first: number, packet: number, size = 40): number[] => {
  const head = [
    type,
    0,
    0,
    size,
    (time >> 16) & 255,
    (time >> 8) & 255,
    time & 255,
    (time >> 24) & 255,
    0,
    0,
    0,
    first,
    packet,
  ]
  const body = Array.from({ length: size - 2 }, () => 0x46)
  return [head, body, [0, 0, 0, 0]].flat()
}
const header = [0x46, 0x4c, 0x56, 1, 5, 0, 0, 0, 9, 0, 0, 0, 0]
const config = [...tag(18, 0, 2, 0, 20), ...tag(9, 0, 0x17, 0), ...tag(8, 0, 0xaf, 0, 4)]
const key = (time: number): number[] => tag(9, time, 0x17, 1)
const frame = (time: number): number[] => tag(9, time, 0x27, 1)
const sound = (time: number): number[] => tag(8, time, 0xaf, 1)
const stream = (...parts: readonly (readonly number[])[]): Uint8Array =>
  Uint8Array.from([...header, ...config, ...parts.flat()])
const answering =
  (answer: () => Response): typeof fetch =>
  () =>
    Promise.resolve(answer())
const never = new AbortController().signal

it('sees key frame, sound and passing time, however the bytes are cut; configurations are neither', () => {
  const whole = stream(key(100), sound(110), frame(140), frame(1_400))
  for (const step of [1, 7, 13, whole.length]) {
    const look = createFlvLook()
    for (let at = 0; at < whole.length; at += step) look.feed(whole.subarray(at, at + step))
    expect(look.seen()).toEqual({ flv: true, keyFrame: true, audio: true, media: 1_300 })
  }
  const bare = createFlvLook()
  bare.feed(stream())
  expect(bare.seen()).toEqual({ flv: true, keyFrame: false, audio: false, media: 0 })
  expect(() => createFlvLook().feed(new TextEncoder().encode('<!doctype html>'))).toThrow('not FLV')
})

it('reads a stream until it has seen enough, and no further', async () => {
  let read = 0
  const endless = (withSound: boolean) =>
    answering(
      () =>
        new Response(
          new ReadableStream({
            pull: (controller) => {
              const time = read++ * 100
              controller.enqueue(
                read === 1 ? stream(key(0)) : Uint8Array.from([...frame(time), ...(withSound ? sound(time) : [])]),
              )
            },
          }),
        ),
    )
  expect(await lookAtFlv('/media/a.flv', never, endless(true))).toMatchObject({
    keyFrame: true,
    audio: true,
    media: 1_000,
  })
  read = 0
  expect(await lookAtFlv('/media/a.flv', never, endless(false))).toMatchObject({
    keyFrame: true,
    audio: false,
    media: 3_000,
  })
  expect(read).toBeLessThan(60)
  await expect(
    lookAtFlv(
      '/media/a.flv',
      never,
      answering(() => new Response('', { status: 404 })),
    ),
  ).rejects.toThrow('HTTP 404')
  await expect(
    lookAtFlv('/media/a.flv', AbortSignal.abort(), (_url, init) => Promise.reject(init?.signal?.reason as Error)),
  ).rejects.toThrow()
})

it('reads playlist, initialisation and newest segment', async () => {
  const box = (name: string): Uint8Array<ArrayBuffer> =>
    Uint8Array.from([0, 0, 0, 8, ...new TextEncoder().encode(name)])
  const asked: string[] = []
  const files =
    (newest: Uint8Array<ArrayBuffer>): typeof fetch =>
    (url) => {
      const address = url as string
      asked.push(address)
      if (address === '/media/main.m3u8')
        return Promise.resolve(new Response('#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n/media/low.m3u8\n'))
      if (address === '/media/low.m3u8')
        return Promise.resolve(
          new Response(
            '#EXTM3U\n#EXT-X-MAP:URI="/media/init.mp4"\n#EXTINF:2,\n/media/1.m4s\n#EXTINF:2,\n/media/2.m4s\n',
          ),
        )
      if (address === '/media/empty.m3u8') return Promise.resolve(new Response('#EXTM3U\n'))
      if (address === '/media/init.mp4') return Promise.resolve(new Response(box('ftyp')))
      return Promise.resolve(address === '/media/2.m4s' ? new Response(newest) : new Response('', { status: 404 }))
    }
  expect(await lookAtHls('/media/main.m3u8', never, files(box('moof')))).toEqual({ segments: 2, readable: true })
  expect(asked).not.toContain('/media/1.m4s')
  expect(await lookAtHls('/media/low.m3u8', never, files(box('html')))).toEqual({ segments: 2, readable: false })
  expect(await lookAtHls('/media/empty.m3u8', never, files(box('moof')))).toEqual({ segments: 0, readable: false })
  await expect(lookAtHls('/media/none.m3u8', never, files(box('moof')))).rejects.toThrow('HTTP 404')
})
