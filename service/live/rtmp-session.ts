import type { Socket } from 'node:net'
import type { PushEnd } from '../../contract/push-ends.ts'
import type { Amf0Value } from '../media/amf0.ts'
import { readAmf0 } from '../media/amf0-reader.ts'
import { ChunkReader, publisherBounds, strangerBounds } from '../media/rtmp-chunk-reader.ts'
import { ServerHandshake } from '../media/rtmp-handshake.ts'
import { RtmpFault, rtmpType, userControl, type RtmpMessage } from '../media/rtmp-message.ts'
import type { Publication } from './hub.ts'
import { logDisconnected } from './rtmp-disconnected.ts'
import { readStreamAddress, type StreamAddress } from './ingest-address.ts'
import { createIngestPublisher, encoderName, type CodecRefusal, type IngestPublisher } from './ingest-publisher.ts'
import { PlayerInflow } from './player-inflow.ts'
import { TurnShare } from './turn-share.ts'
import * as answer from './rtmp-answers.ts'
import type { SessionHost } from './rtmp-session-host.ts'

/** Answers that the peer has not read; bytes. Media is limited by the queue. */
const answersMax = 256 * 1024
/** Commands taken from a stranger. */
const strangerCommands = 64
/** Chunks taken from a stranger: a command of 64 KiB has 512 of the initial size. */
const strangerChunks = 1024
/** Smallest acknowledgement window that is accepted; bytes. */
const windowMin = 4096

/** An RTMP connection: handshake, commands, then a publisher or a player. */
export class RtmpSession {
  readonly socket: Socket
  readonly remote: string
  /** Closed at this time unless it publishes or plays by then; ms. */
  deadline: number | undefined
  readonly #host: SessionHost<RtmpSession>
  readonly #handshake: ServerHandshake
  readonly #chunks: ChunkReader
  #app = ''
  #tcUrl = ''
  #encoder: string | undefined
  #connected = false
  #stream = false
  #commands = 0
  #received = 0
  #mediaTime = 0
  /** Bytes of unsent answers. */
  #unsent = 0
  readonly #inflow: PlayerInflow
  #acknowledged = 0
  #window = answer.acknowledgementWindow
  #publishing:
    | { readonly publication: Publication; readonly publisher: IngestPublisher; readonly address: StreamAddress }
    | undefined
  #held: StreamAddress | undefined
  #leave: (() => void) | undefined
  #over = false
  /** The rest of this event-loop turn, and the bytes for the next one. */
  readonly #share: TurnShare
  #rest: Buffer | undefined
  /** Whether the share was spent after the last message; undefined before the first. */
  #isSpent: boolean | undefined

  constructor(socket: Socket, host: SessionHost<RtmpSession>) {
    this.socket = socket
    this.remote = socket.remoteAddress ?? ''
    this.#host = host
    this.deadline = host.monotonic() + host.patience.stranger
    this.#share = new TurnShare(host.monotonic)
    this.#handshake = new ServerHandshake((bytes) => this.#send(bytes), host.random)
    this.#chunks = new ChunkReader((message) => this.#taken(message))
    this.#chunks.allowance = strangerChunks
    this.#inflow = new PlayerInflow(host.monotonic, this.#chunks)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 30_000)
    socket.on('data', (bytes: Buffer) => this.#data(bytes))
    // 'close' follows.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.#release('lost')
      this.#over = true
      host.closed(this)
    })
  }

  /** Call several times a second: answers delayed publishers and enforces time limits. */
  tick(now: number): void {
    const held = this.#held
    if (held && now >= this.#host.holds.until(held.cid) && this.#host.pace.wait(held.cid) === 0)
      this.#guarded(() => this.#publish(held))
    if (this.deadline === undefined || now < this.deadline) return
    if (this.#held) this.#tooOften(this.#held)
    else this.socket.destroy()
  }

  /** Timestamp of the newest message of its push, in ms, 32 bits; undefined if not publishing. */
  get mediaTime(): number | undefined {
    return this.#publishing && this.#mediaTime
  }

  /** Reports a publisher delayed for the full stranger's time, so that the channel shows why it is not on air. */
  #tooOften({ cid }: StreamAddress): void {
    const text = 'The pushes of this channel begin too often; they are let in once a second.'
    this.#host.hub.refused(cid, 'pace', text, this.remote)
    this.close(answer.status('error', 'NetStream.Publish.Failed', text))
  }

  /** Sends `farewell` and closes; all earlier output is sent first. */
  close(farewell?: Buffer): void {
    if (this.#over) return
    this.#release('lost')
    this.#over = true
    this.deadline = this.#host.monotonic() + this.#host.patience.closing
    this.socket.end(farewell ?? Buffer.alloc(0))
  }

  /** Orderly end at shutdown. */
  shutDown(): void {
    const publishing = this.#publishing !== undefined
    this.#release('closed', 'closing')
    this.close(publishing ? answer.status('error', 'NetStream.Publish.Failed', 'The service is closing.') : undefined)
  }

  #data(bytes: Buffer): void {
    // Input of a closing peer is read and dropped: unread data would reset the connection and lose the farewell.
    if (this.#over) return
    this.#received += bytes.length
    const fine = this.#guarded(() => {
      if (this.#leave) this.#inflow.take(bytes.length)
      const used = this.#handshake.done ? 0 : this.#handshake.push(bytes)
      if (used < bytes.length) this.#take(used === 0 ? bytes : bytes.subarray(used))
    })
    if (!fine) return
    if (this.#received - this.#acknowledged >= this.#window / 2 && this.#connected && !this.#over) {
      this.#acknowledged = this.#received
      this.#send(answer.acknowledgement(this.#received))
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
    this.#share.begin()
    this.#isSpent = undefined
    const publisher = this.#publishing?.publisher
    if (publisher?.isWaiting) this.#answered(publisher.goOn())
    const used = publisher?.isWaiting ? 0 : this.#chunks.push(bytes)
    // Checked after each message; the clock is read no more often.
    if (this.#isSpent ?? this.#share.isSpent) this.#wait(bytes.subarray(used))
  }

  #goOn(): void {
    const rest = this.#rest
    this.#rest = undefined
    if (rest && !this.#over && !this.#guarded(() => this.#take(rest))) return
    if (!this.#rest) this.socket.resume()
  }

  /** Disconnects the peer on any error, its or ours. */
  #guarded(act: () => void): boolean {
    try {
      act()
      return true
    } catch (error) {
      const write = (leftOut: object): void => logDisconnected(this.#host.log, this.remote, error, leftOut)
      if (this.#publishing || this.#leave) write({})
      else this.#host.strangerLines.line(write)
      this.socket.destroy()
      return false
    }
  }

  #send(bytes: Buffer): void {
    if (this.#over) return
    this.#unsent += bytes.length
    if (this.#unsent > answersMax) {
      this.socket.destroy()
      return
    }
    this.socket.write(bytes, () => {
      this.#unsent -= bytes.length
    })
  }

  #taken(message: RtmpMessage): void {
    this.#share.spend()
    this.#message(message)
    this.#isSpent = this.#share.isSpent
    if (this.#isSpent || this.#publishing?.publisher.isWaiting) this.#chunks.stop()
  }

  #message(message: RtmpMessage): void {
    if (this.#over) return
    const { type, body } = message
    switch (type) {
      case rtmpType.command:
        return this.#command(body)
      case rtmpType.command3:
        return this.#command(body.subarray(1))
      case rtmpType.userControl:
        if (body.length >= 6 && body.readUInt16BE(0) === userControl.pingRequest)
          this.#send(answer.userControlMessage(userControl.pingResponse, body.readUInt32BE(2)))
        return
      case rtmpType.windowAcknowledgementSize:
        if (body.length >= 4) this.#window = Math.max(windowMin, body.readUInt32BE(0))
        return
      case rtmpType.setPeerBandwidth:
        if (body.length >= 4) this.#send(answer.windowSize(body.readUInt32BE(0)))
        return
      default:
        this.#mediaTime = message.timestamp
        this.#answered(this.#publishing?.publisher.message(message))
    }
  }

  #answered(refusal: CodecRefusal | undefined): void {
    if (refusal && this.#publishing) this.#refuseCodec(this.#publishing.address, refusal)
  }

  #refuseCodec({ cid }: StreamAddress, { track, codec }: CodecRefusal): void {
    const text =
      track === 'video'
        ? `${codec} video cannot be broadcast here. Set the encoder to H.264 (in OBS: Settings, Output, Video Encoder), then start again.`
        : `${codec} audio cannot be broadcast here. Set the audio encoder to AAC, then start again.`
    this.#host.holds.hold(cid)
    this.#host.log.info({ cid, remote: this.remote, codec }, 'a push was refused for its codec')
    this.#release('closed', 'codec')
    this.#host.hub.refused(cid, track === 'video' ? 'hevc' : 'aac', text, this.remote)
    this.close(answer.status('error', 'NetStream.Publish.Rejected', text))
  }

  #command(body: Buffer): void {
    if (!this.#publishing && !this.#leave && ++this.#commands > strangerCommands)
      throw new RtmpFault('too many commands')
    if (body.length > strangerBounds.message) throw new RtmpFault('a command over the limit')
    const [name, transaction, subject, ...values] = readAmf0(body)
    const number = typeof transaction === 'number' ? transaction : 0
    if (name === 'connect') return this.#connect(number, subject, body)
    if (!this.#connected) throw new RtmpFault('a command before connect')
    switch (name) {
      case 'createStream':
        this.#stream = true
        return this.#send(answer.command(0, '_result', number, null, answer.mediaStreamId))
      case 'releaseStream':
      case 'FCPublish':
      case 'getStreamLength':
      case '_checkbw':
        return this.#send(answer.command(0, '_result', number, null, name === 'getStreamLength' ? 0 : undefined))
      case 'FCUnpublish':
      case 'closeStream':
      case 'deleteStream':
        return this.#endStream()
      case 'publish':
        return this.#onPublish(values[0])
      case 'play':
        return this.#play(values[0])
      default:
    }
  }

  #connect(transaction: number, subject: Amf0Value, body: Buffer): void {
    if (this.#connected) throw new RtmpFault('a second connect')
    const member = (name: string): string => {
      const value =
        typeof subject === 'object' && subject !== null && Object.hasOwn(subject, name)
          ? (subject as Record<string, Amf0Value>)[name]
          : undefined
      return typeof value === 'string' ? value : ''
    }
    this.#app = member('app')
    this.#tcUrl = member('tcUrl')
    this.#encoder = encoderName(member('flashVer'))
    if (!/^live(?:[/?\\%]|$)/.test(this.#app) || body.length > 16 * 1024) {
      return this.close(
        Buffer.concat([
          answer.connectPreamble(),
          answer.connectRefused(
            transaction,
            'NetConnection.Connect.InvalidApp',
            'There is no such application here; the server address ends with /live.',
          ),
        ]),
      )
    }
    this.#connected = true
    this.#send(Buffer.concat([answer.connectPreamble(), answer.connectAccepted(transaction)]))
  }

  #onPublish(name: Amf0Value): void {
    if (!this.#stream || this.#publishing || this.#leave || this.#held) throw new RtmpFault('publish out of order')
    const address = typeof name === 'string' ? readStreamAddress(this.#app, this.#tcUrl, name) : undefined
    if (!address)
      return this.close(
        answer.status(
          'error',
          'NetStream.Publish.Rejected',
          'The stream key is not one of this service; copy it again.',
        ),
      )
    this.#publish(address)
  }

  #publish(address: StreamAddress): void {
    const { hub, gate, clock, monotonic, holds, pace, log, strangerLines } = this.#host
    const { cid } = address
    if (holds.until(cid) > monotonic() || pace.wait(cid) > 0) {
      this.#held = address
      return
    }
    this.#held = undefined
    const admission = gate.admit(cid, address)
    if (!admission.ok) {
      const about = { ...(admission.remedy !== 'unknown' && { cid }), remote: this.remote, remedy: admission.remedy }
      strangerLines.line((leftOut) => log.info({ ...about, ...leftOut }, 'a push was refused'))
      if (admission.remedy !== 'unknown') hub.refused(cid, admission.remedy, admission.reason, this.remote)
      // Without a key, a peer does not learn whether the channel exists.
      const text =
        admission.remedy === 'unknown' || admission.remedy === 'key'
          ? 'The stream key is not one of this service; copy it again.'
          : admission.reason
      return this.close(answer.status('error', 'NetStream.Publish.Rejected', text))
    }
    if (!this.#host.admit(this, 'publisher'))
      return this.close(answer.status('error', 'NetStream.Publish.Failed', 'Too many encoders are on air here.'))
    const publication = hub.publish(cid, {
      remote: this.remote,
      ...(this.#encoder !== undefined && { encoder: this.#encoder }),
    })
    if (publication === 'busy') {
      this.#host.released(this)
      const text = 'Another encoder is on air with this stream key.'
      hub.refused(cid, 'busy', text, this.remote)
      return this.close(answer.status('error', 'NetStream.Publish.BadName', text))
    }
    pace.spend(cid)
    const reconfigured = (): void => {
      if (pace.wait(cid) > 0) throw new RtmpFault('decoder configurations that change too often')
      pace.spend(cid)
    }
    const mustWait = (): boolean => {
      this.#share.spend()
      return this.#share.isSpent
    }
    this.#publishing = {
      publication,
      publisher: createIngestPublisher({ target: publication, clock, monotonic, reconfigured, mustWait }),
      address,
    }
    this.#chunks.bounds = publisherBounds
    this.#chunks.allowance = Infinity
    this.deadline = undefined
    log.info({ cid, remote: this.remote }, 'a push began')
    publication.onCut = (reason) => this.close(answer.pushCut(reason))
    this.#send(
      Buffer.concat([
        answer.userControlMessage(userControl.streamBegin, answer.mediaStreamId),
        answer.status('status', 'NetStream.Publish.Start', 'On air.'),
      ]),
    )
  }

  #play(name: Amf0Value): void {
    if (!this.#stream || this.#publishing || this.#leave || this.#held) throw new RtmpFault('play out of order')
    const address = typeof name === 'string' ? readStreamAddress(this.#app, this.#tcUrl, name) : undefined
    const missing = (): void =>
      this.close(answer.status('error', 'NetStream.Play.StreamNotFound', 'Nothing is on air here.'))
    if (!address || !this.#host.gate.mayPlay(address.cid)) return missing()
    if (!this.#host.admit(this, 'player'))
      return this.close(answer.status('error', 'NetStream.Play.Failed', 'Too many players are here.'))
    this.#leave = this.#host.players.join(address.cid, {
      sink: this.socket,
      stuck: () => this.socket.destroy(),
      over: () => {
        this.#leave = undefined
        this.close(answer.playOver())
      },
    })
    if (!this.#leave) {
      this.#host.released(this)
      return missing()
    }
    // Queues write after this turn, so the answers precede the first media.
    this.socket.write(answer.playAccepted())
    this.deadline = undefined
  }

  /** The peer ended its stream. */
  #endStream(): void {
    const published = this.#publishing !== undefined
    this.#stream = false
    if (this.#release('closed') && published)
      this.#send(answer.status('status', 'NetStream.Unpublish.Success', 'The broadcast has ended.'))
  }

  /** Releases the role of the connection; false if it had none. */
  #release(reason: 'lost' | 'closed', why?: PushEnd): boolean {
    const publishing = this.#publishing
    const leave = this.#leave
    this.#publishing = undefined
    this.#leave = undefined
    this.#held = undefined
    leave?.()
    if (publishing) {
      publishing.publication.onCut = undefined
      publishing.publication.end(reason, why)
      this.#guarded(() =>
        this.#host.gate.released(publishing.address.cid, publishing.address, publishing.publisher.lastPacketAt),
      )
      this.#host.log.info({ cid: publishing.address.cid, remote: this.remote, reason }, 'a push ended')
    }
    if (!publishing && !leave) return false
    // A publisher with a valid key may start again, at the rate of its channel; a player could send commands without
    // end.
    if (publishing) {
      this.#commands = 0
      this.#chunks.allowance = strangerChunks
    }
    this.deadline = this.#host.monotonic() + this.#host.patience.stranger
    this.#host.released(this)
    return true
  }
}
