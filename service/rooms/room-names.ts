import type { Clock } from '../../platform/clock.ts'
import type { Kysely } from 'kysely'
import { formsOf, plainForm } from '../words/folding.ts'
import { createWordMatcher } from '../words/word-matcher.ts'
import type { Journal } from '../journal/journal.ts'
import type { RoomNameTable } from '../storage/room-tables.ts'
import type { Tables } from '../storage/schema.ts'
import { leads, roleOf, type Room } from './room.ts'

const day = 86_400_000
/** Days for which a name stays with its last owner (behaviour.md#names). */
const keptDays = 30
/** Interval of storing a used name again, in ms. */
const renewEvery = day
/** Names kept in all; the least recently used are dropped. */
const maxNames = 50_000
/** Names per delete, so that no statement blocks the database for long. */
const maxRemove = 500
/** Longest name, in UTF-16 code units (contract, roomEnter). */
const maxName = 64
/** Suffixes tried for a taken name: these in order, then random ones of each further length. */
const numbersInOrder = { from: 2, to: 9 }
const numbersAtRandom = { digits: [2, 3, 4, 5, 6], each: 3 }

/** Names of leaders and of the service, also as words within a name. */
const reservedWords = [
  'host',
  'mod',
  'mods',
  'moderator',
  'moderators',
  'admin',
  'admins',
  'administrator',
  'streamer',
  'system',
  'sidestage',
].concat(
  ['hosts', 'broadcaster', 'official', 'staff'],
  ['主播', '房管', '房主', '管理员', '版主', '超管', '系统', '官方'],
  ['主播', '房管', '房主', '管理員', '版主', '系統', '官方'],
)
/** Reserved only as the whole name; within a longer one they have other meanings. */
const reservedNames = new Set(['管理', '主持人', '工作人员', '工作人員'])
/** Small letters that look like other capitals but are not confusable in UTS 39: Cyrillic, small capitals. */
const likeCapitals = new Map(
  [...'нвмткʜʙᴍᴛᴋᴀᴄᴅᴇɢɪᴊʟɴᴏᴘʀꜱᴜᴠᴡʏᴢ'].map((letter, at): [string, string] => [
    letter,
    'hbmtkhbmtkacdegijlnoprsuvwyz'[at]!,
  ]),
)
/** Digits used for letters, and i for l. */
const likeLetters = new Map([...'0134578i'].map((character, at): [string, string] => [character, 'oleastbl'[at]!]))
const replacedBy = (text: string, table: ReadonlyMap<string, string>): string =>
  [...text].map((each) => table.get(each) ?? each).join('')
const seenAs = (name: string): string => replacedBy(name.normalize('NFKC').toLowerCase(), likeCapitals)
const lettersOf = (name: string): string => replacedBy(formsOf(seenAs(name)).skeleton, likeLetters)
const separators = /[\s\p{P}\p{S}]+/gu
/** Form for comparing with leaders' names: letters and digits, look-alikes replaced. */
const bareForm = (name: string): string => lettersOf(name).replace(separators, '')
const isReserved = createWordMatcher(reservedWords)
const isReservedBare = createWordMatcher(reservedWords.map(bareForm))
/** Digits after a word. */
const wordNumber = /(?<=\p{L})\d+(?![\p{L}\d])/gu
/** Whether a name imitates a leader: directly, with look-alikes, or with separators. */
function claimsToLead(name: string): boolean {
  const unnumbered = name.normalize('NFKC').replace(wordNumber, '')
  return (
    [name, seenAs(name)].some((each) => isReserved(each) || isReserved(each.replace(separators, ''))) ||
    [lettersOf(name), bareForm(name), lettersOf(unnumbered), bareForm(unnumbered)].some(isReservedBare) ||
    reservedNames.has(bareForm(name))
  )
}
/** Comparison keys of a name: by reading and by appearance (i and l are one, as capital I and l look alike). */
export function nameKeys(name: string): readonly string[] {
  const { skeleton, written: asWritten } = formsOf(name)
  const read = skeleton.replaceAll('i', 'l')
  const written = asWritten?.replaceAll('i', 'l')
  return written === undefined || written === read ? [read] : [read, written]
}

/** The assigned name, and why it differs from the request. */
export interface GivenName {
  readonly name: string
  readonly note?: 'taken' | 'reserved'
}

interface Kept extends RoomNameTable {
  readonly keys: readonly string[]
  /** In ms. */
  storedAt: number
  storing?: Promise<void>
}

/** Reads the names; `find` finds accounts, whose names and accids are taken. */
export async function createRoomNames(options: {
  readonly db: Kysely<Tables>
  readonly journal: Journal
  readonly clock: Clock
  readonly find: (uid: number, accid: string) => { readonly name: string } | undefined
  /** An unpredictable number below the given one. */
  readonly random: (below: number) => number
  readonly max?: number
}) {
  const { db, journal, clock, find, random, max = maxNames } = options
  const kept = new Map<string, Kept>()
  /** Owner by room and key. */
  const owners = new Map<string, string>()
  const idOf = (roomid: number, accid: string): string => `${roomid} ${accid}`
  const drop = (id: string): void => {
    const entry = kept.get(id)
    if (!entry) return
    kept.delete(id)
    for (const key of entry.keys)
      if (owners.get(`${entry.roomid} ${key}`) === entry.accid) owners.delete(`${entry.roomid} ${key}`)
  }
  /** Newest last, so that the oldest are found at once. */
  const put = (entry: Kept): void => {
    const id = idOf(entry.roomid, entry.accid)
    drop(id)
    if (kept.size >= max) drop(kept.keys().next().value!)
    kept.set(id, entry)
    for (const key of entry.keys) owners.set(`${entry.roomid} ${key}`, entry.accid)
  }
  const oldest = (): number => clock.now() - keptDays * day
  for (const row of await db
    .selectFrom('roomName')
    .selectAll()
    .where('at', '>', oldest())
    .orderBy('at', 'desc')
    .limit(max)
    .execute()
    .then((rows) => rows.toReversed()))
    put({ ...row, keys: nameKeys(row.name), storedAt: row.at })

  /** Names given here that are being stored; whoever is given one has it at once. */
  const passing = new Set<string>()
  const keyOf = ({ roomid, accid, at }: RoomNameTable): string => `${idOf(roomid, accid)} ${at}`
  const changes = journal.kind<RoomNameTable>('roomName', {
    async store(transaction, row) {
      await transaction
        .insertInto('roomName')
        .values(row)
        .onConflict((conflict) => conflict.columns(['roomid', 'accid']).doUpdateSet({ name: row.name, at: row.at }))
        .execute()
    },
    apply(row) {
      if (passing.has(keyOf(row)) || (kept.get(idOf(row.roomid, row.accid))?.at ?? 0) >= row.at) return
      put({ ...row, keys: nameKeys(row.name), storedAt: row.at })
    },
  })
  const write = async (row: RoomNameTable): Promise<void> => {
    passing.add(keyOf(row))
    try {
      await changes.commit(row)
    } finally {
      passing.delete(keyOf(row))
    }
  }

  /** Keys of a room's leaders; few, and rebuilt when an account was renamed. */
  const leadersKeys = (room: Room, without: string): Set<string> => {
    const keys = new Set<string>()
    const add = (accid: string): void => {
      if (accid === without) return
      for (const text of [accid, find(room.row.uid, accid)?.name ?? ''])
        for (const key of [...nameKeys(text), bareForm(text)]) if (key !== '') keys.add(key)
    }
    add(room.row.creator)
    for (const { accid, admin } of room.members.values()) if (admin === 1) add(accid)
    return keys
  }
  const isFree = (room: Room, accid: string, name: string, leaders: ReadonlySet<string>): boolean => {
    const { roomid, uid } = room.row
    // Without a name the accid is shown.
    const account = plainForm(name)
    if (account !== accid && find(uid, account) !== undefined) return false
    if (leaders.has(bareForm(name))) return false
    return nameKeys(name).every((key) => {
      const owner = owners.get(`${roomid} ${key}`)
      return (
        !leaders.has(key) &&
        (owner === undefined || owner === accid || (kept.get(idOf(roomid, owner))?.at ?? 0) <= oldest())
      )
    })
  }
  /** Bounded: each costs a look-up, and strangers control how many are taken. */
  function* numbers(): Generator<number> {
    for (let number = numbersInOrder.from; number <= numbersInOrder.to; number++) yield number
    for (const digits of numbersAtRandom.digits)
      for (let count = 0; count < numbersAtRandom.each; count++)
        yield 10 ** (digits - 1) + random(9 * 10 ** (digits - 1))
  }
  const numbered = (room: Room, accid: string, name: string, leaders: ReadonlySet<string>): string => {
    for (const number of numbers()) {
      const end = ` ${number}`
      const made = `${[...name]
        .slice(0, maxName)
        .join('')
        .slice(0, maxName - end.length)
        .replace(/[\ud800-\udbff]$/, '')}${end}`
      if (isFree(room, accid, made, leaders)) return made
    }
    return ''
  }
  const keep = (roomid: number, accid: string, name: string): void => {
    const now = clock.now()
    const before = kept.get(idOf(roomid, accid))
    const entry: Kept = {
      roomid,
      accid,
      name,
      at: now,
      keys: before?.name === name ? before.keys : nameKeys(name),
      storedAt: before?.name === name ? before.storedAt : 0,
      ...(before?.storing && { storing: before.storing }),
    }
    put(entry)
    if (now - entry.storedAt < renewEvery) return
    entry.storedAt = now
    entry.storing = write({ roomid, accid, name, at: now })
    // Handled by `stored`; avoids an unhandled rejection.
    entry.storing.catch(() => {
      // Not stored: retried with the next entry.
      entry.storedAt = 0
    })
  }

  function settle(room: Room, accid: string, asked: string, isLeader: boolean): GivenName {
    const { roomid } = room.row
    if (asked === '') return { name: '' }
    const own = kept.get(idOf(roomid, accid))
    if (isLeader || (own?.name === asked && own.at > oldest())) {
      keep(roomid, accid, asked)
      return { name: asked }
    }
    const leaders = leadersKeys(room, accid)
    const isOwn = isFree(room, accid, asked, leaders)
    const name = isOwn ? asked : numbered(room, accid, asked, leaders)
    if (name !== '') keep(roomid, accid, name)
    return { name, ...(!isOwn && { note: 'taken' }) }
  }
  function give(room: Room, accid: string, asked: string, chosen: boolean, instead: string): GivenName {
    const isLeader = leads(roleOf(room, accid))
    if (asked !== '' && !isLeader && chosen && claimsToLead(asked))
      return { name: settle(room, accid, instead, isLeader).name, note: 'reserved' }
    return settle(room, accid, asked, isLeader)
  }

  return {
    /** Last name of an account in a room, within 30 days. */
    of(roomid: number, accid: string): string | undefined {
      const entry = kept.get(idOf(roomid, accid))
      return entry && entry.at > oldest() ? entry.name : undefined
    },
    /**
     * Assigns a unique name: the requested one; with the lowest possible number if taken; `instead` if reserved
     * (leaders may use those). `chosen`: by the user. Empty names are not unique.
     */
    give,
    /** Resolves when the assigned name is stored. */
    async stored(roomid: number, accid: string): Promise<void> {
      await kept.get(idOf(roomid, accid))?.storing
    },
    /** Removes names unused for 30 days. */
    async removeOld(): Promise<void> {
      const before = oldest()
      for (const [id, { at }] of kept) {
        if (at > before) break
        drop(id)
      }
      // Evicted names are deleted from disk too; used ones were stored up to a day ago.
      const [first] = kept.size >= max ? kept.values() : []
      const until = Math.max(before, (first?.at ?? 0) - renewEvery)
      for (let gone = maxRemove; gone === maxRemove;) {
        const old = db
          .selectFrom('roomName')
          .select(['roomid', 'accid'])
          .where('at', '<=', until)
          .orderBy('at')
          .limit(maxRemove)
        const deletion = db
          .deleteFrom('roomName')
          .where(({ refTuple }) => refTuple('roomid', 'accid'), 'in', old.$asTuple('roomid', 'accid'))
        gone = Number((await deletion.executeTakeFirst()).numDeletedRows)
      }
    },
  }
}

/** Names in rooms, kept across restarts. */
export type RoomNames = Awaited<ReturnType<typeof createRoomNames>>
