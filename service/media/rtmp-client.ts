import { Amf0Reader } from './amf0-reader.ts'
import { writeAmf0 } from './amf0-writer.ts'
import { Amf0Fault, type Amf0Value } from './amf0.ts'
import { ChunkReader, type ChunkBounds } from './rtmp-chunk-reader.ts'
import { numberBody, userControlBody, writeChunks } from './rtmp-chunk-writer.ts'
import { handshakeLength } from './rtmp-handshake.ts'
import { initialChunkSize, RtmpFault, rtmpType, userControl, type RtmpMessage } from './rtmp-message.ts'

/** Outgoing chunk size after connect, in bytes. */
export const clientChunkSize = 65_536
/** After as many bytes the server is asked to acknowledge; bytes. */
export const acknowledgementWindow = 64 * 1024
/** What a server may send: commands and controls only. */
const bounds: ChunkBounds = { message: 64 * 1024, held: 128 * 1024, streams: 32 }
/** Longest text of a server that is kept, in characters. */
const maxText = 300
/** Window after which received bytes are acknowledged, until the server names one; bytes. */
const usualWindow = 2_500_000
const minWindow = 4096
const version = 3
const controlChunks = 2
const commandChunks = 3
/** Transactions of the commands that are answered. */
const transaction = { connect: 1, releaseStream: 2, fcPublish: 3, createStream: 4, publish: 5 } as const

/** Where and as what a client publishes. */
export interface PublishRequest {
  /** Application: the path of the server's address. */
  readonly app: string
  /** The server's address. */
  readonly tcUrl: string
  /** Stream key. */
  readonly name: string
  /** What the client calls itself. */
  readonly program: string
}

/** What became of a request to publish. */
export type PublishOutcome =
  | { readonly kind: 'publishing'; readonly streamId: number }
  /** Refused, or ended later, in the server's own words without the key; `isKey`: as the answer to the stream key. */
  | { readonly kind: 'refused'; readonly isKey: boolean; readonly text: string }

const textOf = (value: Amf0Value): string => (typeof value === 'string' ? value : '')

/** Shortest key whose part before its query is recognised as well, in characters. */
const leastPart = 6
/** Before a text is cut or cleaned, as part of a key would be left by it. */
function withoutKey(text: string, key: string): string {
  const [part = ''] = key.split('?')
  const encoded = encodeURIComponent(key)
  const whole = key === '' ? text : text.replaceAll(key, '…').replaceAll(encoded, '…')
  return part.length < leastPart ? whole : whole.replaceAll(part, '…')
}

/** The values of a command; throws `Amf0Fault`. */
function readValues(body: Buffer): Amf0Value[] {
  const reader = new Amf0Reader(body)
  const values: Amf0Value[] = []
  while (!reader.ended) values.push(reader.value())
  return values
}

/** The client side of a publisher's session, without a socket: takes the server's bytes, gives its own. */
export class RtmpClient {
  readonly #send: (bytes: Buffer) => void
  readonly #request: PublishRequest
  readonly #outcome: (outcome: PublishOutcome) => void
  readonly #acknowledges: (count: number) => void
  /** What the server sends. */
  readonly chunks: ChunkReader
  readonly #handshake = Buffer.allocUnsafe(1 + 2 * handshakeLength)
  #handshaken = 0
  #answered = false
  #received = 0
  #acknowledged = 0
  #window = usualWindow
  #chunkSize = initialChunkSize
  #streamId: number | undefined
  #state: 'handshake' | 'connecting' | 'creating' | 'asking' | 'publishing' | 'over' = 'handshake'

  /**
   * `send` gets bytes for the server, at once those of the handshake; `outcome` is called for each change,
   * `acknowledged` when the server says that it has taken what was sent.
   */
  constructor(options: {
    readonly request: PublishRequest
    readonly random: (length: number) => Buffer
    readonly send: (bytes: Buffer) => void
    readonly outcome: (outcome: PublishOutcome) => void
    readonly acknowledged?: (count: number) => void
  }) {
    this.#request = options.request
    this.#send = options.send
    this.#outcome = options.outcome
    this.#acknowledges = options.acknowledged ?? (() => undefined)
    this.chunks = new ChunkReader((message) => this.#message(message), bounds)
    const first = Buffer.concat([Buffer.from([version]), Buffer.alloc(8), options.random(handshakeLength - 8)])
    this.#send(first)
  }

  /** Which step it is in, for timeouts. */
  get state(): string {
    return this.#state
  }

  /** Takes bytes of the server. Throws `RtmpFault` or `Amf0Fault` on a protocol error. */
  push(bytes: Buffer): void {
    if (this.#state === 'over') return
    this.#received += bytes.length
    const rest = this.#state === 'handshake' ? this.#shake(bytes) : bytes
    if (rest.length > 0) this.chunks.push(rest)
    if (this.#received - this.#acknowledged >= this.#window) {
      this.#acknowledged = this.#received
      this.#control(rtmpType.acknowledgement, numberBody(this.#received % 0x1_0000_0000))
    }
  }

  /** Ends the stream in order; nothing is sent afterwards. */
  end(): void {
    if (this.#streamId !== undefined && this.#state !== 'over') {
      this.#command(0, 'FCUnpublish', 0, null, this.#request.name)
      this.#command(0, 'deleteStream', 0, null, this.#streamId)
    }
    this.#state = 'over'
  }

  /** Takes S0, S1 and S2; answers C2. What is behind belongs to the chunks. */
  #shake(bytes: Buffer): Buffer {
    const used = bytes.copy(this.#handshake, this.#handshaken, 0, this.#handshake.length - this.#handshaken)
    this.#handshaken += used
    if (this.#handshake[0] !== version) throw new RtmpFault('not an RTMP server')
    if (!this.#answered && this.#handshaken >= 1 + handshakeLength) {
      this.#answered = true
      this.#send(Buffer.from(this.#handshake.subarray(1, 1 + handshakeLength)))
    }
    if (this.#handshaken < this.#handshake.length) return Buffer.alloc(0)
    this.#state = 'connecting'
    const { app, tcUrl, program } = this.#request
    this.#command(0, 'connect', transaction.connect, {
      app,
      type: 'nonprivate',
      flashVer: program,
      tcUrl,
    })
    return bytes.subarray(used)
  }

  #control(type: number, body: Buffer): void {
    this.#send(writeChunks({ type, streamId: 0, timestamp: 0, body }, controlChunks))
  }

  /** A smaller window than the bandwidth that a server names is within it. */
  #askToAcknowledge(): void {
    this.#control(rtmpType.windowAcknowledgementSize, numberBody(acknowledgementWindow))
  }

  #command(streamId: number, name: string, id: number, ...values: readonly Amf0Value[]): void {
    const body = writeAmf0(name, id, ...values)
    this.#send(writeChunks({ type: rtmpType.command, streamId, timestamp: 0, body }, commandChunks, this.#chunkSize))
  }

  #message({ type, body }: RtmpMessage): void {
    if (this.#state === 'over') return
    if (type === rtmpType.command) return this.#answer(readValues(body))
    if (type === rtmpType.command3) return this.#answer(readValues(body.subarray(1)))
    if (type === rtmpType.windowAcknowledgementSize && body.length >= 4)
      this.#window = Math.max(minWindow, body.readUInt32BE(0))
    else if (type === rtmpType.acknowledgement && body.length >= 4) this.#acknowledges(body.readUInt32BE(0))
    else if (type === rtmpType.setPeerBandwidth) this.#askToAcknowledge()
    else if (type === rtmpType.userControl && body.length >= 6 && body.readUInt16BE(0) === userControl.pingRequest)
      this.#control(rtmpType.userControl, userControlBody(userControl.pingResponse, body.readUInt32BE(2)))
  }

  #answer(values: readonly Amf0Value[]): void {
    const [name, id] = values
    if (name === 'onStatus') return this.#status(values[3])
    if (name === '_error') {
      // Servers that do not know these two say so, and go on.
      if (id === transaction.releaseStream || id === transaction.fcPublish) return
      return this.#refuse(values[3] ?? values[2], false)
    }
    if (name !== '_result') return
    if (this.#state === 'connecting' && id === transaction.connect) this.#connected()
    else if (this.#state === 'creating' && id === transaction.createStream) this.#created(values[3])
  }

  #connected(): void {
    this.#state = 'creating'
    this.#askToAcknowledge()
    this.#control(rtmpType.setChunkSize, numberBody(clientChunkSize))
    this.#chunkSize = clientChunkSize
    const { name } = this.#request
    this.#command(0, 'releaseStream', transaction.releaseStream, null, name)
    this.#command(0, 'FCPublish', transaction.fcPublish, null, name)
    this.#command(0, 'createStream', transaction.createStream, null)
  }

  #created(streamId: Amf0Value): void {
    if (typeof streamId !== 'number' || !Number.isInteger(streamId) || streamId < 1 || streamId > 0xffff_ffff)
      throw new RtmpFault('a stream without a number')
    this.#streamId = streamId
    this.#state = 'asking'
    this.#command(streamId, 'publish', transaction.publish, null, this.#request.name, 'live')
  }

  #status(info: Amf0Value): void {
    const { code, level } = (typeof info === 'object' && info !== null ? info : {}) as Record<string, Amf0Value>
    if (code === 'NetStream.Publish.Start' && this.#state === 'asking') {
      this.#state = 'publishing'
      return this.#outcome({ kind: 'publishing', streamId: this.#streamId! })
    }
    if (level === 'error' || /\.(?:BadName|Rejected|Denied|Failed|Closed|InvalidApp)$/.test(textOf(code)))
      this.#refuse(info, this.#state === 'asking')
  }

  #refuse(info: Amf0Value, isKey: boolean): void {
    this.#state = 'over'
    const { code, description } = (typeof info === 'object' && info !== null ? info : {}) as Record<string, Amf0Value>
    // Control characters and marks of direction could make another text of it where it is shown.
    const said = [textOf(description), textOf(code)].find((text) => text.trim() !== '') ?? ''
    const text = withoutKey(said, this.#request.name)
      .replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ')
      .slice(0, maxText)
    this.#outcome({ kind: 'refused', isKey, text })
  }
}

/** Whether an error is the peer's: a protocol error. */
export const isProtocolFault = (error: unknown): error is Error =>
  error instanceof RtmpFault || error instanceof Amf0Fault
