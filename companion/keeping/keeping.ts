import { local } from '../../contract/operations/index.ts'
import type { KeptAside, RpcInputs, SetAside } from '../../contract/rpc/index.ts'
import { openQuarantine } from '../../platform/quarantine.ts'
import type { Client } from '../client/client.ts'
import { Failure } from '../failure.ts'

type Input = RpcInputs['keeping']

/** Quarantined files of app and service. Throws Failure. */
export type Keeping = ReturnType<typeof createKeeping>

const maxPaths = 20
const maxEntries = 200

/** Opens the quarantine and deletes what is beyond its time. */
export function createKeeping(ports: {
  readonly home: string
  readonly now: () => number
  /** Undefined while the service does not run. */
  readonly client: () => Promise<Client> | undefined
  readonly changed: (kept: KeptAside) => void
  readonly log: (line: string) => void
}) {
  const quarantine = openQuarantine({ folder: ports.home, now: ports.now })
  for (const { id, reason, paths } of quarantine.tidy())
    ports.log(`thrown away after its time in the quarantine: ${paths.join(', ')} (${reason}, ${id})`)
  const announced = new Set<string>()
  const own = (): SetAside[] =>
    quarantine.list().map(({ paths, detail, ...entry }) => ({
      where: 'app',
      ...entry,
      detail: detail.slice(0, 300),
      paths: paths.slice(0, maxPaths),
    }))
  const ofService = async (): Promise<{ entries: SetAside[]; count: number; bytes: number } | undefined> => {
    const client = ports.client()
    if (!client) return undefined
    const { ret } = await (await client).call(local.quarantine, {})
    return {
      count: ret.count,
      bytes: ret.bytes,
      entries: ret.list.map(({ reason, ...entry }) => ({
        where: 'service',
        ...entry,
        reason: reason as SetAside['reason'],
      })),
    }
  }
  const service = (): Promise<Client> => {
    const client = ports.client()
    if (!client) throw new Failure('down', 'the service of this computer does not run')
    return client
  }
  const list = async (): Promise<KeptAside> => {
    const mine = own()
    const its = await ofService()
    const entries = [...mine, ...(its?.entries ?? [])].sort((a, b) => b.at - a.at)
    return {
      entries: entries.slice(0, maxEntries),
      count: mine.length + (its?.count ?? 0),
      bytes: mine.reduce((sum, { bytes }) => sum + bytes, 0) + (its?.bytes ?? 0),
      service: its !== undefined,
    }
  }
  const tell = async (): Promise<void> => ports.changed(await list())

  return {
    list,
    restore: async ({ where, id }: Input['restore']): Promise<{ restored: number; taken: string[] }> => {
      if (where === 'service') {
        const { ret } = await (await service()).call(local.restoreQuarantined, { id })
        await tell()
        return ret
      }
      const outcome = await quarantine.restore(id)
      if (!outcome) throw new Failure('absent', 'there is no such entry')
      await tell()
      return { restored: outcome.restored.length, taken: outcome.taken.slice(0, maxPaths) }
    },
    remove: async ({ where, id }: Input['remove']) => {
      if (where === 'service') await (await service()).call(local.removeQuarantined, { id })
      else if (!(await quarantine.remove(id))) throw new Failure('absent', 'there is no such entry')
      await tell()
    },
    seen: async () => {
      quarantine.see(
        own()
          .filter(({ seen }) => !seen)
          .map(({ id }) => id),
      )
      const unseen = (await ofService())?.entries.filter(({ seen }) => !seen).map(({ id }) => id) ?? []
      if (unseen.length > 0) await (await service()).call(local.seeQuarantined, { idList: unseen })
      await tell()
    },
    tell,
    /** Logs each entry that came since the start. */
    announce: () => {
      for (const { id, paths, reason, detail, seen } of quarantine.list()) {
        if (seen || announced.has(id)) continue
        announced.add(id)
        ports.log(`set aside: ${paths.join(', ')} (${reason}: ${detail}); it is kept for 30 days in quarantine/${id}`)
      }
    },
  }
}
