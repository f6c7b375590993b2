import { isIP } from 'node:net'
import { within, type Clock } from '../../platform/clock.ts'
import type { Log } from '../log.ts'
import type { Resolve } from '../outbox/address-guard.ts'
import { isLoopback } from '../public-addresses.ts'

/** For how long the address of a name is used before it is looked up again, in ms. */
const keptFor = 30_000
/** How long a look-up may take, in ms: the server that asks waits for it. */
const patience = 3000
const anyHost: ReadonlySet<string> = new Set(['0.0.0.0', '::', ''])

/** The address at which a call arrived, without the form of IPv4 within IPv6. */
const arrivedAt = (address: string | undefined): string => (address ?? '127.0.0.1').replace(/^::ffff:/, '')
const inUrl = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address)

/**
 * Where servers of other makes send pushes on: `way`, or else the RTMP listener of this service itself. Its public
 * address may be a name, may lead to another service of a cluster, and may not be reached from there.
 */
export function createWayOn(options: {
  /** Root of an RTMP address. */
  readonly way: string | undefined
  readonly ownRtmp: () => { readonly host: string; readonly port: number }
  readonly resolve: Resolve
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}) {
  const { way, ownRtmp, resolve, clock, log } = options
  let found: { readonly address: string; readonly until: number } | undefined
  let looking: Promise<string | undefined> | undefined

  const lookUp = async (name: string): Promise<string | undefined> => {
    try {
      const late = (): Error => new Error('no answer')
      const addresses = await within(clock, patience, resolve(name), late)
      const address = addresses.find((each) => isIP(each) === 4) ?? addresses[0]
      if (address === undefined) throw new Error('no address')
      found = { address, until: clock.monotonic() + keptFor }
      return address
    } catch (error) {
      const { code, message } = error as { readonly code?: string; readonly message?: string }
      log.warn(
        { name, reason: code ?? message },
        'the name to which pushes are sent on has no address: they are refused',
      )
      return undefined
    }
  }
  const addressOf = (name: string): string | Promise<string | undefined> =>
    found && clock.monotonic() < found.until
      ? found.address
      : (looking ??= lookUp(name).finally(() => (looking = undefined)))
  /** `local` is the address of this computer at which the server asked. */
  const root = (local: string | undefined): string => {
    if (way !== undefined) return way
    const { host, port } = ownRtmp()
    if (!anyHost.has(host)) return `rtmp://${inUrl(host === 'localhost' ? '127.0.0.1' : host)}:${port}`
    const arrived = arrivedAt(local)
    return `rtmp://${inUrl(isLoopback(arrived) ? '127.0.0.1' : arrived)}:${port}`
  }
  return {
    root,
    /** The same with an address in the place of a name; undefined when the name has none now. */
    async numeric(local: string | undefined): Promise<string | undefined> {
      const named = root(local)
      const [, before, host, after] = /^(rtmps?:\/\/)(\[[^\]]*\]|[^:]*)(.*)$/.exec(named)!
      if (host!.startsWith('[') || isIP(host!) !== 0) return named
      const address = await addressOf(host!)
      return address === undefined ? undefined : `${before}${inUrl(address)}${after}`
    },
  }
}
