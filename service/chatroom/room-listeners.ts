/** Somebody who is told what happens in a room. */
export interface RoomListener {
  write(frame: Buffer): void
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
  add(session: string, listener: RoomListener): void
  /** Takes one out; what waits for it is written first. */
  remove(session: string): void
  /** Tells everybody, but not one session. */
  tell(frame: Buffer, without?: string): void
  /** Tells everybody at once, some sessions by another frame. */
  tellApart(frame: Buffer, other: Buffer, some: ReadonlySet<string>): void
  /** Tells everybody soon who came or went. */
  tellSoon(frame: Buffer): void
}

interface Seat {
  readonly session: string
  readonly listener: RoomListener
  /** Bytes of what waits that were before it came. */
  since: number
}

/** Makes the listeners of one room; `after` calls once after ms. */
export function createRoomListeners(after: (ms: number, call: () => void) => () => void): RoomListeners {
  const seats: Seat[] = []
  const places = new Map<string, number>()
  let waiting: Buffer[] = []
  let bytes = 0
  let stop: (() => void) | undefined

  const rest = (all: Buffer, { since }: Seat): Buffer => (since === 0 ? all : all.subarray(since))
  const clear = (): void => {
    for (const seat of seats) seat.since = 0
    waiting = []
    bytes = 0
  }
  const flush = (): void => {
    const all = Buffer.concat(waiting)
    for (const seat of seats) if (seat.since < bytes) seat.listener.write(rest(all, seat))
    clear()
  }
  const passed = (): void => {
    stop = undefined
    if (bytes === 0) return
    flush()
    stop = after(gatherFor, passed)
  }

  return {
    get size() {
      return seats.length
    },
    add(session, listener) {
      const seat = { session, listener, since: bytes }
      const place = places.get(session) ?? seats.length
      places.set(session, place)
      seats[place] = seat
    },
    remove(session) {
      const place = places.get(session)
      if (place === undefined) return
      const seat = seats[place]!
      if (seat.since < bytes) seat.listener.write(rest(Buffer.concat(waiting), seat))
      places.delete(session)
      const last = seats.pop()!
      if (last === seat) return
      seats[place] = last
      places.set(last.session, place)
    },
    tell(frame, without) {
      if (bytes > 0) {
        const before = Buffer.concat(waiting)
        const all = Buffer.concat([before, frame])
        for (const seat of seats)
          if (seat.session !== without) seat.listener.write(rest(all, seat))
          else if (seat.since < bytes) seat.listener.write(rest(before, seat))
        return clear()
      }
      for (const { session, listener } of seats) if (session !== without) listener.write(frame)
    },
    tellApart(frame, other, some) {
      if (bytes > 0) flush()
      for (const { session, listener } of seats) listener.write(some.has(session) ? other : frame)
    },
    tellSoon(frame) {
      if (stop) {
        waiting.push(frame)
        bytes += frame.length
        if (bytes > maxGather) flush()
        return
      }
      for (const { listener } of seats) listener.write(frame)
      stop = after(gatherFor, passed)
    },
  }
}
