import { portHolder } from './port-holder.ts'

/** A bound port, and who held the one that was asked for. */
export interface PortBinding {
  readonly wanted: number
  readonly used: number
  readonly holder?: string
}

/** Ports tried above the one that was asked for. */
const attempts = 50

/** Windows answers EACCES for ports that it keeps for its virtual machines, or that a program has for itself alone. */
const isTaken = (error: unknown, platform: NodeJS.Platform): boolean => {
  const code = (error as { code?: unknown } | null)?.code
  return code === 'EADDRINUSE' || (code === 'EACCES' && platform === 'win32')
}

/**
 * Binds with `listen`, which rejects with EADDRINUSE for a taken port: then the next free one is used (behaviour.md#listeners), save those
 * in `reserved`, which other listeners will want. Port 0 takes any. Other faults reject.
 */
export async function bindPort(
  listen: (port: number) => Promise<number>,
  wanted: number,
  reserved: readonly number[],
  platform = process.platform,
): Promise<PortBinding> {
  for (let port = wanted; ; port++) {
    if (port !== wanted && reserved.includes(port)) continue
    try {
      const used = await listen(port)
      if (port === wanted) return { wanted, used }
      const holder = await portHolder(wanted)
      return { wanted, used, ...(holder !== undefined && { holder }) }
    } catch (error) {
      if (!isTaken(error, platform)) throw error
      if (port >= Math.min(wanted + attempts, 65_535))
        throw new Error(`the ports ${wanted} to ${port} are taken; choose another one`, { cause: error })
    }
  }
}
