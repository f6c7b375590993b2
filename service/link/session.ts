import { linkClose, linkLimits, type LinkParameters } from '../../contract/link/frames.ts'
import type { Connection } from './connection.ts'
import type { MissedEvents } from '../stream/replay.ts'
import type { LinkStream } from './ports.ts'

/** Frames held while a session reads what it missed; dropped ones are read by another `sync`. */
const maxHeld = 256
/** Unsent bytes at which a session gets no more until they are sent; it then gets `more`. */
const slowFrom = linkLimits.queue / 2

/** Why a session ends, as sent to the client. */
export type KickReason = 'blocked' | 'elsewhere' | 'ended' | 'closing'

/** An account logged in on a device. */
export interface Session {
  readonly id: string
  readonly uid: number
  readonly accid: string
  readonly device: string
  readonly clientType: string
  readonly sdkVersion: string
  /** Of a guest of the watch page. */
  readonly isGuest: boolean
  readonly connection: Connection
  /** Accounts whose presence it watches. */
  watched: readonly string[]
  /** Sends a push of the stream, now or after earlier events were read. Without seq it is not kept. */
  offer(frame: Buffer, seq: number | undefined): void
  /** Reads on after a seq; after the part without `more`, pushes are live. */
  sync(after: number, answer: (part: MissedEvents) => void): Promise<void>
  /** Sends the reason and closes the connection. */
  kick(reason: KickReason): void
}

/** Makes the session of a new log-in; it gets no stream events before its sync. */
export function createSession(
  { id, uid, isGuest }: Pick<Session, 'id' | 'uid' | 'isGuest'>,
  { accid, device, clientType, sdkVersion }: LinkParameters<'login'>,
  connection: Connection,
  stream: Pick<LinkStream, 'since'>,
): Session {
  let isBehind = true
  let sentUpTo = 0
  let held: { readonly frame: Buffer; readonly seq: number | undefined }[] = []
  let overflowed = false

  const hold = (frame: Buffer, seq: number | undefined): void => {
    if (held.length < maxHeld) held.push({ frame, seq })
    // What is not stored cannot be read again.
    else if (seq !== undefined) overflowed = true
  }
  const pass = (frame: Buffer, seq: number | undefined): void => {
    if (seq !== undefined) {
      if (seq <= sentUpTo) return
      sentUpTo = seq
    }
    connection.write(frame)
  }

  const offer = (frame: Buffer, seq: number | undefined): void => {
    if (isBehind) return hold(frame, seq)
    if (connection.waiting <= slowFrom) return pass(frame, seq)
    isBehind = true
    hold(frame, seq)
    connection.whenDrained(() => connection.say({ t: 'more', seq: sentUpTo }))
  }

  return {
    id,
    uid,
    accid,
    device,
    clientType,
    sdkVersion,
    isGuest,
    connection,
    watched: [],
    offer,
    async sync(after, answer) {
      isBehind = true
      // What was dropped is stored by now, so this read includes it.
      overflowed = false
      const part = await stream.since({ uid, accid, after, limit: linkLimits.page })
      const more = part.more || overflowed
      sentUpTo = Math.max(sentUpTo, part.seq)
      answer({ ...part, more })
      if (more) return
      isBehind = false
      const late = held
      held = []
      for (const { frame, seq } of late) offer(frame, seq)
    },
    kick(reason) {
      connection.say({ t: 'kicked', reason })
      connection.end(reason === 'closing' ? 1001 : linkClose.kicked, reason)
    },
  }
}
