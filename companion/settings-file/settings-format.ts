import { z } from 'zod'
import { Layout, Settings, type SettingsPlan } from '../../contract/rpc/index.ts'
import { readBaseUrl } from '../profiles/address.ts'

const Entry = z.strictObject({
  name: z.string().min(1).max(64),
  liveUrl: z.string().min(1).max(1024),
  messagingUrl: z.string().min(1).max(1024),
  appKey: z.string().min(1).max(128),
})
/** A hosted profile without its secret. */
export type ProfileEntry = z.infer<typeof Entry>

/** Hosted profiles in a file at most: as many as there may be. */
const maxProfiles = 50
const format = 'sidestage-settings'
/** Written, and the newest that is read. */
const version = 2

const Document = z.strictObject({
  format: z.literal(format),
  version: z.literal(version),
  /** For people. */
  madeBy: z.string().max(64),
  madeAt: z.string().max(64),
  settings: z.strictObject(Settings.shape),
  profiles: z.array(Entry).max(maxProfiles),
  layout: Layout,
})
/** Without recording defaults. */
const First = Document.extend({ version: z.literal(1), settings: Document.shape.settings.omit({ recording: true }) })
/** The settings of a file, without secrets; absent ones are of an older version. */
export interface SettingsDocument extends Omit<z.infer<typeof First>, 'version' | 'settings'> {
  readonly settings: z.infer<typeof First>['settings'] & Partial<Settings>
}

/** Writes the file. */
export const writeSettings = (
  parts: { readonly settings: Settings; readonly profiles: readonly ProfileEntry[]; readonly layout: Layout },
  madeBy: string,
  now: number,
): string => {
  const profiles = parts.profiles.map(({ name, liveUrl, messagingUrl, appKey }) => ({
    name,
    liveUrl,
    messagingUrl,
    appKey,
  }))
  // Listed, so that new settings need a new version.
  const document = Document.parse({
    format,
    version,
    madeBy,
    madeAt: new Date(now).toISOString(),
    settings: parts.settings,
    profiles,
    layout: parts.layout,
  })
  return `${JSON.stringify(document, null, 2)}\n`
}

/** Reads an untrusted file; names a fault and its place. */
export function readSettings(text: string): SettingsDocument | Required<Pick<SettingsPlan, 'fault' | 'where'>> {
  let raw: unknown
  try {
    raw = JSON.parse(text)
  } catch {
    return { fault: 'notJson', where: null }
  }
  const outer = z.looseObject({ format: z.literal(format), version: z.number().int().min(1) }).safeParse(raw)
  if (!outer.success) return { fault: 'notOurs', where: null }
  if (outer.data.version > version) return { fault: 'tooNew', where: null }
  const read = outer.data.version === 1 ? First.safeParse(raw) : Document.safeParse(raw)
  if (!read.success) {
    const [issue] = read.error.issues
    const at = issue?.path.join('.') ?? ''
    if (issue?.code === 'unrecognized_keys')
      return { fault: 'unknown', where: [at, issue.keys[0] ?? ''].filter((part) => part !== '').join('.') }
    return { fault: 'unfit', where: at }
  }
  try {
    const profiles = read.data.profiles.map((each) => ({
      ...each,
      liveUrl: readBaseUrl(each.liveUrl),
      messagingUrl: readBaseUrl(each.messagingUrl),
    }))
    return { ...read.data, profiles }
  } catch {
    return { fault: 'unfit', where: 'profiles' }
  }
}
