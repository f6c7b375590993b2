import type { RoomAction } from '../../contract/rpc/index.ts'

/** A cell that no spreadsheet takes for a formula: one that begins like one gets an apostrophe before it. */
const cell = (value: string | number | null): string => {
  const text = String(value ?? '')
  const safe = /^\s*[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}
const headings = ['number', 'time', 'operator', 'action', 'target', 'details', 'reason', 'undoes', 'result', 'code', 'answer']

/** Actions as CSV (RFC 4180, UTF-8 with its mark), times in UTC. */
export function actionsAsCsv(actions: readonly RoomAction[]): string {
  const rows = actions.map(({ id, at, operator, what, why, undoes, result, code, detail }) => {
    const { kind, ...rest } = what
    const { target = '', ...details } = rest as { target?: string }
    return [
      id,
      new Date(at).toISOString(),
      operator,
      kind,
      target,
      Object.keys(details).length === 0 ? '' : JSON.stringify(details),
      why,
      undoes,
      result,
      code,
      detail,
    ]
  })
  return `\uFEFF${[headings, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`
}

/** Actions as JSON, as the page has them. */
export const actionsAsJson = (actions: readonly RoomAction[]): string => `${JSON.stringify(actions, null, 2)}\n`
