import { fstatSync, type Stats, write, writeSync } from 'node:fs'
import { Socket } from 'node:net'

/** Where the lines of a log go. */
export interface LogWriter {
  /** Takes a text of whole lines. Never waits and never throws: what does not fit is counted, and said in a line of its own when there is room again. */
  write(text: string): void
  /** Resolves when everything that was taken is written, or after `patience` ms. */
  flush(patience: number): Promise<void>
  /** Writes what can be written at once without waiting; for the end of a process. */
  finish(): void
}

/** Something that bytes are written to: `write` tells when they are, or why not; `writeNow` writes what goes without waiting and throws otherwise. */
export interface LogSink {
  write(bytes: Buffer, done: (error?: Error | null) => void): void
  writeNow(bytes: Buffer): void
}

/** Bytes that wait at most. */
const maxWaiting = 1024 * 1024
/** How long is waited after a write that failed, in ms. */
const afterFault = 1_000

/** Makes a writer. `missed` words the line about lines that were not written. */
export function createLogWriter(sink: LogSink, missed: (lines: number) => string, most = maxWaiting): LogWriter {
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
    // Counted while they are under way: a reader that reads nothing must not let the rest grow.
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
    write: (text) => {
      const line = Buffer.from(text)
      if (bytes + line.length > most) drop([line])
      else {
        waiting.push(line)
        bytes += line.length
        pump()
      }
    },
    flush: (patience) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, patience)
        idle.push(() => {
          clearTimeout(timer)
          resolve()
        })
        pump()
      }),
    finish: () => {
      if (waiting.length === 0 && dropped === 0) return
      try {
        sink.writeNow(next())
      } catch {
        // Nobody reads, or nothing can be written: there is no place left to say so.
      }
    },
  }
}

/**
 * The standard error of this process, so that a write to it never waits: pipes and sockets are written as the operating system takes them,
 * files by a thread. A terminal is written at once. On Windows Node writes to pipes and waits, and a program with windows that was not
 * started from a terminal has no standard error: there is nobody to read, and what is written is let go.
 */
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
    // Each write hears of its own fault; without a listener it would be an uncaught exception.
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
