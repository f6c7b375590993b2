import type { Clock } from '../../platform/clock.ts'
import { shownName } from '../../contract/web-link.ts'
import type { RedisScripts } from '../redis/redis-scripts.ts'
import { Refused } from '../refusal.ts'
import { readAntispamCustom } from '../messages/body.ts'
import { createRoomAllowance } from './room-allowance.ts'
import { leads, roleOf, muteReason, type Appearance, type Room } from './room.ts'
import type { RoomDeliveries } from './room-deliveries.ts'
import type { RoomNames } from './room-names.ts'
import { createSharedSpeech, type NotSaid, type SharedSpeech } from './shared-speech.ts'
import { createLru } from '../../platform/lru.ts'
import type { Words } from '../words/words.ts'

/** Accounts remembered; the least recent is forgotten. */
const maxRemembered = 100_000
/** Window of the rates below, in ms. */
const minute = 60_000
/** Entries of an account per minute; 416 beyond. */
export const maxEntries = 30
/** Entries per minute that are announced. */
export const maxTold = 6
/** Changes of appearance per minute. */
export const maxChanges = 10

/** Why an appearance differs from the request: name taken, reserved or caught by the word list, or too many changes. */
export type AppearanceNote = 'taken' | 'reserved' | 'caught' | 'later'
/** Appearance to others from now on. */
export interface Shown extends Appearance {
  readonly note?: AppearanceNote | undefined
}

/** A line before it is said. */
export interface SpokenLine {
  readonly from: string
  readonly clientId: string
  /** Its visible texts. */
  readonly texts: readonly string[]
  /** For the link, with bytes per reader. Absent for signed calls, which the developer limits. */
  readonly link?: { readonly subnet: string; readonly isGuest: boolean; readonly bytes: number } | undefined
}

interface MemberEntry {
  /** Monotonic times of the last line and of the last change, for slow mode. */
  at: number | undefined
  changedAt: number | undefined
  clientId: string | undefined
  shown: Appearance | undefined
  /** Entries and changes of the last minute. */
  entries: number[]
  changes: number[]
  told: boolean
}

/** Makes the gate. */
export function createRoomGate(options: {
  readonly words: Pick<Words, 'catches'>
  readonly names: Pick<RoomNames, 'of' | 'give'>
  readonly deliveries: Pick<RoomDeliveries, 'take'>
  readonly clock: Clock
  /** Lines are counted there over all nodes of a cluster. */
  readonly redis?: Pick<RedisScripts, 'run'> | undefined
}) {
  const { words, names, deliveries, clock, redis } = options
  const shared = redis && createSharedSpeech(redis)
  const allowance = createRoomAllowance(clock)
  const memberEntries = createLru<MemberEntry>(maxRemembered)
  const entryOf = ({ row }: Room, accid: string): MemberEntry =>
    memberEntries.of(`${row.roomid} ${accid}`, () => ({
      at: undefined,
      changedAt: undefined,
      clientId: undefined,
      shown: undefined,
      entries: [],
      changes: [],
      told: false,
    }))
  const isPaced = (room: Room, accid: string): boolean => room.row.slow > 0 && !leads(roleOf(room, accid))
  /** Slow mode demands a longer pause. */
  const isTooSoon = (room: Room, at: number | undefined, now: number): boolean =>
    at !== undefined && now - at < room.row.slow * 1000
  const catches = (room: Room, texts: readonly string[]): boolean =>
    texts.some((text) => text !== '' && words.catches(room.row.uid, text))
  const requireCanSpeak = (room: Room, accid: string): void => {
    const why = muteReason(room, accid, clock.now())
    if (why !== undefined) throw new Refused(403, why)
  }
  const isLimited = (room: Room, { from, link }: SpokenLine): boolean =>
    link !== undefined && !leads(roleOf(room, from))
  const refuseSlow = (room: Room): never => {
    throw new Refused(416, `slow mode: ${room.row.slow} seconds between two lines`)
  }
  const refuseRate = (seconds: number): never => {
    throw new Refused(416, `too many lines, or too long ones, in a short time; speak again in ${seconds} s`)
  }
  const payDelivery = (room: Room, { link }: SpokenLine): void => {
    const seconds = link?.isGuest ? deliveries.take(link.subnet, room.listeners.size) : 0
    if (seconds > 0)
      throw new Refused(416, `guests say more than their readers can be told; speak again in ${seconds} s`)
  }
  const countHere = (room: Room, line: SpokenLine): void => {
    const { from, clientId, link } = line
    const entry = isPaced(room, from) ? entryOf(room, from) : undefined
    const now = clock.monotonic()
    const isAgain = entry !== undefined && entry.clientId === clientId && entry.at !== undefined
    if (entry && !isAgain && isTooSoon(room, entry.at, now)) refuseSlow(room)
    // Before the word list, so that refusals are cheap.
    if (link && isLimited(room, line)) {
      const speaker = { uid: room.row.uid, accid: from, subnet: link.subnet }
      const seconds = allowance.take(speaker, { lines: 1, bytes: link.bytes })
      if (seconds > 0) refuseRate(seconds)
      payDelivery(room, line)
    }
    if (entry && !isAgain) {
      entry.at = now
      entry.clientId = clientId
    }
  }
  const countTogether = async (speech: SharedSpeech, room: Room, line: SpokenLine): Promise<void> => {
    const { from, clientId, link } = line
    const slow = isPaced(room, from) ? room.row.slow : 0
    const spoken = link && isLimited(room, line) ? { lines: 1, bytes: link.bytes, subnet: link.subnet } : undefined
    if (slow === 0 && !spoken) return
    let notSaid: NotSaid | undefined
    try {
      const { roomid, uid } = room.row
      notSaid = await speech.take({ roomid, uid, accid: from, clientId, slow, spoken })
    } catch {
      return countHere(room, line)
    }
    if (notSaid?.because === 'slow') refuseSlow(room)
    if (notSaid) refuseRate(notSaid.seconds)
    if (spoken) payDelivery(room, line)
    // For while Redis is away, and for changes of appearance.
    if (slow > 0) {
      const entry = entryOf(room, from)
      if (entry.clientId !== clientId || entry.at === undefined) entry.at = clock.monotonic()
      entry.clientId = clientId
    }
  }
  const recent = (times: readonly number[], now: number): number[] => times.filter((at) => now - at < minute)

  return {
    /** Throws `Refused` 403 unless the account may speak now. */
    requireCanSpeak,
    /**
     * Whether the word list catches a line. Throws `Refused`: 403 for who may not speak, 416 beyond slow mode,
     * `speakingLimits` or the delivery time of guests' lines. Counts what is said at this node.
     */
    speak(room: Room, line: SpokenLine): boolean {
      requireCanSpeak(room, line.from)
      countHere(room, line)
      return catches(room, line.texts)
    },
    /** The same in a cluster, where what is said at all nodes counts; undefined for a service that is alone. */
    speakTogether:
      shared &&
      (async (room: Room, line: SpokenLine): Promise<boolean> => {
        requireCanSpeak(room, line.from)
        await countTogether(shared, room, line)
        // Who was muted meanwhile.
        requireCanSpeak(room, line.from)
        return catches(room, line.texts)
      }),
    /** Appearance of an account that enters or is inside: as requested or as before. Never refuses. */
    appear(
      room: Room,
      accid: string,
      wanted: { readonly [K in keyof Appearance]?: string | undefined },
      card: { readonly name: string; readonly icon: string } | undefined,
      subnet?: string,
    ): Shown {
      const { roomid } = room.row
      const entry = entryOf(room, accid)
      const known = room.inside.get(accid)
      const name = names.of(roomid, accid)
      const before: Appearance = {
        nick: known?.nick ?? name ?? card?.name ?? '',
        avatar: known?.avatar ?? entry.shown?.avatar ?? card?.icon ?? '',
        ext: known?.ext ?? '',
      }
      const asked: Appearance = {
        nick: wanted.nick === undefined ? before.nick : shownName(wanted.nick, ''),
        avatar: wanted.avatar ?? before.avatar,
        ext: wanted.ext ?? before.ext,
      }
      // Values from an account's card were set by the developer, not the user.
      const isOwnWord = (part: keyof Appearance, given: string | undefined): boolean =>
        asked[part] !== before[part] &&
        asked[part] !== '' &&
        asked[part] !== given &&
        asked[part] !== entry.shown?.[part]
      const changed = [
        ...(isOwnWord('nick', card?.name) ? [asked.nick] : []),
        ...(isOwnWord('avatar', card?.icon) ? [asked.avatar] : []),
        ...(isOwnWord('ext', undefined) ? [readAntispamCustom(asked.ext)] : []),
      ]
      const finish = (shown: Appearance, note?: AppearanceNote): Shown => {
        const isChosen = shown.nick !== card?.name && shown.nick !== name
        const given = names.give(room, accid, shown.nick, isChosen, before.nick === shown.nick ? '' : before.nick)
        const final = { nick: given.name, avatar: shown.avatar, ext: shown.ext }
        entry.shown = final
        return { ...final, note: note ?? given.note }
      }
      // Nothing new may be written while muted; an extension that others saw may be repeated.
      const mayNot = muteReason(room, accid, clock.now()) !== undefined
      if (mayNot)
        return finish(
          { ...before, ext: known?.ext ?? '' },
          asked.nick === before.nick && asked.ext === before.ext && asked.avatar === before.avatar
            ? undefined
            : 'later',
        )
      const isTold = known === undefined || asked.nick !== before.nick || asked.ext !== before.ext
      const bytes = Buffer.byteLength(JSON.stringify([asked.nick, asked.ext]))
      if (
        isTold &&
        subnet !== undefined &&
        !leads(roleOf(room, accid)) &&
        allowance.take({ uid: room.row.uid, accid, subnet }, { lines: 0, bytes }) > 0
      )
        return finish(before, 'later')
      if (changed.length === 0) return finish(asked)
      const now = clock.monotonic()
      entry.changes = recent(entry.changes, now)
      if (entry.changes.length >= maxChanges) return finish(before, 'later')
      if (catches(room, changed)) return finish(before, 'caught')
      // The first name is not a change; a later one waits as a line does, and no line waits for it.
      const isFirst = known === undefined && name === undefined && entry.shown === undefined
      if (isPaced(room, accid) && !isFirst) {
        if (isTooSoon(room, entry.at, now) || isTooSoon(room, entry.changedAt, now)) return finish(before, 'later')
        entry.changedAt = now
        entry.clientId = undefined
      }
      entry.changes.push(now)
      return finish(asked)
    },
    /** Counts an entry; throws `Refused` 416 for too many. Returns whether to announce it. */
    enter(room: Room, accid: string): boolean {
      const entry = entryOf(room, accid)
      const now = clock.monotonic()
      entry.entries = recent(entry.entries, now)
      if (entry.entries.length >= maxEntries) throw new Refused(416, `entered ${maxEntries} times within a minute`)
      entry.entries.push(now)
      entry.told = entry.entries.length <= maxTold
      return entry.told
    },
    /** Whether the last entry was announced, so that the exit is. */
    wasTold: (room: Room, accid: string): boolean => memberEntries.get(`${room.row.roomid} ${accid}`)?.told ?? true,
  }
}

/**
 * The only check of what others in a room will see, on entering and speaking, by any path: mutes, slow mode, muted
 * room, blacklist, word list, names, rates. Decides and remembers; sends nothing and stores only names.
 */
export type RoomGate = ReturnType<typeof createRoomGate>
