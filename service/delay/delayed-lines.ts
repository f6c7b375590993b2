import path from 'node:path'
import type { Clock } from '../../platform/clock.ts'
import { createLru } from '../../platform/lru.ts'
import { inBackground } from '../background.ts'
import type { Log } from '../log.ts'
import type { Hub, HubLog, LiveStream } from '../hub/hub.ts'
import type { HubEvent } from '../hub/hub-events.ts'
import type { ReaderKind } from '../hub/reader-fan.ts'
import type { StreamReader } from '../timeline/packet.ts'
import { DelayedLine } from './delayed-line.ts'
import { segmentFiles, type SegmentFiles } from './segment-file.ts'

/** Bytes of the disk that delayed media leaves free. */
const defaultReserve = 1024 ** 3

/** Channels whose last end is remembered, and for how long in ms: so long a time of the day needs no date. */
const maxEnds = 10_000
const endedFor = 12 * 3_600_000

/** Lines of all channels. */
export type DelayedLines = Awaited<ReturnType<typeof createDelayedLines>>

/** Makes the lines of a service; their folder is emptied. */
export async function createDelayedLines(options: {
  readonly hub: Pick<Hub, 'on' | 'join' | 'stream' | 'leftOut' | 'dropped' | 'addViewerSource'>
  readonly clock: Clock
  readonly log: HubLog & Pick<Log, 'error'>
  readonly dataDir: string
  /** Delay asked for, in ms. */
  readonly delayOf: (cid: string) => number
  readonly changed: (cid: string) => void
  readonly reserve?: number | undefined
  readonly files?: SegmentFiles
}) {
  const { hub, clock, log, dataDir, delayOf, changed, reserve = defaultReserve } = options
  const files = options.files ?? (await segmentFiles(path.join(dataDir, 'delay'), reserve))
  const lines = new Map<string, DelayedLine>()
  /** Streams, so that the rest of a push can be joined after its end. */
  const streams = new WeakMap<DelayedLine, LiveStream>()
  /** Channels whose push is over, and whose rest is still sent. */
  const resting = new Set<string>()
  /** When viewers had the rest of the last push, in ms. */
  const ends = createLru<number>(maxEnds)
  const listeners = new Set<(event: HubEvent) => void>()
  let made = 0
  const tell = (event: HubEvent): void => {
    if (event.type === 'ended') ends.set(event.cid, event.at)
    for (const listener of listeners) listener(event)
  }

  const begin = (cid: string): void => {
    const present = lines.get(cid)
    const line =
      present ??
      new DelayedLine({
        cid,
        clock,
        log,
        files,
        name: `${cid}-${made++}`,
        delay: delayOf(cid),
        longGop: () => hub.leftOut(cid, 'longGop'),
        changed: () => changed(cid),
        over() {
          if (lines.get(cid) === line) lines.delete(cid)
          if (resting.delete(cid)) tell({ type: 'ended', cid, at: clock.now() })
          changed(cid)
          inBackground(line.close(), log, 'removing delayed media')
        },
      })
    lines.set(cid, line)
    if (present) present.follow()
    const stream = hub.stream(cid)
    if (stream) streams.set(line, stream)
    hub.join(cid, line, 'internal')
  }
  const offEvents = hub.on((event) => {
    const { type, cid } = event
    if (type === 'started') {
      resting.delete(cid)
      begin(cid)
    } else if ((type === 'ended' || type === 'replaced') && lines.has(cid)) {
      resting.add(cid)
      return
    }
    tell(event)
  })
  const offViewers = hub.addViewerSource((cid) => lines.get(cid)?.viewers ?? 0)

  return {
    /** Like the hub's `join`, for viewers and targets. */
    join: (cid: string, reader: StreamReader, kind: ReaderKind): (() => void) | undefined =>
      lines.get(cid)?.join(reader, kind),
    /** For the app's own previews, which have no delay. */
    own: hub.join,
    dropped: hub.dropped,
    /** Events of the hub, but the end of a push when its rest is sent. */
    on(listener: (event: HubEvent) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    leftOut: hub.leftOut,
    addViewerSource: hub.addViewerSource,
    /** The stream that viewers get, also after the end of its push. */
    stream(cid: string): Pick<LiveStream, 'startedAt' | 'video' | 'audio'> | undefined {
      const line = lines.get(cid)
      const stream = line && streams.get(line)
      return (
        stream && {
          startedAt: stream.startedAt,
          video: line.video ?? stream.video,
          audio: line.audio ?? stream.audio,
        }
      )
    },
    /** Memory of media that waits for its delay, in bytes. */
    memory: (): number => [...lines.values()].reduce((sum, line) => sum + line.memory, 0),
    /** Start of a push that is over, and whose rest is still sent. */
    restOf(cid: string): number | undefined {
      const line = lines.get(cid)
      return line && !line.isPushed ? streams.get(line)?.startedAt : undefined
    },
    /** When viewers had the last push to its end, in ms; for 12 h, and after a restart not known. */
    endOf(cid: string): number | undefined {
      const end = ends.get(cid)
      return end !== undefined && clock.now() - end < endedFor ? end : undefined
    },
    line: (
      cid: string,
    ): Pick<DelayedLine, 'state' | 'sent' | 'isPushed' | 'setDelay' | 'hold' | 'back' | 'dump'> | undefined =>
      lines.get(cid),
    /** The channel became unusable: nothing more is sent. */
    cut: (cid: string) => lines.get(cid)?.end('cut'),
    async close() {
      offEvents()
      offViewers()
      await Promise.all([...lines.values()].map((line) => line.close()))
    },
  }
}
