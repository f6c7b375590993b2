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
  settings:
    'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z' +
    'M10.1 5L10.5 2.3L13.5 2.3L13.9 5L15.6 5.8L17.8 4.1L19.9 6.2L18.2 8.4L19 10.1L21.7 10.5L21.7 13.5L19 13.9L' +
    '18.2 15.6L19.9 17.8L17.8 19.9L15.6 18.2' +
    'L13.9 19L13.5 21.7L10.5 21.7L10.1 19L8.4 18.2L6.2 19.9L4.1 17.8L5.8 15.6L5 13.9L2.3 13.5L2.3 10.5L5 10.1L' +
    '5.8 8.4L4.1 6.2L6.2 4.1L8.4 5.8z',
  inPicture: 'M21 11V5H3v14h8M14 14h8v6h-8z',
  theatre: 'M2 6h20v12H2z',
  leave: 'M9 4v5H4M15 4v5h5M9 20v-5H4M15 20v-5h5',
  chat: 'M4 4h16v13H9l-5 4zM8 9h8M8 12.5h5',
  popOut: 'M14 4h6v6M20 4l-9 9M18 13v7H4V6h7',
  hideChat: 'M4 4h16v16H4zM15 4v16M7.5 9l3 3-3 3',
  bell: 'M18 9a6 6 0 0 0-12 0c0 6-2.5 7-2.5 7h17S18 15 18 9M10 20a2 2 0 0 0 4 0',
  calendar: 'M4 5h16v16H4zM4 10h16M8 2.5V7M16 2.5V7',
  mention: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM16 8v5a3 3 0 0 0 6 0v-1a10 10 0 1 0-4 8',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  check: 'M5 12.5l5 5 9-11',
  announcement: 'M3 10v4h3l9 5V5l-9 5zM18.5 9a4 4 0 0 1 0 6M7 14v5h3v-3.4',
  lock: 'M5 11h14v10H5zM8 11V7a4 4 0 0 1 8 0v4',
  queue: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3.5 2',
  key: 'M8 12a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 13l9-9M16 8l3 3',
  off: 'M12 3v9M6.5 6.5a8 8 0 1 0 11 0',
  textSize: 'M2 18L6.5 6 11 18M3.6 14h5.8M14 18l3.5-9 3.5 9M15.2 15h4.6',
  moderator: 'M12 22s8-4 8-10V5l-8-3-8 3v7c0 6 8 10 8 10z',
} as const

/** Name of an icon. */
export type IconName = keyof typeof icons

/** An icon that is hidden from screen readers. */
export function icon(name: IconName, size = 20): SVGSVGElement {
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

/** A button that shows an icon alone. */
export const iconButton = (name: IconName, label: string, kind = 'control'): HTMLButtonElement =>
  element('button', { type: 'button', class: kind, 'aria-label': label, title: label }, icon(name))
/** Gives such a button another icon and label. */
export function redraw(button: HTMLButtonElement, name: IconName, label: string): void {
  // The state of the page is drawn often: a button under the pointer is left alone.
  if (button.dataset['icon'] === name && button.title === label) return
  button.dataset['icon'] = name
  button.replaceChildren(icon(name))
  button.setAttribute('aria-label', label)
  button.title = label
}
