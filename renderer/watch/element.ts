/** Strings never become markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

const namespace = 'http://www.w3.org/2000/svg'

/** Paths in a square of 24. */
const icons = {
  play: 'M6 4l14 8-14 8z',
  pause: 'M7 4h4v16H7zM15 4h4v16h-4z',
  sound: 'M11 5L6 9H3v6h3l5 4zM15.5 8.5a5 5 0 0 1 0 7M18.5 5.5a9 9 0 0 1 0 13',
  silence: 'M11 5L6 9H3v6h3l5 4zM16 9l6 6M22 9l-6 6',
  full: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  send: 'M3 3l19 9-19 9 4-9zM7 12h15',
  people:
    'M16 21v-2a4 4 0 0 0-4-4H6a4 4 0 0 0-4 4v2M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM22 21v-2a4 4 0 0 0-3-3.9M16 3.1a4 4 0 0 1 0 7.8',
  down: 'M12 5v14M5 12l7 7 7-7',
  host: 'M12 2a3 3 0 0 0-3 3v7a3 3 0 0 0 6 0V5a3 3 0 0 0-3-3zM19 10v2a7 7 0 0 1-14 0v-2M12 19v3',
  moderator: 'M12 22s8-4 8-10V5l-8-3-8 3v7c0 6 8 10 8 10z',
} as const

/** An icon that is hidden from screen readers. */
export function icon(name: keyof typeof icons, size = 20): SVGSVGElement {
  const svg = document.createElementNS(namespace, 'svg')
  for (const [key, value] of Object.entries({
    viewBox: '0 0 24 24',
    width: size,
    height: size,
    'aria-hidden': 'true',
    class: 'icon',
  }))
    svg.setAttribute(key, String(value))
  const path = document.createElementNS(namespace, 'path')
  path.setAttribute('d', icons[name])
  svg.append(path)
  return svg
}
