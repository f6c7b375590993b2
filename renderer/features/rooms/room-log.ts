import { isKeptNotice, noticeType, readNotice, roomNotices } from '../../../contract/catalogue/notices.ts'
import type { RoomPush } from '../../../contract/rpc/index.ts'
import { textOf } from '../../format/line-text.ts'
import { shownName, shownText } from '../../../contract/web-link.ts'

/** Lines kept of a room, the newest. */
export const maxLines = 10_000
const foldAbove = 3

/** A notice of a room. */
export interface RoomNotice {
  readonly id: number
  readonly operator: string
  readonly target: readonly string[]
  readonly names: readonly string[]
  readonly why: string
  readonly seconds: number | null
  /** Ended by itself. */
  readonly expired: boolean
  /** Another mute is in force. */
  readonly stillMuted: boolean
}
/** A message or notice of a room. */
export interface RoomLine {
  readonly msgid: string
  /** When everybody saw it, in ms. */
  readonly at: number
  /** When a held line was said, in ms. */
  readonly heldAt?: number | undefined
  readonly from: string
  readonly nick: string
  readonly text: string
  readonly notice: RoomNotice | null
  /** Null while not deleted. */
  readonly removed: { readonly by: string; readonly why: string; readonly at: number | null } | null
}
type HistoryLine = Pick<RoomLine, 'msgid' | 'at' | 'heldAt' | 'from' | 'nick'> & {
  readonly type: number
  readonly attach: string
  readonly removed: boolean
}
/** A line, or a folded run of entries and leaves. */
export interface RoomRow {
  readonly key: string
  readonly line: RoomLine
  readonly folded: number
}
/** Which lines are shown. */
export interface RoomFilter {
  readonly text: string
  readonly kind: 'all' | 'lines' | 'moderated'
  /** Only lines by or about an account. */
  readonly accid: string | null
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
const word = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Null for other content. */
function noticeOf(attach: string): RoomNotice | null {
  const read = readNotice(attach)
  if (!read) return null
  const { id, data: members } = read
  const seconds = members['muteDuration']
  return {
    id,
    operator: shownName(word(members['opeNick']), word(members['operator'])),
    target: texts(members['target']),
    names: texts(members['tarNick']).map((name) => shownName(name, '')),
    why: shownText(word(members['ext']).slice(0, 200)),
    seconds: typeof seconds === 'number' ? seconds : null,
    expired: members['expired'] === true,
    stillMuted: members['stillMuted'] === true,
  }
}

/** The line of a push. */
export const lineOf = ({ msgid, at, from, fromNick, type, attach }: RoomPush & { t: 'roomMessage' }): RoomLine => ({
  msgid,
  at,
  from,
  nick: shownName(fromNick, from),
  text: textOf(type, attach),
  notice: type === noticeType ? noticeOf(attach) : null,
  removed: null,
})

/** A line of the history, which omits who deleted it. */
export const lineOfHistory = ({ msgid, at, heldAt, from, type, attach, removed, nick }: HistoryLine): RoomLine => ({
  msgid,
  at,
  ...(heldAt !== undefined && { heldAt }),
  from,
  nick: shownName(nick, from),
  text: textOf(type, attach),
  notice: type === noticeType ? noticeOf(attach) : null,
  removed: removed ? { by: '', why: '', at: null } : null,
})

/** Merges lines by time, each once; drops the oldest. */
export function withLines(lines: readonly RoomLine[], more: readonly RoomLine[]): readonly RoomLine[] {
  const last = lines.at(-1)
  // New lines mostly come in order.
  if (last && more.every(({ at }, index) => at > (more[index - 1] ?? last).at))
    return [...lines, ...more].slice(-maxLines)
  const byId = new Map(more.map((line) => [line.msgid, line]))
  // A deletion may have been missed during an outage.
  for (const line of lines) if (line.removed !== null || !byId.get(line.msgid)?.removed) byId.set(line.msgid, line)
  return [...byId.values()].sort((a, b) => a.at - b.at).slice(-maxLines)
}
/** Marks a line as deleted; its text stays for moderators. */
export const withRemoved = (
  lines: readonly RoomLine[],
  msgid: string,
  removed: NonNullable<RoomLine['removed']>,
): readonly RoomLine[] => lines.map((line) => (line.msgid === msgid ? { ...line, removed } : line))

/** Marks a line as released. */
export const withHeld = (lines: readonly RoomLine[], msgid: string, heldAt: number): readonly RoomLine[] =>
  lines.map((line) => (line.msgid === msgid ? { ...line, heldAt } : line))

/** Whether a line is an entry or leave. */
export const comesOrGoes = ({ notice }: Pick<RoomLine, 'notice'>): boolean =>
  notice !== null && (notice.id === roomNotices.entered || notice.id === roomNotices.left)
/** The first line that the history has. */
export const oldestKept = (lines: readonly RoomLine[]): RoomLine | undefined =>
  lines.find(({ notice }) => notice === null || isKeptNotice(notice.id))
const isModerated = ({ removed, notice }: RoomLine): boolean =>
  removed !== null || (notice !== null && notice.id > roomNotices.left)
const isShown =
  ({ text, kind, accid }: RoomFilter) =>
  (line: RoomLine): boolean => {
    if (kind === 'lines' && line.notice !== null) return false
    if (kind === 'moderated' && !isModerated(line)) return false
    if (accid !== null && line.from !== accid && line.notice?.target.includes(accid) !== true) return false
    const wanted = text.trim().toLowerCase()
    return (
      wanted === '' ||
      line.text.toLowerCase().includes(wanted) ||
      line.nick.toLowerCase().includes(wanted) ||
      line.from.includes(wanted)
    )
  }

/** Rows of the lines that pass a filter; equal rows of `before` are reused. */
export function rowsOf(lines: readonly RoomLine[], filter: RoomFilter, before: readonly RoomRow[] = []): RoomRow[] {
  const plain = filter.text.trim() === '' && filter.kind === 'all' && filter.accid === null
  const shown = plain ? lines : lines.filter(isShown(filter))
  const rows: RoomRow[] = []
  let known = shown.length === 0 ? before.length : before.findIndex(({ line }) => line === shown[0])
  if (known < 0) known = before.length
  const row = (line: RoomLine, folded: number): RoomRow => {
    const same = before[known++]
    return same?.line === line && same.folded === folded ? same : { key: line.msgid, line, folded }
  }
  for (let index = 0; index < shown.length; index++) {
    const line = shown[index]!
    let end = index
    if (comesOrGoes(line)) while (end + 1 < shown.length && comesOrGoes(shown[end + 1]!)) end++
    const run = end - index + 1
    if (run > foldAbove) {
      rows.push(row(line, run))
      index = end
    } else rows.push(row(line, 1))
  }
  return rows
}

/** Name in the last line, else in the list, else in the last notice, else the accid. */
export const nickIn = (
  log: readonly RoomLine[],
  people: readonly { readonly accid: string; readonly nick: string }[],
  accid: string,
): string =>
  log.findLast(({ from, notice }) => from === accid && notice === null)?.nick ??
  people.find((one) => one.accid === accid)?.nick ??
  log.findLast(({ from }) => from === accid)?.nick ??
  accid
