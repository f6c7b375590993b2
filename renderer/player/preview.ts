import { inBackground } from '../background.ts'
import { liveRange } from './playback.ts'
import type { LoadTransport, PlaybackFigures, Transport, TransportKind } from './transport.ts'

/** State of a preview. */
export type PreviewState = 'off' | 'opening' | 'playing' | 'waiting'

/** What a preview needs from the page. */
export interface PreviewPorts {
  /** On the page's own origin; null where the profile has none. */
  open(): Promise<{ flv: string | null; hls: string | null }>
  readonly transports: Readonly<Record<TransportKind, LoadTransport>>
  after(milliseconds: number, action: () => void): () => void
  now(): number
  isSilent(): boolean
  isYoung?(): boolean
}

/** Called on changes of a preview. */
export interface PreviewEvents {
  state(state: PreviewState): void
  /** Before the element is emptied; `standing`: seconds without progress. */
  stopping(standing: number): void
  /** For "Details"; null while playing. */
  trouble(reason: string | null): void
  /** The browser waits for a gesture before it plays. */
  refused?(): void
}

/** Of one channel in one video element. */
export type Preview = ReturnType<typeof createPreview>

const retryDelays = [300, 600, 1_000, 2_000, 3_000, 5_000]
const pauseKeeps = 5_000
/** In ms, of a stream that has come to its end: whoever asks knows by then whether the show is over. */
const endedRetry = 1_500
/** In ms: how long what a player has of a show that is over may play, and how often that is looked at. */
const finishesWithin = 30_000
const finishLook = 100
/** In s without progress, after which nothing more of it comes. */
const finishStands = 3
/**
 * In s, from the end of what has come, of a player that has all of it: between two looks without progress it has played
 * that. The end of an HLS playlist is told only some time after that of the show, as another push may go on with it.
 */
const finishLeft = 0.25

/** Plays while the channel is on air; reconnects after failures. */
export function createPreview(video: HTMLVideoElement, ports: PreviewPorts, events: PreviewEvents) {
  let kind: TransportKind = 'flv'
  let onAir = false
  let paused = false
  let destroyed = false
  let transport: Transport | undefined
  let addresses: { flv: string | null; hls: string | null } | undefined
  let turn = 0
  let failures = 0
  let callOff: (() => void) | undefined
  let callOffPause: (() => void) | undefined
  /** When the rest of a show that is over has to be over too, by the clock of the ports. */
  let finishBy: number | undefined
  /** Where it stood when that was looked at. */
  let finishAt = -1
  /** Frames of earlier players of this push, so that the counts never decrease. */
  let earlier = { dropped: 0, decoded: 0 }

  const takeDown = (): void => {
    turn += 1
    callOff?.()
    callOff = undefined
    if (!transport) return
    const { dropped, decoded, standing } = transport.figures()
    events.stopping(standing)
    earlier = { dropped: earlier.dropped + (dropped ?? 0), decoded: earlier.decoded + (decoded ?? 0) }
    transport.destroy()
    transport = undefined
  }
  const retry = (least = 0): void => {
    if (!onAir || paused || destroyed) return
    events.state('waiting')
    callOff?.()
    const wait = Math.max(retryDelays[Math.min(failures, retryDelays.length - 1)] ?? 5_000, least)
    callOff = ports.after(wait, () => inBackground(begin()))
    failures += 1
  }
  const idle = (): void => {
    onAir = false
    finishBy = undefined
    takeDown()
    earlier = { dropped: 0, decoded: 0 }
    addresses = undefined
    events.trouble(null)
    events.state('off')
  }
  /** Ends the rest of a show once it was played, or does not go on. */
  const lookAtRest = (): void => {
    callOff?.()
    const { standing = Infinity, hasAll = false } = transport?.figures() ?? {}
    const isPlayed = hasAll && video.currentTime === finishAt && (liveRange(video)?.end ?? 0) - finishAt < finishLeft
    finishAt = video.currentTime
    const stands = !paused && (isPlayed || standing >= finishStands)
    if (video.ended || video.error || stands || finishBy === undefined || ports.now() >= finishBy) return idle()
    callOff = ports.after(finishLook, lookAtRest)
  }
  const broke = (reason: string, status: number | null): void => {
    // What it has may go on without what failed.
    if (finishBy !== undefined) return lookAtRest()
    const least = video.ended ? endedRetry : 0
    takeDown()
    // The ticket may be void or the stream missing: ask for new addresses.
    if (status !== null || failures > 1) addresses = undefined
    events.trouble(reason)
    retry(least)
  }
  const begin = async (): Promise<void> => {
    takeDown()
    if (!onAir || paused || destroyed) return
    const mine = turn
    events.state('opening')
    try {
      addresses ??= await ports.open()
      if (mine !== turn) return
      const url = addresses[kind]
      if (url === null) {
        events.trouble('absent')
        return events.state('waiting')
      }
      const start = await ports.transports[kind]()
      // Another attempt may have begun meanwhile.
      if (mine !== turn) return
      const started = start(video, url, {
        playing: () => {
          if (mine !== turn) return
          failures = 0
          events.trouble(null)
          events.state('playing')
        },
        ended: (reason, status) => {
          if (mine === turn) broke(reason, status)
        },
        isSilent: ports.isSilent,
        ...(ports.isYoung && { isYoung: ports.isYoung }),
        refused: () => {
          if (mine === turn) events.refused?.()
        },
      })
      if (mine !== turn) return started.destroy()
      transport = started
    } catch (error) {
      if (mine !== turn) return
      addresses = undefined
      events.trouble(error instanceof Error ? error.message : String(error))
      retry()
    }
  }

  return {
    /** Plays at once, even if an attempt is pending. */
    live: (): void => {
      const fresh = !onAir
      onAir = true
      finishBy = undefined
      if (paused || destroyed || (!fresh && transport)) return
      failures = 0
      inBackground(begin())
    },
    idle,
    /** The show is over: plays what there is of it to its end, and is idle then. Whether there is something. */
    finish: (): boolean => {
      if (finishBy !== undefined) return true
      if (!onAir || !transport || paused || destroyed) {
        idle()
        return false
      }
      onAir = false
      finishBy = ports.now() + finishesWithin
      finishAt = -1
      lookAtRest()
      return finishBy !== undefined
    },
    use: (next: TransportKind): void => {
      if (next === kind) return
      kind = next
      failures = 0
      if (onAir) inBackground(begin())
    },
    /** Opens the stream again, at the live edge. */
    again: (): void => {
      failures = 0
      if (onAir && !paused) inBackground(begin())
    },
    /** After 5 s the stream is closed, and `resume` opens it at the live edge. */
    pause: (): void => {
      if (paused) return
      paused = true
      video.pause()
      callOffPause = ports.after(pauseKeeps, () => (finishBy === undefined ? takeDown() : idle()))
    },
    resume: (): void => {
      if (!paused) return
      paused = false
      callOffPause?.()
      if (transport) video.play().catch(() => undefined)
      else if (onAir) inBackground(begin())
    },
    /** The connection to the companion is new: addresses from the old one are void. */
    renew: (): void => {
      addresses = undefined
      failures = 0
      // A running picture is kept; when it ends, it asks for a new address.
      if (onAir && !paused && !transport) inBackground(begin())
    },
    figures: (): PlaybackFigures | undefined => {
      const now = transport?.figures()
      if (!now) return undefined
      return {
        ...now,
        dropped: now.dropped === null ? null : earlier.dropped + now.dropped,
        decoded: now.decoded === null ? null : earlier.decoded + now.decoded,
      }
    },
    destroy: (): void => {
      destroyed = true
      onAir = false
      finishBy = undefined
      callOffPause?.()
      takeDown()
    },
  }
}
