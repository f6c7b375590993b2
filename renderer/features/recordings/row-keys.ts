import { pageKeyOf } from '../keys/page-keys.ts'

/** What keys do with the row that has the focus. */
export interface RowKeyActions {
  /** Opens or closes the group of the row; false when there is nothing to open or close. */
  readonly fold: (row: number, isOpen: boolean) => boolean
  readonly play: (row: number) => void
  readonly trim: (row: number) => void
  readonly remove: (row: number) => void
}

/** In a row the check box has the focus, so that Space chooses as everywhere. */
const rowStop = 'button[role="checkbox"]:not([disabled]), button:not([disabled])'
/** These have a use of Enter and of arrows of their own. */
const hasOwnKeys = (target: HTMLElement): boolean =>
  target.getAttribute('role') !== 'checkbox' && target.tagName !== 'DIV' && target.tagName !== 'TR'

/** Handles a key in a table: arrows move between rows and open or close groups, Enter plays, E trims, Delete asks. */
export function pressedInRow(event: KeyboardEvent, actions: RowKeyActions): void {
  const { target, currentTarget: area, key } = event
  if (!(target instanceof HTMLElement) || !(area instanceof HTMLElement)) return
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || event.defaultPrevented) return
  const rows = [...area.querySelectorAll<HTMLElement>('tbody tr')]
  const at = rows.findIndex((row) => row.contains(target))
  const go = (to: number): void => {
    event.preventDefault()
    rows[to]?.querySelector<HTMLElement>(rowStop)?.focus()
  }
  if (key === 'ArrowDown') go(Math.min(at + 1, rows.length - 1))
  else if (key === 'ArrowUp' && at >= 0) go(Math.max(at - 1, 0))
  else if (at < 0) return
  else if (key === 'ArrowRight' || key === 'ArrowLeft') {
    if (actions.fold(at, key === 'ArrowRight')) event.preventDefault()
  } else if (key === 'Enter' && !hasOwnKeys(target)) {
    event.preventDefault()
    actions.play(at)
  } else if (pageKeyOf(event) === 'trim') {
    event.preventDefault()
    actions.trim(at)
  } else if (key === 'Delete') {
    event.preventDefault()
    actions.remove(at)
  }
}
