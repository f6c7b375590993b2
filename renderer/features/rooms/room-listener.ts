import { onBeforeUnmount, onMounted, type Ref } from 'vue'
import { pointing, useRoomPanel, type KeyPlace } from './room-panel.ts'
import { commandOf, decisionOf, type RoomCommand } from '../keys/room-keys.ts'
import { useRoomTrouble } from './room-trouble.ts'
import { useRoom } from './room.ts'
import { useWindowKeys } from '../../ui/window-keys.ts'
import { isField, useFocusKeeper } from './focus-keeper.ts'
import { moveInList, type Move } from '../keys/list-keys.ts'

/** Where keys apply: in the whole window, while the pane was used last, or only the panic key. */
type RoomReach = 'window' | 'pane' | 'panic'

const anywhere: ReadonlySet<RoomCommand['do']> = new Set(['panic', 'popOut', 'composer', 'search'])
const moves: ReadonlySet<string> = new Set<Move>(['up', 'down', 'first', 'last'])
const moveOf = (command: RoomCommand | null): Move | null =>
  command !== null && moves.has(command.do) ? (command.do as Move) : null
/** Commands about nobody, for a lost focus; `leading` only if it was not in a field. */
const always: ReadonlySet<RoomCommand['do']> = new Set(['close', 'panic', 'popOut'])
const leading: ReadonlySet<RoomCommand['do']> = new Set(['composer', 'search', 'help'])

/** Whether an element is rendered and within its scroll containers. */
const isSeen = (element: Element | null | undefined): boolean => {
  if (!element?.checkVisibility({ visibilityProperty: true })) return false
  const own = element.getBoundingClientRect()
  if (own.height === 0) return false
  for (let box = element.parentElement; box !== null; box = box.parentElement) {
    if (box !== document.documentElement && getComputedStyle(box).overflowY === 'visible') continue
    const { top, bottom, left, right } = box.getBoundingClientRect()
    if (own.bottom <= top || own.top >= bottom || own.right <= left || own.left >= right) return false
  }
  return true
}
const placeOf = (target: Element | null, focused: string | null): KeyPlace => {
  const marked =
    focused === null ? null : document.querySelector(`[role="log"] [data-room-row][data-id="${CSS.escape(focused)}"]`)
  const holder = target?.closest<HTMLElement>('[data-room-row], [data-accid]')
  // A key about a row out of sight applies to nobody.
  const gone = holder != null && !isSeen(holder)
  return {
    row: gone ? null : (holder?.closest<HTMLElement>('[data-room-row]')?.dataset['id'] ?? null),
    person: gone ? null : (holder?.closest<HTMLElement>('[data-accid]')?.dataset['accid'] ?? null),
    marked: !gone && isSeen(marked),
    card: !gone && isSeen(document.querySelector('[data-card]')),
    queue: isSeen(document.querySelector('[data-queue]')),
  }
}

/** Handles keys of a room while mounted. */
export function useRoomKeys(pane: Readonly<Ref<HTMLElement | null>>, reach: () => RoomReach): void {
  const room = useRoom()
  const panel = useRoomPanel()
  const trouble = useRoomTrouble()
  const keeper = useFocusKeeper(pane)
  /** The pane was used last; its focused element may have been removed since. */
  let used = false
  const note = ({ target }: Event): void => {
    used = target instanceof Node && pane.value?.contains(target) === true
  }
  onMounted(() => {
    document.addEventListener('focusin', note)
    document.addEventListener('pointerdown', note)
  })
  onBeforeUnmount(() => {
    document.removeEventListener('focusin', note)
    document.removeEventListener('pointerdown', note)
  })
  const counts = (what: RoomCommand['do']): boolean =>
    // Letters typed into a form that was closed must not take anybody from the queue.
    always.has(what) ||
    (leading.has(what) && !keeper.wasWriting()) ||
    (keeper.isAtOpener() && !pointing.has(what) && what !== 'take')
  useWindowKeys((event) => {
    if (room.roomid === null || event.defaultPrevented || document.querySelector('[role="dialog"]')) return
    const target = event.target instanceof HTMLElement ? event.target : null
    if (target?.closest('[role="menu"], [role="listbox"]')) return
    const typing = isField(target)
    const command = commandOf(event, typing, panel.bindings)
    const now = reach()
    if (now === 'panic' && command?.do !== 'panic') return
    if (now === 'pane' && !used && (command === null || !anywhere.has(command.do))) return
    const move = moveOf(command)
    const isMove = move !== null
    if (keeper.isLost() && !typing) {
      // Letters typed on after a field was removed are no commands.
      if (isMove && (event.key.length > 1 || !keeper.wasWriting())) keeper.resume()
      else if (command === null || !counts(command.do)) return
    }
    // Held lines handle these keys while focused; otherwise moving keys focus them.
    if (panel.tab === 'held' && !typing && (decisionOf(event) !== undefined || isMove)) {
      event.preventDefault()
      if (isMove) panel.enterHeld()
      return
    }
    if (command === null) return
    // Other tabs hide the chat.
    if (move !== null && panel.tab !== 'chat' && pane.value) {
      if (moveInList(pane.value, move)) event.preventDefault()
      return
    }
    // Other scrolling regions keep their keys.
    if (isMove && target?.closest('[tabindex="0"]:not([role="log"])') && !target.closest('[role="log"]')) return
    // Nobody would see that it is frozen.
    if (command.do === 'freeze' && !isSeen(document.querySelector('[role="log"]'))) return
    event.preventDefault()
    // The newest closes first.
    if (command.do === 'close' && trouble.closeNext()) return
    // After Escape the next key applies to nobody.
    if (command.do === 'close' && panel.tab !== 'chat' && panel.shown === null && target?.closest('[data-accid]'))
      target.closest<HTMLElement>('[data-list]')?.focus({ preventScroll: true })
    keeper.letGo()
    panel.carryOut(command, placeOf(target, panel.focused))
  })
}
