import { addressGroup, isLoopbackGroup } from '../../platform/address-group.ts'
import type { IngestFigures } from '../../contract/local-events.ts'
import type { PushEnd } from '../../contract/push-ends.ts'
import type { RetimeReason } from './ingest-timeline.ts'
import type { MediaLoss, MediaPacket, StreamReader } from './packet.ts'
import { LiveChannel, type ChannelReport, type HubLog, type LiveStream, type ReaderKind } from './hub-channel.ts'

export type { HubLog, LiveStream, ReaderKind }

/** Something that happened to a push, as `/local/service/events` carries it: `detail` without secrets: of an end its code (contract/push-ends.ts), else in words; `remedy` a stable name. */
export interface HubEvent {
  readonly type:
    | 'started'
    | 'firstKeyFrame'
    | 'codecs'
    | 'ended'
    | 'refused'
    | 'replaced'
    | 'stalled'
    | 'retimed'
    | 'leftOut'
  readonly cid: string
  /** Clock of the service in ms. */
  readonly at: number
  readonly detail?: string
  readonly remedy?:
    | 'hevc'
    | 'aac'
    | 'key'
    | 'expired'
    | 'disabled'
    | 'busy'
    | 'pace'
    | `retimed_${RetimeReason}`
    | `leftOut_${MediaLoss}`
  /** The address that a refused push came from. */
  readonly from?: string
}

/** Why the hub ended a publication by itself. */
export type CutReason = 'cut' | 'replaced' | 'silent' | 'closing'
/** Why a channel cannot be used any more. */
export type Unusable = Extract<PushEnd, 'disabled' | 'deleted'>

/** A publisher's hold on a channel. After `end` or `onCut` nothing that it says counts. */
export interface Publication {
  /** Hands one packet to every reader, at once. */
  packet(packet: MediaPacket): void
  /** What the publisher calls itself, when learnt late. */
  identify(encoder: string): void
  /** Frames per 1,000 s that the publisher says it sends. */
  declare(millifps: number): void
  /** Its timestamps were not followed; the same reason is reported at most once in 10 s. */
  retimed(reason: RetimeReason): void
  /** Something of it was not passed on; reported like `retimed`. */
  leftOut(loss: MediaLoss): void
  /** Ends it: `closed` when the publisher said so, `lost` when it vanished. */
  end(reason: 'lost' | 'closed', why?: PushEnd): void
  /** Called once when the hub ends it, also when that happened before it was set: close the connection. */
  onCut: ((reason: CutReason) => void) | undefined
}

/** Where publishers and readers meet: one publisher a channel, any number of readers. */
export interface Hub {
  /** Takes a channel for a publisher; `busy` while another one sent data in the last 3 s (behaviour.md#publishing), after that it takes over. */
  publish(cid: string, source: { readonly remote: string; readonly encoder?: string }): Publication | 'busy'
  /** The stream on air, if any. */
  stream(cid: string): LiveStream | undefined
  /** Joins a reader: configurations and GOP cache arrive before this returns. Gives the leave function, or undefined when nothing is on air. `internal` readers are no viewers. */
  join(cid: string, reader: StreamReader, kind: ReaderKind): (() => void) | undefined
  /** Ends publisher and readers of a channel that became unusable; whether there was one. */
  cut(cid: string, why: Unusable): boolean
  /** Figures of the running push (windows of 2 s); undefined when nothing is on air. */
  figures(cid: string): IngestFigures | undefined
  /** Adds a count of viewers that read without a connection (HLS). */
  addViewerSource(count: (cid: string) => number): () => void
  /** Players of a channel over all protocols. */
  viewers(cid: string): number
  /** Whether something is on air of which nothing came for 2 s, the window of the figures. */
  isSilent(cid: string): boolean
  /** Packets that publishers handed in since the start. */
  packets(): number
  /** Counts packets that a slow reader was not given. */
  dropped(cid: string, packets: number): void
  /** Reports media that a reader left out, also when the push is over; the same loss of a channel at most once in 10 s. */
  leftOut(cid: string, loss: MediaLoss): void
  /** Reports a refused push; the same refusal of a channel at most once a second, of this computer and of others each. */
  refused(cid: string, remedy: HubEvent['remedy'], detail: string, from: string): void
  on(listener: (event: HubEvent) => void): () => void
  /** Ends everything with `closed`. */
  close(): void
}

/** What a hub needs, and its limits where a test wants others. */
export interface HubOptions {
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Milliseconds that only ever pass, for silence and rates, which a change of the system's clock must not touch; the process's own when absent. */
  readonly monotonic?: () => number
  readonly log?: HubLog
  /** A publisher silent this long may be replaced; ms. */
  readonly takeOverAfter?: number
  /** A publisher silent this long is ended; ms. */
  readonly silenceLimit?: number
  /** A silence this long is told with its length when something comes again; ms. */
  readonly stallAfter?: number
  /** How often silence is looked for; ms. */
  readonly silenceCheck?: number
}

/** A look for silence that comes later than ten looks and this counts as a sleep of the process; ms. */
const leastSleep = 200
/** A push of which nothing came for so long sends nothing, as its figures say, whose window is as long; ms. */
const silentAfter = 2_000
/** How far apart in ms the same refusal, and the same word about a push, are told at least. */
const refusalsApart = 1000
const wordsApart = 10_000
/** What was told and is not repeated; beyond this the memory starts anew. */
const rememberedWords = 1000

/** Makes a hub; `close` ends it. */
export function createHub({
  clock,
  monotonic = () => performance.now(),
  log,
  takeOverAfter = 3000,
  silenceLimit = 10_000,
  stallAfter = 3000,
  silenceCheck = 500,
}: HubOptions): Hub {
  const channels = new Map<string, LiveChannel>()
  const cutters = new Map<LiveChannel, (reason: CutReason) => void>()
  const listeners = new Set<(event: HubEvent) => void>()
  const sources = new Set<(cid: string) => number>()
  const words = new Map<string, number>()
  let closed = false
  let packets = 0

  const emit = (event: HubEvent): void => {
    for (const listener of listeners) {
      try {
        listener(event)
      } catch (error) {
        log?.warn({ err: error, event: event.type, cid: event.cid }, 'a listener of the hub failed')
      }
    }
  }
  const notice = (
    cid: string,
    type: HubEvent['type'],
    detail?: string,
    remedy?: HubEvent['remedy'],
    from?: string,
  ): void =>
    emit({
      type,
      cid,
      at: clock(),
      ...(detail !== undefined && { detail }),
      ...(remedy !== undefined && { remedy }),
      ...(from !== undefined && { from }),
    })

  const finish = (
    channel: LiveChannel,
    readers: 'lost' | 'cut' | 'closed',
    why: PushEnd,
    announce: 'ended' | 'replaced',
  ): void => {
    channels.delete(channel.cid)
    cutters.delete(channel)
    channel.end(readers)
    notice(channel.cid, announce, why)
  }
  const endBy = (channel: LiveChannel, reason: CutReason, why: PushEnd): void => {
    const tell = cutters.get(channel)
    finish(
      channel,
      reason === 'cut' ? 'cut' : reason === 'closing' ? 'closed' : 'lost',
      why,
      reason === 'replaced' ? 'replaced' : 'ended',
    )
    try {
      tell?.(reason)
    } catch (error) {
      log?.warn({ err: error, cid: channel.cid }, 'a publisher failed to close')
    }
  }
  /** Whether this was not told within the last while. */
  const isNews = (word: string, apart: number): boolean => {
    const now = monotonic()
    const last = words.get(word)
    if (last !== undefined && now - last < apart) return false
    if (words.size >= rememberedWords) words.clear()
    words.set(word, now)
    return true
  }
  /** When this process was last found to have slept, by the monotonic clock, and when it last looked. */
  let slept = Number.NEGATIVE_INFINITY
  let looked = performance.now()
  const isAwake = (): boolean => performance.now() - looked <= Math.max(10 * silenceCheck, leastSleep)
  const stalled = (cid: string, since: number, now: number): void => {
    // Who could not be heard was not silent.
    if (slept >= since || !isAwake()) return
    const length = Math.round(now - since)
    log?.warn({ cid, length }, 'nothing came of a push for a while')
    notice(cid, 'stalled', String(length))
  }
  const retimed = (cid: string, reason: RetimeReason): void => {
    if (!isNews(`${cid} ${reason}`, wordsApart)) return
    log?.warn({ cid, reason }, 'timestamps of a push were brought back to the clock of arrivals')
    notice(cid, 'retimed', undefined, `retimed_${reason}`)
  }
  const leftOut = (cid: string, loss: MediaLoss): void => {
    if (!isNews(`${cid} ${loss}`, wordsApart)) return
    log?.warn({ cid, loss }, 'something of a push was left out')
    notice(cid, 'leftOut', undefined, `leftOut_${loss}`)
  }
  const viewers = (cid: string): number => {
    let count = channels.get(cid)?.viewers ?? 0
    for (const source of sources) count += source(cid)
    return count
  }
  const timer = setInterval(() => {
    const wasAwake = isAwake()
    looked = performance.now()
    // This process slept: what came meanwhile is read before the next look, and nobody was silent who could not be heard.
    if (!wasAwake) {
      slept = monotonic()
      return
    }
    const limit = monotonic() - silenceLimit
    for (const channel of channels.values()) if (channel.heard <= limit) endBy(channel, 'silent', 'silent')
  }, silenceCheck)
  timer.unref()

  return {
    publish(cid, source) {
      const now = monotonic()
      const present = channels.get(cid)
      if (present && now - present.heard < takeOverAfter) return 'busy'
      if (closed) return 'busy'
      if (present) endBy(present, 'replaced', 'replaced')
      const report: ChannelReport = {
        notice: (type, detail) => notice(cid, type, detail),
        leftOut: (loss) => leftOut(cid, loss),
      }
      const channel = new LiveChannel(cid, source, { wall: clock(), monotonic: now }, report, log)
      let told: Publication['onCut']
      let ended: CutReason | undefined
      const publication: Publication = {
        packet(packet) {
          if (channels.get(cid) !== channel) return
          packets++
          const { heard } = channel
          const now = monotonic()
          channel.packet(packet, now)
          if (now - heard >= stallAfter) stalled(cid, heard, now)
        },
        identify(encoder) {
          channel.encoder = encoder
        },
        declare(millifps) {
          channel.declared = millifps
        },
        retimed(reason) {
          if (channels.get(cid) === channel) retimed(cid, reason)
        },
        leftOut(loss) {
          if (channels.get(cid) === channel) leftOut(cid, loss)
        },
        end(reason, why = reason === 'closed' ? 'stopped' : 'lost') {
          if (channels.get(cid) === channel) finish(channel, reason, why, 'ended')
        },
        get onCut() {
          return told
        },
        set onCut(tell) {
          told = tell
          if (ended !== undefined) tell?.(ended)
        },
      }
      channels.set(cid, channel)
      cutters.set(channel, (reason) => {
        ended = reason
        told?.(reason)
      })
      notice(cid, 'started')
      return publication
    },
    stream: (cid) => channels.get(cid),
    isSilent(cid) {
      const channel = channels.get(cid)
      return channel !== undefined && monotonic() - channel.heard >= silentAfter
    },
    packets: () => packets,
    join: (cid, reader, kind) => channels.get(cid)?.join(reader, kind),
    cut(cid, why) {
      const channel = channels.get(cid)
      if (channel) endBy(channel, 'cut', why)
      return channel !== undefined
    },
    figures(cid) {
      const channel = channels.get(cid)
      return channel && { ...channel.figures(monotonic()), viewers: viewers(cid) }
    },
    addViewerSource(count) {
      sources.add(count)
      return () => void sources.delete(count)
    },
    viewers,
    dropped(cid, packets) {
      const channel = channels.get(cid)
      if (channel) channel.droppedForReaders += packets
    },
    leftOut,
    refused(cid, remedy, detail, from) {
      // What strangers try does not hide what an encoder of this computer does.
      const isHere = isLoopbackGroup(addressGroup(from))
      if (isNews(`${cid} ${remedy} ${isHere}`, refusalsApart)) notice(cid, 'refused', detail, remedy, from)
    },
    on(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close() {
      closed = true
      clearInterval(timer)
      for (const channel of channels.values()) endBy(channel, 'closing', 'closing')
    },
  }
}
