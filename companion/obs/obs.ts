import { createHash } from 'node:crypto'
import { inBackground } from '../background.ts'
import type { RpcInputs } from '../../contract/rpc/index.ts'
import type { ObsOutcome, ObsState } from '../../contract/rpc/obs.ts'
import type { PushAddress } from '../channels/push-address.ts'
import { isLoopbackName } from '../profiles/address.ts'
import { createObsLink } from './obs-link.ts'
import {
  checked,
  ConnectionFault,
  type ObsConnection,
  ObsRejection,
  ObsVersion,
  type OpenObsConnection,
  ServiceSettings,
  streamStates,
} from './obs-protocol.ts'
import { openObsSettings } from './obs-settings.ts'
import { createObsStream, lookEvery } from './obs-stream.ts'
import type { PartPorts } from '../part-ports.ts'

type Input = RpcInputs['obs']

/** OBS, controlled by the person at this computer. */
export type Obs = Awaited<ReturnType<typeof openObs>>

const outcome = (what: ObsOutcome['outcome'], code: number | null = null): ObsOutcome => ({ outcome: what, code })
/** Without the secret part, which is renewed. */
const digestOf = (server: string, key: string): string =>
  createHash('sha256')
    .update(`${server}/${key.replace(/\?.*$/s, '')}`)
    .digest('hex')
const hostOf = (server: string): string => (URL.canParse(server) ? new URL(server).hostname : '')
/** Opens DATA/obs.json, and connects if enabled. */
export async function openObs(
  ports: Pick<PartPorts, 'dataDir' | 'vault' | 'clock' | 'entryName' | 'log'> & {
    readonly open: OpenObsConnection
    readonly push: (profileId: string, cid: string) => Promise<Pick<PushAddress, 'server' | 'key'>>
    readonly watched: () => boolean
    readonly changed: (state: ObsState) => void
  },
) {
  const { clock } = ports
  const settings = await openObsSettings(ports)
  let version: string | null = null
  /** Whether OBS is still set to our channel. */
  let ours = false
  let acting = false
  let spoken = ''
  let closed = false
  let cancelLook: () => void = () => undefined
  const stream = createObsStream(clock, () => link.connection() !== undefined)

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
      streaming: on ? stream.now() : null,
      target: on && ours && target ? { profileId: target.profileId, cid: target.cid } : null,
      statistics: on ? stream.statistics() : null,
    }
  }
  const tell = (): void => {
    const { phase, reason } = link.phase()
    const said = reason === null ? phase : `${phase}: ${reason}`
    if (said !== spoken) ports.log(`OBS ${(spoken = said)}`)
    stream.changed()
    ports.changed(state())
  }
  const isSetTo = async (connection: ObsConnection, digest: string): Promise<boolean> => {
    const { streamServiceType, streamServiceSettings: set } = checked(
      ServiceSettings,
      await connection.request('GetStreamServiceSettings'),
    )
    const { server, key } = set
    return (
      streamServiceType === 'rtmp_custom' &&
      typeof server === 'string' &&
      typeof key === 'string' &&
      digestOf(server, key) === digest
    )
  }
  const link = createObsLink({
    clock,
    open: ports.open,
    greet: async (connection) => {
      stream.forget()
      version = checked(ObsVersion, await connection.request('GetVersion')).obsVersion
      const { target } = settings.value()
      ours = target !== null && (await isSetTo(connection, target.digest))
      await stream.look(connection)
    },
    stream: (outputState) => {
      const next = Object.hasOwn(streamStates, outputState) ? streamStates[outputState] : undefined
      if (next !== undefined && stream.becomes(next)) tell()
    },
    changed: () => {
      if (!closed) tell()
    },
    log: ports.log,
  })
  /** Looks every 2 s while watched; no answer reveals a dead connection, which TCP may not report for hours. */
  const keepLooking = (): void => {
    cancelLook = clock.after(lookEvery, () => {
      const connection = link.connection()
      const done =
        connection && ports.watched()
          ? stream.look(connection).then(tell, (error: unknown) => {
              connection.drop(error instanceof ConnectionFault ? error : new ConnectionFault('foreign'))
            })
          : Promise.resolve()
      const looked = done.finally(() => {
        if (!closed) keepLooking()
      })
      inBackground(looked, ports.log, 'looking at OBS')
    })
  }

  const startNow = async (connection: ObsConnection): Promise<ObsOutcome> => {
    stream.becomes('starting')
    tell()
    try {
      await connection.request('StartStream')
    } catch (error) {
      stream.becomes('off')
      throw error
    }
    if (await stream.settled('live', 'off')) return outcome('done')
    return outcome(link.connection() === connection ? 'notStarted' : 'notConnected')
  }
  const stopNow = async (connection: ObsConnection): Promise<ObsOutcome> => {
    await connection.request('StopStream')
    if (await stream.settled('off', undefined)) return outcome('done')
    return outcome(link.connection() === connection ? 'slow' : 'notConnected')
  }
  /** Reconnects once if needed; connection faults become the outcome. */
  const withConnection = async (work: (connection: ObsConnection) => Promise<ObsOutcome>): Promise<ObsOutcome> => {
    const { phase } = link.phase()
    if (phase === 'absent' || phase === 'failed' || phase === 'connecting') await link.attempt()
    const connection = link.connection()
    if (!connection) return outcome('notConnected')
    try {
      return await work(connection)
    } catch (error) {
      if (error instanceof ObsRejection) return outcome('rejected', error.code)
      if (!(error instanceof ConnectionFault)) throw error
      connection.drop(error)
      return outcome(error.reason === 'slow' ? 'slow' : 'notConnected')
    } finally {
      tell()
    }
  }
  /** A second click during an action does nothing. */
  const alone = async (work: () => Promise<ObsOutcome>): Promise<ObsOutcome> => {
    if (acting) return outcome('occupied')
    acting = true
    try {
      return await work()
    } finally {
      acting = false
    }
  }
  const setTo = async (
    connection: ObsConnection,
    profileId: string,
    cid: string,
    instead: boolean,
  ): Promise<ObsOutcome> => {
    const { server, key } = await ports.push(profileId, cid)
    if (!isLoopbackName(settings.value().host) && isLoopbackName(hostOf(server))) return outcome('loopback')
    const digest = digestOf(server, key)
    await stream.look(connection)
    if (stream.now() !== 'off') {
      if (await isSetTo(connection, digest)) {
        await settings.change({ target: { profileId, cid, digest } })
        ours = true
        return outcome('already')
      }
      if (!instead) return outcome('busyElsewhere')
      const stopped = await stopNow(connection)
      if (stopped.outcome !== 'done') return stopped
    }
    await connection.request('SetStreamServiceSettings', {
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
    configure: async ({
      host,
      port,
      enabled,
      password,
    }: {
      readonly host: string
      readonly port: number
      readonly enabled: boolean
      readonly password?: string | null | undefined
    }): Promise<ObsState> => {
      const moved = host !== settings.value().host
      if (password !== undefined) await settings.keepPassword(host, password)
      else if (moved) await settings.keepPassword(host, null)
      await settings.change({ host, port, enabled })
      connectWhere()
      await link.attempt()
      return state()
    },
    connect: async (): Promise<ObsState> => {
      await link.attempt()
      return state()
    },
    setUp: ({ profileId, cid }: Input['setUp']): Promise<ObsOutcome> =>
      alone(() => withConnection((connection) => setTo(connection, profileId, cid, false))),
    start: (): Promise<ObsOutcome> =>
      alone(() =>
        withConnection(async (connection) => {
          await stream.look(connection)
          return stream.now() === 'off' ? startNow(connection) : outcome('already')
        }),
      ),
    // Not queued: a stop acts at once.
    stop: (): Promise<ObsOutcome> =>
      withConnection(async (connection) => {
        if (stream.now() !== 'starting') await stream.look(connection)
        return stream.now() === 'off' ? outcome('already') : stopNow(connection)
      }),
    goLive: ({ profileId, cid, instead }: Input['goLive']): Promise<ObsOutcome> =>
      alone(() =>
        withConnection(async (connection) => {
          const set = await setTo(connection, profileId, cid, instead)
          return set.outcome === 'done' ? startNow(connection) : set
        }),
      ),
    /** Does not change OBS itself. */
    forgetProfile: async (profileId: string) => {
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
