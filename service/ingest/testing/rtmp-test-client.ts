import { connect, type Socket } from 'node:net'
import type { Amf0Value } from '../../media/amf0.ts'
import { readAmf0 } from '../../media/amf0-reader.ts'
import { writeAmf0 } from '../../media/amf0-writer.ts'
import { ChunkReader, publisherBounds } from '../../media/rtmp-chunk-reader.ts'
import { numberBody, writeChunks } from '../../media/rtmp-chunk-writer.ts'
import { handshakeLength } from '../../media/rtmp-handshake.ts'
import { rtmpType, type RtmpMessage } from '../../media/rtmp-message.ts'

/** A received status, or why there is none. */
export interface HeardStatus {
  readonly code: string
  readonly level: string
  readonly description: string
}

/** A raw RTMP peer for tests that keeps everything it receives. */
export class RtmpTestClient {
  readonly socket: Socket
  readonly heard: RtmpMessage[] = []
  ended = false
  #handshaken = 0
  readonly #chunks = new ChunkReader((message) => {
    this.heard.push(message)
    this.#changed()
  }, publisherBounds)
  readonly #watchers = new Set<() => void>()
  #chunkSize = 128

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (bytes: Buffer) => {
      const of = 1 + 2 * handshakeLength
      const skip = Math.min(of - this.#handshaken, bytes.length)
      this.#handshaken += skip
      if (skip < bytes.length) this.#chunks.push(bytes.subarray(skip))
      this.#changed()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.ended = true
      this.#changed()
    })
  }

  /** Connects to a local port; makes the handshake unless `silent`. */
  static async open(port: number, silent = false, localAddress = '127.0.0.1'): Promise<RtmpTestClient> {
    const socket = connect({ host: '127.0.0.1', port, localAddress })
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject)
    })
    const client = new RtmpTestClient(socket)
    if (!silent) await client.handshake()
    return client
  }

  async handshake(): Promise<void> {
    this.socket.write(Buffer.concat([Buffer.from([3]), Buffer.alloc(handshakeLength, 7)]))
    await this.until(() => this.#handshaken === 1 + 2 * handshakeLength || this.ended)
    this.socket.write(Buffer.alloc(handshakeLength, 9))
  }

  /** Waits for a condition; fails after 40 s. */
  until(holds: () => boolean, what = String(holds)): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#watchers.delete(look)
      }
      const look = (): void => {
        if (holds()) {
          done()
          resolve()
        }
      }
      const timer = setTimeout(() => {
        done()
        reject(new Error(`never: ${what}`))
      }, 40_000)
      this.#watchers.add(look)
      look()
    })
  }

  send(type: number, timestamp: number, body: Buffer, chunkStream = 6, streamId = 1): void {
    this.socket.write(writeChunks({ type, streamId, timestamp, body }, chunkStream, this.#chunkSize))
  }

  chunkSize(size: number): void {
    this.send(rtmpType.setChunkSize, 0, numberBody(size), 2, 0)
    this.#chunkSize = size
  }

  command(name: string, transaction: number, ...values: Amf0Value[]): void {
    this.send(rtmpType.command, 0, writeAmf0(name, transaction, ...values), 3, 0)
  }

  /** Values of all received commands. */
  commands(): Amf0Value[][] {
    return this.heard.filter((message) => message.type === rtmpType.command).map((message) => readAmf0(message.body))
  }

  statuses(): HeardStatus[] {
    return this.commands()
      .filter(([name]) => name === 'onStatus' || name === '_error')
      .map((values) => values[3] as unknown as HeardStatus)
  }

  async connect(app = 'live', more: Record<string, Amf0Value> = {}): Promise<void> {
    this.command('connect', 1, { app, tcUrl: `rtmp://127.0.0.1/${app}`, flashVer: 'test client 1', ...more })
    await this.until(() => this.ended || this.commands().some(([name]) => name === '_result' || name === '_error'))
    this.command('createStream', 2, null)
    await this.until(
      () => this.ended || this.commands().some(([name, transaction]) => name === '_result' && transaction === 2),
    )
  }

  /** Publishes or plays; returns the code of the first status (`closed` for none). */
  async ask(verb: 'publish' | 'play', name: string): Promise<string> {
    const before = this.statuses().length
    this.command(verb, 3, null, name, 'live')
    const interesting = (): HeardStatus | undefined =>
      this.statuses()
        .slice(before)
        .find((one) => one.code !== 'NetStream.Play.Reset')
    await this.until(() => this.ended || interesting() !== undefined, `a status for ${verb}`)
    return interesting()?.code ?? 'closed'
  }

  close(): void {
    this.socket.destroy()
  }
  #changed(): void {
    for (const look of this.#watchers) look()
  }
}
