import { onBeforeUnmount, onMounted, type Ref } from 'vue'
import { useRoomDesk, type KeyPlace } from '../../stores/room-desk.ts'
import { commandOf, type RoomCommand } from '../../stores/room-keys.ts'
import { useRoom } from '../../stores/room.ts'
import { useWindowKeys } from '../states/window-keys.ts'

/** Where keys of a room count: anywhere in the window, only while its pane was used last, or the panic key alone. */
export type RoomReach = 'window' | 'pane' | 'panic'

/** Commands that count beside the pane too: what happens in the room at once, and the ways into it. */
const anywhere: ReadonlySet<RoomCommand['do']> = new Set(['panic', 'popOut', 'composer', 'search'])
const moves: ReadonlySet<RoomCommand['do']> = new Set(['up', 'down', 'first', 'last'])

/** Whether an element is drawn and within what it scrolls in. */
const isSeen = (element: Element | null | undefined, within?: Element | null): boolean => {
  if (!element?.checkVisibility({ visibilityProperty: true })) return false
  const [own, box] = [element.getBoundingClientRect(), (within ?? document.documentElement).getBoundingClientRect()]
  return own.height > 0 && own.bottom > box.top && own.top < box.bottom && own.right > box.left && own.left < box.right
}
/** What a key is about, read from the page at this moment: where the focus is, and what of the marked line, the card and the queue is seen. */
const placeOf = (target: Element | null, focused: string | null): KeyPlace => {
  const log = document.querySelector('[role="log"]')
  const marked = focused === null ? null : log?.querySelector(`[data-room-row][data-id="${CSS.escape(focused)}"]`)
  return {
    row: target?.closest<HTMLElement>('[data-room-row]')?.dataset['id'] ?? null,
    person: target?.closest<HTMLElement>('[data-accid]')?.dataset['accid'] ?? null,
    marked: isSeen(marked, log),
    card: isSeen(document.querySelector('[data-card]')),
    queue: isSeen(document.querySelector('[data-queue]')),
  }
}

/** Carries out what keys ask of the room for as long as the component stands. */
export function useRoomKeys(pane: Readonly<Ref<HTMLElement | null>>, reach: () => RoomReach): void {
  const room = useRoom()
  const desk = useRoomDesk()
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
  useWindowKeys((event) => {
    if (room.roomid === null || event.defaultPrevented || document.querySelector('[role="dialog"]')) return
    const target = event.target instanceof HTMLElement ? event.target : null
    // A menu or a list of choices that is open has the keys for itself.
    if (target?.closest('[role="menu"], [role="listbox"]')) return
    const typing = target !== null && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
    const command = commandOf(event, typing, desk.bindings)
    if (command === null) return
    const now = reach()
    if (now === 'panic' && command.do !== 'panic') return
    if (now === 'pane' && !used && !anywhere.has(command.do)) return
    // Regions that scroll by themselves keep their keys.
    if (moves.has(command.do) && target?.closest('[tabindex="0"]:not([role="log"])') && !target.closest('[role="log"]')) return
    event.preventDefault()
    desk.carryOut(command, placeOf(target, desk.focused))
  })
}
