interface LogEntry {
  /** Ms since 1970; null for other output, such as the last of a process. */
  readonly at: number | null
  readonly level: 'info' | 'warn' | 'error'
  readonly text: string
  /** Other members, as `name value`. */
  readonly details: readonly string[]
}

const around: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'pid', 'hostname', 'v'])
const plain = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string'
    ? value.message
    : typeof value === 'string'
      ? value
      : (JSON.stringify(value) ?? '')

/** Parses a line: JSON of pino, or plain text. */
export function readLogLine(line: string): LogEntry {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return { at: null, level: 'info', text: line, details: [] }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { at: null, level: 'info', text: line, details: [] }
  const { time, level, msg } = value as { time?: unknown; level?: unknown; msg?: unknown }
  const at = typeof time === 'number' ? time : typeof time === 'string' ? Date.parse(time) : NaN
  const weight =
    typeof level === 'number' ? level : level === 'error' || level === 'fatal' ? 50 : level === 'warn' ? 40 : 30
  return {
    at: Number.isFinite(at) ? at : null,
    level: weight >= 50 ? 'error' : weight >= 40 ? 'warn' : 'info',
    text: typeof msg === 'string' && msg !== '' ? msg : line,
    details:
      typeof msg === 'string'
        ? Object.entries(value).flatMap(([name, each]) =>
            around.has(name) || each === undefined ? [] : [`${name} ${plain(each)}`],
          )
        : [],
  }
}
