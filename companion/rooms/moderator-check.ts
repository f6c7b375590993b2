import { chatrooms, local } from '../../contract/operations/index.ts'
import type { Client } from '../client/client.ts'
import { readPages } from '../client/pages.ts'
import { Failure } from '../failure.ts'
import { createLru } from '../../platform/lru.ts'

const pageSize = 100
const maxPages = 50
/** The least recently used one is dropped. */
const maxSearches = 1_000
/** Type of an admin (contract, roomPeople). */
const moderatorType = 2

/** What is known of an account's position among members, who are sorted by their last change, latest first. */
interface Search {
  readonly place?: number
  /** Not found from `newest` to `oldest`, or to the end without `oldest`. */
  readonly seen?: { readonly newest: number; readonly oldest: number | undefined }
}

interface ModeratorAsked {
  readonly profileId: string
  readonly roomid: number
  readonly accid: string
}

/** Throws 403 unless the account moderates the room, or `untold` when more searches are needed. */
type MustModerate = (service: Client, isExtended: boolean, asked: ModeratorAsked) => Promise<void>

/** In ms: a hosted service counts every call, and an open log reads every 2 s. */
const believedFor = 30_000

/** The check before reads: of a hosted room a result holds for 30 s. */
export function createReadCheck(check: MustModerate, now: () => number): MustModerate {
  const found = createLru<number>(maxSearches)
  return async (service, isExtended, asked) => {
    const key = `${asked.profileId} ${asked.roomid} ${asked.accid}`
    if (!isExtended && (found.get(key) ?? 0) > now()) return
    found.delete(key)
    await check(service, isExtended, asked)
    if (isExtended) return
    found.set(key, now() + believedFor)
  }
}

/** Makes the check; `pages` per search. */
export function createModeratorCheck(pages = maxPages): MustModerate {
  const searches = createLru<Search>(maxSearches)

  /** Undefined when the search ended early. */
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
        // Without times there is no next page.
        if (last === undefined) return { answer: undefined }
        return { next: Math.min(last, known?.oldest ?? last) }
      },
    })
    if ('answer' in end) return end.answer
    if (newest !== undefined) searches.set(key, { seen: { newest, oldest: end.next } })
    return undefined
  }

  return async (service, isExtended, asked) => {
    const { profileId, roomid, accid } = asked
    const moderates = isExtended
      ? (await service.call(local.roomPeople, { roomid, accids: [accid] })).ret.list[0]?.type === moderatorType
      : await search(service, `${profileId} ${roomid} ${accid}`, asked)
    if (moderates === undefined)
      throw new Failure('untold', `the room has too many members to find ${accid} among them at once`)
    if (!moderates) throw new Failure('code', `${accid} is no moderator of this room`, { code: 403 })
  }
}
