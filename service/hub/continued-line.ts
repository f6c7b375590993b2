import { silentSound, type SilentSound } from '../media/aac-silence.ts'
import type { MediaPacket } from '../timeline/packet.ts'

/** Interval of the repeated key frame, in ms. */
export const heldPictureEvery = 1000
/** Longest part that is filled at once; a longer one is a sleep of the process and stays a gap. In ms. */
const longestFill = 15_000
/** A track that is further behind when a hold begins is not filled. In ms. */
const longestLag = 2000
/** Least time between two pictures where a hold begins or ends; ms. */
const leastStep = 34
/** Missing sound that is replaced by silence at the end of a hold; ms. */
const longestMend = 500
/** By how much a picture is shown after its decoding time; ms. */
const shownLater = (packet: MediaPacket | undefined): number =>
  packet && packet.body.length >= 5 ? packet.body.readIntBE(2, 3) : 0
/** Bytes before the record in an AAC body. */
const aacHeader = 2

/**
 * One timeline over parts with timestamps of their own. Between parts the last key frame is repeated once a second,
 * with silence. Times never go back per track, and the tracks keep their distance, as both are moved alike.
 */
export class ContinuedLine {
  readonly #give: (packet: MediaPacket, held: boolean) => void
  #offset = 0
  #isContinued = false
  #key: MediaPacket | undefined
  #audioBody: Buffer | undefined
  #silence: SilentSound | undefined
  #silentBody: Buffer | undefined
  /** Last times given out; -1 before the first. */
  #video = -1
  /** Latest time at which a picture is shown. */
  #shown = -1
  #audio = -1
  #data = 0
  /** Sound of the new part up to this time would overlap with the silence. */
  #soundFrom = -Infinity
  /** The silence is still to be continued up to the first sound of the new part. */
  #isMending = false
  #nextPicture = 0
  #nextSound = 0

  constructor(give: (packet: MediaPacket, held: boolean) => void) {
    this.#give = give
  }

  /** Latest time given out. */
  get head(): number {
    return Math.max(this.#video, this.#audio, 0)
  }

  /** There is a picture or silence to be held. */
  get canHold(): boolean {
    return this.#key !== undefined || (this.#video < 0 && this.#audio >= 0 && this.#silence !== undefined)
  }

  /** Whether a new part begins with this packet: a key frame, or any sound where there was no picture. */
  begins(packet: MediaPacket): boolean {
    return packet.keyFrame || (this.#key === undefined && packet.kind === 'audio' && !packet.configuration)
  }

  /** Passes a packet on, at its place on the line. */
  pass(packet: MediaPacket): void {
    const { kind, configuration } = packet
    if (kind === 'audio' && configuration) this.#configure(packet)
    if (kind === 'video' && !configuration && packet.keyFrame) this.#key = packet
    const wanted = packet.timestamp + this.#offset
    const last = kind === 'video' ? this.#video : kind === 'audio' ? this.#audio : this.#data
    if (kind === 'audio' && !configuration) {
      if (wanted < this.#soundFrom) return
      if (this.#isMending) this.#mend(wanted, packet.arrived)
    }
    const timestamp = this.#isContinued ? Math.max(wanted, last) : wanted
    if (!configuration) {
      if (kind === 'video') this.#sent(timestamp, packet)
      else if (kind === 'audio') this.#audio = timestamp
      else this.#data = timestamp
    }
    this.#give(timestamp === packet.timestamp ? packet : { ...packet, timestamp }, false)
  }

  /** Begins to hold, at a time of the line; `arrived` in ms since 1970. */
  hold(place: number, arrived: number): void {
    this.#nextPicture = Math.max(this.#afterVideo(this.#key), this.head)
    const frame = this.#silence?.duration ?? 0
    this.#nextSound = Math.max(this.#audio + frame, place - longestFill, this.head - longestLag)
    this.advance(place, arrived)
  }

  /** Gives out what is due before a time of the line. */
  advance(place: number, arrived: number): void {
    if (place - this.#nextPicture > longestFill) this.#nextPicture = place
    if (place - this.#nextSound > longestFill) this.#nextSound = place
    const key = this.#key
    const silence = this.#silence
    const body = this.#silentBody
    for (;;) {
      const isPictureDue = key !== undefined && this.#nextPicture <= place
      const isSoundDue = silence !== undefined && body !== undefined && this.#nextSound <= place
      if (isPictureDue && (!isSoundDue || this.#nextPicture <= this.#nextSound)) {
        this.#sent(Math.round(this.#nextPicture), key)
        this.#nextPicture += heldPictureEvery
        this.#give({ ...key, timestamp: this.#video, arrived }, true)
      } else if (isSoundDue) this.#beSilent(silence, body, arrived)
      else return
    }
  }

  #sent(timestamp: number, packet: MediaPacket): void {
    this.#video = timestamp
    this.#shown = Math.max(this.#shown, timestamp + shownLater(packet))
  }

  /** Earliest time of a picture that is shown after all others, also if the last ones lack those shown before them. */
  #afterVideo(packet: MediaPacket | undefined): number {
    return Math.max(this.#video, this.#shown - shownLater(packet)) + leastStep
  }

  #beSilent(silence: SilentSound, body: Buffer, arrived: number): void {
    this.#audio = Math.max(this.#audio, Math.round(this.#nextSound))
    this.#nextSound += silence.duration
    this.#give({ kind: 'audio', timestamp: this.#audio, body, keyFrame: false, configuration: false, arrived }, true)
  }

  /** Encoders send the first sounds of a push before its key frame: those are replaced by silence. */
  #mend(until: number, arrived: number): void {
    this.#isMending = false
    const silence = this.#silence
    const body = this.#silentBody
    if (!silence || !body || until - this.#nextSound > longestMend) return
    while (this.#nextSound + silence.duration / 2 <= until) this.#beSilent(silence, body, arrived)
  }

  /** Ends a hold: the packet that begins the new part is put at this time of the line, or right after the last one. */
  resume(packet: MediaPacket, place: number): void {
    const { kind, timestamp, arrived } = packet
    const frame = this.#silence?.duration ?? 0
    this.advance(place, arrived)
    this.#isContinued = true
    this.#isMending = this.#audio >= 0
    const from = kind === 'video' ? this.#afterVideo(packet) : this.#audio + Math.round(frame)
    this.#offset = Math.round(Math.max(place, from)) - timestamp
    // Half a frame of overlap or of a gap is made even by every player.
    this.#soundFrom = this.#audio < 0 ? -Infinity : this.#audio + frame / 2
  }

  #configure({ body }: MediaPacket): void {
    if (this.#audioBody?.equals(body)) return
    this.#audioBody = body
    this.#silence = silentSound(body.subarray(aacHeader))
    this.#silentBody = this.#silence && Buffer.concat([Buffer.from([body[0]!, 1]), this.#silence.frame])
  }
}
