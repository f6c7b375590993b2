/** Movements in a list. */
export type Move = 'up' | 'down' | 'first' | 'last'

/** Moves between people (`data-stop`), else to the list (`data-list`); false if that has the focus. */
export function moveInList(pane: HTMLElement, move: Move): boolean {
  const stops = [...pane.querySelectorAll<HTMLElement>('[data-stop]')]
  if (stops.length === 0) {
    const list = pane.querySelector<HTMLElement>('[data-list]')
    if (!list || list.contains(document.activeElement)) return false
    list.focus()
    return true
  }
  const now = stops.findIndex((stop) => stop.closest('li')?.contains(document.activeElement))
  const to = { up: now - 1, down: now + 1, first: 0, last: stops.length - 1 }[move]
  const stop = stops[Math.max(0, Math.min(stops.length - 1, to))]
  stop?.focus()
  stop?.scrollIntoView({ block: 'nearest' })
  return true
}
