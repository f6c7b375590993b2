import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { Amf0Fault } from '../media/amf0.ts'
import { ChunkReader } from '../media/rtmp-chunk-reader.ts'
import { ServerHandshake } from '../media/rtmp-handshake.ts'
import { RtmpFault, rtmpType, userControl, type RtmpMessage } from '../media/rtmp-message.ts'
import type { CodecRefusal, IngestPublisher } from './ingest-publisher.ts'
import { PeerInflow } from '../media/peer-inflow.ts'
import * as answer from './rtmp-answers.ts'
import type { SessionHost } from './rtmp-session-host.ts'
import { TurnShare } from '../hub/turn-share.ts'
import { plainAddress } from '../../platform/plain-address.ts'

/** Answers that the peer has not read; bytes. Media is limited by the queue. */
const maxAnswers = 256 * 1024
/** Smallest acknowledgement window that is accepted; bytes. */
const minWindow = 4096

/** Handshake, chunks, acknowledgements and bounds. Extended by its session: packets pass no further call. */
export abstract class RtmpConnection {
  readonly socket: Socket
  readonly remote: string
  /** Closed at this time unless it publishes or plays by then; ms. */
  deadline: number | undefined
  protected readonly chunks: ChunkReader
  /** Set while it publishes. */
  protected publisher: IngestPublisher | undefined
  /** Set while it plays: leaves the channel. */
  protected leave: (() => void) | undefined
  protected isConnected = false
  /** It ends: input is dropped, nothing is sent. */
  protected isOver = false
  readonly #host: Pick<SessionHost<never>, 'turn' | 'log' | 'strangerLines'>
  readonly #handshake: ServerHandshake
  #received = 0
  #mediaTime = 0
  #unsent = 0
  readonly #inflow: PeerInflow
  #acknowledged = 0
  #window = answer.acknowledgementWindow
  /** The rest of this event-loop turn, and the bytes for the next one. */
  protected readonly share: TurnShare
  #rest: Buffer | undefined
  /** Whether the share was spent after the last message; undefined before the first. */
  #isSpent: boolean | undefined

  constructor(
    socket: Socket,
    host: Pick<SessionHost<never>, 'clock' | 'patience' | 'random' | 'turn' | 'log' | 'strangerLines'>,
  ) {
    this.socket = socket
    this.remote = plainAddress(socket.remoteAddress)
    this.#host = host
    this.deadline = host.clock.monotonic() + host.patience.stranger
    this.share = new TurnShare(host.clock)
    this.#handshake = new ServerHandshake((bytes) => this.send(bytes), host.random)
    this.chunks = new ChunkReader((message) => this.#taken(message))
    this.#inflow = new PeerInflow(host.clock, this.chunks)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 30_000)
    socket.on('data', (bytes: Buffer) => this.#data(bytes))
    // 'close' follows.
    socket.on('error', () => undefined)
    socket.on('close', () => this.gone())
  }

  protected abstract command(body: Buffer): void
  /** Ends a push whose codec cannot be broadcast. */
  protected abstract refuseCodec(refusal: CodecRefusal): void
  /** The socket was closed. */
  protected abstract gone(): void

  /** Timestamp of the newest message of its push, in ms, 32 bits; undefined if not publishing. */
  get mediaTime(): number | undefined {
    return this.publisher && this.#mediaTime
  }

  #data(bytes: Buffer): void {
    // Input of a closing peer is read and dropped: unread data would reset the connection and lose the farewell.
    if (this.isOver) return
    this.#received += bytes.length
    const fine = this.guarded(() => {
      if (this.leave) this.#inflow.take(bytes.length)
      const used = this.#handshake.done ? 0 : this.#handshake.push(bytes)
      if (used < bytes.length) this.#take(used === 0 ? bytes : bytes.subarray(used))
    })
    if (!fine) return
    if (this.#received - this.#acknowledged >= this.#window / 2 && this.isConnected && !this.isOver) {
      this.#acknowledged = this.#received
      this.send(answer.acknowledgement(this.#received))
    }
  }

  /** Takes messages while all connections together have work left in this turn. */
  #take(bytes: Buffer): void {
    const { turn } = this.#host
    if (turn.isSpent) this.#wait(bytes)
    else turn.work(() => this.#read(bytes))
  }

  #wait(bytes: Buffer): void {
    this.#rest = bytes
    this.socket.pause()
    this.#host.turn.later(() => this.#goOn())
  }

  /** Takes messages while this connection has work left in this turn; the rest waits for the next. */
  #read(bytes: Buffer): void {
    this.share.begin()
    this.#isSpent = undefined
    const { publisher } = this
    if (publisher?.isWaiting) this.#answered(publisher.goOn())
    const used = publisher?.isWaiting ? 0 : this.chunks.push(bytes)
    // Checked after each message; the clock is read no more often.
    if (this.#isSpent ?? this.share.isSpent) this.#wait(bytes.subarray(used))
  }

  #goOn(): void {
    const rest = this.#rest
    this.#rest = undefined
    if (rest && !this.isOver && !this.guarded(() => this.#take(rest))) return
    if (!this.#rest) this.socket.resume()
  }

  /** Disconnects the peer on any error, its or ours. */
  protected guarded(act: () => void): boolean {
    try {
      act()
      return true
    } catch (error) {
      // Violations by the peer are expected; anything else is a fault of ours.
      const isKnown = error instanceof RtmpFault || error instanceof Amf0Fault
      const about = { remote: this.remote, ...(isKnown ? { reason: error.message } : { err: error }) }
      // Over TLS it is a monitor of certificates or a scanner; without, it may be an encoder that was told to use TLS.
      const isProbe = isKnown && !this.#handshake.done && this.socket instanceof TLSSocket
      const level = isProbe ? 'debug' : isKnown ? 'info' : 'warn'
      const write = (leftOut: object): void =>
        this.#host.log[level]({ ...about, ...leftOut }, 'an RTMP peer was disconnected')
      if (this.publisher || this.leave) write({})
      else this.#host.strangerLines.line(write)
      this.socket.destroy()
      return false
    }
  }

  protected send(bytes: Buffer): void {
    if (this.isOver) return
    this.#unsent += bytes.length
    if (this.#unsent > maxAnswers) {
      this.socket.destroy()
      return
    }
    this.socket.write(bytes, () => {
      this.#unsent -= bytes.length
    })
  }

  #taken(message: RtmpMessage): void {
    this.share.spend()
    this.#message(message)
    this.#isSpent = this.share.isSpent
    if (this.#isSpent || this.publisher?.isWaiting) this.chunks.stop()
  }

  #message(message: RtmpMessage): void {
    if (this.isOver) return
    const { type, body } = message
    switch (type) {
      case rtmpType.command:
        return this.command(body)
      case rtmpType.command3:
        return this.command(body.subarray(1))
      case rtmpType.userControl:
        if (body.length >= 6 && body.readUInt16BE(0) === userControl.pingRequest)
          this.send(answer.userControlMessage(userControl.pingResponse, body.readUInt32BE(2)))
        return
      case rtmpType.windowAcknowledgementSize:
        if (body.length >= 4) this.#window = Math.max(minWindow, body.readUInt32BE(0))
        return
      case rtmpType.setPeerBandwidth:
        if (body.length >= 4) this.send(answer.windowSize(body.readUInt32BE(0)))
        return
      default:
        this.#mediaTime = message.timestamp
        this.#answered(this.publisher?.message(message))
    }
  }

  #answered(refusal: CodecRefusal | undefined): void {
    if (refusal && this.publisher) this.refuseCodec(refusal)
  }
}
