import type { Kysely } from 'kysely'
import { formsOf, plainForm } from '../messaging/words/folding.ts'
import { createWordMatcher } from '../messaging/words/word-matcher.ts'
import type { RoomNameTable, Tables } from '../storage/schema.ts'
import { createWriteBatch } from '../storage/write-batch.ts'
import { leads, roleOf, type Room } from './room.ts'

const day = 86_400_000
/** How long a name belongs to who had it last (behaviour.md#names). */
const keptDays = 30
/** A name in use is stored again this often, in ms. */
const renewEvery = day
/** Names that are kept in all; those that were used longest ago go first. */
const maxNames = 50_000
/** Names of one removal, so that no statement holds the database for long. */
const maxRemove = 500
/** Longest name, in UTF-16 code units (contract, roomEnter). */
const maxName = 64
/** Numbers that are tried behind a name that is taken: the first ones in their order, then some at random of each further length. */
const numbersInOrder = { from: 2, to: 9 }
const numbersAtRandom = { digits: [2, 3, 4, 5, 6], each: 3 }

/** Names of those who lead or speak for the service; as words of their own within a name too. */
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
/** The same where they are the whole name; within a longer one they mean other things. */
const reservedNames = new Set(['管理', '主持人', '工作人员', '工作人員'])
/** Small letters that look like the capital of another one, which are no look-alikes in UTS 39: Cyrillic ones, and small capitals. */
const likeCapitals = new Map(
  [...'нвмткʜʙᴍᴛᴋᴀᴄᴅᴇɢɪᴊʟɴᴏᴘʀꜱᴜᴠᴡʏᴢ'].map((letter, at): [string, string] => [
    letter,
    'hbmtkhbmtkacdegijlnoprsuvwyz'[at]!,
  ]),
)
/** Digits that are written for a letter, and i for l, which look alike. */
const likeLetters = new Map([...'0134578i'].map((character, at): [string, string] => [character, 'oleastbl'[at]!]))
const replacedBy = (text: string, table: ReadonlyMap<string, string>): string =>
  [...text].map((each) => table.get(each) ?? each).join('')
const seenAs = (name: string): string => replacedBy(name.normalize('NFKC').toLowerCase(), likeCapitals)
const lettersOf = (name: string): string => replacedBy(formsOf(seenAs(name)).skeleton, likeLetters)
const separators = /[\s\p{P}\p{S}]+/gu
/** What the names of those who lead are compared by: letters and digits only, with those that are written for another one as that. */
const bareForm = (name: string): string => lettersOf(name).replace(separators, '')
const isReserved = createWordMatcher(reservedWords)
const isReservedBare = createWordMatcher(reservedWords.map(bareForm))
/** Digits behind a word. */
const wordNumber = /(?<=\p{L})\d+(?![\p{L}\d])/gu
/** Whether a name claims to be of those who lead: as it is, with letters that look like capitals or are written as digits, and with what parts its letters left out. */
function claimsToLead(name: string): boolean {
  const unnumbered = name.normalize('NFKC').replace(wordNumber, '')
  return (
    [name, seenAs(name)].some((each) => isReserved(each) || isReserved(each.replace(separators, ''))) ||
    [lettersOf(name), bareForm(name), lettersOf(unnumbered), bareForm(unnumbered)].some(isReservedBare) ||
    reservedNames.has(bareForm(name))
  )
}
/** What names are compared by: as they read and as they look; i and l are one, as a capital I and an l are in most faces. */
export function nameKeys(name: string): readonly string[] {
  const { skeleton, written: asWritten } = formsOf(name)
  const read = skeleton.replaceAll('i', 'l')
  const written = asWritten?.replaceAll('i', 'l')
  return written === undefined || written === read ? [read] : [read, written]
}

/** A name as somebody may have it, and why it is another than was asked for. */
export interface GivenName {
  readonly name: string
  readonly note?: 'taken' | 'reserved'
}

/** Who is called what in each room, over restarts. */
export interface RoomNames {
  /** What somebody was called last in a room, within 30 days. */
  of(roomid: number, accid: string): string | undefined
  /**
   * Gives somebody a name that nobody else has: the one asked for, or with a free number behind it where it is taken, a low one while there is any; `instead` where it is
   * reserved, which the creator and admins may use. `chosen` says that a person chose it. An empty name is nobody's.
   */
  give(room: Room, accid: string, asked: string, chosen: boolean, instead: string): GivenName
  /** Resolves when what was given to somebody so far is stored. */
  stored(roomid: number, accid: string): Promise<void>
  /** Removes names that nobody used for 30 days. */
  removeOld(): Promise<void>
}

interface Kept extends RoomNameTable {
  readonly keys: readonly string[]
  /** When it was stored, in ms. */
  storedAt: number
  storing?: Promise<void>
}

/** Reads the names and keeps them; `find` looks accounts up, whose names and accids nobody else takes. */
export async function createRoomNames(options: {
  readonly db: Kysely<Tables>
  readonly clock: () => number
  readonly find: (uid: number, accid: string) => { readonly name: string } | undefined
  /** A number from 0 to below the given one that nobody can guess. */
  readonly random: (below: number) => number
  /** Names that are kept in all; for tests. */
  readonly most?: number
}): Promise<RoomNames> {
  const { db, clock, find, random, most = maxNames } = options
  const kept = new Map<string, Kept>()
  /** By room and key, who has the name. */
  const owners = new Map<string, string>()
  const idOf = (roomid: number, accid: string): string => `${roomid} ${accid}`
  const drop = (id: string): void => {
    const entry = kept.get(id)
    if (!entry) return
    kept.delete(id)
    for (const key of entry.keys)
      if (owners.get(`${entry.roomid} ${key}`) === entry.accid) owners.delete(`${entry.roomid} ${key}`)
  }
  /** The newest stand last, so that the oldest are found at once. */
  const put = (entry: Kept): void => {
    const id = idOf(entry.roomid, entry.accid)
    drop(id)
    if (kept.size >= most) drop(kept.keys().next().value!)
    kept.set(id, entry)
    for (const key of entry.keys) owners.set(`${entry.roomid} ${key}`, entry.accid)
  }
  const oldest = (): number => clock() - keptDays * day
  for (const row of await db
    .selectFrom('roomName')
    .selectAll()
    .where('at', '>', oldest())
    .orderBy('at', 'desc')
    .limit(most)
    .execute()
    .then((rows) => rows.toReversed()))
    put({ ...row, keys: nameKeys(row.name), storedAt: row.at })

  const write = createWriteBatch<RoomNameTable>((rows) =>
    db.transaction().execute(async (transaction) => {
      for (const row of rows)
        await transaction
          .insertInto('roomName')
          .values(row)
          .onConflict((conflict) => conflict.columns(['roomid', 'accid']).doUpdateSet({ name: row.name, at: row.at }))
          .execute()
    }),
  )

  /** Names and accids of those who lead a room, by their keys and bare; few, and read anew when an account was renamed. */
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
    // Of an account without a name its accid is shown.
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
  /** Few: each is compared with all names, and the names of strangers decide how many of them are taken. */
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
    const now = clock()
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
    // Heard where it is waited for; here only so that it is no rejection that nobody hears.
    entry.storing.catch(() => {
      // Not theirs on the disk: stored with the next entry, however soon that is.
      entry.storedAt = 0
    })
  }

  /** The name that was asked for where it is free, else the same with a free number. */
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
    of(roomid, accid) {
      const entry = kept.get(idOf(roomid, accid))
      return entry && entry.at > oldest() ? entry.name : undefined
    },
    give,
    async stored(roomid, accid) {
      await kept.get(idOf(roomid, accid))?.storing
    },
    async removeOld() {
      const before = oldest()
      for (const [id, { at }] of kept) {
        if (at > before) break
        drop(id)
      }
      // A name that had to make way is none on the disk either; one in use was stored up to a day ago.
      const [first] = kept.size >= most ? kept.values() : []
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
