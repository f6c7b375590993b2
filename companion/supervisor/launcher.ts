import { fork } from 'node:child_process'
import type { Readable } from 'node:stream'
import { reasonOf, type ReasonOf } from '../../contract/catalogue/reasons.ts'
import type { FromService, ToService } from '../../contract/service-process.ts'
import { cutText } from '../../platform/cut-text.ts'

/** The service's process. */
export interface ServiceProcess {
  readonly pid: number | undefined
  send(message: ToService): void
  onMessage(listener: (message: FromService) => void): void
  /** Called once, also when it could not start. */
  onExit(listener: (how: ReasonOf<'service'>) => void): void
  /** Its log and anything else that it prints, line by line. */
  onLine(listener: (line: string) => void): void
  /** Ends it without asking. */
  kill(): void
}

/** Starts a service process. */
export type LaunchService = () => ServiceProcess

const longestLine = 4_000

/** Splits a stream into bounded lines. */
export function eachLine(stream: Readable, listener: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    // One more shows that the line was cut.
    rest = (lines.pop() ?? '').slice(0, longestLine + 1)
    for (const line of lines) if (line) listener(cutText(line, longestLine))
  })
  stream.on('error', () => undefined)
}

/** What a process needs, and nothing secret. */
const passedVariables =
  /^(PATH|HOME|USER|LANG|LC_[A-Z]+|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT|WINDIR|APPDATA|LOCALAPPDATA|USERPROFILE|NODE_COMPILE_CACHE|NODE_EXTRA_CA_CERTS)$/i

/** Environment of the service. Two glibc arenas and a fixed mmap threshold (bytes) reduce its memory under load. */
export const serviceEnvironment = (own: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(own).filter(([name]) => passedVariables.test(name))),
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
})

/** Whether something from the process channel is one of its messages. */
export const isFromService = (value: unknown): value is FromService => {
  const { type, media } =
    typeof value === 'object' && value !== null ? (value as { type?: unknown; media?: unknown }) : {}
  if (type === 'beat') return typeof media === 'number'
  return type === 'ready' || type === 'failed' || type === 'stopped'
}

/** Runs the service under Node as a forked process. */
export const nodeLauncher =
  (entry: string, options: { readonly execArgv?: readonly string[]; readonly execPath?: string } = {}): LaunchService =>
  () => {
    const child = fork(entry, [], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      execArgv: [...(options.execArgv ?? [])],
      ...(options.execPath === undefined ? {} : { execPath: options.execPath }),
      env: serviceEnvironment(process.env),
      serialization: 'json',
    })
    return {
      pid: child.pid,
      send: (message) => {
        if (child.connected) child.send(message, () => undefined)
      },
      onMessage: (listener) => {
        child.on('message', (message) => {
          if (isFromService(message)) listener(message)
        })
      },
      onExit: (listener) => {
        let told = false
        const once = (how: ReasonOf<'service'>): void => {
          if (told) return
          told = true
          listener(how)
        }
        child.once('error', (error) => {
          once(reasonOf('service', 'notStarted', { system: error.message }))
        })
        child.once('exit', (code, signal) => {
          once(
            signal
              ? reasonOf('service', 'killed', { signal })
              : reasonOf('service', 'exited', { status: String(code ?? 0) }),
          )
        })
      },
      onLine: (listener) => {
        for (const stream of [child.stdout, child.stderr]) if (stream) eachLine(stream, listener)
      },
      kill: () => child.kill('SIGKILL'),
    }
  }
