import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A running test picture: HTTP-FLV with the cache of the running group of pictures, and HLS. */
export interface LivePicture {
  /** Answers with the running stream until it ends or the reader leaves. */
  flv(response: ServerResponse): void
  /** A file of the HLS folder; undefined when it is not there. */
  hls(name: string): Promise<Buffer | undefined>
  /** HTTP-FLV readers that are connected now. */
  readonly readers: number
  close(): Promise<void>
}

interface Tag {
  readonly bytes: Buffer
  readonly configuration: boolean
  readonly keyFrame: boolean
}

const readTag = (bytes: Buffer): Tag => {
  const type = bytes[0] ?? 0
  const first = bytes[11] ?? 0
  const second = bytes[12] ?? 0
  const configuration = type === 18 || (type === 9 && second === 0) || (type === 8 && first >> 4 === 10 && second === 0)
  return { bytes, configuration, keyFrame: type === 9 && first >> 4 === 1 && second === 1 }
}

/** Starts a picture with the time burnt in and a key frame every `gop` seconds. */
export async function startLivePicture(gop: number): Promise<LivePicture> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sidestage-picture-'))
  const font = '/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf'
  const text = `drawtext=fontfile=${font}:text='%{localtime\\:%H\\\\\\:%M\\\\\\:%S}':x=40:y=h-80:fontsize=40:fontcolor=white:box=1:boxcolor=black@0.6:boxborderw=12`
  const encoder = spawn(
    'ffmpeg',
    [
      '-hide_banner',
      '-loglevel',
      'error',
      '-re',
      '-f',
      'lavfi',
      '-i',
      `smptehdbars=size=854x480:rate=30,${text}`,
      '-f',
      'lavfi',
      '-i',
      'sine=frequency=440:sample_rate=48000',
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-tune',
      'zerolatency',
      '-pix_fmt',
      'yuv420p',
      '-b:v',
      '1200k',
      '-g',
      String(gop * 30),
      '-c:a',
      'aac',
      '-b:a',
      '96k',
      '-flush_packets',
      '1',
      '-f',
      'flv',
      'pipe:1',
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-pix_fmt',
      'yuv420p',
      '-g',
      '60',
      '-c:a',
      'aac',
      '-f',
      'hls',
      '-hls_time',
      '2',
      '-hls_list_size',
      '6',
      '-hls_flags',
      'delete_segments+program_date_time+independent_segments',
      '-hls_segment_type',
      'fmp4',
      path.join(folder, 'playlist.m3u8'),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const readers = new Set<ServerResponse>()
  const header = Buffer.from('464c5601050000000900000000', 'hex')
  let configurations: Tag[] = []
  let cache: Tag[] = []
  let rest = Buffer.alloc(0)
  let skip = 13

  const tag = (bytes: Buffer): void => {
    const each = readTag(bytes)
    if (each.configuration) configurations = [...configurations.filter((old) => old.bytes[0] !== bytes[0]), each]
    else if (each.keyFrame) cache = [each]
    else if (cache.length) cache.push(each)
    for (const reader of readers) reader.write(bytes)
  }
  encoder.stdout.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    if (skip > 0) {
      if (rest.length < skip) return
      rest = rest.subarray(skip)
      skip = 0
    }
    while (rest.length >= 15) {
      const size = 11 + rest.readUIntBE(1, 3) + 4
      if (rest.length < size) return
      tag(Buffer.from(rest.subarray(0, size)))
      rest = rest.subarray(size)
    }
  })
  encoder.on('exit', () => {
    for (const reader of readers) reader.end()
  })

  return {
    get readers() {
      return readers.size
    },
    flv: (response) => {
      response.writeHead(200, { 'content-type': 'video/x-flv', 'cache-control': 'no-store' })
      response.write(header)
      for (const each of [...configurations, ...cache]) response.write(each.bytes)
      readers.add(response)
      response.on('close', () => readers.delete(response))
    },
    hls: (name) =>
      /^[\w.-]+$/.test(name) ? readFile(path.join(folder, name)).catch(() => undefined) : Promise.resolve(undefined),
    close: async () => {
      encoder.kill('SIGKILL')
      for (const reader of readers) reader.end()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
