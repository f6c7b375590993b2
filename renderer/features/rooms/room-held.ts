import { defineStore } from 'pinia'
import { computed, ref, shallowReactive, shallowRef, watch } from 'vue'
import { inBackground } from '../../background.ts'
import type { RoomAction } from '../../../contract/rpc/index.ts'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import { shownName } from '../../../contract/web-link.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { useCompanion } from '../../data/companion.ts'
import { textOf } from '../../format/line-text.ts'
import { useRoom } from './room.ts'
import { useServices } from '../../data/services.ts'

/** A line that the word list holds back until somebody decides. */
export interface HeldLine {
  readonly msgid: string
  readonly at: number
  readonly from: string
  readonly nick: string
  readonly text: string
  /** What came with it and is shown to nobody here otherwise, but may have been caught; empty for nothing. */
  readonly more: string
}

/** A line that somebody else decided first: `allow` is their decision, `by` its entry in the log; null while unknown. */
interface LateDecision {
  readonly line: HeldLine
  readonly allow: boolean | null
  readonly by: Decided | null
  readonly until: number
}

/** An entry of the log that decided a held line. */
export type Decided = RoomAction & { readonly what: { readonly kind: 'decideHeld' } }
/** The entry by which a held line was decided, if the log has it: one whose answer is not written down yet, where none is done. */
export function decidedBy(log: readonly RoomAction[], msgid: string): Decided | undefined {
  const tries = log.filter((each): each is Decided => each.what.kind === 'decideHeld' && each.what.msgid === msgid)
  return tries.find(({ result }) => result === 'done') ?? tries.find(({ result }) => result === 'unknown')
}

/** Lines that are listed at once, the newest. */
const most = 200
/**
 * Held lines are pushed while the app sits inside, all but its own. They are looked for besides while somebody looks, in ms: now and then, often
 * while it sits outside, less often after a failure.
 */
const pauses = { inside: 30_000, outside: 3_000, afterFailure: 10_000 }
/** For how long it is told that somebody else decided first, in ms. */
const lateFor = 10_000

const lineOf = (
  line: {
    readonly msgid: string
    readonly at: number
    readonly from: string
    readonly type: number
    readonly attach: string
    readonly ext?: string | undefined
  },
  nick: string,
): HeldLine => ({
  msgid: line.msgid,
  at: line.at,
  from: line.from,
  nick: shownName(nick, line.from),
  // Clients of others make something to read of what is nothing here.
  text: textOf(line.type, line.attach) || line.attach.slice(0, 4096),
  more: line.ext?.slice(0, 4096) ?? '',
})

/** Held lines of the room that is shown. */
export const useRoomHeld = defineStore('roomHeld', () => {
  const { rpc, now } = useServices()
  const companion = useCompanion()
  const room = useRoom()
  const lines = shallowRef<readonly HeldLine[]>([])
  const isFull = ref(false)
  const read = ref(false)
  const failure = shallowRef<Failure | null>(null)
  const busy = shallowReactive(new Set<string>())
  const failures = shallowReactive(new Map<string, Failure>())
  const late = shallowRef<LateDecision | null>(null)
  /** What was decided of lines, as far as it is known: an answer that was on its way meanwhile still has them. */
  const decided = new Map<string, boolean | null>()
  let watchers = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const place = computed(() =>
    companion.local && room.roomid !== null ? { profileId: room.profileId, roomid: room.roomid } : null,
  )
  /** The service is away: the lines stay where they are, and nothing is asked. */
  const isAway = computed(() => companion.fault !== null)
  const isInside = computed(() => room.desk?.phase === 'inside')
  /** Why a line cannot be let through now: who is not heard says nothing that waited either. */
  const hindrance = ({ from }: HeldLine): 'blacklisted' | 'muted' | 'room' | null => {
    const force = room.restricted.find(({ accid }) => accid === from)
    if (force) return force.blacklistedAt === null ? 'muted' : 'blacklisted'
    const leads = from === room.creator || [1, 2].includes(room.roles.get(from) ?? 0)
    return room.desk?.muted === true && !leads ? 'room' : null
  }
  const look = async (): Promise<void> => {
    const at = place.value
    if (at === null || isAway.value) return
    try {
      const { ret } = await rpc.operations.local.held({
        profileId: at.profileId,
        call: { roomid: at.roomid, limit: most },
      })
      if (at !== place.value) return
      lines.value = ret.list.flatMap((line) => (decided.has(line.msgid) ? [] : [lineOf(line, line.nick)]))
      isFull.value = ret.more
      read.value = true
      failure.value = null
    } catch (error) {
      if (at === place.value) failure.value = failureOf(error)
    }
  }
  const follow = (): void => {
    clearTimeout(timer)
    if (watchers === 0) return
    inBackground(
      look().then(() => {
        clearTimeout(timer)
        const pause = failure.value !== null ? 'afterFailure' : isInside.value ? 'inside' : 'outside'
        if (watchers > 0) timer = setTimeout(follow, pauses[pause])
      }),
    )
  }
  watch(
    place,
    () => {
      lines.value = []
      isFull.value = false
      read.value = false
      failure.value = null
      late.value = null
      decided.clear()
      busy.clear()
      failures.clear()
      follow()
    },
    { flush: 'sync' },
  )
  // What was pushed while it sat outside is missing.
  watch(isInside, (now) => {
    if (now) follow()
  })
  watch(isAway, (now) => {
    if (!now) follow()
  })
  const settle = (msgid: string, allow: boolean | null): void => {
    decided.set(msgid, allow)
    lines.value = lines.value.filter((line) => line.msgid !== msgid)
  }

  /** Says of a line that was decided before by whom and how, as far as the log of this app knows. */
  const tellWho = async (
    at: { readonly profileId: string; readonly roomid: number },
    { msgid, from }: HeldLine,
  ): Promise<void> => {
    const by = decidedBy(await rpc.rooms.actions({ ...at, target: from }).catch(() => []), msgid)
    if (by && late.value?.line.msgid === msgid) late.value = { ...late.value, allow: by.what.allow, by }
  }

  return {
    lines,
    read,
    failure,
    busy,
    /** Why a decision failed, by msgid. */
    failures,
    late: computed(() => (late.value !== null && companion.clock < late.value.until ? late.value : null)),
    hindrance,
    /** Held lines, "200+" where more are held than are listed; a dash while it is not known. */
    count: computed(() =>
      !isAway.value && (read.value || lines.value.length > 0) ? `${lines.value.length}${isFull.value ? '+' : ''}` : '–',
    ),
    look,
    /** Looks for held lines from now on; call what it returns when nobody looks any more. */
    follow: (): (() => void) => {
      if (++watchers === 1) follow()
      return () => {
        if (--watchers === 0) clearTimeout(timer)
      }
    },
    /** Lets a line through or drops it; resolves with whether it is decided now, by whomever. */
    decide: async (line: HeldLine, allow: boolean): Promise<boolean> => {
      const { msgid, from } = line
      const at = place.value
      if (at === null || isAway.value || busy.has(msgid) || (allow && hindrance(line) !== null)) return false
      busy.add(msgid)
      failures.delete(msgid)
      late.value = null
      let done = true
      let theirs = false
      try {
        await rpc.rooms.act({ ...at, measure: { kind: 'decideHeld', target: from, msgid, allow }, why: '' })
      } catch (error) {
        const reason = failureOf(error)
        done = theirs = reason.kind === 'decided'
        if (at === place.value) {
          if (theirs) {
            late.value = { line, allow: decided.get(msgid) ?? null, by: null, until: now() + lateFor }
            inBackground(tellWho(at, line))
          } else failures.set(msgid, reason)
        }
      }
      if (at === place.value) {
        if (done) settle(msgid, theirs ? (decided.get(msgid) ?? null) : allow)
        busy.delete(msgid)
      }
      return done
    },
    apply: (event: AppEvent): void => {
      if (event.type !== 'roomPush' || event.profileId !== room.profileId || event.roomid !== room.roomid) return
      const { push } = event
      if (push.t === 'roomDecided') {
        settle(push.msgid, push.allow)
        if (late.value?.line.msgid === push.msgid) late.value = { ...late.value, allow: push.allow }
      } else if (
        push.t === 'roomHeld' &&
        !decided.has(push.msgid) &&
        !lines.value.some(({ msgid }) => msgid === push.msgid)
      ) {
        isFull.value ||= lines.value.length >= most
        lines.value = [lineOf(push, push.fromNick), ...lines.value].slice(0, most)
      }
    },
  }
})

/** Within this time of a press the next one is a bounce of the key, in ms: nobody reads another line in less. */
const bounceTime = 300

/** Tells whether a press of the key that allows or of the one that drops, at a time in ms, is a bounce of the one before. */
export function createBounce(): (at: number, allow: boolean) => boolean {
  let last = { at: -Infinity, allow: false }
  return (at, allow) => {
    const isBounce = allow === last.allow && at - last.at < bounceTime
    last = { at, allow }
    return isBounce
  }
}
