import { chatrooms, local } from '../../contract/operations/index.ts'
import type { Client } from '../client/client.ts'
import { readPages } from '../client/pages.ts'
import { Failure } from '../failure.ts'
import { createLru } from '../../platform/lru.ts'

/** Members of one page (chatrooms.membersByPage). */
const pageSize = 100
/** Pages of fixed members that one search of a hosted room reads. */
const maxPages = 50
/** Searches that are remembered; the one not used longest goes. */
const maxSearches = 1_000
/** An admin in lists of members (contract, roomPeople). */
const moderatorType = 2

/** What is known of the place of somebody among the fixed members of a hosted room, who stand by the time of their last change, the latest first. */
interface Search {
  /** Where the account was found. */
  readonly place?: number
  /** Among members from `newest` to `oldest` it was not; without `oldest`, among none from `newest` on. Whoever of them was changed since stands before them. */
  readonly seen?: { readonly newest: number; readonly oldest: number | undefined }
}

/** Who must moderate where. */
export interface ModeratorAsked {
  readonly profileId: string
  readonly roomid: number
  readonly accid: string
}

/** Refuses unless an account moderates a room now: 403, or `untold` where a hosted room has more members than one search reads; the next one goes on there. */
export type MustModerate = (service: Client, isLocal: boolean, asked: ModeratorAsked) => Promise<void>

/** For how long a hosted room is not asked again before somebody reads, in ms: its service counts every call, and a log that stands open is read each 2 s. */
const believedFor = 30_000

/** The check before somebody reads: as that before they act, but of a hosted room what was found holds for 30 s. */
export function createReadCheck(check: MustModerate, now: () => number): MustModerate {
  /** By who and where, until when it holds. */
  const found = createLru<number>(maxSearches)
  return async (service, isLocal, asked) => {
    const key = `${asked.profileId} ${asked.roomid} ${asked.accid}`
    if (!isLocal && (found.get(key) ?? 0) > now()) return
    found.delete(key)
    await check(service, isLocal, asked)
    if (isLocal) return
    found.set(key, now() + believedFor)
  }
}

/** Makes the check; `pages` are those that one search reads. */
export function createModeratorCheck(pages = maxPages): MustModerate {
  const searches = createLru<Search>(maxSearches)

  /** Whether somebody moderates a hosted room; undefined where the search ended before all members were read. */
  const search = async (
    service: Client,
    key: string,
    { roomid, accid }: ModeratorAsked,
  ): Promise<boolean | undefined> => {
    const read = async (endtime: number | undefined) =>
      (
        await service.call(chatrooms.membersByPage, {
          roomid,
          type: 0,
          limit: pageSize,
          ...(endtime !== undefined && { endtime }),
        })
      ).desc.data
    const { place, seen } = searches.get(key) ?? {}
    if (place !== undefined) {
      const there = (await read(place + 1)).find((member) => member.accid === accid)
      if (there?.updateTime === place) return there.type === moderatorType
    }
    let newest: number | undefined
    const end = await readPages<Awaited<ReturnType<typeof read>>, boolean | undefined, number>({
      most: pages,
      read,
      look: (data) => {
        newest ??= data[0]?.updateTime
        const found = data.find((member) => member.accid === accid)
        if (found) {
          searches.set(key, found.updateTime === undefined ? {} : { place: found.updateTime })
          return { answer: found.type === moderatorType }
        }
        const last = data.at(-1)?.updateTime
        const known = seen !== undefined && last !== undefined && last <= seen.newest ? seen : undefined
        if (data.length < pageSize || (known && known.oldest === undefined)) {
          searches.set(key, newest === undefined ? {} : { seen: { newest, oldest: undefined } })
          return { answer: false }
        }
        // Without times nobody can ask for the next page.
        if (last === undefined) return { answer: undefined }
        return { next: Math.min(last, known?.oldest ?? last) }
      },
    })
    if ('answer' in end) return end.answer
    if (newest !== undefined) searches.set(key, { seen: { newest, oldest: end.next } })
    return undefined
  }

  return async (service, isLocal, asked) => {
    const { profileId, roomid, accid } = asked
    const moderates = isLocal
      ? (await service.call(local.roomPeople, { roomid, accids: [accid] })).ret.list[0]?.type === moderatorType
      : await search(service, `${profileId} ${roomid} ${accid}`, asked)
    if (moderates === undefined)
      throw new Failure('untold', `the room has too many members to find ${accid} among them at once`)
    if (!moderates) throw new Failure('code', `${accid} is no moderator of this room`, { code: 403 })
  }
}
