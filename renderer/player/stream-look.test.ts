import { describe, expect, it, onTestFinished, vi } from 'vitest'
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

it('measures the time that passes over the fourth byte of it, after four and a half hours', () => {
  const look = createFlvLook()
  look.feed(stream(key(0xff_ff_00), frame(0x1_00_00_10)))
  expect(look.seen().media).toBe(0x1_10)
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

describe('the look at a stream', () => {
  it('refuses a tag that is shorter than what is read of it', () => {
    const look = createFlvLook()
    expect(() => look.feed(Uint8Array.from([...header, 8, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xaf, 1]))).toThrow('not FLV')
  })

  it('reads times beyond 24 bits, and the length of media from the first to the latest', () => {
    const look = createFlvLook()
    look.feed(stream(key(0x01_00_00_00), sound(0x01_00_03_e8), frame(0x01_00_00_64)))
    expect(look.seen().media).toBe(1_000)
  })

  it('counts a frame without a key as no key frame, and a script as neither sound nor picture', () => {
    const look = createFlvLook()
    look.feed(stream(frame(0), tag(18, 500, 2, 1)))
    expect(look.seen()).toEqual({ flv: true, keyFrame: false, audio: false, media: 0 })
  })

  it('ends where the stream does, with what it saw', async () => {
    const whole = answering(() => new Response(stream(key(0), sound(10)) as Uint8Array<ArrayBuffer>))
    expect(await lookAtFlv('/a.flv', never, whole)).toEqual({ flv: true, keyFrame: true, audio: true, media: 10 })
  })

  it('ends after eight seconds with what it saw, and lets the stream go', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    let given: AbortSignal | undefined
    const hanging: typeof fetch = (_url, init) => {
      given = init?.signal ?? undefined
      return new Promise((_resolve, reject) => {
        given?.addEventListener('abort', () => reject(given?.reason as Error))
      })
    }
    const looking = lookAtFlv('/a.flv', never, hanging)
    await vi.advanceTimersByTimeAsync(7_999)
    expect(given?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await looking).toEqual({ flv: false, keyFrame: false, audio: false, media: 0 })
    expect(given?.aborted).toBe(true)
  })

  it('lets the stream go once it has seen enough', async () => {
    let given: AbortSignal | undefined
    const whole: typeof fetch = (_url, init) => {
      given = init?.signal ?? undefined
      return Promise.resolve(new Response(stream(key(0), sound(1_000)) as Uint8Array<ArrayBuffer>))
    }
    await lookAtFlv('/a.flv', never, whole)
    expect(given?.aborted).toBe(true)
  })

  it('reads no more than 16 MiB of a stream that shows nothing', async () => {
    let read = 0
    const part = Uint8Array.from({ length: 1024 * 1024 }, () => 0)
    const endless = answering(
      () =>
        new Response(
          new ReadableStream(
            {
              pull: (controller) => {
                read += 1
                // One tag of the greatest size, without an end in these bytes.
                controller.enqueue(
                  read === 1 ? Uint8Array.from([...header, 18, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 2, 0]) : part,
                )
              },
            },
            { highWaterMark: 0 },
          ),
        ),
    )
    expect(await lookAtFlv('/a.flv', never, endless)).toMatchObject({ flv: true, media: 0 })
    expect(read).toBe(17)
  })
})

describe('the look at a playlist', () => {
  const playlist = '#EXTM3U\n#EXTINF:2,\n/1.ts\n'
  const serving =
    (segment: () => Response, text = playlist): typeof fetch =>
    (url) =>
      Promise.resolve((url as string).endsWith('.m3u8') ? new Response(text) : segment())

  it('refuses what is no playlist', async () => {
    await expect(
      lookAtHls(
        '/a.m3u8',
        never,
        serving(() => new Response(''), '<!doctype html>'),
      ),
    ).rejects.toThrow('no playlist')
  })

  it('takes no comment of a playlist for a segment', async () => {
    const segment = () => new Response(Uint8Array.from([0, 0, 0, 8, ...new TextEncoder().encode('moof')]))
    const text = `#EXTM3U\n# a comment\n${playlist.slice(8)}# the last one\n`
    expect(await lookAtHls('/a.m3u8', never, serving(segment, text))).toEqual({ segments: 1, readable: true })
  })

  it('takes a segment of MPEG-TS by two of its sync bytes, and none with the first alone', async () => {
    const bytes = new Uint8Array(200)
    bytes[0] = 0x47
    expect(
      await lookAtHls(
        '/a.m3u8',
        never,
        serving(() => new Response(bytes)),
      ),
    ).toEqual({
      segments: 1,
      readable: false,
    })
    bytes[188] = 0x47
    expect(
      await lookAtHls(
        '/a.m3u8',
        never,
        serving(() => new Response(bytes)),
      ),
    ).toEqual({
      segments: 1,
      readable: true,
    })
  })

  it.each(['ftyp', 'styp', 'moof', 'sidx', 'emsg', 'prft'])(
    'takes a segment that begins with the box %s',
    async (name) => {
      const bytes = Uint8Array.from([0, 0, 0, 8, ...new TextEncoder().encode(name)])
      expect(
        await lookAtHls(
          '/a.m3u8',
          never,
          serving(() => new Response(bytes)),
        ),
      ).toMatchObject({ readable: true })
    },
  )

  it.each([
    [32 * 1024 * 1024, false],
    [32 * 1024 * 1024 + 1, true],
  ])('refuses a segment that says it has %s bytes: %s', async (length, isRefused) => {
    const segment = () =>
      new Response(Uint8Array.from([0, 0, 0, 8, 0x6d, 0x6f, 0x6f, 0x66]), {
        headers: { 'content-length': String(length) },
      })
    const looking = lookAtHls('/a.m3u8', never, serving(segment))
    if (isRefused) await expect(looking).rejects.toThrow('too large')
    else expect(await looking).toMatchObject({ readable: true })
  })

  it('takes lines that end as on Windows', async () => {
    const segment = () => new Response(Uint8Array.from([0, 0, 0, 8, 0x6d, 0x6f, 0x6f, 0x66]))
    expect(await lookAtHls('/a.m3u8', never, serving(segment, playlist.replaceAll('\n', '\r\n')))).toEqual({
      segments: 1,
      readable: true,
    })
  })
})
