import path from 'node:path'
import { z } from 'zod'
import type { ObsState } from '../../contract/rpc/obs.ts'
import { Failure, reasonOf } from '../failure.ts'
import { jsonFile } from '../../platform/json-file.ts'
import type { Vault } from '../secrets/vault.ts'

const Target = z.object({
  profileId: z.string(),
  cid: z.string(),
  /** Digest of server and stream name, by which the setting is known again. */
  digest: z.string(),
})
const Document = z.object({
  version: z.literal(1),
  host: z.string(),
  port: z.number().int().min(1).max(65_535),
  enabled: z.boolean(),
  /** The channel that OBS was set to from here last. */
  target: Target.nullable(),
})
/** DATA/obs.json. */
type ObsDocument = z.infer<typeof Document>
/** The password carries the host that it was entered for, so that an edited file cannot send it elsewhere. */
const Kept = z.object({ password: z.string(), host: z.string() })

/** Where OBS is, in DATA/obs.json and the keychain. */
export interface ObsSettings {
  value(): Readonly<ObsDocument>
  passwordKept(): ObsState['password']
  /** The password for the present host; rejects when the keychain refuses. */
  password(): Promise<string | undefined>
  change(change: Partial<Omit<ObsDocument, 'version'>>): Promise<void>
  /** Keeps a password for a host, or forgets it. Throws Failure `keychain`. */
  keepPassword(host: string, password: string | null): Promise<void>
}

/** Where obs-websocket listens unless told otherwise. */
const usual: ObsDocument = { version: 1, host: '127.0.0.1', port: 4455, enabled: false, target: null }

/** Opens the settings. A damaged file is set aside and counts as none: it holds nothing that cannot be typed again. */
export async function openObsSettings(ports: {
  readonly dataDir: string
  readonly vault: Vault
  readonly entryName: (name: string) => string
  readonly log: (line: string) => void
}): Promise<ObsSettings> {
  const { vault } = ports
  const entry = ports.entryName('obs')
  const file = jsonFile(path.join(ports.dataDir, 'obs.json'), (raw) => Document.parse(raw))
  let document: ObsDocument = (await file.load()) ?? usual
  const read = async (): Promise<string | undefined> => {
    const text = await vault.get(entry)
    const kept = text === undefined ? undefined : Kept.safeParse(JSON.parse(text)).data
    return kept?.host === document.host ? kept.password : undefined
  }
  // Known when the connection first needs it: a keychain may want a person to unlock it.
  let kept = false

  return {
    value: () => document,
    passwordKept: () => (kept ? vault.mode.kind : 'none'),
    password: async () => {
      const password = await read()
      kept = password !== undefined
      return password
    },
    change: async (change) => {
      const next = { ...document, ...change }
      await file.save(next)
      document = next
    },
    keepPassword: async (host, password) => {
      try {
        if (password === null) await vault.delete(entry)
        else await vault.set(entry, JSON.stringify({ password, host } satisfies z.infer<typeof Kept>))
      } catch (error) {
        throw new Failure('keychain', reasonOf(error))
      }
      kept = password !== null
    },
  }
}
