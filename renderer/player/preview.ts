import { inBackground } from '../background.ts'
import type { PlaybackFigures, StartTransport, Transport, TransportKind } from './transport.ts'

/** How the preview stands. */
export type PreviewState = 'off' | 'opening' | 'playing' | 'waiting'

/** What a preview needs from its page. */
export interface PreviewPorts {
  /** Asks for the addresses of the channel on the page's own origin; null where the profile offers none. */
  open(): Promise<{ flv: string | null; hls: string | null }>
  readonly transports: Readonly<Record<TransportKind, StartTransport>>
  /** Runs something later; the returned function calls it off. */
  after(milliseconds: number, action: () => void): () => void
  now(): number
  /** Whether the publisher is known to send nothing. */
  isSilent(): boolean
}

/** What a preview tells its page. */
export interface PreviewEvents {
  state(state: PreviewState): void
  /** Pictures stop: keep the last one before the element is emptied. It has stood for so many seconds. */
  stopping(standing: number): void
  /** Why the last attempt ended, for "Details"; null when it plays. */
  trouble(reason: string | null): void
}

/** The preview of one channel in one video element. */
export type Preview = ReturnType<typeof createPreview>

const retryDelays = [300, 600, 1_000, 2_000, 3_000, 5_000]
const pauseKeeps = 5_000

/** Plays while the channel is on air, through breaks of encoder, line and service. */
export function createPreview(video: HTMLVideoElement, ports: PreviewPorts, events: PreviewEvents) {
  let kind: TransportKind = 'flv'
  let onAir = false
  let paused = false
  let destroyed = false
  let transport: Transport | undefined
  let addresses: { flv: string | null; hls: string | null } | undefined
  /** Counts attempts: whatever an older one still says is not listened to. */
  let turn = 0
  let failures = 0
  let callOff: (() => void) | undefined
  let callOffPause: (() => void) | undefined
  /** Frames of earlier players of this broadcast: a count does not fall because a player had to begin anew. */
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
    // The ticket is void, or the stream is not there (yet): ask anew.
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
      const started = await ports.transports[kind](video, url, {
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
    /** The channel is on air: play, at once even when an attempt was waiting. */
    live: (): void => {
      const fresh = !onAir
      onAir = true
      if (paused || destroyed || (!fresh && transport)) return
      failures = 0
      inBackground(begin())
    },
    /** It is not: stop. */
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
    /** A person's pause; after 5 s the stream is given back, and playing again joins anew at the live edge. */
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
    /** The line to the companion is new: addresses given on the old one are void. */
    renew: (): void => {
      addresses = undefined
      failures = 0
      // A picture that still runs is left alone: its own end leads to a new address.
      if (onAir && !paused && !transport) inBackground(begin())
    },
    /** Frames are counted over all players of one broadcast. */
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
