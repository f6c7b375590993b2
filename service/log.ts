import pino, { type DestinationStream } from 'pino'
import { awayReason } from './away-notes.ts'
import { createLogWriter, standardError, type LogWriter } from '../platform/log-writer.ts'

/** A log line: fields, then a sentence without secrets. */
type Line = (fields: object, sentence: string) => void

/** The log of the service's parts. */
export interface Log {
  debug: Line
  info: Line
  warn: Line
  error: Line
}

/** Names blanked in any object, in case a secret is passed by mistake. */
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

/** Opens stderr without blocking. At exit the rest is written as far as possible. */
function openWriter(): LogWriter {
  const missed = (lines: number): string =>
    `${JSON.stringify({ level: 40, time: new Date().toISOString(), lines, msg: `${lines} lines were not written` })}\n`
  const writer = createLogWriter(standardError(), missed)
  process.on('exit', () => writer.finish())
  return writer
}

/** The log of a process. */
export type ProcessLog = ReturnType<typeof openProcessLog>

/** Longest wait for the last lines, in ms. */
const flushPatience = 1_000

/** Opens the log of this process. */
export function openProcessLog() {
  const writer = openWriter()
  return {
    log: createLog({ destination: writer }) /** Resolves when all lines are written, or after a second. */,
    flush: () => writer.flush(flushPatience),
  }
}

/** Many lines tell of an engine that is away, and a stack says nothing more in any. */
function withReason(fields: Record<string, unknown>): Record<string, unknown> {
  if (!('err' in fields)) return fields
  const reason = awayReason(fields['err'])
  if (reason === undefined) return fields
  const { err: _, ...others } = fields
  return { reason, ...others }
}

/** Makes a log of JSON lines on stderr (or `destination`), with secrets blanked. */
export const createLog = (options: { readonly level?: string; readonly destination?: DestinationStream } = {}): Log =>
  pino(
    {
      level: options.level ?? 'info',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[secret]' },
      formatters: { log: withReason },
      serializers: { err: pino.stdSerializers.err },
    },
    options.destination ?? openWriter(),
  )

/** A log that discards everything. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
