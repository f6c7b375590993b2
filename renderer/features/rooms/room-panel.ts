// Long because keys, mouse and questions act on one focus and share its state.
import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import { inBackground } from '../../background.ts'
import type { Measure } from '../../../contract/rpc/index.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { emptyOf } from '../../sent-text.ts'
import { useCompanion } from '../../data/companion.ts'
import type { RoomCommand } from '../keys/room-keys.ts'
import { rowsOf, type RoomFilter, type RoomLine, type RoomRow } from './room-log.ts'
import { isAbout, muteFor } from './room-measures.ts'
import { createRoomReasons } from './room-reasons.ts'
import { useRoomSettings } from '../keys/room-settings.ts'
import { createRoomStandstill } from './room-standstill.ts'
import type { Taking } from './room-acts.ts'
import { useRoom } from './room.ts'
import { useServices } from '../../data/services.ts'

type RoomQuestion =
  | { readonly what: 'blacklist'; readonly accid: string; readonly said?: RoomRow }
  | { readonly what: 'close' | 'clear' | 'renew' }
/** What a key press applies to on the page. */
export interface KeyPlace {
  readonly person: string | null
  readonly row: string | null
  /** Whether the marked line, the open card, the queue is visible. */
  readonly marked: boolean
  readonly card: boolean
  readonly queue: boolean
}
/** Commands about a person or a line. */
export const pointing: ReadonlySet<RoomCommand['do']> = new Set([
  'preset',
  'mute',
  'card',
  'remove',
  'second',
  'blacklist',
])

/** Views of the chat pane. */
export type RoomTab = 'chat' | 'queue' | 'people' | 'restricted' | 'held' | 'actions' | 'statistics'

/** The moderator's marks, questions and key commands, common to every layout. */
export const useRoomPanel = defineStore('roomPanel', () => {
  const { rpc } = useServices()
  const companion = useCompanion()
  const room = useRoom()
  const tab = ref<RoomTab>('chat')
  const focused = ref<string | null>(null)
  const shown = ref<string | null>(null)
  const reasons = createRoomReasons(shown)
  const settings = useRoomSettings()
  const presets = computed(() => settings.presets)
  const chosen = ref<number | null>(null)
  const preset = computed(
    () => presets.value.find((each) => each === chosen.value) ?? presets.value[1] ?? presets.value[0] ?? 0,
  )
  const helping = ref(false)
  const searching = ref(false)
  const search = ref('')
  const kind = ref<RoomFilter['kind']>('all')
  const editing = ref(false)
  const text = ref('')
  const saying = ref(false)
  const sayFailure = shallowRef<Failure | null>(null)
  const asked = shallowRef<RoomQuestion | null>(null)
  const busy = ref(false)
  const still = createRoomStandstill(() => room.log.at(-1)?.at ?? 0)
  const { frozen, hovered, follows } = still
  /** Measures begun before the line was marked. */
  let begunBefore = 0
  /** Turn of the newest measure taken by a key. */
  let keyed = 0
  const wish = shallowRef<{
    readonly field: 'search' | 'composer' | 'popOut' | 'marked' | 'log' | 'newest' | 'held'
  } | null>(null)
  const second = shallowRef<RoomLine | null>(null)

  const filter = computed<RoomFilter>(() => ({ text: search.value, kind: kind.value, accid: null }))
  const fresh = computed(() => {
    const at = still.at.value
    if (at === null) return 0
    const { log } = room
    let count = 0
    while (count < log.length && log[log.length - 1 - count]!.at > at) count++
    return count
  })
  const rows = computed<readonly RoomRow[]>((before) =>
    rowsOf(fresh.value === 0 ? room.log : room.log.slice(0, room.log.length - fresh.value), filter.value, before),
  )
  const focusedRow = computed(() =>
    focused.value === null ? undefined : rows.value.find(({ key }) => key === focused.value),
  )
  const isInside = computed(() => room.panel?.phase === 'inside')
  const isClosed = computed(() => room.panel?.phase === 'refused' && room.panel.reason?.code === 'closed')
  const isMuted = computed(() => room.panel?.muted === true)
  const canUndo = computed(() => room.undoable !== null && companion.clock < room.undoable.until)

  const closeSearch = (): void => {
    searching.value = false
    search.value = ''
    kind.value = 'all'
  }
  watch(
    () => room.roomid,
    () => {
      focused.value = null
      shown.value = null
      asked.value = null
      second.value = null
      editing.value = false
      reasons.clear()
      text.value = ''
      sayFailure.value = null
      still.goOn()
      tab.value = 'chat'
      closeSearch()
    },
    { flush: 'sync' },
  )

  // An open card follows the marked line, so that keys act on the marked person only.
  watch(
    focusedRow,
    (row) => {
      if (shown.value !== null && row?.line.notice === null) shown.value = row.line.from
    },
    { flush: 'sync' },
  )
  watch(
    focused,
    (key) => {
      if (key === null) still.marked.value = false
    },
    { flush: 'sync' },
  )
  // The log scrolls again after a measure on the marked line, which stays marked.
  watch(
    () => room.carried,
    (carried) => {
      const line = focusedRow.value?.line
      if (carried === null || carried.turn <= begunBefore || !line || !isAbout(carried.measure, line)) return
      still.marked.value = false
      // A pointer in use keeps the log still until it leaves; one that rests while keys are pressed does not.
      if (carried.turn === keyed) hovered.value = false
    },
    { flush: 'sync' },
  )
  const show = (accid: string): void => {
    if (focusedRow.value?.line.from !== accid) focused.value = null
    shown.value = accid
  }

  const upon = (said: RoomRow | undefined): Taking =>
    companion.extended && said?.line.notice === null ? { upon: said.line.msgid } : {}
  const act = (measure: Measure, said?: RoomRow): Promise<boolean> =>
    reasons.send(measure, (why) => room.act(measure, why, upon(said)))
  const mute = (accid: string, seconds: number = preset.value, said?: RoomRow): void => {
    chosen.value = seconds
    if (room.guard(accid) === null) inBackground(act(muteFor(accid, seconds), said))
  }
  const remove = ({ line }: RoomRow): void => {
    const guard = room.guard(line.from)
    if (companion.extended && line.notice === null && line.removed === null && (guard === null || guard === 'self'))
      inBackground(act({ kind: 'removeLine', target: line.from, msgid: line.msgid }))
  }
  const askBlacklist = (accid: string, said?: RoomRow): void => {
    if (room.guard(accid) !== null) return
    asked.value = { what: 'blacklist', accid, ...(said && { said }) }
    reasons.ask(accid)
  }
  const confirm = async (): Promise<void> => {
    const now = asked.value
    if (now === null || busy.value) return
    busy.value = true
    // The dialog covers the log.
    keyed = room.begun + 1
    if (now.what === 'blacklist')
      await reasons.answer(now.accid, (why) =>
        room.act({ kind: 'blacklist', target: now.accid, on: true }, why, upon(now.said)),
      )
    else if (now.what === 'close') await act({ kind: 'openRoom', on: false })
    else if (now.what === 'clear') await act({ kind: 'queueClear' })
    else if (room.roomid !== null) await room.renew(room.roomid)
    busy.value = false
    asked.value = null
  }
  const panic = (on: boolean): void => {
    if (room.roomid !== null && (room.panel === null || room.panel.muted !== on))
      inBackground(room.act({ kind: 'muteRoom', on }))
  }
  const again = (): void => {
    if (room.roomid !== null) inBackground(room.open(room.roomid))
  }
  const reopen = async (): Promise<void> => {
    if (await room.act({ kind: 'openRoom', on: true })) again()
  }
  /** Takes the first as shown, and nobody else where somebody was faster. */
  const take = (): void => {
    const [next] = room.queue
    if (next) inBackground(room.act({ kind: 'queueTake', key: next.key }))
  }
  const say = async (): Promise<void> => {
    const sent = text.value
    const line = sent.trim()
    if (line === '' || saying.value || room.roomid === null) return
    saying.value = true
    sayFailure.value = null
    try {
      // Outside, the app would not see its own line.
      if (!(await room.comeIn())) return
      await rpc.rooms.say({ profileId: room.profileId, roomid: room.roomid, text: line })
      emptyOf(text, sent)
      frozen.value = false
    } catch (error) {
      sayFailure.value = failureOf(error)
    } finally {
      saying.value = false
    }
  }
  const mark = ({ key }: RoomRow): void => {
    still.marked.value = true
    begunBefore = room.begun
    focused.value = key
  }
  /** The log scrolls again unless it was frozen on purpose. */
  const unmark = (): void => {
    focused.value = null
    hovered.value = false
  }
  /** Moves the mark by some rows and focuses the log; without a mark, starts at the newest row. */
  const step = (by: number, isGone = false): void => {
    const index = isGone ? -1 : rows.value.findIndex(({ key }) => key === focused.value)
    const next = rows.value[Math.max(0, Math.min(rows.value.length - 1, (index < 0 ? rows.value.length : index) + by))]
    if (!next) return
    tab.value = 'chat'
    mark(next)
    wish.value = { field: 'log' }
  }
  const toNewest = (): void => {
    tab.value = 'chat'
    unmark()
    still.goOn()
    wish.value = { field: 'newest' }
  }
  const enterLog = (): void => step(focusedRow.value === undefined ? Infinity : 0)
  const enterHeld = (): void => {
    wish.value = { field: 'held' }
  }
  const openSearch = (): void => {
    tab.value = 'chat'
    searching.value = true
    wish.value = { field: 'search' }
  }
  const close = (): void => {
    if (editing.value) editing.value = false
    else if (shown.value !== null) shown.value = null
    else if (searching.value) closeSearch()
    else unmark()
  }
  /** Of what is visible: the focused row or person, else the marked line, else the open card. */
  const subjectOf = (place: KeyPlace): { readonly person: string | null; readonly said: RoomRow | undefined } => {
    const lineOf = (row: RoomRow | undefined): RoomRow | undefined =>
      row?.line.notice === null && row.folded <= 1 ? row : undefined
    if (place.row !== null) {
      const said = lineOf(rows.value.find(({ key }) => key === place.row))
      return { person: said?.line.from ?? null, said }
    }
    if (place.person !== null) return { person: place.person, said: undefined }
    const said = tab.value === 'chat' && place.marked ? lineOf(focusedRow.value) : undefined
    return { person: said?.line.from ?? (place.card ? shown.value : null), said }
  }
  const obey = (command: RoomCommand, place: KeyPlace, { person, said }: ReturnType<typeof subjectOf>): void => {
    switch (command.do) {
      case 'panic':
        return panic(command.on)
      case 'preset':
      case 'mute': {
        const seconds = command.do === 'preset' ? presets.value[command.preset] : preset.value
        if (person !== null && seconds !== undefined) mute(person, seconds, said)
        return
      }
      case 'up':
        return step(-1, follows.value && !place.marked)
      case 'down':
        return step(1, follows.value && !place.marked)
      case 'first':
        return step(-Infinity)
      case 'last':
        return toNewest()
      case 'card':
        if (person !== null) show(person)
        return
      case 'close':
        return close()
      case 'remove':
        if (said) remove(said)
        return
      case 'second':
        // Moderators have no access to recordings.
        if (said && companion.seat === null) second.value = said.line
        return
      case 'blacklist':
        if (person !== null) askBlacklist(person, said)
        return
      case 'freeze':
        frozen.value = !frozen.value
        return
      case 'take':
        if (place.queue) return take()
        tab.value = 'queue'
        return
      case 'announcement':
        editing.value = true
        return
      case 'search':
        return openSearch()
      case 'composer':
        wish.value = { field: 'composer' }
        return
      case 'popOut':
        wish.value = { field: 'popOut' }
        return
      case 'help':
        helping.value = true
    }
  }
  const carryOut = (command: RoomCommand, place: KeyPlace): void => {
    const subject = subjectOf(place)
    // A marked line out of sight is shown first, and nothing is done to it.
    if (subject.person === null && pointing.has(command.do) && tab.value === 'chat' && focusedRow.value) {
      mark(focusedRow.value)
      wish.value = { field: 'marked' }
      return
    }
    const begun = room.begun
    obey(command, place, subject)
    if (room.begun > begun) keyed = room.begun
  }

  return {
    tab,
    focused,
    shown,
    show,
    reasonOf: reasons.of,
    /** In s; 0 is until lifted. */
    presets,
    /** In s, the length chosen last. */
    preset,
    bindings: computed(() => settings.bindings),
    helping,
    searching,
    search,
    kind,
    rows,
    /** Number of lines that arrived while the log is still. */
    fresh,
    frozen,
    hovered,
    follows,
    editing,
    text,
    saying,
    sayFailure,
    asked,
    askedReason: reasons.asked,
    busy,
    isInside,
    isClosed,
    isMuted,
    canUndo,
    /** What a key asks of the page; each request is a new object. */
    wish,
    second,
    act,
    withReason: reasons.send,
    mute,
    remove,
    askBlacklist,
    confirm,
    panic,
    again,
    reopen,
    take,
    say,
    openSearch,
    enterLog,
    enterHeld,
    closeSearch,
    mark,
    step,
    carryOut,
  }
})
