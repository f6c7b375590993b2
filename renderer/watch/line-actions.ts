import { element, iconButton } from './element.ts'
import { language, say } from './words.ts'

/** What the actions need of a line. */
export interface ActedLine {
  /** In ms. */
  readonly at: number
  readonly name: string
  readonly text: string
}

/** One set of actions, on the line under the pointer or with the focus; Up and Down go from line to line. */
export function createLineActions(list: HTMLElement, lineOf: (row: HTMLElement) => ActedLine | undefined) {
  const time = element('span', { class: 'time' })
  const mention = iconButton('mention', say('mention'), 'tool')
  const copy = iconButton('copy', say('copyLine'), 'tool')
  const tools = element('span', { class: 'tools' }, time, mention, copy)
  let line: ActedLine | undefined
  let mentioned: ((name: string) => void) | undefined
  // Not without TLS.
  copy.hidden = !('clipboard' in navigator)

  const rowOf = (target: EventTarget | null): HTMLElement | undefined => {
    const row = target instanceof Element ? target.closest<HTMLElement>('.line') : null
    return row ?? undefined
  }
  const place = (row: HTMLElement | undefined): void => {
    if (row === tools.parentElement) return
    line = row && lineOf(row)
    if (!row || !line) return tools.remove()
    time.textContent = new Date(line.at).toLocaleTimeString(language === 'zh' ? 'zh-CN' : 'en-GB')
    mention.hidden = mentioned === undefined
    row.append(tools)
  }
  list.addEventListener('pointerover', ({ target, pointerType }) => {
    if (pointerType !== 'touch') place(rowOf(target))
  })
  list.addEventListener('pointerleave', ({ pointerType }) => {
    if (pointerType !== 'touch' && !tools.contains(document.activeElement)) place(undefined)
  })
  list.addEventListener('focusin', ({ target }) => place(rowOf(target)))
  list.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && list.contains(relatedTarget))) place(undefined)
  })
  list.addEventListener('keydown', (event) => {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
    if (step === 0 || event.ctrlKey || event.altKey || event.metaKey) return
    const rows = [...list.querySelectorAll<HTMLElement>('.line')]
    const now = rows.findIndex((row) => row.contains(document.activeElement))
    const next = now === -1 ? rows.at(-1) : rows[now + step]
    if (!next) return
    event.preventDefault()
    next.focus()
  })
  mention.addEventListener('click', () => {
    if (line) mentioned?.(line.name)
  })
  copy.addEventListener('click', () => {
    if (line) navigator.clipboard.writeText(`${line.name}: ${line.text}`).catch(() => undefined)
  })
  return {
    /** Absent while nothing can be written. */
    mention(done: ((name: string) => void) | undefined): void {
      mentioned = done
      mention.hidden = done === undefined
    },
    /** The row is about to go. */
    leave(row: HTMLElement): void {
      if (tools.parentElement === row) tools.remove()
    },
  }
}
