import { pause, type Clock } from '../../platform/clock.ts'
import { doubledWait } from '../../platform/backoff.ts'
import { inBackground } from '../background.ts'
import type { Log } from '../log.ts'
import { PlaceFault } from '../place-fault.ts'
import { faultOfPlace, faultOfTls } from './redis-faults.ts'

/** A Redis, or what speaks its protocol. */
export interface RedisPlace {
  /** `redis://user:password@host:port`, or `rediss:` for TLS. */
  readonly url: string
  /** Begins the names of channels and keys. Services that share a Redis meet those with the same one only. */
  readonly prefix: string
}

/** How often it is asked whether Redis is there, in ms. */
export const lookEvery = 1000
/** In ms; the first connection is waited for so long. */
const connectPatience = 5000
/** In ms; a Redis that answers nothing for so long is connected to anew, also before it has answered at all. */
const silentFor = 3000
const silentAtFirst = 5000
/** Before it is connected to again, in ms. */
const waits = { first: 50, longest: 1000 } as const

/** What is logged of a Redis that has not answered yet: perhaps another one is meant. */
const neverUp = 'no Redis answers at the address of SIDESTAGE_REDIS_URL; it is tried again until one does'

/** What went wrong, without what the library knows of the connection. */
export const reasonOf = (error: unknown): string => {
  const { code, message } = error as { readonly code?: string; readonly message?: string }
  return message !== undefined && message !== '' ? message : (code ?? 'unknown')
}

/** Makes connections to a Redis, not yet opened. */
async function clientsOf(url: string, count: number) {
  // Only here: the module is not loaded where a service is alone.
  const { createClient } = await import('@redis/client')
  try {
    return Array.from({ length: count }, () =>
      createClient({
        url,
        // What waits is kept by those who use it, with a bound.
        disableOfflineQueue: true,
        commandOptions: { timeout: 0 },
        maintNotifications: 'disabled',
        socket: {
          connectTimeout: silentFor,
          socketTimeout: silentAtFirst,
          reconnectStrategy: (failures) => doubledWait(waits, failures),
        },
      }),
    )
  } catch {
    // The error of the library has the URL, with the password.
    throw new PlaceFault('SIDESTAGE_REDIS_URL must be an address such as redis://:password@10.0.0.5:6379/0.')
  }
}

/** A connection of the library. */
export type RedisClient = Awaited<ReturnType<typeof clientsOf>>[number]

/**
 * Opens connections to one Redis, which are up once all are there. They are opened anew when they end, when Redis stops
 * answering, and when they lead to different servers.
 */
export async function openRedisClients(options: {
  readonly url: string
  readonly count: number
  readonly clock: Clock
  readonly log: Pick<Log, 'error' | 'warn' | 'info'>
  /** Logged when Redis is away: what follows from it. */
  readonly away: string
  /** All are there. */
  readonly rose: () => void
  /** Awaited before `back`; resolves with whether Redis lost what it had though the connections stayed. */
  readonly check: () => Promise<boolean>
  /** Something may have been missed, or lost by Redis. */
  readonly back: () => void
}) {
  const { url, count, clock, log, away, check, back } = options
  const clients = await clientsOf(url, count)
  let isUp = false
  let isGap = false
  let isAway = false
  let isClosed = false
  let wasUp = false
  let runId: string | undefined
  let askedAt: number | undefined
  /** Told of the first errors until all are there: what waiting does not mend. */
  let failed: ((fault: PlaceFault) => void) | undefined
  const faulty = new Promise<never>((_resolve, reject) => (failed = reject))
  faulty.catch(() => undefined)
  let isLooking = false
  const lookForFault = (error: unknown): void => {
    const fault = faultOfPlace(error)
    if (fault) return failed?.(fault)
    if (isLooking) return
    isLooking = true
    const looking = faultOfTls(url).then((found) => {
      isLooking = false
      if (found) failed?.(found)
    })
    inBackground(looking, log, 'looking whether Redis speaks TLS')
  }

  const areReady = (): boolean => clients.every(({ isReady }) => isReady)
  const fell = (error?: unknown): void => {
    if (isClosed) return
    if (failed && error !== undefined) lookForFault(error)
    if (areReady()) {
      if (error !== undefined) log.error({ reason: reasonOf(error) }, 'a connection to Redis had a fault')
      return
    }
    isUp = false
    isGap = true
    askedAt = undefined
    if (isAway || error === undefined) return
    isAway = true
    log.warn({ reason: reasonOf(error) }, wasUp ? `Redis is away: ${away}` : `${neverUp}: ${away}`)
  }
  const connectAgain = (why: string): void => {
    if (isClosed) return
    for (const client of clients)
      if (client.isReady) {
        client.destroy()
        client.connect().catch(() => undefined)
      }
    fell(new Error(why))
  }
  /** Undefined where the server does not tell it. */
  const runIdOf = (client: RedisClient): Promise<string | undefined> =>
    client.info('server').then(
      (text) => /^run_id:(\S+)/m.exec(text)?.[1],
      () => undefined,
    )
  const ask = async (): Promise<void> => {
    const [one, ...others] = await Promise.all(clients.map(runIdOf))
    if (isClosed || !isUp) return
    if (others.some((other) => other !== one)) return connectAgain('its connections lead to two servers')
    if (runId !== undefined && runId !== one) isGap = true
    runId = one
    if (await check()) isGap = true
    if (isClosed || !isUp || !isGap) return
    isGap = false
    back()
  }
  const look = (): void => {
    if (!isUp) return
    if (askedAt !== undefined) {
      if (clock.monotonic() - askedAt > silentFor) connectAgain('it does not answer')
      return
    }
    const at = (askedAt = clock.monotonic())
    const answered = (): void => {
      if (askedAt === at) askedAt = undefined
    }
    ask().then(answered, answered)
  }
  const rose = (): void => {
    if (isClosed || isUp || !areReady()) return
    isUp = wasUp = true
    failed = undefined
    if (isAway) log.info({}, 'Redis is there again')
    isAway = false
    options.rose()
    look()
  }
  for (const client of clients) client.on('error', fell).on('end', fell).on('reconnecting', fell).on('ready', rose)
  const close = (): void => {
    isClosed = true
    isUp = false
    for (const client of clients) client.destroy()
  }
  const connected = Promise.all(clients.map((client) => client.connect()))
  connected.catch(() => undefined)

  return {
    clients,
    /** Whether all are there. */
    up: (): boolean => isUp,
    /** Asks whether Redis is there, and is the same. */
    look,
    /** Connects anew to one that has stopped answering: the system would find out much later. */
    connectAgain,
    /**
     * Resolves once they are connected, or after 5 s. Closes them and rejects with PlaceFault where waiting would not
     * help.
     */
    async begun(): Promise<void> {
      try {
        await Promise.race([connected.catch(() => undefined), pause(clock, connectPatience), faulty])
        failed = undefined
      } catch (error) {
        close()
        throw error
      }
    },
    close,
  }
}
