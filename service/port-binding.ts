import type { ServiceChoices } from '../contract/service-process.ts'
import { portHolder } from './port-holder.ts'
import { deniedPort, SwitchFault } from './switch-fault.ts'

/** A bound port, and who held the requested one. */
export interface PortBinding {
  readonly wanted: number
  readonly used: number
  readonly holder?: string
}

/** A port that must not move is taken. */
export class PortTaken extends SwitchFault {
  constructor(name: string, port: number, holder: string | undefined, cause?: unknown) {
    const remedy = holder?.startsWith('--') ? 'name' : 'end that, or name'
    super(
      `port ${port} (--${name}-port) is taken by ${holder ?? 'another program'}: ` +
        `${remedy} another port; one that is not named moves by itself`,
      { cause },
    )
  }
}

type Ports = Pick<ServiceChoices, 'api' | 'media' | 'rtmp' | 'namedPorts' | 'httpsPort' | 'rtmpsPort'>
type PortName = NonNullable<Ports['namedPorts']>[number]

/** Ports that switches name for others than this one, with the switch. */
export function promisedPorts(choices: Ports, except: PortName): ReadonlyMap<number, string> {
  const { api, media, rtmp, httpsPort: https, rtmpsPort: rtmps, namedPorts = [] } = choices
  const ports = { api: api.port, media: media.port, rtmp: rtmp.port, https, rtmps }
  return new Map(
    namedPorts.flatMap((name) => {
      const port = ports[name]
      return name === except || port === undefined || port === 0 ? [] : [[port, `--${name}-port`] as const]
    }),
  )
}

/** Who holds a port that must not move: a switch where it is this service itself, or likely so. */
export async function holderOf(port: number, promised: ReadonlyMap<number, string>): Promise<string | undefined> {
  const holder = await portHolder(port)
  const isOther = holder !== undefined && !holder.endsWith(`(process ${process.pid})`)
  return isOther ? holder : (promised.get(port) ?? holder)
}

/** Ports tried above the requested one. */
const attempts = 50

/** Windows answers EACCES for ports reserved for virtual machines or used exclusively. */
const isTaken = (error: unknown, platform: NodeJS.Platform): boolean => {
  const code = (error as { code?: unknown } | null)?.code
  return code === 'EADDRINUSE' || (code === 'EACCES' && platform === 'win32')
}

/** Binds to the port, or if taken to the next free one (behaviour.md#listeners) that is not `reserved`. */
export async function bindPort(
  listen: (port: number) => Promise<number>,
  wanted: number,
  reserved: readonly number[],
  platform = process.platform,
  /** The name of a port that must not move. */
  fixed?: string,
  /** Ports that others must have, with their switches. */
  promised: ReadonlyMap<number, string> = new Map(),
): Promise<PortBinding> {
  for (let port = wanted; ; port++) {
    if (port !== wanted && reserved.includes(port)) continue
    if (fixed === undefined && port !== 0 && promised.has(port)) continue
    try {
      const used = await listen(port)
      if (port === wanted) return { wanted, used }
      const holder = promised.get(wanted) ?? (await portHolder(wanted))
      return { wanted, used, ...(holder !== undefined && { holder }) }
    } catch (error) {
      if (!isTaken(error, platform)) {
        const isDenied = (error as { code?: unknown } | null)?.code === 'EACCES'
        throw isDenied && fixed !== undefined ? deniedPort(fixed, wanted, error) : error
      }
      if (fixed !== undefined) throw new PortTaken(fixed, wanted, await holderOf(wanted, promised), error)
      if (port >= Math.min(wanted + attempts, 65_535))
        throw new SwitchFault(`the ports ${wanted} to ${port} are taken; choose another one`, { cause: error })
    }
  }
}
