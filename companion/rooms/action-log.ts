import type { DatabaseSync } from 'node:sqlite'
import type { LoggedAction, RoomAction } from '../../contract/rpc/index.ts'
import { openDatabaseStore } from '../../platform/stores.ts'
import { type ActionLimit, actionLimit, countActions, dropBeyond } from './action-limit.ts'
import { loggedAction, loggedText } from './action-texts.ts'

/** An intended action. */
export type Intent = Pick<RoomAction, 'roomid' | 'at' | 'operator' | 'what' | 'why' | 'undoes'> & {
  readonly profileId: string
  /** It is done from a moderator's seat. */
  readonly seat: boolean
}
/** An action's outcome. */
export type Outcome = Pick<RoomAction, 'code' | 'detail'> &
  Partial<Details> & { readonly result: 'done' | 'partly' | 'failed' }
type Details = Pick<RoomAction, 'failure' | 'operatorName' | 'targetName' | 'line'>
const noDetails: Details = { failure: null, operatorName: '', targetName: '', line: null }

interface ActionQuery {
  readonly profileId: string
  readonly roomid?: number | undefined
  readonly target?: string | undefined
  readonly before?: number | undefined
  readonly limit: number
}

/** Entries dropped from a room, and the time of the newest. */
export type Dropped = { readonly entries: number; readonly until: number } | null

/** Log of actions, only added to. Above its size the author with most loses the oldest; the host none by seats. */
export type ActionLog = ReturnType<typeof actionLog>

interface Row extends Pick<RoomAction, 'id' | 'roomid' | 'at' | 'operator' | 'why' | 'undoes' | 'code'> {
  readonly what: string
  readonly result: Outcome['result'] | null
  readonly detail: string | null
  readonly more: string | null
}
const actionOf = ({ what, result, detail, more, ...row }: Row): RoomAction => ({
  ...row,
  ...noDetails,
  ...(more === null ? {} : (JSON.parse(more) as Partial<Details>)),
  what: JSON.parse(what) as LoggedAction,
  result: result ?? 'unknown',
  detail: detail ?? '',
})
const targetOf = (measure: LoggedAction): string => ('target' in measure ? measure.target : '')
const columns = 'a.id, a.roomid, a.at, a.operator, a.what, a.why, a.undoes, o.result, o.code, o.detail, o.more'

/** Opens the log; a damaged one is quarantined. */
export const openActionLog = (file: string, limit: ActionLimit = actionLimit): ActionLog =>
  openDatabaseStore(file, 1, (database) => actionLog(database, limit))

function actionLog(database: DatabaseSync, limit: ActionLimit) {
  database.exec(`
    pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 2000;
    create table if not exists action (
      id integer primary key autoincrement, profileId text not null, roomid integer not null, at integer not null, operator text not null,
      what text not null, target text not null, why text not null, undoes integer
    );
    create index if not exists action_of on action (profileId, roomid, id);
    create index if not exists action_all on action (profileId, id);
    create index if not exists action_target on action (profileId, roomid, target, id);
    create index if not exists action_target_all on action (profileId, target, id);
    create table if not exists outcome (id integer primary key references action (id), result text not null, code integer, detail text not null, more text);
    create trigger if not exists action_stays before update on action begin select raise(abort, 'entries are not changed'); end;
    create trigger if not exists outcome_stays before update on outcome begin select raise(abort, 'entries are not changed'); end;
  `)
  // Older logs lack this column.
  if (!database.prepare("select 1 from pragma_table_info('outcome') where name = 'more'").get())
    database.exec('alter table outcome add column more text')
  countActions(database)
  const begin = database.prepare(
    'insert into action (profileId, roomid, at, operator, what, target, why, undoes, seat) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const drop = dropBeyond(database, limit)
  const end = database.prepare('insert into outcome (id, result, code, detail, more) values (?, ?, ?, ?, ?)')
  const one = database.prepare(`select ${columns} from action a left join outcome o on o.id = a.id where a.id = ?`)
  const ofRoom = database.prepare(
    `select ${columns} from action a left join outcome o on o.id = a.id where a.profileId = ? and a.roomid = ? and a.id = ?`,
  )
  const dropped = database.prepare('select entries, until from dropped where profileId = ? and roomid = ?')
  // One statement per filter, each with its index.
  const listOf = (conditions: string) =>
    database.prepare(
      `select ${columns} from action a left join outcome o on o.id = a.id where a.profileId = ? ${conditions} and a.id < ? order by a.id desc limit ?`,
    )
  const lists = {
    all: listOf(''),
    room: listOf('and a.roomid = ?'),
    target: listOf('and a.target = ?'),
    both: listOf('and a.roomid = ? and a.target = ?'),
  }
  return {
    /** On disk when it returns. Throws when the disk refuses. */
    begin: ({ profileId, roomid, at, operator, seat, what, why, undoes }: Intent): number => {
      const half = seat ? 1 : 0
      database.exec('begin immediate')
      try {
        drop(half)
        const { lastInsertRowid } = begin.run(
          profileId,
          roomid,
          at,
          operator,
          JSON.stringify(loggedAction(what)),
          targetOf(what),
          why,
          undoes,
          half,
        )
        database.exec('commit')
        return Number(lastInsertRowid)
      } catch (error) {
        if (database.isTransaction) database.exec('rollback')
        throw error
      }
    },
    end: (id: number, { result, code, detail, line, ...more }: Outcome): RoomAction => {
      end.run(
        id,
        result,
        code,
        detail,
        JSON.stringify({ ...more, ...(line !== undefined && { line: line === null ? null : loggedText(line) }) }),
      )
      return actionOf(one.get(id) as unknown as Row)
    },
    list: ({ profileId, roomid, target, before = Number.MAX_SAFE_INTEGER, limit }: ActionQuery): RoomAction[] => {
      const list =
        roomid === undefined
          ? target === undefined
            ? lists.all
            : lists.target
          : target === undefined
            ? lists.room
            : lists.both
      const wanted = [roomid, target].filter((one) => one !== undefined)
      return (list.all(profileId, ...wanted, before, limit) as unknown as Row[]).map(actionOf)
    },
    read: (profileId: string, roomid: number, id: number): RoomAction | undefined => {
      const row = ofRoom.get(profileId, roomid, id)
      return row && actionOf(row as unknown as Row)
    },
    dropped: (profileId: string, roomid: number): Dropped =>
      (dropped.get(profileId, roomid) as { entries: number; until: number } | undefined) ?? null,
    close: () => database.close(),
  }
}
