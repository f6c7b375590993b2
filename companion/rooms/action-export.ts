import type { RoomAction } from '../../contract/rpc/index.ts'
import type { Dropped } from './action-log.ts'

/** Start of a spreadsheet formula, including full-width forms and invisible prefixes. */
const formula = /^[\s\p{C}\p{Default_Ignorable_Code_Point}]*[=+\-@\t\r＝＋－＠﹦﹢﹣﹫−]/u

/** An apostrophe stops formulas. */
const cell = (value: string | number | null): string => {
  const text = String(value ?? '')
  const safe = formula.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}
const headings =
  'number time operator operatorName action target targetName details line reason undoes result code failure answer'.split(
    ' ',
  )

/** A part of an export, newest first. */
interface ExportPart {
  readonly actions: readonly RoomAction[]
  readonly isFirst: boolean
  readonly isLast: boolean
  /** Dropped entries, for the last part. */
  readonly dropped: Dropped
}
/** Marks dropped entries in a file. */
const missing = 'olderEntriesDropped'

type Cells = Readonly<Record<string, string | number | null>>
const rowOf = (cells: Cells) => headings.map((name) => cells[name] ?? null)
const cellsOf = ({ id, at, what, why, detail, ...action }: RoomAction): Cells => {
  const { kind, ...rest } = what
  const { target = '', ...details } = rest as { target?: string }
  return {
    ...action,
    number: id,
    time: new Date(at).toISOString(),
    action: kind,
    target,
    details: Object.keys(details).length === 0 ? '' : JSON.stringify(details),
    reason: why,
    answer: detail,
  }
}

/** Actions as CSV (RFC 4180, UTF-8 with BOM), times in UTC. */
export function actionsAsCsv({ actions, isFirst, isLast, dropped }: ExportPart): string {
  const cells = actions.map(cellsOf)
  if (isLast && dropped) {
    const { entries, until } = dropped
    cells.push({ time: new Date(until).toISOString(), action: missing, details: JSON.stringify({ entries }) })
  }
  const rows = [...(isFirst ? [headings] : []), ...cells.map(rowOf)]
  return (isFirst ? '\uFEFF' : '') + rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

/** Actions as JSON. */
export function actionsAsJson({ actions, isFirst, isLast, dropped }: ExportPart): string {
  const elements: object[] = isLast && dropped ? [...actions, { what: { kind: missing, ...dropped } }] : [...actions]
  const text = elements.map((element) => JSON.stringify(element, null, 2)).join(',\n')
  return (isFirst ? '[\n' : text === '' ? '' : ',\n') + text + (isLast ? '\n]\n' : '')
}
