/** Somebody who is told what happens in a room. */
export interface RoomListener {
  write(frame: Buffer): void
}

/** A session inside: by it its account is in the room, and is told. */
export interface ListeningSession extends RoomListener {
  readonly session: string
  /** Takes it out of the listeners; what waits for it is written first. */
  leave(): void
}

/** Within this many ms after one coming or going was told, others wait and share a write. */
const gatherFor = 100
/** Bytes that wait at most; at once then. */
const maxGather = 64 * 1024

/**
 * The sessions inside a room. Lines and notices go to all of them at once, as the same bytes. When a thousand people enter, each is told of all
 * who follow: half a million notices. So of those that come close together the first is told at once and the others in one write, after a tenth
 * of a second, or before the next line, so that everything keeps its order and nobody misses any or learns of what was before.
 */
export interface RoomListeners {
  /** Sessions inside. */
  readonly size: number
  /** Takes a session in, which is not inside yet. */
  add(session: string, listener: RoomListener): ListeningSession
  /** Tells everybody, but not one session. */
  tell(frame: Buffer, without?: string): void
  /** Tells everybody at once, some sessions by another frame. */
  tellApart(frame: Buffer, other: Buffer, some: ReadonlySet<string>): void
  /** Tells everybody soon who came or went. */
  tellSoon(frame: Buffer): void
}

interface Entry {
  readonly session: string
  readonly listener: RoomListener
  /** Bytes of what waits that were before it came. */
  since: number
  /** Its place among all; -1 when it is out. */
  place: number
}

/** Makes the listeners of one room; `after` calls once after ms. */
export function createRoomListeners(after: (ms: number, call: () => void) => () => void): RoomListeners {
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
    stop = after(gatherFor, passed)
  }

  return {
    get size() {
      return entries.length
    },
    add(session, listener) {
      const entry: Entry = { session, listener, since: bytes, place: entries.length }
      entries.push(entry)
      return { session, write: (frame) => listener.write(frame), leave: () => remove(entry) }
    },
    tell(frame, without) {
      if (bytes > 0) {
        const before = Buffer.concat(waiting)
        const all = Buffer.concat([before, frame])
        for (const entry of entries)
          if (entry.session !== without) entry.listener.write(rest(all, entry))
          else if (entry.since < bytes) entry.listener.write(rest(before, entry))
        return clear()
      }
      for (const { session, listener } of entries) if (session !== without) listener.write(frame)
    },
    tellApart(frame, other, some) {
      if (bytes > 0) flush()
      for (const { session, listener } of entries) listener.write(some.has(session) ? other : frame)
    },
    tellSoon(frame) {
      if (stop) {
        waiting.push(frame)
        bytes += frame.length
        if (bytes > maxGather) flush()
        return
      }
      for (const { listener } of entries) listener.write(frame)
      stop = after(gatherFor, passed)
    },
  }
}
