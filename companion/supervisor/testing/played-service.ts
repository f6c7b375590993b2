import type { ReasonOf } from '../../../contract/catalogue/reasons.ts'
import type { FromService, ToService } from '../../../contract/service-process.ts'
import { manualClock } from '../../../platform/testing/manual-clock.ts'
import type { ServiceProcess } from '../launcher.ts'
import { createSupervisor } from '../supervisor.ts'

const free = { host: '127.0.0.1', port: 0 }
/** What a service says when it is ready. */
export const readyLine = {
  event: 'ready',
  appKey: 'k',
  baseUrl: 'http://127.0.0.1:8710',
  imBaseUrl: 'http://127.0.0.1:8710/nimserver',
  mediaUrl: 'http://127.0.0.1:8711',
  rtmpUrl: 'rtmp://127.0.0.1:1935',
  linkUrl: 'ws://127.0.0.1:8711/link',
} as const

/** Processes whose behaviour the test plays. */
function played() {
  const processes: {
    said: ToService[]
    killed: boolean
    lingers: boolean
    say(message: FromService): void
    exit(how: ReasonOf<'service'>): void
    line(text: string): void
  }[] = []
  const launch = (): ServiceProcess => {
    let message: (message: FromService) => void = () => undefined
    let exit: (how: ReasonOf<'service'>) => void = () => undefined
    let line: (text: string) => void = () => undefined
    const one = {
      said: [] as ToService[],
      killed: false,
      /** Its end is not noticed before the test says so. */
      lingers: false,
      say: (what: FromService) => {
        message(what)
      },
      exit: (how: ReasonOf<'service'>) => {
        exit(how)
      },
      line: (text: string) => {
        line(text)
      },
    }
    processes.push(one)
    return {
      pid: 1,
      send: (what) => {
        one.said.push(what)
      },
      onMessage: (listener) => {
        message = listener
      },
      onExit: (listener) => {
        exit = listener
      },
      onLine: (listener) => {
        line = listener
      },
      kill: () => {
        one.killed = true
        if (!one.lingers) exit({ code: 'killed', params: { signal: 'SIGKILL' } })
      },
    }
  }
  const newest = () =>
    processes.at(-1) ??
    (() => {
      throw new Error('no process')
    })()
  return { processes, launch, newest }
}

/** A supervisor of processes that a test plays; its time is the test's. */
export function setUp(
  probe: Parameters<typeof createSupervisor>[0]['probe'] = () => Promise.resolve({ diskFree: 5, timeZone: 'UTC' }),
  mayStart = (): Promise<void> => Promise.resolve(),
  more: Partial<Pick<Parameters<typeof createSupervisor>[0], 'credentials' | 'launch'>> = {},
) {
  const clock = manualClock()
  const play = played()
  const choices = { dataDir: '/nowhere', api: free, media: free, rtmp: free, recording: { minute: 1_500 } }
  const made = createSupervisor({
    launch: play.launch,
    clock,
    probe,
    secrets: () => ['the-app-secret-of-this-session'],
    credentials: () => Promise.resolve({ appKey: 'k', appSecret: 'the-app-secret-of-this-session' }),
    choices,
    ...more,
  })
  const up = (): void => {
    play.newest().say({ type: 'ready', ready: readyLine, notes: [] })
  }
  const supervisor = { ...made, start: () => made.start({ choices, mayStart }) }
  return { clock, supervisor, up, ...play }
}
/** Lets what is under way come to its end. */
export const settle = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })
