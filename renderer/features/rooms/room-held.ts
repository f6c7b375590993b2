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

/** A line that the word list holds until somebody decides. */
export interface HeldLine {
  readonly msgid: string
  readonly at: number
  readonly from: string
  readonly nick: string
  readonly text: string
  /** The extension, which may be what was caught. */
  readonly more: string
}

/** A line that somebody else decided first; null while unknown. */
interface LateDecision {
  readonly line: HeldLine
  readonly allow: boolean | null
  readonly by: Decided | null
  readonly until: number
}

type Decided = RoomAction & { readonly what: { readonly kind: 'decideHeld' } }
/** The entry that decided a held line: a done one, else one with an unknown result. */
export function decidedBy(log: readonly RoomAction[], msgid: string): Decided | undefined {
  const tries = log.filter((each): each is Decided => each.what.kind === 'decideHeld' && each.what.msgid === msgid)
  return tries.find(({ result }) => result === 'done') ?? tries.find(({ result }) => result === 'unknown')
}

const most = 200
/** Intervals of polling, in ms. Inside a room held lines are pushed too. */
const pauses = { inside: 30_000, outside: 3_000, afterFailure: 10_000 }
/** How long a late decision is shown, in ms. */
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
  // Content of a type that other clients may show.
  text: textOf(line.type, line.attach) || line.attach.slice(0, 4096),
  more: line.ext?.slice(0, 4096) ?? '',
})

/** Held lines of the shown room. */
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
  /** Answers requested before a decision still have its line. */
  const decided = new Map<string, boolean | null>()
  let watchers = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const place = computed(() =>
    companion.extended && room.roomid !== null ? { profileId: room.profileId, roomid: room.roomid } : null,
  )
  const isAway = computed(() => companion.fault !== null)
  const isInside = computed(() => room.panel?.phase === 'inside')
  /** Why a line cannot be released: its author may not speak. */
  const blocker = ({ from }: HeldLine): 'blacklisted' | 'muted' | 'room' | null => {
    const force = room.restricted.find(({ accid }) => accid === from)
    if (force) return force.blacklistedAt === null ? 'muted' : 'blacklisted'
    const leads = from === room.creator || [1, 2].includes(room.roles.get(from) ?? 0)
    return room.panel?.muted === true && !leads ? 'room' : null
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
  // Held lines were not pushed while the app was outside.
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
    failures,
    late: computed(() => (late.value !== null && companion.clock < late.value.until ? late.value : null)),
    blocker,
    /** "200+" where more are held than listed; a dash while unknown. */
    count: computed(() =>
      !isAway.value && (read.value || lines.value.length > 0) ? `${lines.value.length}${isFull.value ? '+' : ''}` : '–',
    ),
    look,
    /** Polls until the returned function is called. */
    follow: (): (() => void) => {
      if (++watchers === 1) follow()
      return () => {
        if (--watchers === 0) clearTimeout(timer)
      }
    },
    /** Releases or drops a line; false while it is undecided. */
    decide: async (line: HeldLine, allow: boolean): Promise<boolean> => {
      const { msgid, from } = line
      const at = place.value
      if (at === null || isAway.value || busy.has(msgid) || (allow && blocker(line) !== null)) return false
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

/** In ms. */
const bounceTime = 300

/** Whether a press of the allow or drop key, at a time in ms, is a bounce of the previous one. */
export function createBounce(): (at: number, allow: boolean) => boolean {
  let last = { at: -Infinity, allow: false }
  return (at, allow) => {
    const isBounce = allow === last.allow && at - last.at < bounceTime
    last = { at, allow }
    return isBounce
  }
}
