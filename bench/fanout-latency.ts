import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ChunkReader, publisherBounds } from '../service/media/rtmp-chunk-reader.ts'
import { rtmpType, type RtmpMessage } from '../service/media/rtmp-message.ts'
import { RtmpTestClient } from '../service/ingest/testing/rtmp-test-client.ts'
import type { LiveServer } from './fanout-servers.ts'
import { jsonLines, median, pause, stopChild } from './measurement.ts'
import { publish, readFlv, sentAt } from './stamped-stream.ts'

/** What a viewer waits for while many others read: medians in ms. */
export interface Waits {
  /** From the encoder to the viewer. */
  readonly latency: number
  /** From connecting to the first key frame. */
  readonly join: number
}

/** Reads video of either protocol until it is told to stop. */
type Watch = (server: LiveServer, frame: (body: Buffer) => void) => Promise<() => void>

const watchFlv: Watch = async ({ flvUrl }, frame) => {
  const socket = readFlv(flvUrl!, ({ kind, body }) => {
    if (kind === 'video') frame(body)
  })
  return () => socket.destroy()
}
const watchRtmp: Watch = async ({ rtmpUrl }, frame) => {
  const url = new URL(rtmpUrl)
  const client = await RtmpTestClient.open(Number(url.port))
  await client.connect('live')
  client.socket.removeAllListeners('data')
  const chunks = new ChunkReader(({ type, body }: RtmpMessage) => {
    if (type === rtmpType.video) frame(body)
  }, publisherBounds)
  // Announced in the answer to connect.
  chunks.push(Buffer.from([2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 1, 0, 0]))
  client.socket.on('data', (bytes: Buffer) => chunks.push(bytes))
  client.command('play', 3, null, url.pathname.split('/')[2] ?? '', 'live')
  return () => client.close()
}

/** Measures latency for `seconds`, then joins, with so many players beside. */
export async function measureWaits(
  server: LiveServer,
  protocol: 'flv' | 'rtmp',
  players: number,
  seconds: number,
  joins = 10,
): Promise<Waits> {
  const watch = protocol === 'flv' ? watchFlv : watchRtmp
  const publisher = await publish(server.pushUrl)
  await pause(2500)
  const url = (protocol === 'flv' ? server.flvUrl : server.rtmpUrl) ?? ''
  const script = join(import.meta.dirname, 'fanout-players.ts')
  const load = spawn(process.execPath, [script, url, String(players), '2', '120'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    for await (const { event } of jsonLines(load)) if (event === 'measuring') break
    const ages: number[] = []
    const begun = performance.now()
    const stop = await watch(server, (body) => {
      const sent = sentAt(body.subarray(-16))
      // The first second is the cached GOP.
      if (sent !== undefined && performance.now() - begun > 1000) ages.push(performance.now() - sent)
    })
    await pause(seconds * 1000)
    stop()
    const times: number[] = []
    for (let index = 0; index < joins; index++) {
      const from = performance.now()
      let ended: (() => void) | undefined
      await new Promise<void>((resolve) => {
        const watching = watch(server, (body) => {
          if (body[1] === 1 && body[0]! >> 4 === 1) resolve()
        })
        ended = () => {
          watching.then(
            (end) => end(),
            () => undefined,
          )
        }
      })
      times.push(performance.now() - from)
      ended?.()
      await pause(137)
    }
    return { latency: median(ages), join: median(times) }
  } finally {
    publisher.stop()
    await stopChild(load)
  }
}
