import { connect, type Socket } from 'node:net'
import { RtmpTestClient } from '../service/ingest/testing/rtmp-test-client.ts'
import { fixturePackets } from '../service/hub/testing/fixture.ts'
import { FlvReader, type FlvTag } from '../service/media/flv-reader.ts'
import { streamFixture } from './measurement.ts'

const magic = Buffer.from('sent at:')
const stamped = (body: Buffer): Buffer => {
  const tail = Buffer.alloc(16)
  magic.copy(tail)
  tail.writeDoubleBE(performance.now(), 8)
  return Buffer.concat([body.subarray(0, Math.max(body.length - 16, 16)), tail])
}
/** When the last stamped frame in these bytes was sent; undefined when there is none. */
export const sentAt = (bytes: Buffer): number | undefined => {
  const at = bytes.lastIndexOf(magic)
  return at < 0 ? undefined : bytes.readDoubleBE(at + 8)
}

/** Publishes the fixture over and over at its own speed, each frame with the time at which it is sent. */
export async function publish(pushUrl: string): Promise<{ stop(): void }> {
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
        client.send(
          kind === 'video' ? 9 : 8,
          due,
          kind === 'video' && !configuration ? stamped(body) : body,
          kind === 'video' ? 6 : 4,
        )
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
export function readFlv(address: string, tag: (tag: FlvTag) => void): Socket {
  const url = new URL(address)
  const reader = new FlvReader(tag)
  let early: Buffer | undefined = Buffer.alloc(0)
  const socket = connect(Number(url.port), url.hostname, () =>
    socket.write(`GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`),
  )
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
