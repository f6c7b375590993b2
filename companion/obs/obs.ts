import { createHash } from 'node:crypto'
import { inBackground } from '../background.ts'
import type { ObsOutcome, ObsState, ObsStatistics } from '../../contract/rpc/obs.ts'
import type { PushAddress } from '../channels/push-address.ts'
import type { Clock } from '../clock.ts'
import { isLoopbackName } from '../profiles/address.ts'
import type { Vault } from '../secrets/vault.ts'
import { createObsLink } from './obs-link.ts'
import {
  type ByteCount,
  LineFault,
  type ObsLine,
  ObsRejection,
  ObsVersion,
  type OpenObsLine,
  ServiceSettings,
  statisticsOf,
  StreamStatus,
  streamStates,
} from './obs-protocol.ts'
import { openObsSettings } from './obs-settings.ts'

/** Milliseconds between two looks at OBS. */
export const lookEvery = 2_000
/** How long a stream may take to begin or to end, in ms. */
export const settleWithin = 30_000
/** A stream that began and of which OBS says so long that it does not run has failed without a word, in ms. */
const silent = 15_000

/** OBS, driven for whoever sits at this computer. */
export interface Obs {
  state(): ObsState
  configure(next: {
    readonly host: string
    readonly port: number
    readonly enabled: boolean
    readonly password?: string | null | undefined
  }): Promise<ObsState>
  connect(): Promise<ObsState>
  setUp(profileId: string, cid: string): Promise<ObsOutcome>
  start(): Promise<ObsOutcome>
  stop(): Promise<ObsOutcome>
  goLive(profileId: string, cid: string, instead: boolean): Promise<ObsOutcome>
  /** Forgets that OBS was set to a channel of a profile that was removed; what is set in OBS itself stays. */
  forgetProfile(profileId: string): Promise<void>
  close(): void
}

/** What driving OBS needs. */
export interface ObsPorts {
  readonly dataDir: string
  readonly vault: Vault
  readonly entryName: (name: string) => string
  readonly clock: Clock
  readonly open: OpenObsLine
  /** The push address of a channel; throws Failure. */
  readonly push: (profileId: string, cid: string) => Promise<Pick<PushAddress, 'server' | 'key'>>
  /** Whether anyone looks at the figures. */
  readonly watched: () => boolean
  readonly changed: (state: ObsState) => void
  readonly log: (line: string) => void
}

type Streaming = NonNullable<ObsState['streaming']>

const outcome = (what: ObsOutcome['outcome'], code: number | null = null): ObsOutcome => ({ outcome: what, code })
/** Server and stream name without the part that is renewed and secret. */
const digestOf = (server: string, key: string): string =>
  createHash('sha256')
    .update(`${server}/${key.replace(/\?.*$/s, '')}`)
    .digest('hex')
const hostOf = (server: string): string => (URL.canParse(server) ? new URL(server).hostname : '')
/** Reads an answer of OBS; one of another shape ends the connection. */
const checked = <T>(schema: { safeParse: (value: unknown) => { data?: T } }, value: unknown): T => {
  const { data } = schema.safeParse(value)
  if (data === undefined) throw new LineFault('foreign')
  return data
}

/** Opens DATA/obs.json and connects where that was asked for. */
export async function openObs(ports: ObsPorts): Promise<Obs> {
  const { clock } = ports
  const settings = await openObsSettings(ports)
  let version: string | null = null
  let streaming: Streaming = 'off'
  let streamingSince = 0
  /** Whether OBS is set to the channel that it was set to from here last. */
  let ours = false
  let statistics: ObsStatistics | null = null
  let bytes: ByteCount | undefined
  let acting = false
  let spoken = ''
  let closed = false
  let cancelLook: () => void = () => undefined
  const waiting = new Set<() => void>()

  const state = (): ObsState => {
    const { host, port, enabled, target } = settings.value()
    const phase = link.phase()
    const on = phase.phase === 'connected'
    return {
      ...phase,
      host,
      port,
      enabled,
      password: settings.passwordKept(),
      beyond: !isLoopbackName(host),
      version: on ? version : null,
      streaming: on ? streaming : null,
      target: on && ours && target ? { profileId: target.profileId, cid: target.cid } : null,
      statistics: on ? statistics : null,
    }
  }
  const tell = (): void => {
    const { phase, reason } = link.phase()
    const said = reason === null ? phase : `${phase}: ${reason}`
    if (said !== spoken) ports.log(`OBS ${(spoken = said)}`)
    for (const look of waiting) look()
    ports.changed(state())
  }
  const streamIs = (next: Streaming): boolean => {
    if (next === streaming) return false
    streaming = next
    streamingSince = clock.now()
    return true
  }

  const isSetTo = async (line: ObsLine, digest: string): Promise<boolean> => {
    const { streamServiceType, streamServiceSettings: set } = checked(
      ServiceSettings,
      await line.request('GetStreamServiceSettings'),
    )
    const { server, key } = set
    return (
      streamServiceType === 'rtmp_custom' &&
      typeof server === 'string' &&
      typeof key === 'string' &&
      digestOf(server, key) === digest
    )
  }
  const look = async (line: ObsLine): Promise<void> => {
    const status = checked(StreamStatus, await line.request('GetStreamStatus'))
    const stats = await line.request('GetStats')
    const at = clock.now()
    const fresh = statisticsOf(status, stats, at, bytes)
    // Between two looks in short order the rate is left as it was.
    const soon = status.outputActive && bytes !== undefined && at - bytes.at < lookEvery / 2
    statistics = soon ? { ...fresh, kbps: statistics?.kbps ?? null } : fresh
    if (!soon) bytes = status.outputActive ? { at, bytes: status.outputBytes } : undefined
    if (status.outputActive && status.outputReconnecting) streamIs('reconnecting')
    else if (status.outputActive) {
      if (streaming !== 'stopping') streamIs('live')
    } else if (streaming !== 'starting' || at - streamingSince > silent) streamIs('off')
  }
  const link = createObsLink({
    clock,
    open: ports.open,
    greet: async (line) => {
      statistics = null
      bytes = undefined
      version = checked(ObsVersion, await line.request('GetVersion')).obsVersion
      const { target } = settings.value()
      ours = target !== null && (await isSetTo(line, target.digest))
      await look(line)
    },
    stream: (outputState) => {
      const next = Object.hasOwn(streamStates, outputState) ? streamStates[outputState] : undefined
      if (next !== undefined && streamIs(next)) tell()
    },
    changed: () => {
      if (!closed) tell()
    },
    log: ports.log,
  })
  /** A look every 2 s while anyone watches. One without an answer shows a connection that is dead, which TCP may take hours to say. */
  const keepLooking = (): void => {
    cancelLook = clock.after(lookEvery, () => {
      const line = link.line()
      const done =
        line && ports.watched()
          ? look(line).then(tell, (error: unknown) => {
              line.drop(error instanceof LineFault ? error : new LineFault('foreign'))
            })
          : Promise.resolve()
      const looked = done.finally(() => {
        if (!closed) keepLooking()
      })
      inBackground(looked, ports.log, 'looking at OBS')
    })
  }

  /** Waits until the stream is as wished; false when that is out of reach or takes too long. */
  const settled = (wished: Streaming, hopeless: Streaming | undefined): Promise<boolean> =>
    new Promise((resolve) => {
      const finish = (good: boolean): void => {
        waiting.delete(check)
        cancel()
        resolve(good)
      }
      const check = (): void => {
        if (streaming === wished) finish(true)
        else if (streaming === hopeless || !link.line()) finish(false)
      }
      const cancel = clock.after(settleWithin, () => {
        finish(false)
      })
      waiting.add(check)
      check()
    })
  const startNow = async (line: ObsLine): Promise<ObsOutcome> => {
    streamIs('starting')
    tell()
    try {
      await line.request('StartStream')
    } catch (error) {
      streamIs('off')
      throw error
    }
    if (await settled('live', 'off')) return outcome('done')
    return outcome(link.line() === line ? 'notStarted' : 'notConnected')
  }
  const stopNow = async (line: ObsLine): Promise<ObsOutcome> => {
    await line.request('StopStream')
    if (await settled('off', undefined)) return outcome('done')
    return outcome(link.line() === line ? 'slow' : 'notConnected')
  }
  /** Does something with OBS, after one try to reach it where it was not there; what hinders it becomes the outcome. */
  const withLine = async (work: (line: ObsLine) => Promise<ObsOutcome>): Promise<ObsOutcome> => {
    const { phase } = link.phase()
    if (phase === 'absent' || phase === 'failed' || phase === 'connecting') await link.attempt()
    const line = link.line()
    if (!line) return outcome('notConnected')
    try {
      return await work(line)
    } catch (error) {
      if (error instanceof ObsRejection) return outcome('rejected', error.code)
      if (!(error instanceof LineFault)) throw error
      line.drop(error)
      return outcome(error.reason === 'slow' ? 'slow' : 'notConnected')
    } finally {
      tell()
    }
  }
  /** One thing after the other: a second click while something is under way changes nothing. */
  const alone = async (work: () => Promise<ObsOutcome>): Promise<ObsOutcome> => {
    if (acting) return outcome('occupied')
    acting = true
    try {
      return await work()
    } finally {
      acting = false
    }
  }
  /** Sets OBS to a channel, or says what hinders it. */
  const setTo = async (line: ObsLine, profileId: string, cid: string, instead: boolean): Promise<ObsOutcome> => {
    const { server, key } = await ports.push(profileId, cid)
    if (!isLoopbackName(settings.value().host) && isLoopbackName(hostOf(server))) return outcome('loopback')
    const digest = digestOf(server, key)
    await look(line)
    if (streaming !== 'off') {
      if (await isSetTo(line, digest)) {
        await settings.change({ target: { profileId, cid, digest } })
        ours = true
        return outcome('already')
      }
      if (!instead) return outcome('busyElsewhere')
      const stopped = await stopNow(line)
      if (stopped.outcome !== 'done') return stopped
    }
    await line.request('SetStreamServiceSettings', {
      streamServiceType: 'rtmp_custom',
      streamServiceSettings: { server, key, use_auth: false },
    })
    await settings.change({ target: { profileId, cid, digest } })
    ours = true
    return outcome('done')
  }

  const connectWhere = (): void => {
    const { host, port, enabled } = settings.value()
    link.to(enabled ? { host, port, password: () => settings.password() } : undefined)
  }
  connectWhere()
  keepLooking()

  return {
    state,
    configure: async ({ host, port, enabled, password }) => {
      const moved = host !== settings.value().host
      if (password !== undefined) await settings.keepPassword(host, password)
      else if (moved) await settings.keepPassword(host, null)
      await settings.change({ host, port, enabled })
      connectWhere()
      await link.attempt()
      return state()
    },
    connect: async () => {
      await link.attempt()
      return state()
    },
    setUp: (profileId, cid) => alone(() => withLine((line) => setTo(line, profileId, cid, false))),
    start: () =>
      alone(() =>
        withLine(async (line) => {
          await look(line)
          return streaming === 'off' ? startNow(line) : outcome('already')
        }),
      ),
    // Not behind what is under way: whoever stops wants that at once.
    stop: () =>
      withLine(async (line) => {
        if (streaming !== 'starting') await look(line)
        return streaming === 'off' ? outcome('already') : stopNow(line)
      }),
    goLive: (profileId, cid, instead) =>
      alone(() =>
        withLine(async (line) => {
          const set = await setTo(line, profileId, cid, instead)
          return set.outcome === 'done' ? startNow(line) : set
        }),
      ),
    forgetProfile: async (profileId) => {
      if (settings.value().target?.profileId !== profileId) return
      ours = false
      await settings.change({ target: null })
      tell()
    },
    close: () => {
      closed = true
      cancelLook()
      link.to(undefined)
    },
  }
}
