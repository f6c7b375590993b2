import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { writeAtomicallyNow } from '../../platform/atomic-file.ts'

/** A program that ended by itself sooner than this after its start is left alone for as long, in ms. */
const restartAfter = 1000
const times = {
  now: (): number => performance.now(),
  pause: (ms: number, signal: AbortSignal): Promise<void> => wait(ms, undefined, { signal }),
}
/** What a process of an earlier start may take to end, in ms. */
const leftoverPatience = 20_000
/** Interval of looks at a process of an earlier start, in ms. */
const lookEvery = 50
/** Lines of its log that are told when a program does not start. */
const toldLines = 12

/** A program that runs as long as the command does. */
export interface Program<Ready> {
  /** Of its log and its pid file. */
  readonly name: string
  readonly command: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** What it reads on stdin; secrets go here, as everybody can read command lines. */
  readonly input?: string
  /** It tells others on stdout what it has to say. Otherwise stdout goes to the log. */
  readonly speaks?: boolean
  /** It ends when the channel to this process is gone, however that went. */
  readonly isTethered?: boolean
  /** Resolves once it can be used; `signal` says that it ended before. */
  readonly ready: (child: ChildProcess, signal: AbortSignal) => Promise<Ready>
  /** The signal that ends it in order. */
  readonly endBy: NodeJS.Signals
  /** What it may take to end, in ms; then it is killed. */
  readonly patience: number
}

/** A running program. */
export interface KeptProcess<Ready> {
  readonly name: string
  /** File with the id of its newest process, as `{"pid":…}`. */
  readonly pidFile: string
  readonly ready: Ready
  /** Of its newest process. */
  pid(): number
  end(): Promise<void>
}

/** What is told of a running program. */
export interface Running {
  readonly name: string
  /** Of its first process; the file has that of its newest one, as each is started again when it ends. */
  readonly pid: number
  readonly pidFile: string
}

interface Mark {
  readonly pid: number
  /** Which process had the id: when it was started, of which start of the computer. */
  readonly started: string
}

/** What tells a process from later ones with its id; undefined when there is none. */
function startOf(pid: number): string | undefined {
  try {
    // The name in parentheses may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    // What ended and waits to be asked for is gone.
    if (fields[0] === 'Z') return undefined
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`
  } catch {
    return undefined
  }
}

const pidFileOf = (folder: string, name: string): string => path.join(folder, 'run', `${name}.json`)
/** The log of a program. */
export const logOf = (folder: string, name: string): string => path.join(folder, 'logs', `${name}.log`)

function readMark(file: string): Mark | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Mark
  } catch {
    return undefined
  }
}

/** Ends what an earlier start of the command left behind, if that is still the process that was noted. */
export async function endLeftover(
  folder: string,
  {
    name,
    endBy,
    patience = leftoverPatience,
  }: Pick<Program<unknown>, 'name' | 'endBy'> & { readonly patience?: number },
  say: (line: string) => void,
): Promise<void> {
  const file = pidFileOf(folder, name)
  const mark = readMark(file)
  const isThere = (): boolean => mark !== undefined && startOf(mark.pid) === mark.started
  if (mark && isThere()) {
    say(`${name} of an earlier start (process ${mark.pid}) is ended`)
    process.kill(mark.pid, endBy)
    const until = performance.now() + patience
    while (isThere()) {
      if (performance.now() > until) process.kill(mark.pid, 'SIGKILL')
      await wait(lookEvery)
    }
  }
  rmSync(file, { force: true })
}

/**
 * Starts a program, and starts it again whenever it ends by itself: at once where it has run for a while, as others
 * wait for it. Rejects with its last lines if it cannot start.
 */
export async function keepProcess<Ready>(
  folder: string,
  program: Program<Ready>,
  say: (line: string) => void,
  { now, pause }: typeof times = times,
): Promise<KeptProcess<Ready>> {
  const { name, command, endBy, patience } = program
  const [first, ...rest] = command
  const [pidFile, logFile] = [pidFileOf(folder, name), logOf(folder, name)]
  for (const file of [pidFile, logFile]) mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  // Each start of the command begins its logs anew, so that they do not grow without end.
  rmSync(logFile, { force: true })
  const ending = new AbortController()
  let [pid, how, left] = [0, '', Promise.resolve()]
  let child: ChildProcess | undefined
  let begun = 0

  async function start(): Promise<Ready> {
    begun = now()
    const log = openSync(logFile, 'a', 0o600)
    const started = spawn(first!, rest, {
      cwd: '/',
      // Ctrl+C in a terminal is for the command alone, which ends them in order.
      detached: true,
      env: { PATH: process.env['PATH'], ...program.env },
      stdio: [
        program.input === undefined ? 'ignore' : 'pipe',
        program.speaks ? 'pipe' : log,
        log,
        ...(program.isTethered ? (['ipc'] as const) : []),
      ],
    })
    closeSync(log)
    child = started
    started.channel?.unref()
    const over = new AbortController()
    left = new Promise((resolve) => {
      started.once('error', ({ message }) => {
        how = message
        over.abort()
        resolve()
      })
      started.once('exit', (code, signal) => {
        how = signal ?? `code ${code}`
        over.abort()
        resolve()
      })
    })
    pid = started.pid ?? 0
    if (pid !== 0) writeAtomicallyNow(pidFile, JSON.stringify({ pid, started: startOf(pid) }))
    // It may have ended before it read.
    started.stdin?.on('error', () => undefined).end(program.input)
    const ready = await program.ready(started, over.signal).catch(async (error: unknown) => {
      if (over.signal.aborted) throw new Error(`${name} ended with ${how} before it was ready`, { cause: error })
      started.kill('SIGKILL')
      await left
      throw error
    })
    return ready
  }

  /** Starts it again whenever it ends, until `end` is called. */
  async function keepOn(): Promise<void> {
    for (;;) {
      await left
      if (ending.signal.aborted) return
      say(`${name} ended (${how}) and is started again`)
      try {
        if (now() - begun < restartAfter) await pause(restartAfter, ending.signal)
        await start()
      } catch (error) {
        if (!ending.signal.aborted) say(error instanceof Error ? error.message : String(error))
      }
    }
  }

  try {
    const ready = await start()
    const kept = keepOn()
    return {
      name,
      pidFile,
      ready,
      pid: () => pid,
      async end() {
        ending.abort()
        const late = setTimeout(() => child?.kill('SIGKILL'), patience)
        child?.kill(endBy)
        await kept
        clearTimeout(late)
        rmSync(pidFile, { force: true })
      },
    }
  } catch (error) {
    const said = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-toldLines).join('\n')
    rmSync(pidFile, { force: true })
    throw new Error(`${error instanceof Error ? error.message : String(error)}:\n${said}`, { cause: error })
  }
}
