const steps: Readonly<Partial<Record<string, number>>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }

/** Arrow keys (ARIA, radio group): select and focus the neighbour, wrapping around. */
export function radioKeys(event: KeyboardEvent): void {
  const step = steps[event.key]
  if (
    step === undefined ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    !(event.currentTarget instanceof HTMLElement)
  )
    return
  event.preventDefault()
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="radio"]')]
  const next = buttons.at((buttons.findIndex((button) => button === event.target) + step) % buttons.length)
  next?.click()
  next?.focus()
}
