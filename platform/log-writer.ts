import { fstatSync, type Stats, write, writeSync } from 'node:fs'
import { Socket } from 'node:net'

/** Writes the lines of a log. */
export type LogWriter = ReturnType<typeof createLogWriter>

/** Destination of bytes: `write` reports completion or error; `writeNow` writes without blocking or throws. */
export interface LogSink {
  write(bytes: Buffer, done: (error?: Error | null) => void): void
  writeNow(bytes: Buffer): void
}

/** Bytes queued at most. */
const maxWaiting = 1024 * 1024
/** Delay after a failed write, in ms. */
const afterFault = 1_000

/** Makes a writer. `missed` is the line about lost lines. */
export function createLogWriter(sink: LogSink, missed: (lines: number) => string, max = maxWaiting) {
  let waiting: Buffer[] = []
  let bytes = 0
  let underWay = false
  let dropped = 0
  let idle: (() => void)[] = []

  const drop = (texts: readonly Buffer[]): void => {
    for (const text of texts) dropped += text.reduce((count, byte) => count + Number(byte === 10), 0)
  }
  const next = (): Buffer => {
    const all = Buffer.concat(dropped > 0 ? [...waiting, Buffer.from(missed(dropped))] : waiting)
    waiting = []
    bytes = 0
    dropped = 0
    return all
  }
  const pump = (): void => {
    if (underWay) return
    if (waiting.length === 0 && dropped === 0) {
      for (const call of idle) call()
      idle = []
      return
    }
    underWay = true
    const taken = next()
    // Counted during the write, so that a stalled reader does not let the queue grow.
    bytes = taken.length
    sink.write(taken, (error) => {
      bytes -= taken.length
      if (!error) {
        underWay = false
        pump()
        return
      }
      drop([taken])
      setTimeout(() => {
        underWay = false
        pump()
      }, afterFault).unref()
    })
  }

  return {
    /** Takes whole lines. Never blocks or throws: lines that do not fit are counted and reported later. */
    write: (text: string) => {
      const line = Buffer.from(text)
      if (bytes + line.length > max) drop([line])
      else {
        waiting.push(line)
        bytes += line.length
        pump()
      }
    },
    /** Resolves when everything is written, or after `patience` ms. */
    flush: (patience: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, patience)
        idle.push(() => {
          clearTimeout(timer)
          resolve()
        })
        pump()
      }),
    /** Writes what is possible without blocking, at the end of a process. */
    finish: () => {
      if (waiting.length === 0 && dropped === 0) return
      try {
        sink.writeNow(next())
      } catch {
        // No reader, or no space: nowhere to report it.
      }
    },
  }
}

/** Standard error without blocking, also for pipes; dropped if there is none, as in a GUI program on Windows. */
export function standardError(): LogSink {
  const fd = 2
  let kind: Stats
  try {
    kind = fstatSync(fd)
  } catch {
    return { write: (_bytes, done) => queueMicrotask(() => done()), writeNow: () => undefined }
  }
  const writeNow = (bytes: Buffer): void => {
    writeSync(fd, bytes)
  }
  if (kind.isFIFO() || kind.isSocket()) {
    const socket = new Socket({ fd, readable: false, writable: true })
    socket.unref()
    // Errors are reported to each write; without a listener they would be uncaught.
    socket.on('error', () => undefined)
    return { write: (bytes, done) => socket.write(bytes, done), writeNow }
  }
  return {
    write: (bytes, done) => {
      write(fd, bytes, (error) => done(error))
    },
    writeNow,
  }
}
