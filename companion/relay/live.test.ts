import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createService } from '../../service/root.ts'
import { ownPreviewHeader } from '../../contract/own-preview.ts'
import { watchPath } from '../../contract/watch.ts'
import { type Rig, scratch, startRig, until } from '../testing/rig.ts'
import { machinePace } from '../../service/testing/machine-pace.ts'

const folder = scratch()
const far = scratch()
const pair = { appKey: 'twin', appSecret: 'secret-of-the-twin' }
const free = { host: '127.0.0.1', port: 0 }
let rig: Rig
let hosted: Awaited<ReturnType<typeof createService>>
const encoders: ChildProcess[] = []

beforeAll(async () => {
  hosted = await createService({
    dataDir: path.join(far.dir, 'service'),
    api: free,
    media: free,
    rtmp: free,
    credentials: pair,
  })
  rig = await startRig(folder.dir)
  await rig.companion.serviceReady(40_000)
})
afterAll(async () => {
  for (const encoder of encoders) encoder.kill('SIGKILL')
  await rig.close()
  await hosted.close()
  folder[Symbol.dispose]()
  far[Symbol.dispose]()
})

/** Pushes a moving picture with sound, a key frame a second. */
function push(url: string): void {
  const input = [
    '-f',
    'lavfi',
    '-i',
    'testsrc2=size=320x180:rate=30',
    '-f',
    'lavfi',
    '-i',
    'sine=frequency=440:sample_rate=48000',
  ]
  const output = [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-tune',
    'zerolatency',
    '-g',
    '30',
    '-pix_fmt',
    'yuv420p',
    '-c:a',
    'aac',
    '-f',
    'flv',
    url,
  ]
  encoders.push(spawn('ffmpeg', ['-nostdin', '-loglevel', 'error', '-re', ...input, ...output], { stdio: 'ignore' }))
}
const read = async (address: string, bytes = Infinity): Promise<{ status: number; body: Buffer }> => {
  const gone = new AbortController()
  const answer = await rig.companion.relay.fetch({ method: 'GET', path: address, signal: gone.signal })
  const parts: Buffer[] = []
  let size = 0
  if (answer.body) {
    for await (const part of answer.body as AsyncIterable<Buffer>) {
      parts.push(part)
      if ((size += part.length) >= bytes) break
    }
  }
  gone.abort()
  return { status: answer.status, body: Buffer.concat(parts) }
}
const codecs = (file: string): string[] => {
  const { stdout } = spawnSync(
    'ffprobe',
    ['-v', 'error', '-show_entries', 'stream=codec_name', '-of', 'csv=p=0', file],
    { encoding: 'utf8' },
  )
  return stdout.trim().split('\n').sort()
}

for (const kind of ['local', 'hosted'] as const) {
  it(`plays a ${kind} channel by FLV and by HLS through the relay, and tells its tally`, async () => {
    const { rpc } = rig.page
    const profileId =
      kind === 'local'
        ? 'local'
        : (
            await rpc.profiles.add({
              name: 'Twin',
              liveUrl: hosted.ready.baseUrl,
              messagingUrl: hosted.ready.imBaseUrl,
              ...pair,
            })
          ).id
    const { cid } = await rpc.channels.create({ profileId, name: 'relayed' })
    const on = { profileId, cid }
    // What happens before the tallies are followed is told to nobody.
    await until('the idle channel', () =>
      rig.page.newest(
        'tallies',
        (event) => event.profileId === profileId && event.tallies.some((one) => one.cid === cid),
      ),
    )
    push((await rpc.push.copy({ ...on, part: 'url' })).text ?? '')
    await until('the tally', () =>
      rig.page.newest(
        'tallies',
        (event) => event.profileId === profileId && event.tallies.some((one) => one.cid === cid && one.status === 1),
      ),
    )
    if (kind === 'local') {
      const started = await until('the report', () =>
        rig.page.newest('push', (event) => event.cid === cid && event.kind === 'started'),
      )
      const tally = rig.page.events.find(
        (event) => event.type === 'tallies' && event.tallies.some((one) => one.cid === cid && one.status === 1),
      )
      expect((tally as { at: number }).at - started.at).toBeLessThan(1_000 * machinePace())
      await until('figures', () =>
        rig.page.newest(
          'figures',
          (event) => event.cid === cid && (event.figures?.kbps ?? 0) > 0 && event.figures?.width === 320,
        ),
      )
    }
    const preview = await rpc.preview.open(on)
    const flv = await read(preview.flv ?? '', 100_000)
    expect(flv.body.subarray(0, 3).toString()).toBe('FLV')
    const file = path.join(folder.dir, `${kind}.flv`)
    writeFileSync(file, flv.body)
    expect(codecs(file)).toEqual(['aac', 'h264'])
    const playlist = await until('a playlist with two segments', async () => {
      const found = await read(preview.hls ?? '')
      return (found.body.toString().match(/#EXTINF/g)?.length ?? 0) >= 2 && found.body.toString()
    })
    const map = /URI="([^"]+)"/.exec(playlist)?.[1] ?? ''
    const segments = playlist.split('\n').filter((line) => line.startsWith('/media/'))
    expect(
      [map, ...segments].every((address) => address.startsWith(`/media/${preview.hls?.split('/')[2] ?? ''}/`)),
    ).toBe(true)
    const mp4 = path.join(folder.dir, `${kind}.mp4`)
    writeFileSync(mp4, Buffer.concat([(await read(map)).body, (await read(segments[0] ?? '')).body]))
    expect(codecs(mp4)).toEqual(['aac', 'h264'])
    // In order: a lost encoder is held for 2 min.
    encoders.at(-1)?.kill('SIGINT')
    await until('the idle tally', () =>
      rig.page
        .newest('tallies', (event) => event.profileId === profileId)
        ?.tallies.some((one) => one.cid === cid && one.status === 0),
    )
  })
}

it('counts no preview of its own among the viewers, on the watch page and in the figures, and everybody else', async () => {
  const { rpc } = rig.page
  const ready = await rig.companion.serviceReady(40_000)
  const { cid } = await rpc.channels.create({ profileId: 'local', name: 'watched' })
  const on = { profileId: 'local', cid }
  push((await rpc.push.copy({ ...on, part: 'url' })).text ?? '')
  const direct = `${ready?.mediaUrl ?? ''}/live/${cid}`
  await until('the stream', async () => (await fetch(`${direct}/playlist.m3u8`, { method: 'HEAD' })).status === 200)
  const told = async (): Promise<number> =>
    ((await (await fetch(`${ready?.mediaUrl ?? ''}${watchPath}${cid}/state`)).json()) as { viewers: number }).viewers
  const gone = new AbortController()
  const drain = async (body: AsyncIterable<Uint8Array>, first: () => void): Promise<void> => {
    try {
      for await (const part of body) if (part.length > 0) first()
    } catch {
      // It was ended by this test.
    }
  }
  const previews = await Promise.all([rpc.preview.open(on), rpc.preview.open(on)])
  const running: Promise<void>[] = []
  for (const { flv, hls } of previews) {
    const answer = await rig.companion.relay.fetch({ method: 'GET', path: flv ?? '', signal: gone.signal })
    await new Promise<void>((first) => running.push(drain(answer.body as AsyncIterable<Uint8Array>, first)))
    expect((await read(hls ?? '')).status).toBe(200)
  }
  expect(await told()).toBe(0)
  // Somebody else who says to be a preview.
  for (const mark of [undefined, `${Math.floor(Date.now() / 1000)}.${'0'.repeat(64)}`]) {
    const headers: Record<string, string> = mark === undefined ? {} : { [ownPreviewHeader]: mark }
    const answer = await fetch(`${direct}.flv`, { signal: gone.signal, headers })
    await new Promise<void>((first) => running.push(drain(answer.body as AsyncIterable<Uint8Array>, first)))
  }
  await fetch(`${direct}/playlist.m3u8`)
  expect(await told()).toBe(3)
  await until('the figures', () =>
    rig.page.newest('figures', (event) => event.cid === cid && event.figures?.viewers === 3),
  )
  gone.abort()
  await Promise.all(running)
  encoders.at(-1)?.kill('SIGKILL')
})
