import { onBeforeUnmount, onMounted, type Ref } from 'vue'
import { pointing, useRoomDesk, type KeyPlace } from './room-desk.ts'
import { commandOf, decisionOf, type RoomCommand } from '../keys/room-keys.ts'
import { useRoomTrouble } from './room-trouble.ts'
import { useRoom } from './room.ts'
import { useWindowKeys } from '../../ui/window-keys.ts'
import { isField, useFocusKeeper } from './focus-keeper.ts'
import { moveInList, type Move } from '../keys/list-keys.ts'

/** Where keys of a room count: anywhere in the window, only while its pane was used last, or the panic key alone. */
export type RoomReach = 'window' | 'pane' | 'panic'

/** Commands that count beside the pane too: what happens in the room at once, and the ways into it. */
const anywhere: ReadonlySet<RoomCommand['do']> = new Set(['panic', 'popOut', 'composer', 'search'])
const moves: ReadonlySet<string> = new Set<Move>(['up', 'down', 'first', 'last'])
const moveOf = (command: RoomCommand | null): Move | null =>
  command !== null && moves.has(command.do) ? (command.do as Move) : null
/** Commands that count after the focus was lost, as they are about nobody; those of the second only where no field was written in. */
const always: ReadonlySet<RoomCommand['do']> = new Set(['close', 'panic', 'popOut'])
const leading: ReadonlySet<RoomCommand['do']> = new Set(['composer', 'search', 'help'])

/** Whether an element is drawn and within whatever it scrolls in. */
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
/** What a key is about, read from the page at this moment: where the focus is, and what of that, of the marked line, the card and the queue is seen. */
const placeOf = (target: Element | null, focused: string | null): KeyPlace => {
  const marked =
    focused === null ? null : document.querySelector(`[role="log"] [data-room-row][data-id="${CSS.escape(focused)}"]`)
  const holder = target?.closest<HTMLElement>('[data-room-row], [data-accid]')
  // Somebody may go out of sight with the focus, as when the log goes on: then the key is about nobody, and about nobody else either.
  const gone = holder != null && !isSeen(holder)
  return {
    row: gone ? null : (holder?.closest<HTMLElement>('[data-room-row]')?.dataset['id'] ?? null),
    person: gone ? null : (holder?.closest<HTMLElement>('[data-accid]')?.dataset['accid'] ?? null),
    marked: !gone && isSeen(marked),
    card: !gone && isSeen(document.querySelector('[data-card]')),
    queue: isSeen(document.querySelector('[data-queue]')),
  }
}

/** Carries out what keys ask of the room for as long as the component stands. */
export function useRoomKeys(pane: Readonly<Ref<HTMLElement | null>>, reach: () => RoomReach): void {
  const room = useRoom()
  const desk = useRoomDesk()
  const trouble = useRoomTrouble()
  const keeper = useFocusKeeper(pane)
  /** Whether the pane was used last: what had the focus may have gone with what it closed. */
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
  /** Whether a command counts after the focus was lost. */
  const counts = (what: RoomCommand['do']): boolean =>
    // Who left a form with letters still to come takes nobody from the queue with them.
    always.has(what) ||
    (leading.has(what) && !keeper.wasWriting()) ||
    (keeper.isAtOpener() && !pointing.has(what) && what !== 'take')
  useWindowKeys((event) => {
    if (room.roomid === null || event.defaultPrevented || document.querySelector('[role="dialog"]')) return
    const target = event.target instanceof HTMLElement ? event.target : null
    // A menu or a list of choices that is open has the keys for itself.
    if (target?.closest('[role="menu"], [role="listbox"]')) return
    const typing = isField(target)
    const command = commandOf(event, typing, desk.bindings)
    const now = reach()
    if (now === 'panic' && command?.do !== 'panic') return
    if (now === 'pane' && !used && (command === null || !anywhere.has(command.do))) return
    const move = moveOf(command)
    const isMove = move !== null
    if (keeper.isLost() && !typing) {
      // Who was writing goes on with letters, and means none of them as a key.
      if (isMove && (event.key.length > 1 || !keeper.wasWriting())) keeper.resume()
      else if (command === null || !counts(command.do)) return
    }
    // Keys of held lines are about none of the chat. Where none of these has the focus, those that move give it to one, and the others decide nothing.
    if (desk.tab === 'held' && !typing && (decisionOf(event) !== undefined || isMove)) {
      event.preventDefault()
      if (isMove) desk.enterHeld()
      return
    }
    if (command === null) return
    // On the other tabs they move in what is listed there, and mark nothing of the chat, which is not seen.
    if (move !== null && desk.tab !== 'chat' && pane.value) {
      if (moveInList(pane.value, move)) event.preventDefault()
      return
    }
    // Regions that scroll by themselves keep their keys.
    if (isMove && target?.closest('[tabindex="0"]:not([role="log"])') && !target.closest('[role="log"]')) return
    // A log that nobody sees neither stands still nor goes on unnoticed.
    if (command.do === 'freeze' && !isSeen(document.querySelector('[role="log"]'))) return
    event.preventDefault()
    // What was refused is closed first: it came last.
    if (command.do === 'close' && trouble.closeNext()) return
    // As in the chat: nobody has the next key whom Esc was to let go.
    if (command.do === 'close' && desk.tab !== 'chat' && desk.shown === null && target?.closest('[data-accid]'))
      target.closest<HTMLElement>('[data-list]')?.focus({ preventScroll: true })
    keeper.letGo()
    desk.carryOut(command, placeOf(target, desk.focused))
  })
}
