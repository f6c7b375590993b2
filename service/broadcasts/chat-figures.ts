import { sql, type Kysely } from 'kysely'
import { noticeType } from '../../contract/catalogue/notices.ts'
import type { Tables } from '../storage/schema.ts'

/** What was said in a room in a time. */
export interface ChatFigures {
  readonly lines: number
  readonly people: number
  readonly held: number
  readonly caught: number
  readonly removed: number
  readonly measures: number
}

const states = ['shown', 'held', 'caught', 'removed'] as const
/** As the index of lines has it. */
const isNotice = sql<boolean>`(type = ${sql.lit(noticeType)})`

/** Counts what the history of a room has of a time, both ends included; in ms. */
export async function readChatFigures(
  reads: Kysely<Tables>,
  { roomid, from, to }: { readonly roomid: number; readonly from: number; readonly to: number },
): Promise<ChatFigures> {
  const within = (ofNotices: boolean) =>
    reads
      .selectFrom('roomLine')
      .where('roomid', '=', roomid)
      .where(isNotice, '=', sql.lit(ofNotices))
      .where('at', '>=', from)
      .where('at', '<=', to)
  const counted = await within(false)
    .where('state', 'in', states)
    .select(({ fn }) => ['state', fn.countAll<number>().as('lines'), fn.count<number>('heldAt').as('held')])
    .groupBy('state')
    .execute()
  const of = (state: (typeof states)[number]) => counted.find((each) => each.state === state) ?? { lines: 0, held: 0 }
  const { people } = await within(false)
    .where('state', '=', 'shown')
    .select(({ fn }) => fn.count<number>('sender').distinct().as('people'))
    .executeTakeFirstOrThrow()
  const { measures } = await within(true)
    .where('state', '=', 'shown')
    .select(({ fn }) => fn.countAll<number>().as('measures'))
    .executeTakeFirstOrThrow()
  return {
    lines: of('shown').lines + of('removed').lines,
    people,
    held: of('shown').held + of('removed').held + of('held').lines,
    caught: of('caught').lines,
    removed: of('removed').lines,
    measures,
  }
}
