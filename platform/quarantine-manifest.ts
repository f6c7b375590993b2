import { lstatSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { writeAtomicallyNow } from './atomic-file.ts'

/** Why something was quarantined; `replaced`: by a copy. */
export const quarantineReasons = [
  'unknown',
  'unfinished',
  'damaged',
  'newer',
  'notAFile',
  'unreadable',
  'missing',
  'replaced',
] as const
/** One of them. */
export type QuarantineReason = (typeof quarantineReasons)[number]

const manifestName = 'manifest.json'
const datePattern = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/
const maxManifest = 4 * 1024 * 1024

/** What is noted of an entry. */
export interface Manifest {
  readonly at: number
  readonly reason: QuarantineReason
  readonly detail: string
  readonly paths: readonly string[]
  readonly seen: boolean
  /** Dates of presence, besides that of quarantining. */
  readonly days: readonly string[]
}

/** The manifest of an entry; undefined if damaged, as the folder structure gives the original paths. */
export function readManifest(entry: string): Manifest | undefined {
  const file = path.join(entry, manifestName)
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false })
    if (!stats?.isFile() || stats.size > maxManifest) return undefined
    const raw = JSON.parse(readFileSync(file, 'utf8')) as Partial<Record<keyof Manifest, unknown>> | null
    const { at, reason, detail, paths, seen, days } = raw ?? {}
    const known = quarantineReasons.find((each) => each === reason)
    if (typeof at !== 'number' || known === undefined || !Array.isArray(paths)) return undefined
    return {
      at,
      reason: known,
      detail: typeof detail === 'string' ? detail : '',
      paths: paths.filter((each): each is string => typeof each === 'string'),
      seen: seen === true,
      days: Array.isArray(days)
        ? [...new Set(days.filter((each): each is string => typeof each === 'string' && datePattern.test(each)))]
        : [],
    }
  } catch (error) {
    if (error instanceof SyntaxError || (error as { code?: unknown }).code !== undefined) return undefined
    throw error
  }
}

/** Writes the manifest of an entry. */
export const writeManifest = (entry: string, manifest: Manifest): void =>
  writeAtomicallyNow(path.join(entry, manifestName), `${JSON.stringify({ version: 1, ...manifest }, null, 2)}\n`)
