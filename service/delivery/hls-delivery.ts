import type { Clock } from '../../platform/clock.ts'
import { HlsPlaylist, type HlsFile } from './hls-delivery-playlist.ts'
import { HlsSegmenter } from './hls-delivery-segmenter.ts'
import { createHlsViewers, type HlsViewers } from './hls-delivery-viewers.ts'
import type { Hub } from '../hub/hub.ts'

/** What HLS uses of the hub. */
export type HlsHub = Pick<Hub, 'on' | 'join' | 'addViewerSource' | 'leftOut'>

/** HLS of every channel on air, in memory. */
export type Hls = ReturnType<typeof createHls>

/** How long a playlist waits for the publisher to return (behaviour.md#return-of-a-publisher). */
const openFor = 30_000
/** How long an ended playlist is served. */
const endedFor = 60_000
/** Longest wait for a first segment. */
const firstFor = 10_000

/** Requests waiting for a first segment, per channel. */
const maxWaiters = 1000

interface Channel {
  readonly playlist: HlsPlaylist
  readonly segmenter: HlsSegmenter
  readonly viewers: HlsViewers
  readonly waiters: Set<() => void>
  /** The show is over, and the next push is another one. */
  isOver: boolean
  leave: (() => void) | undefined
  cancel: (() => void) | undefined
}

/**
 * Makes HLS. A push within 30 s continues the playlist (behaviour.md#return-of-a-publisher), without the segments of
 * a show that is over.
 */
export function createHls(options: {
  readonly hub: HlsHub
  readonly clock: Clock
  readonly log?: { info(details: object, message: string): void }
}) {
  const { hub, clock, log } = options
  const channels = new Map<string, Channel>()

  const wake = (channel: Channel): void => {
    for (const waiter of channel.waiters) waiter()
    channel.waiters.clear()
  }
  const later = (channel: Channel, delay: number, run: () => void): void => {
    channel.cancel?.()
    channel.cancel = clock.after(delay, run)
  }
  const drop = (cid: string, channel: Channel): void => {
    channel.cancel?.()
    channel.leave?.()
    if (channels.get(cid) === channel) channels.delete(cid)
    wake(channel)
  }
  const finish = (cid: string, channel: Channel): void => {
    channel.playlist.end()
    log?.info({ cid }, 'the HLS playlist ended')
    if (channel.playlist.text === undefined) drop(cid, channel)
    else later(channel, endedFor, () => drop(cid, channel))
  }
  const create = (cid: string): Channel => {
    const playlist = new HlsPlaylist(Math.max(0, Math.round(clock.now())).toString(36))
    const channel: Channel = {
      playlist,
      segmenter: new HlsSegmenter({
        map: (map) => playlist.map(map),
        segment(segment, targetDuration) {
          playlist.segment(segment, targetDuration)
          wake(channel)
        },
        leftOut: (loss) => hub.leftOut(cid, loss),
      }),
      viewers: createHlsViewers(clock),
      waiters: new Set(),
      isOver: false,
      leave: undefined,
      cancel: undefined,
    }
    return channel
  }
  const begin = (cid: string): void => {
    const before = channels.get(cid)
    // The rest of the push before is still sent; this one follows in the same readers.
    if (before?.leave) return
    if (before?.playlist.ended) drop(cid, before)
    const channel = before && !before.playlist.ended ? before : create(cid)
    channel.cancel?.()
    if (channel.isOver) channel.playlist.renew()
    channel.isOver = false
    channels.set(cid, channel)
    channel.leave = hub.join(
      cid,
      {
        packet: (packet) => channel.segmenter.packet(packet),
        ended(reason) {
          channel.leave = undefined
          channel.isOver = reason === 'closed'
          channel.segmenter.end()
          // There will be no segment.
          wake(channel)
          if (reason === 'cut') finish(cid, channel)
          else later(channel, openFor, () => finish(cid, channel))
        },
      },
      'internal',
    )
  }

  const offEvents = hub.on(({ type, cid }) => {
    if (type === 'started') begin(cid)
  })
  const offViewers = hub.addViewerSource((cid) => {
    const channel = channels.get(cid)
    return channel ? channel.viewers.count(channel.playlist.targetDuration) : 0
  })

  return {
    /** The playlist; its text is undefined until the first segment. Undefined when there is no playlist. */
    playlist(cid: string): { readonly text: string | undefined } | undefined {
      const channel = channels.get(cid)
      const text = channel?.playlist.text
      return text !== undefined || channel?.leave ? { text } : undefined
    },
    /** Waits for the first segment. Undefined when the stream ends, after 10 s, or at the limit of waiters. */
    firstPlaylist(cid: string): Promise<string | undefined> {
      const channel = channels.get(cid)
      if (!channel || channel.playlist.text !== undefined || channel.waiters.size >= maxWaiters)
        return Promise.resolve(channel?.playlist.text)
      return new Promise((resolve) => {
        const done = (): void => {
          cancel()
          channel.waiters.delete(done)
          resolve(channel.playlist.text)
        }
        const cancel = clock.after(firstFor, done)
        channel.waiters.add(done)
      })
    },
    /** Playlists, their segments in memory, and who asked for them of late. */
    totals() {
      let [bytes, players] = [0, 0]
      for (const { playlist, viewers } of channels.values()) {
        bytes += playlist.bytes
        players += viewers.count(playlist.targetDuration)
      }
      return { playlists: channels.size, bytes, players }
    },
    file: (cid: string, name: string): HlsFile | undefined => channels.get(cid)?.playlist.file(name),
    /** Counts a viewer for a while, by address and User-Agent; 50 per address at most. */
    seen: (cid: string, address: string, agent: string) => channels.get(cid)?.viewers.seen(address, agent),
    /** The player changed to HTTP-FLV; one with the same address and User-Agent counts again when it asks. */
    left: (cid: string, address: string, agent: string) => channels.get(cid)?.viewers.left(address, agent),
    close() {
      offEvents()
      offViewers()
      for (const [cid, channel] of channels) drop(cid, channel)
    },
  }
}
