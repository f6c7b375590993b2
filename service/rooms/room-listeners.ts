import type { Clock } from '../../platform/clock.ts'
import type { MessageCount } from '../events/message-counts.ts'

/** A session that gets the pushes of a room. */
export interface RoomListener {
  write(frame: Buffer): void
}

/** A session inside a room, which puts its account in and gets its pushes. */
export interface ListeningSession extends RoomListener {
  readonly session: string
  /** Removes it after writing what was collected for it. */
  leave(): void
}

/** ms after an entry or exit was sent, in which further ones are collected. */
const gatherFor = 100
const maxGather = 64 * 1024

interface Entry {
  readonly session: string
  readonly listener: RoomListener
  /** Bytes collected before it entered. */
  since: number
  /** Its index; -1 when removed. */
  place: number
}

/** Makes the listeners of a room. */
export function createRoomListeners(clock: Pick<Clock, 'after'>, counts?: Pick<MessageCount, 'delivered'>) {
  const entries: Entry[] = []
  let waiting: Buffer[] = []
  let bytes = 0
  let stop: (() => void) | undefined

  const rest = (all: Buffer, { since }: Entry): Buffer => (since === 0 ? all : all.subarray(since))
  const clear = (): void => {
    for (const entry of entries) entry.since = 0
    waiting = []
    bytes = 0
  }
  const flush = (): void => {
    const all = Buffer.concat(waiting)
    for (const entry of entries) if (entry.since < bytes) entry.listener.write(rest(all, entry))
    clear()
  }
  const remove = (entry: Entry): void => {
    const { place } = entry
    if (place < 0) return
    if (entry.since < bytes) entry.listener.write(rest(Buffer.concat(waiting), entry))
    entry.place = -1
    const last = entries.pop()!
    if (last === entry) return
    entries[place] = last
    last.place = place
  }
  const passed = (): void => {
    stop = undefined
    if (bytes === 0) return
    flush()
    stop = clock.after(gatherFor, passed)
  }

  return {
    get size(): number {
      return entries.length
    },
    /** Adds a session that is not inside. */
    add(session: string, listener: RoomListener): ListeningSession {
      const entry: Entry = { session, listener, since: bytes, place: entries.length }
      entries.push(entry)
      return { session, write: (frame) => listener.write(frame), leave: () => remove(entry) }
    },
    /** Sends to all, except one session. */
    tell(frame: Buffer, without?: string): void {
      if (counts) counts.delivered += entries.length
      if (bytes > 0) {
        const before = Buffer.concat(waiting)
        const all = Buffer.concat([before, frame])
        for (const entry of entries)
          if (entry.session !== without) entry.listener.write(rest(all, entry))
          else if (entry.since < bytes) entry.listener.write(rest(before, entry))
        clear()
        return
      }
      for (const { session, listener } of entries) if (session !== without) listener.write(frame)
    },
    /** Sends `frame` to all, but `other` to some sessions. */
    tellApart(frame: Buffer, other: Buffer, some: ReadonlySet<string>): void {
      if (counts) counts.delivered += entries.length
      if (bytes > 0) flush()
      for (const { session, listener } of entries) listener.write(some.has(session) ? other : frame)
    },
    /** Sends an entry or exit soon. */
    tellSoon(frame: Buffer): void {
      if (counts) counts.delivered += entries.length
      if (stop) {
        waiting.push(frame)
        bytes += frame.length
        if (bytes > maxGather) flush()
        return
      }
      for (const { listener } of entries) listener.write(frame)
      stop = clock.after(gatherFor, passed)
    },
  }
}

/**
 * The sessions inside a room; all get the same bytes at once. A thousand entries mean half a million notices, so after
 * the first of a burst the others are collected for 0.1 s, or until the next line. Order is kept, and nobody gets what
 * was before its own entry.
 */
export type RoomListeners = ReturnType<typeof createRoomListeners>
