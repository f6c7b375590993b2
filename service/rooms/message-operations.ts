import { chatrooms, statistics as contract } from '../../contract/operations/index.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { portOf } from '../public-addresses.ts'
import { Refused } from '../refusal.ts'
import { isBlacklisted } from './room.ts'
import type { RoomMessages } from './room-messages.ts'
import type { RankedBy, RoomStatistics } from './room-statistics.ts'
import type { RoomContext } from './room-context.ts'

const columns: Readonly<Record<string, RankedBy>> = { active: 'active', enter: 'enters', message: 'msgs' }
/** Smaller times are in seconds, others in ms: seconds reach this in the year 5138. */
const firstMilliseconds = 100_000_000_000

/** Handlers of sendMsg, requestAddr and topn (3-chatrooms Endpoints). */
export function roomMessageOperations(options: {
  readonly context: RoomContext
  readonly messages: RoomMessages
  readonly statistics: Pick<RoomStatistics, 'top'>
  readonly linkUrl: () => string
}): Served[] {
  const { context, messages, statistics, linkUrl } = options
  const { clock } = context.options
  return [
    serve(
      chatrooms.sendMsg,
      async ({ roomid, msgId, fromAccid, msgType, resendFlag, attach = '', ...rest }, { application: { uid } }) => {
        const said = {
          roomid,
          from: fromAccid,
          clientType: 'REST',
          clientId: msgId,
          type: msgType,
          attach,
          resend: resendFlag,
          ...rest,
        } as const
        const line = await messages.say(uid, said)
        return {
          desc: {
            time: String(line.at),
            fromAvator: line.avatar,
            msgid_client: line.clientId,
            fromClientType: line.clientType,
            attach: line.attach,
            roomId: String(line.roomid),
            fromAccount: line.sender,
            fromNick: line.nick,
            type: String(line.type),
            ext: line.ext,
          },
        }
      },
    ),
    serve(chatrooms.requestAddr, ({ roomid, accid }, { application: { uid } }) => {
      const room = context.must(uid, roomid, 414)
      context.mustExist(uid, [accid], 414)
      if (isBlacklisted(room, accid)) throw new Refused(403, 'blacklisted from the room')
      if (room.row.valid === 0) throw new Refused(13002, 'the room is closed')
      const link = new URL(linkUrl())
      return { addr: [`${link.hostname}:${portOf(link)}`] }
    }),
    serve(contract.topn, async ({ topn, timestamp, period, orderby }, { application: { uid } }) => {
      const now = clock.now()
      const at = timestamp === undefined ? now : timestamp < firstMilliseconds ? timestamp * 1000 : timestamp
      // A future period is not over; the largest times are outside of any calendar.
      if (at > now) return { data: [] }
      const rows = await statistics.top(uid, period === 'day' ? 'DAY' : 'HOUR', at, columns[orderby]!, topn)
      return {
        data: rows.map((row) => ({
          roomId: row.roomid,
          activeNums: row.active,
          enterNums: row.enters,
          msgs: row.msgs,
          datetime: row.start / 1000,
          period: row.period,
        })),
      }
    }),
  ]
}
