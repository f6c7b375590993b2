import { createServer, type Socket } from 'node:net'
import { fixturePackets } from '../service/hub/testing/fixture.ts'
import { readerQueueLimits } from '../service/hub/reader-queue-output.ts'
import { mediaMessage } from '../service/ingest/rtmp-answers.ts'
import { writeFlvTag } from '../service/media/flv-writer.ts'
import { handshakeLength } from '../service/media/rtmp-handshake.ts'
import type { MediaPacket } from '../service/timeline/packet.ts'

/**
 * The limit of the runtime that bench/fanout compares with: the bytes of a stream, framed before, are written to every
 * socket at the service's intervals, one Buffer a batch, and nothing else. `fanout-bare.ts flv|rtmp FILE` plays the
 * file over and over; prints `{"event":"ready","port":…}`.
 */
const [protocol = '', file = ''] = process.argv.slice(2)
const frame =
  protocol === 'rtmp'
    ? mediaMessage
    : ({ kind, timestamp, body }: MediaPacket): Buffer => writeFlvTag(kind, timestamp, body)

interface Batch {
  /** ms since the start of the file. */
  readonly due: number
  readonly bytes: Buffer
}

/** As the service batches for many readers: so long after its first packet, or at once with a key frame. */
function batchesOf(packets: readonly MediaPacket[]): Batch[] {
  const batches: Batch[] = []
  let pending: MediaPacket[] = []
  const flush = (due: number): void => {
    if (pending.length > 0) batches.push({ due, bytes: Buffer.concat(pending.map(frame)) })
    pending = []
  }
  for (const packet of packets) {
    const due = (pending[0]?.timestamp ?? packet.timestamp) + readerQueueLimits.batchMany
    if (packet.timestamp > due) flush(due)
    pending.push(packet)
    if (packet.keyFrame) flush(packet.timestamp)
  }
  flush((pending[0]?.timestamp ?? 0) + readerQueueLimits.batchMany)
  return batches
}

const packets = fixturePackets(file).filter(({ configuration }) => !configuration)
const batches = batchesOf(packets)
const length = packets.at(-1)!.timestamp + 33
const sockets = new Set<Socket>()
const begun = performance.now()
const step = (index: number, round: number): void => {
  const batch = batches[index]
  if (!batch) return step(0, round + 1)
  setTimeout(
    () => {
      for (const socket of sockets) socket.write(batch.bytes)
      step(index + 1, round)
    },
    Math.max(1, begun + round * length + batch.due - performance.now()),
  )
}

const answer =
  protocol === 'rtmp'
    ? Buffer.concat([Buffer.from([3]), Buffer.alloc(2 * handshakeLength)])
    : Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: video/x-flv\r\nConnection: close\r\n\r\n')
const server = createServer({ noDelay: true }, (socket) => {
  socket.once('data', () => {
    socket.write(answer)
    sockets.add(socket)
    // Acknowledgements of RTMP players are read.
    socket.resume()
  })
  socket.on('error', () => undefined)
  socket.on('close', () => sockets.delete(socket))
})
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ event: 'ready', port: (server.address() as { port: number }).port }))
  step(0, 0)
})
