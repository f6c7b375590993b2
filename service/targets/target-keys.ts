import path from 'node:path'
import { jsonFile } from '../../platform/json-file.ts'
import { createSerial } from '../../platform/serial.ts'

/** Stream keys of targets. */
export interface TargetKeys {
  get(targetId: number): string | undefined
  /** Resolves when it is kept. */
  set(targetId: number, key: string): Promise<void>
  remove(targetIds: readonly number[]): Promise<void>
}

/** Keys in memory: whoever runs the service has them in a keychain and gives them after each start. */
export function memoryKeys(): TargetKeys {
  const keys = new Map<number, string>()
  return {
    get: (targetId) => keys.get(targetId),
    async set(targetId, key) {
      keys.set(targetId, key)
    },
    async remove(targetIds) {
      for (const targetId of targetIds) keys.delete(targetId)
    },
  }
}

interface KeysDocument {
  readonly version: 1
  readonly keys: Readonly<Record<string, string>>
}

function read(raw: unknown): KeysDocument {
  const { version, keys } = (raw ?? {}) as { readonly version?: unknown; readonly keys?: unknown }
  if (version !== 1) throw new Error('of another version')
  if (typeof keys !== 'object' || keys === null) throw new Error('no keys')
  for (const [id, key] of Object.entries(keys))
    if (!/^[1-9]\d{0,15}$/.test(id) || typeof key !== 'string') throw new Error('not a key')
  return { version: 1, keys: keys as KeysDocument['keys'] }
}

/** Keys in DIR/target-keys.json (0600), for a stand-alone service. */
export async function fileKeys(dataDir: string): Promise<TargetKeys> {
  const file = jsonFile(path.join(dataDir, 'target-keys.json'), read)
  const stored = (await file.load())?.keys ?? {}
  let keys: ReadonlyMap<number, string> = new Map(Object.entries(stored).map(([id, key]) => [Number(id), key]))
  const inTurn = createSerial()
  /** A change counts once it is stored. */
  const change = (by: (next: Map<number, string>) => void): Promise<void> =>
    inTurn(async () => {
      const next = new Map(keys)
      by(next)
      await file.save({ version: 1, keys: Object.fromEntries(next) })
      keys = next
    })
  return {
    get: (targetId) => keys.get(targetId),
    set: (targetId, key) => change((next) => next.set(targetId, key)),
    async remove(targetIds) {
      if (!targetIds.some((targetId) => keys.has(targetId))) return
      await change((next) => {
        for (const targetId of targetIds) next.delete(targetId)
      })
    },
  }
}
