import type { RoomAction } from '../../contract/rpc/index.ts'
import type { Dropped } from './action-log.ts'

/** What a formula begins with, also in the wide forms that spreadsheets of Chinese and Japanese take for the narrow ones; before it what is not seen, which some skip. */
const formula = /^[\s\p{C}\p{Default_Ignorable_Code_Point}]*[=+\-@\t\r＝＋－＠﹦﹢﹣﹫−]/u

/** A cell that no spreadsheet takes for a formula: one that begins like one gets an apostrophe before it. */
const cell = (value: string | number | null): string => {
  const text = String(value ?? '')
  const safe = formula.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}
const headings =
  'number time operator operatorName action target targetName details line reason undoes result code failure answer'.split(
    ' ',
  )

/** One part of an export: entries, the newest first, after those of the parts before. */
export interface ExportPart {
  readonly actions: readonly RoomAction[]
  readonly isFirst: boolean
  readonly isLast: boolean
  /** What is gone of the log, for the end of the last part. */
  readonly dropped: Dropped
}
/** Says at the end of a file which entries it has not. */
const missing = 'olderEntriesDropped'

const rowOf = ({
  id,
  at,
  operator,
  operatorName,
  what,
  targetName,
  line,
  why,
  undoes,
  result,
  code,
  failure,
  detail,
}: RoomAction) => {
  const { kind, ...rest } = what
  const { target = '', ...details } = rest as { target?: string }
  const told = Object.keys(details).length === 0 ? '' : JSON.stringify(details)
  return [
    id,
    new Date(at).toISOString(),
    operator,
    operatorName,
    kind,
    target,
    targetName,
    told,
    line,
    why,
    undoes,
    result,
    code,
    failure,
    detail,
  ]
}

/** Actions as CSV (RFC 4180, UTF-8 with its mark), times in UTC. What the log has no more is a row at the end. */
export function actionsAsCsv({ actions, isFirst, isLast, dropped }: ExportPart): string {
  const rows: (string | number | null)[][] = [...(isFirst ? [headings] : []), ...actions.map(rowOf)]
  if (isLast && dropped) {
    const { entries, until } = dropped
    rows.push(
      headings.map(
        (name) =>
          ({ time: new Date(until).toISOString(), action: missing, details: JSON.stringify({ entries }) })[name] ?? '',
      ),
    )
  }
  return (isFirst ? '\uFEFF' : '') + rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

/** Actions as JSON, as the page has them. What the log has no more is an element at the end. */
export function actionsAsJson({ actions, isFirst, isLast, dropped }: ExportPart): string {
  const elements: object[] = isLast && dropped ? [...actions, { what: { kind: missing, ...dropped } }] : [...actions]
  const text = elements.map((element) => JSON.stringify(element, null, 2)).join(',\n')
  return (isFirst ? '[\n' : text === '' ? '' : ',\n') + text + (isLast ? '\n]\n' : '')
}
