import type { LinkParameters } from '../../contract/link/frames.ts'
import { linkClose, linkLimits } from '../../contract/link/frames.ts'
import type { Connection } from './connection.ts'
import type { LinkStream, StreamPart } from './ports.ts'

/** Frames held for a session while it reads what it missed. Beyond it they are dropped: what is kept is read by another `sync`, the rest is lost. */
const maxHeld = 256
/** Bytes waiting from which a session gets nothing more until they are sent; it is told by `more` then. */
const slowFrom = linkLimits.queue / 2

/** Why a session ends, as the client is told. */
export type KickReason = 'blocked' | 'elsewhere' | 'ended' | 'closing'

/** One account on one device, logged in. */
export interface Session {
  readonly id: string
  readonly uid: number
  readonly accid: string
  readonly device: string
  readonly clientType: string
  readonly sdkVersion: string
  readonly connection: Connection
  /** Accounts whose presence it watches. */
  watched: readonly string[]
  /** Hands over a push of the stream, at once, or when the session has read what came before. Without a seq it is not kept. */
  offer(frame: Buffer, seq: number | undefined): void
  /** Reads on behind a seq; after the part without `more`, pushes come by themselves. */
  sync(after: number, answer: (part: StreamPart) => void): Promise<void>
  /** Tells the client why, and ends the connection. */
  kick(reason: KickReason): void
}

/** Makes the session of a connection that has just logged in: it gets nothing of the stream until it has synced. */
export function createSession(
  id: string,
  uid: number,
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
    else overflowed = true
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
    connection,
    watched: [],
    offer,
    async sync(after, answer) {
      isBehind = true
      // What was dropped so far is stored by now, so that this reading finds it.
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
