import type { Clock } from '../../platform/clock.ts'
import type { Kysely } from 'kysely'
import { Refused } from '../refusal.ts'
import type { EventTable } from '../storage/messaging-tables.ts'
import type { Tables } from '../storage/schema.ts'
import type { EventFrame, EventStream } from '../events/event.ts'
import type { History } from '../stream/history.ts'
import { readAccid, type Scene } from './recipient.ts'
import type { SenderTeams } from './sources.ts'

/** A message to recall (2-messaging recall). */
export interface RecallRequest {
  readonly uid: number
  /** Sender, in lower case. */
  readonly from: string
  readonly scene: Scene
  /** An accid or tid as written. */
  readonly to: string
  readonly msgid: number
  /** Its time in ms. */
  readonly timetag: number
  readonly msg?: string | undefined
  /** Ignores the application's time limit. */
  readonly anyAge?: boolean
  /** The recalling link session. */
  readonly session?: string | undefined
}

type MessageFrame = EventFrame & { readonly t: 'message' }
const minute = 60_000

const nothing = { body: '', push: false, badge: false, recalled: true }
/** A recalled message without its content. */
const emptied = ({ t, seq, at, scene, from, to, type, clientId, fromClientType }: MessageFrame): string =>
  JSON.stringify({ t, seq, at, scene, from, to, type, clientId, fromClientType, ...nothing })

/** Makes the recall (behaviour.md#recall). Does nothing for an unknown message. */
export function createRecall(options: {
  readonly stream: Pick<EventStream, 'publish'> & Pick<History, 'find'>
  readonly teams: SenderTeams
  readonly clock: Clock
  /** Time limit of an application, in minutes. */
  readonly minutes: (uid: number) => number
}): (request: RecallRequest) => Promise<void> {
  const { stream, teams, clock, minutes } = options
  const underWay = new Set<number>()

  const messageOf = (
    event: Readonly<EventTable> | undefined,
    { from, scene, to, timetag }: RecallRequest,
  ): MessageFrame | undefined => {
    if (!event || event.recalled || event.sender !== from || event.at !== timetag) return undefined
    const frame = JSON.parse(event.frame) as EventFrame
    const isIt =
      frame.t === 'message' &&
      frame.type !== 5 &&
      frame.scene === scene &&
      frame.to === (scene === 'p2p' ? readAccid(to) : to)
    return isIt ? frame : undefined
  }
  const empty = async (transaction: Kysely<Tables>, seq: number, frame: MessageFrame): Promise<void> => {
    await transaction
      .updateTable('event')
      .set({ recalled: 1, roam: 0, offline: 0, badge: 0, frame: emptied(frame) })
      .where('seq', '=', seq)
      .execute()
  }

  return async (request) => {
    const { uid, from, scene, msgid, timetag, msg, session, anyAge = false } = request
    const event = await stream.find(uid, msgid)
    const frame = messageOf(event, request)
    if (!event || !frame) return
    if (scene === 'team' && !teams.find(uid, frame.to)?.members.has(from)) throw new Refused(403, 'not allow!')
    if (!anyAge && clock.now() - timetag > minutes(uid) * minute)
      throw new Refused(414, `a message may be recalled within ${minutes(uid)} minutes`)
    if (underWay.has(msgid)) return
    underWay.add(msgid)
    try {
      await stream.publish({
        uid,
        from,
        to: scene === 'team' ? { tid: Number(frame.to) } : { accids: [frame.to] },
        frame: { t: 'recall', msgid, scene, from, to: frame.to, timetag, ...(msg !== undefined && { msg }) },
        keep: { history: false, roam: true, offline: true },
        ...(event.hidden === 1 && { hidden: true }),
        ...(session !== undefined && { origin: session }),
        inTransaction: (transaction) => empty(transaction, msgid, frame),
      })
    } finally {
      underWay.delete(msgid)
    }
  }
}
