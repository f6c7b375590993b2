// Long because it is one state machine: phases, probes, beats and restarts share its state.
import { inBackground } from '../background.ts'
import { reasonIn, reasonOf, type ReasonOf } from '../../contract/catalogue/reasons.ts'
import type { ServiceState } from '../../contract/rpc/index.ts'
import type {
  Credentials,
  DatabaseRecovery,
  DatabaseReport,
  FromService,
  ListenerChoice,
  PortNote,
  ServiceChoices,
  ServiceReady,
} from '../../contract/service-process.ts'
import { type Clock, within } from '../../platform/clock.ts'
import { Failure, reasonOf as messageOf } from '../failure.ts'
import { createListeners } from '../listeners.ts'
import type { LaunchService, ServiceProcess } from './launcher.ts'
import { logRing } from './log-ring.ts'

interface ServiceStart {
  readonly choices: ServiceChoices
  /** Rejects with a sentence when the data are missing. */
  readonly mayStart: () => Promise<void>
}

/** New choices. Time zone undefined: the system's. */
export interface ServiceChange {
  readonly dataDir?: string
  readonly ports?: { readonly [listener in 'api' | 'media' | 'rtmp']?: number }
  readonly timeZone?: string | undefined
}

/** Keeps the embedded service running. */
export type Supervisor = ReturnType<typeof createSupervisor>

/** Waits after crashes, in ms. */
export const backOff = [200, 1_000, 2_000, 4_000, 8_000] as const
/** In ms, after which attempts count from one again. */
const healthyAfter = 60_000
/** Silence that fails a start, in ms, and the maximum while it works: a migration of a large database takes long. */
const startPatience = 60_000
const workPatience = 10 * 60_000
/** Interval of probes in ms, and misses that end the service. */
const probeEvery = 5_000
const probesMissed = 2
const probePatience = 3_000
/** Maximum silence in ms without media, while the event loop turns. */
const idlePatience = 60_000
const stopPatience = 4_500
/** Retries for ports still held by the old process, and their interval. */
const portTries = 4
const portPause = 300

type Phase = ServiceState['phase']

interface Running {
  readonly process: ServiceProcess
  readonly gone: Promise<void>
  expected: boolean
  said?: ReasonOf<'service'>
  trouble?: DatabaseReport
  /** Packets of media by its last beat. */
  media: number
  /** A beat, and one with new media, since the last probe. */
  turned: boolean
  flowed: boolean
}
const quietBeat = { turned: false, flowed: false } as const

const portOf = (url: string): number => Number(new URL(url).port) || 0

const whyNotStarted = (error: unknown): ReasonOf<'service'> =>
  reasonIn('service', error) ??
  reasonOf('service', error instanceof Failure && error.data.kind === 'keychain' ? 'keychain' : 'failed', {
    system: messageOf(error),
  })

/** Creates the supervisor; nothing runs yet. */
export function createSupervisor(ports: {
  readonly launch: LaunchService
  readonly clock: Clock
  readonly choices: ServiceChoices
  readonly credentials: () => Promise<Credentials>
  /** Asks the running service; rejects without an answer. */
  readonly probe: () => Promise<{
    readonly diskFree: number
    readonly recordingRoom?: number | undefined
    readonly recordingNeeds?: number | undefined
    readonly recordingReserve?: number | undefined
    readonly timeZone: string
  }>
  readonly secrets: () => Iterable<string>
}) {
  const { clock } = ports
  const ring = logRing(ports.secrets)
  const listeners = createListeners<[ServiceState]>()
  let phase: Phase = 'stopped'
  let since: number | null = null
  let attempt = 0
  let nextAttempt: number | null = null
  let reason: ReasonOf<'service'> | null = null
  /** Since when it answers late. */
  let busySince: number | null = null
  let ready: ServiceReady | undefined
  let notes: readonly PortNote[] = []
  let firstNotes: readonly PortNote[] | undefined
  /** Of listeners that a change left alone. */
  let keptNotes: readonly PortNote[] = []
  let diskFree: number | null = null
  let recordingRoom: number | null = null
  let recordingNeeds: number | undefined
  let recordingReserve: number | undefined
  const systemZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone
  let timeZone = ports.choices.timeZone ?? systemZone()
  let choices = ports.choices
  let publicMedia: string | null = null
  let mayStart: ServiceStart['mayStart'] = () => Promise.resolve()
  let recovery: DatabaseRecovery | undefined
  let database: DatabaseReport | null = null
  let current: Running | undefined
  let restarting: Promise<void> | undefined
  let cancels: (() => void)[] = []
  let portAttempt = 0
  let closing = false
  let held = false
  /** Ports of our earlier processes, free a moment after their end. */
  const had = new Set<number>()

  const state = (): ServiceState => ({
    phase,
    since,
    attempt,
    attempts: backOff.length,
    nextAttempt,
    busySince,
    reason,
    diskFree,
    recordingRoom,
    ...(recordingNeeds !== undefined && { recordingNeeds }),
    ...(recordingReserve !== undefined && { recordingReserve }),
    timeZone,
    database: database && { ...database, copies: [...database.copies] },
    addresses: ready
      ? {
          api: ready.baseUrl,
          media: ready.mediaUrl,
          rtmp: ready.rtmpUrl,
          publicMedia: publicMedia === ready.mediaUrl ? null : publicMedia,
        }
      : null,
    notes: notes.map((note) => ({
      listener: note.listener,
      wanted: note.wanted,
      used: note.used,
      holder: note.holder ?? null,
    })),
  })
  const tell = (): void => listeners.tell(state())
  const after = (ms: number, call: () => void): void => void cancels.push(clock.after(ms, call))
  const quiet = (): void => {
    for (const cancel of cancels) cancel()
    cancels = []
  }

  const late = (): void => {
    if (busySince !== null) return
    busySince = clock.now()
    tell()
  }
  /** Whether to wait for a late service: media flows, or its event loop turned within the limit. */
  const isBusy = ({ turned, flowed }: Running): boolean => {
    if (!flowed && !(turned && (busySince === null || clock.now() - busySince < idlePatience))) return false
    if (busySince === null)
      ring.add(`the service answers late; it is not restarted, because ${flowed ? 'media flows' : 'it works'}`)
    late()
    return true
  }
  const watch = (process: ServiceProcess, missed: number, wait = probeEvery): void => {
    after(wait, () => {
      within(clock, probePatience, ports.probe(), () => new Error('no answer')).then(
        (found) => {
          if (current?.process !== process) return
          const room = found.recordingRoom ?? null
          const changed =
            diskFree !== found.diskFree ||
            recordingRoom !== room ||
            recordingNeeds !== found.recordingNeeds ||
            timeZone !== found.timeZone ||
            busySince !== null
          busySince = null
          Object.assign(current, quietBeat)
          diskFree = found.diskFree
          recordingRoom = room
          recordingNeeds = found.recordingNeeds
          recordingReserve = found.recordingReserve
          timeZone = found.timeZone
          if (changed) tell()
          watch(process, 0)
        },
        () => {
          if (current?.process !== process) return
          const waits = isBusy(current)
          Object.assign(current, quietBeat)
          if (waits) return watch(process, 0)
          // It may have stood still since the last probe: it is not said to run until it answers.
          late()
          if (missed + 1 < probesMissed) return watch(process, missed + 1)
          current.said = reasonOf('service', 'silent')
          process.kill()
        },
      )
    })
  }

  const began = (process: ServiceProcess, message: FromService & { type: 'ready' }): void => {
    quiet()
    const lost = message.notes.some((note) => note.wanted !== 0 && note.wanted !== note.used && had.has(note.wanted))
    if (lost && portAttempt < portTries) {
      // Encoders use the old address: retry until its port is free.
      portAttempt++
      if (current) current.expected = true
      const again = ended().then(() => {
        if (!closing) after(portPause, launch)
      })
      inBackground(again, (line) => ring.add(line), 'starting the service once more for its port')
      return
    }
    portAttempt = 0
    firstNotes ??= [
      ...keptNotes.filter(({ listener }) => !message.notes.some((note) => note.listener === listener)),
      ...message.notes,
    ]
    ready = message.ready
    notes = lost ? message.notes : firstNotes
    for (const url of [ready.baseUrl, ready.mediaUrl, ready.rtmpUrl]) had.add(portOf(url))
    choices = {
      ...choices,
      api: { ...choices.api, port: portOf(ready.baseUrl) },
      media: { ...choices.media, port: portOf(ready.mediaUrl) },
      rtmp: { ...choices.rtmp, port: portOf(ready.rtmpUrl) },
    }
    phase = 'running'
    database = null
    since = null
    nextAttempt = null
    reason = null
    after(healthyAfter, () => {
      if (attempt === 0) return
      attempt = 0
      tell()
    })
    // The first screen shows disk and time zone.
    watch(process, 0, 0)
    tell()
  }

  const crashed = (how: ReasonOf<'service'>, trouble?: DatabaseReport): void => {
    quiet()
    busySince = null
    ready = undefined
    since ??= clock.now()
    reason = how
    database = trouble ?? null
    // Another start would fail the same way.
    if (trouble || attempt >= backOff.length) {
      phase = 'stopped'
      nextAttempt = null
      return tell()
    }
    const wait = backOff[attempt] ?? 0
    attempt++
    phase = 'restarting'
    nextAttempt = clock.now() + wait
    after(wait, launch)
    tell()
  }

  function launch(): void {
    if (closing || held) return
    let process: ServiceProcess
    try {
      process = ports.launch()
    } catch (error) {
      return crashed(whyNotStarted(error))
    }
    const gone = Promise.withResolvers<void>()
    const mine: Running = { process, gone: gone.promise, expected: false, media: 0, ...quietBeat }
    current = mine
    process.onLine((line) => ring.add(line))
    process.onMessage((message) => {
      if (message.type === 'beat') {
        mine.turned = true
        mine.flowed ||= message.media > mine.media
        mine.media = message.media
        return
      }
      // A process being killed may still report ready.
      if (current !== mine || mine.expected || mine.said !== undefined) return
      if (message.type === 'ready') began(process, message)
      else if (message.type === 'failed') {
        mine.said = message.reason
        if (message.database) mine.trouble = message.database
      }
    })
    process.onExit((how) => {
      gone.resolve()
      if (current !== mine) return
      current = undefined
      if (!mine.expected) crashed(mine.said ?? how, mine.trouble)
    })
    const waitFrom = (waited: number): void =>
      after(startPatience, () => {
        const now = waited + startPatience
        const works = mine.turned && now < workPatience
        mine.turned = false
        if (works) return waitFrom(now)
        mine.said = reasonOf('service', 'notReady', { seconds: String(now / 1000) })
        process.kill()
      })
    waitFrom(0)
    Promise.all([ports.credentials(), mayStart()]).then(
      ([credentials]) => {
        if (current !== mine) return
        process.send({ type: 'start', choices: recovery ? { ...choices, recovery } : choices, credentials })
        // Once only.
        recovery = undefined
      },
      (error: unknown) => {
        mine.said = whyNotStarted(error)
        process.kill()
      },
    )
  }

  async function ended(): Promise<void> {
    const mine = current
    if (!mine) return
    mine.expected = true
    mine.process.send({ type: 'stop' })
    const cancel = clock.after(stopPatience, () => mine.process.kill())
    await mine.gone
    cancel()
    if (current === mine) current = undefined
  }

  const choose = (change: ServiceChange): void => {
    const at = change.ports ?? {}
    keptNotes = (firstNotes ?? []).filter(({ listener }) => at[listener] === undefined)
    firstNotes = undefined
    const listener = (name: 'api' | 'media' | 'rtmp'): ListenerChoice => ({
      ...choices[name],
      port: at[name] ?? choices[name].port,
    })
    const { timeZone: _, ...others } = choices
    const zone = 'timeZone' in change ? change.timeZone : choices.timeZone
    choices = {
      ...others,
      dataDir: change.dataDir ?? choices.dataDir,
      api: listener('api'),
      media: listener('media'),
      rtmp: listener('rtmp'),
      ...(zone === undefined ? {} : { timeZone: zone }),
    }
    timeZone = zone ?? systemZone()
  }
  const restart = (): Promise<void> =>
    (restarting ??= (async () => {
      quiet()
      busySince = null
      phase = 'restarting'
      since ??= clock.now()
      ready = undefined
      nextAttempt = clock.now()
      attempt = 0
      reason = null
      database = null
      tell()
      await ended()
      if (!closing) launch()
    })().finally(() => {
      restarting = undefined
    }))

  return {
    /** `mayStart` is called before every start. */
    start: (as?: ServiceStart) => {
      if (current || phase !== 'stopped') return
      if (as) {
        choices = as.choices
        mayStart = as.mayStart
        timeZone = choices.timeZone ?? systemZone()
      }
      phase = 'starting'
      launch()
      tell()
    },
    /** Starts afresh at once. */
    restart: () => (held ? Promise.resolve() : restart()),
    /** Starts afresh with a database copy, or a new one with null. */
    recover: (copy: string | null) => {
      if (held) return Promise.resolve()
      recovery = { copy }
      return restart()
    },
    /** Root of the media side as others reach it: the service says so as its reach changes. */
    mediaAt: (url: string): void => {
      if (url === publicMedia) return
      publicMedia = url
      tell()
    },
    /** Restarts with other choices; others stay, ports too. */
    change: (change: ServiceChange) => {
      choose(change)
      return held ? Promise.resolve() : restart()
    },
    /** Stops it until `release`. */
    hold: async () => {
      held = true
      quiet()
      busySince = null
      ready = undefined
      phase = 'stopped'
      since ??= clock.now()
      nextAttempt = null
      reason = reasonOf('service', 'moving')
      tell()
      await Promise.all([restarting, ended()])
    },
    /** Starts it after `hold`. */
    release: (change: ServiceChange = {}) => {
      held = false
      choose(change)
      return restart()
    },
    /** Asks it to end; kills it after 4.5 s. */
    stop: async () => {
      closing = true
      quiet()
      await ended()
      ready = undefined
      phase = 'stopped'
      nextAttempt = null
      tell()
    },
    state,
    ready: (): ServiceReady | undefined => ready,
    lines: (): string[] => ring.lines(),
    on: listeners.on,
  }
}
