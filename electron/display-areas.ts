import { type Rectangle, screen } from 'electron'

/** Work areas, the primary display first. */
export function displayAreas(): Rectangle[] {
  const primary = screen.getPrimaryDisplay()
  return [
    primary.workArea,
    ...screen
      .getAllDisplays()
      .filter(({ id }) => id !== primary.id)
      .map(({ workArea }) => workArea),
  ]
}
