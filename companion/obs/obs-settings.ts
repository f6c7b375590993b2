import path from 'node:path'
import { z } from 'zod'
import type { ObsState } from '../../contract/rpc/obs.ts'
import { jsonFile, keptDocument } from '../../platform/json-file.ts'
import { fromVault } from '../secrets/vault.ts'
import type { PartPorts } from '../part-ports.ts'

const Target = z.object({
  profileId: z.string(),
  cid: z.string(),
  /** Of server and stream name, to recognise the setting. */
  digest: z.string(),
})
const Document = z.object({
  version: z.literal(1),
  host: z.string(),
  port: z.number().int().min(1).max(65_535),
  enabled: z.boolean(),
  /** The channel that OBS was last set to. */
  target: Target.nullable(),
})
type ObsDocument = z.infer<typeof Document>
/** The host binds the password, so that an edited file cannot send it elsewhere. */
const Kept = z.object({ password: z.string(), host: z.string() })

/** Defaults of obs-websocket. */
const usual: ObsDocument = { version: 1, host: '127.0.0.1', port: 4455, enabled: false, target: null }

/** Opens the settings; a damaged file is quarantined. */
export async function openObsSettings(ports: Pick<PartPorts, 'dataDir' | 'vault' | 'entryName' | 'log'>) {
  const { vault } = ports
  const entry = ports.entryName('obs')
  const file = jsonFile(path.join(ports.dataDir, 'obs.json'), (raw) => Document.parse(raw))
  const document = await keptDocument(file, usual)
  const read = async (): Promise<string | undefined> => {
    const text = await vault.get(entry)
    const kept = text === undefined ? undefined : Kept.safeParse(JSON.parse(text)).data
    return kept?.host === document.value().host ? kept.password : undefined
  }
  // Read on demand: a keychain may ask a person to unlock it.
  let kept = false

  return {
    value: document.value,
    passwordKept: (): ObsState['password'] => (kept ? vault.mode.kind : 'none'),
    password: async (): Promise<string | undefined> => {
      const password = await read()
      kept = password !== undefined
      return password
    },
    change: (change: Partial<Omit<ObsDocument, 'version'>>) => document.change((now) => ({ ...now, ...change })),
    /** Null deletes it. Throws Failure `keychain`. */
    keepPassword: async (host: string, password: string | null) => {
      const text = JSON.stringify({ password, host })
      await fromVault(password === null ? vault.delete(entry) : vault.set(entry, text))
      kept = password !== null
    },
  }
}
