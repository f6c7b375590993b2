import { connect, type Socket } from 'node:net'
import { parseArgs } from 'node:util'
import { readMediaPlaylist } from '../service/media/hls-playlist-reader.ts'
import { FlvReader, type FlvTag } from '../service/media/flv-reader.ts'
import { fixturePackets } from '../service/live/testing/fixture.ts'
import { RtmpTestClient } from '../service/live/rtmp-test-client.ts'
import { startOurs } from './fanout-servers.ts'
import { median, pause, percentile, printTable, streamFixture } from './measurement.ts'

/**
 * How old a picture is when it reaches a player: every frame carries the time at which it was sent. Publisher to HTTP-FLV reader, join to first
 * key frame, and HLS as the app plays it (4 s behind the newest segment's end) and as RFC 8216 6.3.3 asks by default (three target durations).
 * Publisher and readers are this process, the service is its own. `node bench/latency.ts [--seconds 20] [--joins 20]`
 */
const { values } = parseArgs({ options: { seconds: { type: 'string', default: '20' }, joins: { type: 'string', default: '20' } } })
const seconds = Number(values.seconds)
const reach = { flv: 300, join: 500, hls: 7000 }
const appBehind = 4000

const magic = Buffer.from('sent at:')
const stamped = (body: Buffer): Buffer => {
  const tail = Buffer.alloc(16)
  magic.copy(tail)
  tail.writeDoubleBE(performance.now(), 8)
  return Buffer.concat([body.subarray(0, Math.max(body.length - 16, 16)), tail])
}
/** When the last stamped frame in these bytes was sent; undefined when there is none. */
const sentAt = (bytes: Buffer): number | undefined => {
  const at = bytes.lastIndexOf(magic)
  return at < 0 ? undefined : bytes.readDoubleBE(at + 8)
}

/** Publishes the fixture over and over at its own speed. */
async function publish(pushUrl: string): Promise<{ stop(): void }> {
  const url = new URL(pushUrl)
  const client = await RtmpTestClient.open(Number(url.port))
  await client.connect('live')
  const status = await client.ask('publish', url.pathname.split('/')[2] + url.search)
  if (status !== 'NetStream.Publish.Start') throw new Error(status)
  client.chunkSize(60_000)
  const packets = fixturePackets(streamFixture(), 0).filter(({ kind }) => kind !== 'data')
  const length = packets.at(-1)!.timestamp + 33
  const begun = performance.now()
  let next = 0
  let round = 0
  const timer = setInterval(() => {
    for (;;) {
      const { kind, body, timestamp, configuration } = packets[next]!
      const due = timestamp + round * length
      if (due > performance.now() - begun) return
      if (round === 0 || !configuration)
        client.send(kind === 'video' ? 9 : 8, due, kind === 'video' && !configuration ? stamped(body) : body, kind === 'video' ? 6 : 4)
      next += 1
      if (next < packets.length) continue
      next = 0
      round += 1
    }
  }, 2)
  return {
    stop() {
      clearInterval(timer)
      client.close()
    },
  }
}

/** Reads HTTP-FLV on a plain socket. */
function readFlv(address: string, tag: (tag: FlvTag) => void): Socket {
  const url = new URL(address)
  const reader = new FlvReader(tag)
  let early: Buffer | undefined = Buffer.alloc(0)
  const socket = connect(Number(url.port), url.hostname, () => socket.write(`GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`))
  socket.setNoDelay(true)
  socket.on('error', () => undefined)
  socket.on('data', (bytes) => {
    if (!early) return reader.push(bytes)
    early = Buffer.concat([early, bytes])
    const end = early.indexOf('\r\n\r\n')
    if (end < 0) return
    const body = early.subarray(end + 4)
    early = undefined
    reader.push(body)
  })
  return socket
}

/** Ages of frames at one lasting reader, the first second (the GOP cache) left out. */
async function measureFlv(address: string): Promise<number[]> {
  const ages: number[] = []
  const begun = performance.now()
  const socket = readFlv(address, ({ kind, body }) => {
    const sent = kind === 'video' ? sentAt(body.subarray(-16)) : undefined
    if (sent !== undefined && performance.now() - begun > 1000) ages.push(performance.now() - sent)
  })
  await pause(seconds * 1000)
  socket.destroy()
  return ages
}

/** Times from connecting to the first key frame, at odd moments of the GOP. */
async function measureJoins(address: string): Promise<number[]> {
  const times: number[] = []
  for (let index = 0; index < Number(values.joins); index++) {
    const begun = performance.now()
    await new Promise<void>((resolve) => {
      const socket = readFlv(address, ({ kind, body }) => {
        if (kind !== 'video' || body[1] !== 1) return
        socket.destroy()
        resolve()
      })
    })
    times.push(performance.now() - begun)
    await pause(137)
  }
  return times
}

/** Age of the newest picture that the playlist offers, asked for every second. */
async function measureHls(address: string): Promise<{ readonly ages: number[]; readonly target: number }> {
  const ages: number[] = []
  let target = 0
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await pause(1000)) {
    const playlist = readMediaPlaylist(await (await fetch(address)).text())
    target = playlist.targetDuration
    const segment = Buffer.from(await (await fetch(new URL(playlist.segments.at(-1)!.uri, address))).arrayBuffer())
    const sent = sentAt(segment)
    if (sent !== undefined) ages.push(performance.now() - sent)
  }
  return { ages, target }
}

const server = await startOurs()
try {
  const publisher = await publish(server.pushUrl)
  await pause(3000)
  const many = Array.from({ length: 20 }, () => readFlv(server.flvUrl!, () => undefined))
  const [flv, hls] = await Promise.all([measureFlv(server.flvUrl!), measureHls(server.hlsUrl!)])
  for (const socket of many) socket.destroy()
  await pause(200)
  const joins = await measureJoins(server.flvUrl!)
  publisher.stop()
  const rows = [
    { figure: 'publisher to HTTP-FLV reader, 20 others reading', ages: flv, reach: reach.flv },
    { figure: 'join to first key frame', ages: joins, reach: reach.join },
    { figure: `HLS as the app plays it, ${appBehind / 1000} s behind the end`, ages: hls.ages.map((age) => age + appBehind), reach: reach.hls },
    { figure: 'HLS three target durations behind the end', ages: hls.ages.map((age) => age + hls.target * 3000), reach: NaN },
  ]
  printTable(
    rows.map(({ figure, ages, reach }) => ({
      figure,
      n: ages.length,
      'median ms': Math.round(median(ages)),
      'p95 ms': Math.round(percentile(ages, 0.95)),
      'reach ms': Number.isNaN(reach) ? '' : reach,
    })),
  )
  console.log(
    JSON.stringify({
      bench: 'latency',
      result: rows.map(({ figure, ages, reach }) => ({
        figure,
        median: median(ages),
        p95: percentile(ages, 0.95),
        ...(Number.isNaN(reach) ? {} : { reach, reached: median(ages) <= reach }),
      })),
    }),
  )
} finally {
  await server.stop()
}
