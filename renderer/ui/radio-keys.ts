const steps: Readonly<Partial<Record<string, number>>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }

const neighbour = (event: KeyboardEvent): HTMLElement | undefined => {
  const step = steps[event.key]
  if (
    step === undefined ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    !(event.currentTarget instanceof HTMLElement)
  )
    return undefined
  event.preventDefault()
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="radio"]')]
  return buttons.at((buttons.findIndex((button) => button === event.target) + step) % buttons.length)
}

/** Arrow keys (ARIA, radio group): select and focus the neighbour, wrapping around. */
export function radioKeys(event: KeyboardEvent): void {
  const next = neighbour(event)
  next?.click()
  next?.focus()
}

/** Arrow keys where a choice has effects on others at once: they focus the neighbour, and Enter or Space selects. */
export function radioFocusKeys(event: KeyboardEvent): void {
  neighbour(event)?.focus()
}
