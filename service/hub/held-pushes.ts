import type { Clock } from '../../platform/clock.ts'
import type { PushEnd } from '../../contract/push-ends.ts'
import type { LiveChannel } from './hub-channel.ts'

/** How often what is due of held pictures is sent; ms. */
const heldEvery = 40

/** Since when the picture of a lost encoder is held, and until when it will be; ms. */
export interface HeldPush {
  readonly since: number
  readonly until: number
}

/** Keeps pushes on air whose encoder is lost (behaviour.md#hold). */
export function createHeldPushes(options: {
  readonly clock: Clock
  readonly channels: ReadonlyMap<string, LiveChannel>
  readonly holdFor: (cid: string) => number
  readonly hasEncoder: (channel: LiveChannel) => boolean
  /** The encoder did not return in time. */
  readonly over: (channel: LiveChannel, why: PushEnd) => void
}) {
  const { clock, channels, holdFor, hasEncoder, over } = options
  /** Why the encoders were lost. */
  const losses = new WeakMap<LiveChannel, PushEnd>()
  let cancel: (() => void) | undefined
  let closed = false
  const time = () => ({ wall: clock.now(), monotonic: clock.monotonic() })
  const isHeld = ({ held }: LiveChannel): boolean => held !== undefined

  const keepSending = (): void => {
    if (!cancel && !closed && [...channels.values()].some(isHeld)) cancel = clock.after(heldEvery, send)
  }
  /** Sends what is due, and ends pushes whose time is over. */
  const send = (): void => {
    cancel = undefined
    const now = time()
    for (const channel of channels.values()) {
      if (!channel.held) continue
      // An encoder that has returned may take its time for a key frame.
      if (!hasEncoder(channel) && now.monotonic >= channel.held.monotonic + holdFor(channel.cid))
        over(channel, losses.get(channel) ?? 'lost')
      else channel.advance(now)
    }
    keepSending()
  }

  return {
    /** Holds the picture of an encoder that is lost: `begun`, or `on` if it was held already; undefined if it ends. */
    hold(channel: LiveChannel, why: PushEnd): 'begun' | 'on' | undefined {
      if (closed || holdFor(channel.cid) <= 0 || !channel.canHold) return undefined
      losses.set(channel, why)
      if (channel.held) return 'on'
      channel.hold(time())
      keepSending()
      return 'begun'
    },
    of: (channel: LiveChannel): HeldPush | undefined =>
      channel.held && { since: channel.held.wall, until: channel.held.wall + holdFor(channel.cid) },
    /** Ends a held push whose encoder did not return. */
    end(channel: LiveChannel) {
      if (!channel.held || hasEncoder(channel)) return false
      over(channel, losses.get(channel) ?? 'lost')
      return true
    },
    close() {
      closed = true
      cancel?.()
    },
  }
}
