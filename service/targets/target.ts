import type { targetStarts, targetStates } from '../../contract/operations/targets.ts'
import { createBackoff, doubledWait } from '../../platform/backoff.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ReaderOutput } from '../hub/reader-queue-output.ts'
import { readTargetAddress, type TargetAddress } from './target-address.ts'
import type { connectTarget, TargetFault } from './target-connection.ts'
import { createTargetIntake, stalledAfter } from './target-intake.ts'

/** State of a target. */
export type TargetState = (typeof targetStates)[number]

/** What a target publishes to, and when. */
export interface TargetSettings {
  readonly url: string
  readonly start: (typeof targetStarts)[number]
}

/** What is told of a target's state. */
export interface TargetProgress {
  readonly state: TargetState
  readonly since: number
  readonly kbps: number
  readonly dropped: number
  readonly reconnects: number
  readonly tries: number
  readonly nextTry?: number
  readonly reason?: TargetFault
  readonly answer?: string
}

/** Where the stream to publish comes from: queues by message stream; undefined when nothing is on air. */
export type JoinTarget = (streamId: number, output: ReaderOutput) => (() => void) | undefined

/** One target of a channel. */
export type Target = ReturnType<typeof createTarget>

/**
 * Waits between tries, in ms; up to a fifth longer or shorter, never over the longest, so that many targets do not come
 * back at once.
 */
const waits = { first: 1_000, longest: 30_000 } as const
const jitter = 0.2
/** A server that keeps a push for this time has taken it; ms. */
const takenAfter = 3_000
/** After this time of sending, the next wait is the first again; ms. */
const steadyAfter = 10_000
/** Refusals of a key after which only a person tries again. */
const maxKeyRefusals = 3

/** Makes a target; it connects while its channel is on air. */
export function createTarget(options: {
  readonly settings: TargetSettings
  /** The stream key for an address; undefined without one. */
  readonly key: (url: string) => string | undefined
  readonly join: JoinTarget
  readonly connect: (
    address: TargetAddress,
    key: string,
    events: Parameters<typeof connectTarget>[3],
  ) => { readonly close: () => void }
  readonly clock: Clock
  /** From 0 to 1. */
  readonly chance: () => number
  readonly changed: (progress: TargetProgress) => void
}) {
  const { key, join, connect, clock, chance, changed } = options
  let { settings } = options
  let isOnAir = false
  /** Started by hand in this push, or for the next one. */
  let isStarted = false
  /** Stopped by hand in this push; the next one starts it again if it is set so. */
  let isStopped = false
  let state: TargetState = 'off'
  let since = clock.now()
  /** Since when it fails, over all tries. */
  let failingSince: number | undefined
  let fault: TargetFault | undefined
  let answer: string | undefined
  let [kbps, dropped, reconnects, tries, keyRefusals] = [0, 0, 0, 0, 0]
  /** It was taken before in this push. */
  let hasSent = false
  /** Media was given to the connection. */
  let hasMedia = false
  let nextTry: number | undefined
  let connection: { readonly close: () => void } | undefined
  /** While media may be sent. */
  let intake: ReturnType<typeof createTargetIntake> | undefined
  let leave: (() => void) | undefined
  let cancelTaken = (): void => undefined
  let [droppedBefore, sendingSince] = [0, 0]

  const progress = (): TargetProgress => ({
    state,
    since: state === 'retrying' || state === 'connecting' ? (failingSince ?? since) : since,
    kbps,
    dropped,
    reconnects,
    // The one that goes on counts when it lasts.
    tries: state === 'sending' || state === 'waiting' ? 0 : tries,
    ...(nextTry !== undefined && { nextTry }),
    ...(fault !== undefined && { reason: fault }),
    ...(answer !== undefined && answer !== '' && { answer }),
  })
  const become = (next: TargetState, from = clock.now()): void => {
    if (state !== next) {
      state = next
      since = from
    }
    changed(progress())
  }
  const isWanted = (): boolean => !isStopped && (settings.start === 'push' || isStarted)

  const drop = (): void => {
    backoff.stop()
    nextTry = undefined
    cancelTaken()
    leave?.()
    leave = undefined
    connection?.close()
    connection = undefined
    intake = undefined
    kbps = 0
  }
  const failed = (why: TargetFault, said?: { readonly text: string; readonly isKey: boolean }): void => {
    drop()
    failingSince ??= clock.now()
    fault = why
    answer = said?.text
    if (said?.isKey && ++keyRefusals >= maxKeyRefusals) return become('refused')
    // A server that takes a push and ends it at once was not reached in earnest.
    if (sendingSince > 0 && clock.monotonic() - sendingSince >= steadyAfter) {
      backoff.reset()
      tries = 0
    }
    sendingSince = 0
    nextTry = clock.now() + backoff.again()
    become('retrying')
  }
  const taken = (): void => {
    if (hasSent) reconnects += 1
    hasSent = true
    droppedBefore = dropped
    failingSince = undefined
    fault = undefined
    answer = undefined
    become(hasMedia ? 'sending' : 'waiting')
  }
  const begin = (): void => {
    drop()
    const address = readTargetAddress(settings.url)
    const secret = key(settings.url)
    if (secret === undefined || !address) return become('noKey')
    tries += 1
    connection = connect(address, secret, {
      publishing(opened, streamId) {
        const output: ReaderOutput = {
          sink: {
            write(bytes) {
              const isFirst = !hasMedia
              hasMedia = true
              if (isFirst && state === 'waiting') become('sending')
              return opened.write(bytes)
            },
            cork: () => opened.cork(),
            uncork: () => opened.uncork(),
            get writableLength() {
              return opened.writableLength
            },
          },
          isOwn: true,
          dropped: ({ kind }) => {
            if (kind === 'video') dropped += 1
          },
          stuck: () => failed('stalled'),
          over: () => {
            leave = undefined
            drop()
            become('off')
          },
        }
        hasMedia = false
        intake = createTargetIntake(opened, clock)
        leave = join(streamId, output)
        if (!leave) {
          drop()
          return become('off')
        }
        sendingSince = clock.monotonic()
        keyRefusals = 0
        cancelTaken = clock.after(takenAfter, taken)
      },
      acknowledged: (count) => intake?.acknowledged(count),
      ended: (why, said) => {
        connection = undefined
        failed(why, said)
      },
    })
    become('connecting')
  }
  const wait = (before: number): number =>
    Math.min(waits.longest, Math.round(doubledWait(waits, before) * (1 - jitter + 2 * jitter * chance())))
  const backoff = createBackoff(clock, wait, begin)

  const resume = (): void => {
    // By hand, or with a push: what it connects then is no reconnect.
    hasSent = false
    if (isOnAir && isWanted()) begin()
    else {
      drop()
      become(isStopped ? 'stopped' : 'off')
    }
  }
  const anew = (): void => {
    backoff.reset()
    tries = 0
    keyRefusals = 0
    failingSince = undefined
    fault = undefined
    answer = undefined
  }

  return {
    progress,
    /** A push began, or goes on after a start of the service. */
    onAir() {
      if (isOnAir) return
      isOnAir = true
      anew()
      dropped = 0
      reconnects = 0
      resume()
    },
    /** The push ended. */
    offAir() {
      if (!isOnAir) return
      isOnAir = false
      isStarted = false
      isStopped = false
      resume()
    },
    /** By hand: also when it was refused. */
    start() {
      isStarted = true
      isStopped = false
      anew()
      if (state === 'waiting' || state === 'sending' || state === 'stalled') return
      resume()
    },
    /** By hand, for this push; off air it takes back a start. */
    stop() {
      isStarted = false
      isStopped = isOnAir
      resume()
    },
    /** Other settings or another key: connects anew where it would send, unless only `start` is another. */
    change(next: TargetSettings, isNewKey: boolean) {
      const isElsewhere = next.url !== settings.url || isNewKey
      settings = next
      if (isElsewhere) anew()
      if (isElsewhere || isWanted() !== (connection !== undefined || nextTry !== undefined)) resume()
      else changed(progress())
    },
    /** Call every 2 s: measures. */
    measure() {
      if (!intake) return
      const { kbps: now, untaken, isWaiting } = intake.measure()
      kbps = now
      // Measured from the first byte on, so that the figure is known once the server has taken the push.
      if (state !== 'sending' && state !== 'stalled') return
      // Frames left out until the next key frame, by a server that has caught up, are of the time before.
      const isDropping = dropped > droppedBefore && isWaiting
      droppedBefore = dropped
      if (untaken >= stalledAfter) become('stalled', clock.now() - untaken)
      else become(isDropping ? 'stalled' : 'sending')
    },
    close() {
      isOnAir = false
      drop()
    },
  }
}
