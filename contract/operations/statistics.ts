import { integer, list, object, text } from '../field.ts'
import { roomOperationsOf } from './messaging.ts'

/** Statistics of rooms (3-chatrooms Statistics record). */
export const statistics = {
  topn: roomOperationsOf('statistics')(
    '/stats/chatroom/topn',
    'Ranks rooms by what happened in an hour or a day that is over.',
    {
      topn: integer({ summary: 'Rooms.', min: 1, max: 500, default: 100 }),
      timestamp: integer({ summary: 'A time within the period, in seconds or ms; now when it is absent.', min: 0 }),
      period: text({ summary: 'hour or day.', pattern: '^(hour|day)$', default: 'hour' }),
      orderby: text({ summary: 'active, enter or message.', pattern: '^(active|enter|message)$', default: 'active' }),
    },
    {
      data: list(
        object({
          roomId: integer(),
          activeNums: integer({ summary: 'Accounts that entered or spoke.' }),
          enterNums: integer(),
          msgs: integer(),
          datetime: integer({ summary: 'Begin of the period in seconds.' }),
          period: text({ summary: 'HOUR or DAY.' }),
        }),
      ),
    },
  ),
} as const
