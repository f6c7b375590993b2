import type { Socket } from 'node:net'
import { beganWithProxyHeader } from '../../platform/proxied-socket.ts'
import type { PushEnd } from '../../contract/push-ends.ts'
import type { Amf0Value } from '../media/amf0.ts'
import { publisherBounds } from '../media/rtmp-chunk-reader.ts'
import { RtmpFault } from '../media/rtmp-message.ts'
import type { Publication } from '../hub/hub.ts'
import { PacedSink } from '../hub/paced-sink.ts'
import { playedName, readStreamAddress, type StreamAddress } from './ingest-address.ts'
import { createIngestPublisher, type CodecRefusal } from './ingest-publisher.ts'
import * as answer from './rtmp-answers.ts'
import { maxConnect, isLive, readCommand, readConnect, type ConnectSource } from './rtmp-commands.ts'
import { RtmpConnection } from './rtmp-connection.ts'
import { beginPush, busyRefusal, refusalOf } from './rtmp-begin.ts'
import type { PlayerEntry, SessionHost } from './rtmp-session-host.ts'

/** Commands taken from a stranger. */
const strangerCommands = 64
/** Chunks taken from a stranger: a command of 64 KiB has 512 of the initial size. */
const strangerChunks = 1024

/** An RTMP session: commands, then a publisher or a player. */
export class RtmpSession extends RtmpConnection {
  readonly #host: SessionHost<RtmpSession>
  #source: ConnectSource = { app: '', tcUrl: '', encoder: undefined }
  #stream = false
  #commands = 0
  #publishing: { readonly publication: Publication; readonly address: StreamAddress } | undefined
  #held: StreamAddress | undefined
  /** Whether this player may watch is being checked, or other nodes are asked for a push. */
  #asking = false
  /** Once it plays. Answers come between its messages, so that these are not cut. */
  #sink: PacedSink | undefined

  constructor(socket: Socket, host: SessionHost<RtmpSession>) {
    super(socket, host)
    this.#host = host
    this.chunks.allowance = strangerChunks
  }

  protected gone(): void {
    this.#release('lost')
    this.isOver = true
    this.#host.closed(this)
  }

  /** Call several times a second: answers delayed publishers and enforces time limits. */
  tick(now: number): void {
    const held = this.#held
    if (held && now >= this.#host.holds.until(held.cid) && this.#host.pace.wait(held.cid) === 0)
      this.guarded(() => this.#publish(held))
    if (this.deadline === undefined || now < this.deadline) return
    if (this.#held) this.#tooOften(this.#held)
    else this.socket.destroy()
  }

  /** Reports a publisher delayed for the full stranger's time, so that the channel shows why it is not on air. */
  #tooOften({ cid }: StreamAddress): void {
    const text = 'The pushes of this channel begin too often; they are let in once a second.'
    this.#host.hub.refused(cid, 'pace', text, this.remote)
    this.close(answer.publishRefused('Failed', text))
  }

  /** Sends `farewell` and closes; all earlier output is sent first. */
  close(farewell?: Buffer): void {
    if (this.isOver) return
    this.#release('lost')
    this.isOver = true
    this.deadline = this.#host.clock.monotonic() + this.#host.patience.closing
    this.socket.end(farewell ?? Buffer.alloc(0))
  }

  shutDown(): void {
    const publishing = this.#publishing !== undefined
    this.#release('closed', 'closing')
    this.close(publishing ? answer.pushCut('closing') : undefined)
  }

  protected refuseCodec({ track, codec }: CodecRefusal): void {
    const { cid } = this.#publishing!.address
    const text = answer.codecTexts[track](codec)
    this.#host.holds.hold(cid)
    this.#host.log.info({ cid, remote: this.remote, codec }, 'a push was refused for its codec')
    this.#release('closed', 'codec')
    this.#host.hub.refused(cid, track === 'video' ? 'hevc' : 'aac', text, this.remote)
    this.close(answer.publishRefused('Rejected', text))
  }

  protected command(body: Buffer): void {
    if (!this.#publishing && !this.leave && ++this.#commands > strangerCommands)
      throw new RtmpFault('too many commands')
    const { name, transaction, subject, values } = readCommand(body)
    if (name === 'connect') return this.#connect(transaction, subject, body)
    if (!this.isConnected) throw new RtmpFault('a command before connect')
    switch (name) {
      case 'createStream':
        this.#stream = true
        return this.send(answer.command(0, '_result', transaction, null, answer.mediaStreamId))
      case 'releaseStream':
      case 'FCPublish':
      case 'getStreamLength':
      case '_checkbw':
        return this.send(answer.command(0, '_result', transaction, null, name === 'getStreamLength' ? 0 : undefined))
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
    if (this.isConnected) throw new RtmpFault('a second connect')
    this.#source = readConnect(subject)
    if (!isLive(this.#source.app) || body.length > maxConnect) return this.close(answer.connectInvalid(transaction))
    this.isConnected = true
    this.send(Buffer.concat([answer.connectPreamble(), answer.connectAccepted(transaction)]))
  }

  #onPublish(name: Amf0Value): void {
    if (!this.#stream || this.#publishing || this.leave || this.#held || this.#asking)
      throw new RtmpFault('publish out of order')
    const address = this.#addressOf(name)
    if (address) this.#publish(address)
    else this.close(answer.publishRefused('Rejected', answer.wrongKey))
  }

  #addressOf(name: Amf0Value): StreamAddress | undefined {
    return typeof name === 'string' ? readStreamAddress(this.#source.app, this.#source.tcUrl, name) : undefined
  }

  #publish(address: StreamAddress): void {
    const { clock, holds, pace } = this.#host
    const { cid } = address
    if (holds.until(cid) > clock.monotonic() || pace.wait(cid) > 0) {
      this.#held = address
      return
    }
    this.#held = undefined
    beginPush(this.#host, address, {
      remote: this.remote,
      isGone: () => this.isOver || this.socket.destroyed || !this.#stream,
      begin: () => this.#begin(address),
      asking: (isAsking) => (this.#asking = isAsking),
      begun: (publication) => void this.guarded(() => this.#begun(address, publication)),
      failed: () => this.socket.destroy(),
    })
  }

  /** Goes on with a push that began, or sends the farewell of a refused one. */
  #begun(address: StreamAddress, publication: Publication | Buffer): void {
    const { clock, pace, log } = this.#host
    const { cid } = address
    if (Buffer.isBuffer(publication)) return this.close(publication)
    pace.spend(cid)
    const reconfigured = (): void => {
      if (pace.wait(cid) > 0) throw new RtmpFault('decoder configurations that change too often')
      pace.spend(cid)
    }
    const mustWait = (): boolean => {
      this.share.spend()
      return this.share.isSpent
    }
    this.publisher = createIngestPublisher({ target: publication, clock, reconfigured, mustWait })
    this.#publishing = { publication, address }
    this.chunks.bounds = publisherBounds
    this.chunks.allowance = Infinity
    this.deadline = undefined
    log.info({ cid, remote: this.remote }, 'a push began')
    publication.onCut = (reason) => this.close(answer.pushCut(reason))
    this.send(answer.publishAccepted())
  }

  /** Admits a publisher and begins its push. Returns the farewell of a refused one; the log and the hub know why. */
  #begin(address: StreamAddress): Publication | Buffer {
    const host = this.#host
    const { remote } = this
    const { encoder } = this.#source
    const refused = refusalOf(host, address, remote)
    if (refused) return refused
    if (!host.admit(this, 'publisher')) return answer.publishRefused('Failed', 'Too many encoders are on air here.')
    const publication = host.hub.publish(address.cid, { remote, ...(encoder !== undefined && { encoder }) })
    if (publication !== 'busy') return publication
    host.released(this)
    return busyRefusal(host, address.cid, remote)
  }

  #play(name: Amf0Value): void {
    if (!this.#stream || this.#publishing || this.leave || this.#held || this.#asking)
      throw new RtmpFault('play out of order')
    const address = this.#addressOf(playedName(name))
    if (!address || !this.#host.gate.mayPlay(address.cid)) return this.#nothingOnAir()
    const { doors } = this.#host
    if (!doors) return this.#startPlaying(address.cid, undefined)
    this.#asking = true
    // The doors bound how long they ask; it may wait for its turn.
    this.deadline = undefined
    const player = {
      remote: this.remote,
      passedOn: beganWithProxyHeader(this.socket),
      host: URL.parse(this.#source.tcUrl.replace(/^rtmps?:/, 'http:'))?.host ?? '',
      link: address.link,
      passphrase: address.passphrase,
      isGone: () => this.isOver || this.socket.destroyed,
    }
    doors.askRtmp(address.cid, player).then(
      (entry) =>
        this.guarded(() => {
          this.#asking = false
          if (this.isOver || this.socket.destroyed) return
          if (entry.ok) this.#startPlaying(address.cid, entry)
          else this.close(answer.playRefused('Failed', entry.sentence))
        }),
      (error: unknown) => {
        this.#host.log.warn({ err: error, cid: address.cid }, 'a player could not be checked')
        this.socket.destroy()
      },
    )
  }

  #nothingOnAir(): void {
    this.close(answer.playRefused('StreamNotFound', 'Nothing is on air here.'))
  }

  #startPlaying(cid: string, entry: Extract<PlayerEntry, { ok: true }> | undefined): void {
    if (!this.#host.admit(this, 'player')) return this.close(answer.playRefused('Failed', 'Too many players are here.'))
    const sink = (this.#sink ??= new PacedSink(this.socket, { canCut: false }))
    const before = sink.given
    const leaveDoor = entry?.enter({
      end: () => this.close(answer.playRefused('Failed', 'This channel is not for you any more.')),
      sent: () => sink.given - before,
    })
    if (entry && !leaveDoor) {
      this.#host.released(this)
      return this.close(answer.playRefused('Failed', entry.noRoom()))
    }
    const leave = this.#host.players.join(cid, {
      sink,
      stuck: () => this.socket.destroy(),
      over: () => {
        this.leave = () => leaveDoor?.(true)
        this.deadline = this.#host.clock.monotonic() + this.#host.patience.closing
        sink.end(() => this.close(answer.playOver()))
      },
    })
    if (!leave) {
      leaveDoor?.(true)
      this.#host.released(this)
      return this.#nothingOnAir()
    }
    this.leave = () => {
      leave()
      sink.clear()
      leaveDoor?.()
    }
    // Queues write after this turn, so the answers precede the first media.
    this.socket.write(answer.playAccepted())
    this.deadline = undefined
  }

  #endStream(): void {
    const published = this.#publishing !== undefined
    this.#stream = false
    if (this.#release('closed') && published)
      this.send(answer.status('status', 'NetStream.Unpublish.Success', 'The broadcast has ended.'))
  }

  /** Releases the role of the connection; false if it had none. */
  #release(reason: 'lost' | 'closed', why?: PushEnd): boolean {
    const publishing = this.#publishing
    const { leave, publisher } = this
    this.#publishing = undefined
    this.publisher = undefined
    this.leave = undefined
    this.#held = undefined
    leave?.()
    if (publishing && publisher) {
      const { publication, address } = publishing
      publication.onCut = undefined
      publication.end(reason, why)
      this.guarded(() => this.#host.gate.released(address.cid, address, publisher.lastPacketAt))
      this.#host.log.info({ cid: address.cid, remote: this.remote, reason }, 'a push ended')
    }
    if (!publishing && !leave) return false
    // A publisher with a valid key may start again, at the rate of its channel; a player could send commands without
    // end.
    if (publishing) {
      this.#commands = 0
      this.chunks.allowance = strangerChunks
    }
    this.deadline = this.#host.clock.monotonic() + this.#host.patience.stranger
    this.#host.released(this)
    return true
  }
}
