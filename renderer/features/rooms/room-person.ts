import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue'
import { inBackground } from '../../background.ts'
import type { RoomAction } from '../../../contract/rpc/index.ts'
import { shownName } from '../../../contract/web-link.ts'
import { roomNotices } from '../../../contract/catalogue/notices.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import type { RpcClient } from '../../data/client.ts'
import { useCompanion } from '../../data/companion.ts'
import { lineOfHistory, withLines, type RoomLine } from './room-log.ts'
import { guardOf } from './room-measures.ts'
import { useRoom } from './room.ts'
import { useServices } from '../../data/services.ts'

type Member = Awaited<ReturnType<RpcClient['operations']['chatrooms']['queryMembers']>>['desc']['data'][number]
/** A measure in force; `until` in ms if it ends by itself. */
export type InForce =
  | { readonly kind: 'temporaryMute'; readonly until: number }
  | { readonly kind: 'mute' | 'blacklist' }

const portion = 50
/** Page size of rooms.actions. */
const entries = 100

/** A person of the shown room. Use it in a component keyed by the accid. */
export function useRoomPerson(accid: string) {
  const { rpc, now } = useServices()
  const companion = useCompanion()
  const room = useRoom()
  const { profileId, roomid } = room
  /** Undefined while unknown; null for not inside. */
  const inside = shallowRef<Member | null | undefined>(undefined)
  const askedAt = ref(now())
  const before = shallowRef<readonly RoomLine[]>([])
  const actions = shallowRef<readonly RoomAction[]>([])
  const older = ref({ lines: false, actions: false })
  const failure = shallowRef<Failure | null>(null)
  const note = ref('')
  const noteKept = ref(false)
  let kept = ''
  let ended = false
  onScopeDispose(() => {
    ended = true
  })

  const listed = computed(() => room.people.find((person) => person.accid === accid))
  const lines = computed(() =>
    withLines(
      before.value,
      room.log.filter(({ from, notice }) => from === accid && notice === null),
    ),
  )
  const type = computed(() => (room.creator === accid ? 1 : (inside.value?.type ?? listed.value?.type ?? null)))
  const entered = computed(
    () =>
      room.log.findLast(({ notice }) => notice?.id === roomNotices.entered && notice.target.includes(accid))?.at ??
      null,
  )
  const inForce = computed<readonly InForce[]>(() => {
    const member = inside.value
    const force = room.force?.get(accid)
    const until = companion.extended
      ? (force?.mutedUntil ?? 0)
      : member?.tempMuted
        ? askedAt.value + (member.tempMuteTtl ?? 0) * 1000
        : 0
    const all: InForce[] = []
    if (companion.extended ? force?.muted : member?.muted) all.push({ kind: 'mute' })
    if (companion.extended ? (force?.blacklistedAt ?? null) !== null : member?.blacklisted)
      all.push({ kind: 'blacklist' })
    // Last, as it ends by itself and must not move the others under a pointer.
    if (until > companion.clock) all.push({ kind: 'temporaryMute', until })
    return all
  })

  const tryTo = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (!ended) failure.value = failureOf(error)
    }
  }
  const readInside = (): Promise<void> =>
    tryTo(async () => {
      if (roomid === null) return
      const { desc } = await rpc.operations.chatrooms.queryMembers({ profileId, call: { roomid, accids: [accid] } })
      askedAt.value = now()
      inside.value = desc.data.find((member) => member.accid === accid) ?? null
    })
  const readActions = (isOlder: boolean): Promise<void> =>
    tryTo(async () => {
      const last = isOlder ? actions.value.at(-1)?.id : undefined
      const where = companion.seat === null ? {} : { roomid: companion.seat.roomid }
      const page = await rpc.rooms.actions({
        profileId,
        ...where,
        target: accid,
        ...(last === undefined ? {} : { before: last }),
      })
      actions.value = isOlder ? [...actions.value, ...page] : page
      older.value = { ...older.value, actions: page.length === entries }
    })
  const readLines = (): Promise<void> =>
    tryTo(async () => {
      if (roomid === null) return
      const oldest = before.value[0]
      const { ret } = await rpc.rooms.history({
        profileId,
        call: { roomid, accid, limit: portion, ...(oldest ? { before: oldest.msgid } : {}) },
      })
      const page = ret.list.map(lineOfHistory)
      const all = withLines(
        before.value,
        page.filter(({ notice }) => notice === null),
      )
      older.value = { ...older.value, lines: ret.more }
      before.value = all
    })
  const readNote = (): Promise<void> =>
    tryTo(async () => {
      const { text } = await rpc.rooms.note({ profileId, accid })
      if (note.value === '') note.value = text
      kept = text
    })
  // Notes are private to the host.
  inBackground(
    Promise.all([readInside(), readActions(false), readLines(), ...(companion.seat === null ? [readNote()] : [])]),
  )
  watch(
    () => [room.reads, listed.value],
    () => inBackground(readInside()),
  )
  watch(
    () => room.undoable,
    () => inBackground(readActions(false)),
  )
  watch(
    () => room.log.at(-1)?.notice,
    (notice) => {
      if (notice?.target.includes(accid)) inBackground(room.readPeople())
    },
  )

  return {
    nick: computed(() => shownName(inside.value?.nick ?? '', listed.value?.nick ?? lines.value.at(-1)?.nick ?? accid)),
    /** -1 limited, 0 ordinary, 1 creator, 2 admin, 3 temporary; null if unknown. */
    type,
    robot: computed(() => inside.value?.isRobot === true || listed.value?.robot === true),
    /** Null if unknown. */
    online: computed(() => (inside.value === undefined ? null : inside.value !== null)),
    /** In ms; null if unknown. */
    since: computed(() => (inside.value ? (inside.value.enterTime ?? entered.value) : null)),
    lines,
    actions,
    older,
    inForce,
    /** A hosted service answers measures only for people inside. */
    isForceKnown: computed(() => companion.extended || inside.value !== null),
    guard: computed(() =>
      guardOf(
        accid,
        room.panel?.accid ?? '',
        room.creator,
        new Map([...room.roles, ...(type.value === null ? [] : [[accid, type.value] as const])]),
      ),
    ),
    failure,
    note,
    noteKept,
    readOlderLines: readLines,
    readOlderActions: (): Promise<void> => readActions(true),
    keepNote: (): Promise<void> =>
      tryTo(async () => {
        if (note.value === kept) return
        const text = note.value
        failure.value = null
        await rpc.rooms.setNote({ profileId, accid, text })
        kept = text
        noteKept.value = true
      }),
  }
}
/** A person of the room. */
export type RoomPerson = ReturnType<typeof useRoomPerson>
