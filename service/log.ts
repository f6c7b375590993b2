import pino, { type DestinationStream } from 'pino'
import { createLogWriter, standardError, type LogWriter } from '../platform/log-writer.ts'

/** One line of the log: fields first, then a sentence without secrets. */
type Line = (fields: object, sentence: string) => void

/** What the parts of the service write their log to. */
export interface Log {
  debug: Line
  info: Line
  warn: Line
  error: Line
}

/** Names that are blanked wherever an object carries them, should a caller pass one by mistake. */
const secretNames = [
  'appSecret',
  'channelKey',
  'wsSecret',
  'pushUrl',
  'signKey',
  'token',
  'key',
  'checksum',
  'authorization',
  'cookie',
]

/** Opens stderr for lines that never wait. What is left at the end of the process is written as far as it goes without waiting. */
function openWriter(): LogWriter {
  const missed = (lines: number): string =>
    `${JSON.stringify({ level: 40, time: new Date().toISOString(), lines, msg: `${lines} lines were not written` })}\n`
  const writer = createLogWriter(standardError(), missed)
  process.on('exit', () => writer.finish())
  return writer
}

/** The log of a process, and how its last lines are waited for. */
export interface ProcessLog {
  readonly log: Log
  /** Resolves when the lines so far are written, or after a second. */
  flush(): Promise<void>
}

/** How long the last lines are waited for, in ms. */
const flushPatience = 1_000

/** Opens the log of this process. */
export function openProcessLog(): ProcessLog {
  const writer = openWriter()
  return { log: createLog({ destination: writer }), flush: () => writer.flush(flushPatience) }
}

/** Makes a log of JSON lines on stderr (or `destination`), with secrets blanked. */
export const createLog = (options: { readonly level?: string; readonly destination?: DestinationStream } = {}): Log =>
  pino(
    {
      level: options.level ?? 'info',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[secret]' },
      serializers: { err: pino.stdSerializers.err },
    },
    options.destination ?? openWriter(),
  )

/** A log that keeps nothing. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
