import type { Clock } from '../../platform/clock.ts'
import { addressGroup, isLoopbackGroup } from '../../platform/address-group.ts'
import type { HubLog } from './hub-channel.ts'
import type { RetimeReason } from '../timeline/ingest-timeline.ts'
import type { MediaLoss } from '../timeline/packet.ts'

/** An event of a push. `detail` has no secrets: of an end its code (contract/push-ends.ts), else words. */
export interface HubEvent {
  readonly type:
    | 'started'
    | 'firstKeyFrame'
    | 'codecs'
    | 'ended'
    | 'refused'
    | 'replaced'
    | 'held'
    | 'returned'
    | 'stalled'
    | 'retimed'
    | 'leftOut'
  readonly cid: string
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
  /** Address that a refused push came from. */
  readonly from?: string
}

/** Least time between equal reports about a push; ms. */
const refusalsApart = 1000
const wordsApart = 10_000
/** Reports remembered against repetition; at the limit all are forgotten. */
const rememberedWords = 1000

/** Events of the pushes; an equal report is not repeated at once. */
export type HubEvents = ReturnType<typeof createHubEvents>

/** Makes the events of a hub. */
export function createHubEvents(options: { readonly clock: Clock; readonly log: HubLog | undefined }) {
  const { clock, log } = options
  const listeners = new Set<(event: HubEvent) => void>()
  const words = new Map<string, number>()
  const notice = (
    cid: string,
    type: HubEvent['type'],
    detail?: string,
    remedy?: HubEvent['remedy'],
    from?: string,
  ): void => {
    const event: HubEvent = {
      type,
      cid,
      at: clock.now(),
      ...(detail !== undefined && { detail }),
      ...(remedy !== undefined && { remedy }),
      ...(from !== undefined && { from }),
    }
    for (const listener of listeners) {
      try {
        listener(event)
      } catch (error) {
        log?.warn({ err: error, event: type, cid }, 'a listener of the hub failed')
      }
    }
  }
  /** True if not reported within `apart` ms. */
  const isNews = (word: string, apart: number): boolean => {
    const now = clock.monotonic()
    const last = words.get(word)
    if (last !== undefined && now - last < apart) return false
    if (words.size >= rememberedWords) words.clear()
    words.set(word, now)
    return true
  }

  return {
    notice,
    /** Timestamps were corrected; each reason of a channel at most once in 10 s. */
    retimed(cid: string, reason: RetimeReason) {
      if (!isNews(`${cid} ${reason}`, wordsApart)) return
      log?.warn({ cid, reason }, 'timestamps of a push were brought back to the clock of arrivals')
      notice(cid, 'retimed', undefined, `retimed_${reason}`)
    },
    /** Reports media omitted by a reader, also after the push; each loss of a channel at most once in 10 s. */
    leftOut(cid: string, loss: MediaLoss) {
      if (!isNews(`${cid} ${loss}`, wordsApart)) return
      log?.warn({ cid, loss }, 'something of a push was left out')
      notice(cid, 'leftOut', undefined, `leftOut_${loss}`)
    },
    /** Reports a refused push; each reason of a channel once a second, separately for this computer. */
    refused(cid: string, remedy: HubEvent['remedy'], detail: string, from: string) {
      // Refusals of strangers must not suppress those of an encoder on this computer.
      const isHere = isLoopbackGroup(addressGroup(from))
      if (isNews(`${cid} ${remedy} ${isHere}`, refusalsApart)) notice(cid, 'refused', detail, remedy, from)
    },
    on(listener: (event: HubEvent) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
