import pino, { type DestinationStream } from 'pino'

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
const secretNames = ['appSecret', 'channelKey', 'wsSecret', 'pushUrl', 'signKey', 'token', 'key', 'checksum', 'authorization', 'cookie']

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
    options.destination ?? pino.destination({ fd: 2, sync: true }),
  )

/** A log that keeps nothing. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
