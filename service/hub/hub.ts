import type { Clock } from '../../platform/clock.ts'
import type { IngestFigures } from '../../contract/local-events.ts'
import type { PushEnd } from '../../contract/push-ends.ts'
import { createHeldPushes, type HeldPush } from './held-pushes.ts'
import { createHubEvents, type HubEvents } from './hub-events.ts'
import type { CutReason, Publication } from './publication.ts'
import type { StreamReader } from '../timeline/packet.ts'
import {
  LiveChannel,
  type ChannelReport,
  type HubLog,
  type LiveStream,
  type PushSource,
  type ReaderKind,
} from './hub-channel.ts'

export type { CutReason, HeldPush, HubLog, LiveStream, Publication, ReaderKind }

/** Why a channel became unusable. */
export type Unusable = Extract<PushEnd, 'disabled' | 'deleted'>

/** Figures of all pushes. */
export interface HubTotals {
  readonly publishers: number
  /** Pushes whose encoder is lost, and whose picture is held. */
  readonly held: number
  /** Media received since the start. */
  readonly bytes: number
  /** Memory of the GOP caches. */
  readonly cachedBytes: number
}

/** Connects one publisher per channel to any number of readers. */
export interface Hub extends Pick<HubEvents, 'leftOut' | 'refused' | 'on'> {
  /** `busy` while another publisher sent data within 3 s (behaviour.md#publishing); later the new one takes over. */
  publish(cid: string, source: PushSource): Publication | 'busy'
  stream(cid: string): LiveStream | undefined
  /** Delivers the GOP cache before it returns; undefined when not on air. `internal` readers are not counted. */
  join(cid: string, reader: StreamReader, kind: ReaderKind): (() => void) | undefined
  cut(cid: string, why: Unusable): boolean
  /** Another node has the push now: ends it here, without a hold; false when there is none. */
  giveUp(cid: string): boolean
  /** The encoder is lost, and its last picture is sent until it returns or the hold time is over. */
  held(cid: string): HeldPush | undefined
  /** Ends a push whose encoder is lost; false when there is none. */
  endHold(cid: string): boolean
  /** Figures of the push (windows of 2 s); undefined when not on air. */
  figures(cid: string): IngestFigures | undefined
  /** As `LiveChannel.lastKbps`; undefined also when not on air. */
  lastKbps(cid: string): number | undefined
  /** Adds a count of viewers without a connection (HLS). */
  addViewerSource(count: (cid: string) => number): () => void
  /** Viewers over all protocols. */
  viewers(cid: string): number
  /** On air, but nothing received for 2 s, the window of the figures. */
  isSilent(cid: string): boolean
  packets(): number
  totals(): HubTotals
  /** Counts packets dropped for a slow reader. */
  dropped(cid: string, packets: number): void
  /** Ends everything with `closed`. */
  close(): void
}

/** A check later than ten intervals plus this counts as a sleep of the process; ms. */
const leastSleep = 200
/** Silence after which a push sends nothing, the window of its figures; ms. */
const silentAfter = 2_000
/** Makes a hub; `close` ends it. */
export function createHub(options: {
  readonly clock: Clock
  readonly log?: HubLog
  /** Silence after which another publisher may take over; all in ms. */
  readonly takeOverAfter?: number
  readonly silenceLimit?: number
  /** Silence that is reported with its length when data resumes; ms. */
  readonly stallAfter?: number
  readonly silenceCheck?: number
  /** For how long the picture of a lost encoder is held, in ms; 0 by default: its push ends. */
  readonly holdFor?: (cid: string) => number
}): Hub {
  const { clock, log, takeOverAfter = 3000, silenceLimit = 10_000, stallAfter = 3000, silenceCheck = 500 } = options
  const { holdFor = () => 0 } = options
  const channels = new Map<string, LiveChannel>()
  /** Publishers by channel; a channel without one is held. */
  const cutters = new Map<LiveChannel, (reason: CutReason) => void>()
  const sources = new Set<(cid: string) => number>()
  const events = createHubEvents({ clock, log })
  const { notice } = events
  let closed = false
  let packets = 0
  let bytes = 0

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
  const heldPushes = createHeldPushes({
    clock,
    channels,
    holdFor,
    hasEncoder: (channel) => cutters.has(channel),
    // Viewers were told that the show is over: the next push is another one.
    over: (channel, why) => finish(channel, 'closed', why, 'ended'),
  })
  /** Holds the picture of an encoder that is lost; false if its push ends. */
  const hold = (channel: LiveChannel, why: PushEnd): boolean => {
    const held = heldPushes.hold(channel, why)
    if (held) cutters.delete(channel)
    if (held === 'begun') notice(channel.cid, 'held', why)
    return held !== undefined
  }
  const tellOf = (channel: LiveChannel, tell: ((reason: CutReason) => void) | undefined, reason: CutReason): void => {
    try {
      tell?.(reason)
    } catch (error) {
      log?.warn({ err: error, cid: channel.cid }, 'a publisher failed to close')
    }
  }
  const endBy = (channel: LiveChannel, reason: CutReason, why: PushEnd): void => {
    const tell = cutters.get(channel)
    if ((reason === 'silent' || reason === 'replaced') && hold(channel, why)) return tellOf(channel, tell, reason)
    finish(
      channel,
      reason === 'cut' ? 'cut' : reason === 'closing' ? 'closed' : 'lost',
      why,
      reason === 'replaced' ? 'replaced' : 'ended',
    )
    tellOf(channel, tell, reason)
  }
  /** Monotonic times of the last detected sleep and of the last check. */
  let slept = Number.NEGATIVE_INFINITY
  let looked = performance.now()
  const isAwake = (): boolean => performance.now() - looked <= Math.max(10 * silenceCheck, leastSleep)
  const stalled = (cid: string, since: number, now: number): void => {
    // After a sleep, silence says nothing about the publisher.
    if (slept >= since || !isAwake()) return
    const length = Math.round(now - since)
    log?.warn({ cid, length }, 'nothing came of a push for a while')
    notice(cid, 'stalled', String(length))
  }
  const viewers = (cid: string): number => {
    let count = channels.get(cid)?.viewers ?? 0
    for (const source of sources) count += source(cid)
    return count
  }
  const timer = setInterval(() => {
    const wasAwake = isAwake()
    looked = performance.now()
    // The process slept: the backlog is read before the next check.
    if (!wasAwake) {
      slept = clock.monotonic()
      return
    }
    const limit = clock.monotonic() - silenceLimit
    for (const channel of channels.values())
      if (channel.heard <= limit && cutters.has(channel)) endBy(channel, 'silent', 'silent')
  }, silenceCheck)
  timer.unref()

  return {
    publish(cid, source) {
      const now = clock.monotonic()
      const present = channels.get(cid)
      if (present && cutters.has(present) && now - present.heard < takeOverAfter) return 'busy'
      if (closed) return 'busy'
      if (present && cutters.has(present)) endBy(present, 'replaced', 'replaced')
      const report: ChannelReport = {
        notice: (type, detail) => notice(cid, type, detail),
        leftOut: (loss) => events.leftOut(cid, loss),
      }
      const at = { wall: clock.now(), monotonic: now }
      const kept = channels.get(cid)
      kept?.adopt(source, at)
      const channel = kept ?? new LiveChannel(cid, source, at, report, log)
      const tell = (reason: CutReason): void => {
        ended = reason
        told?.(reason)
      }
      const isOurs = (): boolean => cutters.get(channel) === tell
      let told: Publication['onCut']
      let ended: CutReason | undefined
      const publication: Publication = {
        packet(packet) {
          if (!isOurs()) return
          packets++
          bytes += packet.body.length
          const { heard } = channel
          const now = clock.monotonic()
          channel.packet(packet, now)
          if (now - heard >= stallAfter) stalled(cid, heard, now)
        },
        identify(encoder) {
          if (isOurs()) channel.encoder = encoder
        },
        declare(millifps) {
          if (isOurs()) channel.declared = millifps
        },
        retimed(reason) {
          if (isOurs()) events.retimed(cid, reason)
        },
        leftOut(loss) {
          if (isOurs()) events.leftOut(cid, loss)
        },
        end(reason, why = reason === 'closed' ? 'stopped' : 'lost') {
          if (!isOurs()) return
          // An encoder that returns with a codec that is not served has not returned.
          if ((reason === 'lost' || (channel.held && why === 'codec')) && hold(channel, why)) return
          finish(channel, reason, why, 'ended')
        },
        get onCut() {
          return told
        },
        set onCut(call) {
          told = call
          if (ended !== undefined) call?.(ended)
        },
      }
      channels.set(cid, channel)
      cutters.set(channel, tell)
      if (!kept) notice(cid, 'started')
      return publication
    },
    stream: (cid) => channels.get(cid),
    isSilent(cid) {
      const channel = channels.get(cid)
      return channel !== undefined && !channel.held && clock.monotonic() - channel.heard >= silentAfter
    },
    packets: () => packets,
    totals() {
      let cachedBytes = 0
      for (const channel of channels.values()) cachedBytes += channel.cachedBytes
      return { publishers: cutters.size, held: channels.size - cutters.size, bytes, cachedBytes }
    },
    join: (cid, reader, kind) => channels.get(cid)?.join(reader, kind),
    cut(cid, why) {
      const channel = channels.get(cid)
      if (channel) endBy(channel, 'cut', why)
      return channel !== undefined
    },
    giveUp(cid) {
      const channel = channels.get(cid)
      if (!channel) return false
      const tell = cutters.get(channel)
      finish(channel, 'lost', 'replaced', 'ended')
      tellOf(channel, tell, 'replaced')
      return true
    },
    held(cid) {
      const channel = channels.get(cid)
      return channel && heldPushes.of(channel)
    },
    endHold(cid) {
      const channel = channels.get(cid)
      return channel !== undefined && heldPushes.end(channel)
    },
    figures(cid) {
      const channel = channels.get(cid)
      return channel && { ...channel.figures(clock.monotonic()), viewers: viewers(cid) }
    },
    lastKbps: (cid) => channels.get(cid)?.lastKbps,
    addViewerSource(count) {
      sources.add(count)
      return () => void sources.delete(count)
    },
    viewers,
    dropped(cid, packets) {
      const channel = channels.get(cid)
      if (channel) channel.droppedForReaders += packets
    },
    leftOut: events.leftOut,
    refused: events.refused,
    on: events.on,
    close() {
      closed = true
      clearInterval(timer)
      heldPushes.close()
      for (const channel of channels.values()) endBy(channel, 'closing', 'closing')
    },
  }
}
