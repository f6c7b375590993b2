import { inBackground } from '../background.ts'
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
  const retry = (): void => {
    if (!onAir || paused || destroyed) return
    events.state('waiting')
    callOff?.()
    callOff = ports.after(retryDelays[Math.min(failures, retryDelays.length - 1)] ?? 5_000, () => inBackground(begin()))
    failures += 1
  }
  const broke = (reason: string, status: number | null): void => {
    takeDown()
    // The ticket may be void or the stream missing: ask for new addresses.
    if (status !== null || failures > 1) addresses = undefined
    events.trouble(reason)
    retry()
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
      if (paused || destroyed || (!fresh && transport)) return
      failures = 0
      inBackground(begin())
    },
    idle: (): void => {
      onAir = false
      takeDown()
      earlier = { dropped: 0, decoded: 0 }
      addresses = undefined
      events.trouble(null)
      events.state('off')
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
      callOffPause = ports.after(pauseKeeps, takeDown)
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
      callOffPause?.()
      takeDown()
    },
  }
}
