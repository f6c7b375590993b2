import type { LinkPush } from '../../contract/link/frames.ts'
import { isSeen, lineText } from '../../contract/seen-text.ts'
import { shownName } from '../../contract/web-link.ts'
import { noticeType } from '../../contract/catalogue/notices.ts'
import { element, icon } from './element.ts'
import { hueOf } from './hue.ts'
import { createLineActions, type ActedLine } from './line-actions.ts'
import { textWithLinks } from './links.ts'
import { isToldApart, noticeText, seenNotice } from './notices.ts'
import { count, say } from './words.ts'

/** Lines in the page; the oldest are removed first. */
const maxLines = 300
/** Ids that are remembered, so that no line shows twice. */
const maxKnown = 1000
/** Shown characters of a line and of a name; the service stores more. */
const maxText = 2000
const maxName = 40
/** Distance from the end within which the log follows, in px. */
const nearEnd = 40
/** In ms; lines above which only their number is read; characters read of a line. */
const voicePause = 2000
const maxRead = 2
const maxReadText = 200

/** As sent by the service. */
export type RoomLine = Omit<LinkPush<'roomMessage'>, 't'>
/** Role of a person, for the badge. */
export type Role = 'host' | 'moderator' | undefined

/** A row of the log and its parts. */
interface ShownLine {
  readonly row: HTMLElement
  readonly badge: HTMLElement
  readonly square: HTMLElement
  readonly from: string
  readonly name: HTMLElement
  /** Why it is not said, of an own line. */
  readonly fate: HTMLElement
}

const cut = (text: string, maxLength: number): string => {
  const points = [...text]
  return points.length > maxLength ? `${points.slice(0, maxLength).join('')}…` : text
}
/** One after the other, each a sentence: most notices end with their own stop. */
const joined = ([first = '', ...rest]: readonly string[]): string =>
  rest.reduce((before, text) => `${before}${/[.!?…。！？]$/u.test(before) ? ' ' : '. '}${text}`, first)
/** Whether a line calls somebody by name. */
function mentions(text: string, nick: string): boolean {
  if (nick === '') return false
  const [said, called] = [text.toLowerCase(), `@${nick.toLowerCase()}`]
  for (let at = said.indexOf(called); at !== -1; at = said.indexOf(called, at + 1))
    if (!/[\p{L}\p{N}_]/u.test(said[at + called.length] ?? ' ')) return true
  return false
}
/** Plain or from JSON with `msg`; undefined for lines that are not shown. */
function textOf({ type, attach }: RoomLine, reader: string): string | undefined {
  if (type === noticeType) {
    const notice = seenNotice(attach)
    return notice && !isToldApart(notice, reader) ? noticeText(notice) : undefined
  }
  if (type !== 0 && type !== 100) return say('picturesKind')
  const text = lineText(attach)
  return type === 0 || (text !== attach && isSeen(text)) ? text : say('picturesKind')
}

/** Follows its end unless the reader scrolled away. */
export function createLines() {
  const list = element('div', {
    class: 'log',
    role: 'log',
    'aria-live': 'off',
    'aria-label': say('chat'),
    tabindex: '0',
  })
  const more = element('button', { type: 'button', class: 'more' })
  more.hidden = true
  const voice = element('p', { class: 'heard', role: 'status' })
  const node = element('div', { class: 'lines' }, list, more, voice)
  let unheard = 0
  /** Texts to be announced, and ids of the lines announced last. */
  let texts: { readonly msgid: string; readonly text: string }[] = []
  let heard: readonly string[] = []
  let heardAt = Number.NEGATIVE_INFINITY
  let pause: ReturnType<typeof setTimeout> | undefined
  const readOut = (): void => {
    pause = undefined
    heardAt = performance.now()
    // A new element is announced even if its text is the same.
    voice.replaceChildren(
      element(
        'span',
        {},
        unheard > maxRead ? say('newLines', { count: count(unheard) }) : joined(texts.map(({ text }) => text)),
      ),
    )
    heard = unheard > maxRead ? [] : texts.map(({ msgid }) => msgid)
    unheard = 0
    texts = []
  }
  const shown = new Map<string, ShownLine>()
  const acted = new WeakMap<HTMLElement, ActedLine>()
  const actions = createLineActions(list, (row) => acted.get(row))
  let me = { accid: '', nick: '' }
  const known = new Set<string>()
  let roleOf: (accid: string) => Role = () => undefined
  let unseen = 0

  /** Own lines that wait for a moderator. */
  const waiting = new Set<string>()
  const announce = (msgid: string, text: string): void => {
    unheard += 1
    if (unheard <= maxRead) texts.push({ msgid, text })
    pause ??= setTimeout(readOut, Math.max(0, heardAt + voicePause - performance.now()))
  }
  /** Says at an own line what becomes of it. */
  const markAs = (msgid: string, word: 'waits' | 'dropped'): void => {
    const line = shown.get(msgid)
    if (!line) return
    line.fate.textContent = say(word)
    line.row.dataset['fate'] = word
    announce(msgid, say(word))
  }
  const isAtEnd = (): boolean => list.scrollHeight - list.scrollTop - list.clientHeight < nearEnd
  let follows = true
  const sizesNow = (): string => `${list.scrollHeight} ${list.clientHeight}`
  let sizes = ''
  /** Only the reader leaves the end: what changes a height does not. */
  const noteScroll = (): void => {
    if (isAtEnd()) follows = true
    else if (sizesNow() === sizes) follows = false
  }
  const resized = new ResizeObserver(() => {
    if (follows) list.scrollTop = list.scrollHeight
    sizes = sizesNow()
  })
  resized.observe(list)
  const drawMore = (): void => {
    more.hidden = unseen === 0
    more.replaceChildren(icon('down', 16), unseen === 1 ? say('newLine') : say('newLines', { count: count(unseen) }))
  }
  const toEnd = (): void => {
    list.scrollTop = list.scrollHeight
    follows = true
    sizes = sizesNow()
    unseen = 0
    drawMore()
  }
  more.addEventListener('click', () => {
    toEnd()
    list.focus()
  })
  list.addEventListener('scroll', () => {
    noteScroll()
    if (unseen > 0 && follows) {
      unseen = 0
      drawMore()
    }
  })
  const drawRole = ({ badge, square, from, name }: ShownLine): void => {
    const role = roleOf(from)
    badge.hidden = role === undefined
    square.hidden = role !== undefined
    badge.replaceChildren(...(role ? [icon(role, 12), say(role)] : []))
    name.classList.toggle('leads', role !== undefined)
  }

  const takeOut = (row: HTMLElement): void => {
    actions.leave(row)
    resized.unobserve(row)
    row.remove()
  }
  const remove = (msgid: string): void => {
    const row = shown.get(msgid)?.row
    if (row) takeOut(row)
    shown.delete(msgid)
    waiting.delete(msgid)
    // A deleted line is removed from the live region too.
    if (heard.includes(msgid)) voice.replaceChildren()
    if (texts.some((one) => one.msgid === msgid)) {
      texts = texts.filter((one) => one.msgid !== msgid)
      unheard -= 1
    }
    // A history that was requested before may still contain it.
    known.add(msgid)
  }
  /** Announced at most every 2 s, a few in full and many as their number. */
  const add = (line: RoomLine, isNews: boolean): void => {
    const text = textOf(line, me.accid)
    // A line that waited is said now, and stands where it is said.
    if (waiting.has(line.msgid)) {
      remove(line.msgid)
      known.delete(line.msgid)
    }
    if (text === undefined || known.has(line.msgid)) return
    known.add(line.msgid)
    if (known.size > maxKnown) known.delete(known.values().next().value!)
    noteScroll()
    const badge = element('span', { class: 'badge' })
    const name = element('bdi', { class: 'name' }, cut(shownName(line.fromNick, line.from), maxName))
    const said = element('bdi', { class: 'said' }, ...textWithLinks(cut(text, maxText)))
    const fate = element('span', { class: 'fate' })
    const isNotice = line.type === noticeType
    const square = element('span', { class: 'square', 'data-hue': String(hueOf(line.from)) })
    const own = line.from === me.accid ? [element('span', { class: 'own' }, say('you')), ' '] : []
    const row = isNotice
      ? element('p', { class: 'line notice', tabindex: '-1' }, said)
      : element('p', { class: 'line', tabindex: '-1' }, badge, square, ' ', name, ' ', ...own, fate, said)
    if (!isNotice) {
      acted.set(row, { at: line.at, name: name.textContent, text })
      row.classList.toggle('mentions', own.length === 0 && mentions(text, me.nick))
    }
    const entry = { row, badge, square, from: line.from, name, fate }
    drawRole(entry)
    list.append(row)
    resized.observe(row)
    shown.set(line.msgid, entry)
    if (shown.size > maxLines) {
      const [oldest, { row: gone }] = shown.entries().next().value!
      shown.delete(oldest)
      waiting.delete(oldest)
      takeOut(gone)
    }
    if (isNews) {
      const read = cut(text, maxReadText)
      announce(line.msgid, isNotice ? read : `${name.textContent}: ${read}`)
    }
    if (follows) return toEnd()
    sizes = sizesNow()
    unseen += 1
    drawMore()
  }
  const waits = (line: RoomLine): void => {
    if (known.has(line.msgid)) return
    add(line, false)
    waiting.add(line.msgid)
    markAs(line.msgid, 'waits')
  }

  return {
    node,
    add,
    remove,
    /** An own line waits for a moderator. */
    waits,
    /** All own lines that wait; what waited and does not any more was decided on meanwhile. */
    allThatWait(lines: readonly RoomLine[]): void {
      for (const msgid of waiting) if (!lines.some((line) => line.msgid === msgid)) remove(msgid)
      for (const line of lines) waits(line)
    },
    /** An own line is not said, as a moderator decided. */
    dropped(msgid: string): void {
      if (waiting.delete(msgid)) markAs(msgid, 'dropped')
    },
    /** Whose lines are one's own, and by which name others call one. */
    me(accid: string, nick: string): void {
      me = { accid, nick }
    },
    mention: actions.mention,
    roles(of: (accid: string) => Role): void {
      roleOf = of
      for (const entry of shown.values()) drawRole(entry)
    },
  }
}
