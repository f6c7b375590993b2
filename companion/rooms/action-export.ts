import type { RoomAction } from '../../contract/rpc/index.ts'

/** What a formula begins with, also in the wide forms that spreadsheets of Chinese and Japanese take for the narrow ones; before it what is not seen, which some skip. */
const formula = /^[\s\p{C}\p{Default_Ignorable_Code_Point}]*[=+\-@\t\r＝＋－＠﹦﹢﹣﹫−]/u

/** A cell that no spreadsheet takes for a formula: one that begins like one gets an apostrophe before it. */
const cell = (value: string | number | null): string => {
  const text = String(value ?? '')
  const safe = formula.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}
const headings = 'number time operator operatorName action target targetName details line reason undoes result code failure answer'.split(' ')

/** Actions as CSV (RFC 4180, UTF-8 with its mark), times in UTC. */
export function actionsAsCsv(actions: readonly RoomAction[]): string {
  const rows = actions.map(({ id, at, operator, operatorName, what, targetName, line, why, undoes, result, code, failure, detail }) => {
    const { kind, ...rest } = what
    const { target = '', ...details } = rest as { target?: string }
    return [
      id,
      new Date(at).toISOString(),
      operator,
      operatorName,
      kind,
      target,
      targetName,
      Object.keys(details).length === 0 ? '' : JSON.stringify(details),
      line,
      why,
      undoes,
      result,
      code,
      failure,
      detail,
    ]
  })
  return `\uFEFF${[headings, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`
}

/** Actions as JSON, as the page has them. */
export const actionsAsJson = (actions: readonly RoomAction[]): string => `${JSON.stringify(actions, null, 2)}\n`
