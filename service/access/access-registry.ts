import type { ChannelAccessTable } from '../storage/access-tables.ts'
import { freshAccess } from './access-changes.ts'
import type { AccessEdit, LinkRow } from './access-store.ts'

/** Who may watch each channel, in memory. */
export type AccessRegistry = ReturnType<typeof createAccessRegistry>

const isSame = <T extends object>(before: T, after: T): boolean =>
  (Object.keys(after) as (keyof T)[]).every((column) => before[column] === after[column])

/** Makes it from what is stored. */
export function createAccessRegistry(stored: {
  readonly rows: readonly ChannelAccessTable[]
  readonly links: readonly LinkRow[]
}) {
  const rows = new Map(stored.rows.map((row) => [row.cid, row]))
  const links = new Map<string, Map<number, LinkRow>>()
  const put = (link: LinkRow): void => {
    const those = links.get(link.cid) ?? new Map<number, LinkRow>()
    links.set(link.cid, those.set(link.linkId, link))
  }
  for (const link of stored.links) put(link)
  const row = (cid: string): ChannelAccessTable => rows.get(cid) ?? freshAccess(cid)
  const link = (cid: string, linkId: number): LinkRow | undefined => links.get(cid)?.get(linkId)
  const revise = (before: LinkRow | undefined, values: Partial<LinkRow>): boolean => {
    if (!before) return false
    const after = { ...before, ...values }
    put(after)
    return !isSame(before, after)
  }

  return {
    row,
    link,
    /** Links of a channel, oldest first. */
    links: (cid: string): LinkRow[] => [...(links.get(cid)?.values() ?? [])],
    channels: () => links.keys(),
    /** Whether anything is stored of a channel. */
    has: (cid: string): boolean => rows.has(cid) || (links.get(cid)?.size ?? 0) > 0,
    /** Makes a change; whether anything is other than before. */
    apply(edit: AccessEdit): boolean {
      const { cid } = edit
      switch (edit.kind) {
        case 'rules': {
          const before = row(cid)
          const after = { ...before, ...edit.values }
          rows.set(cid, after)
          return !isSame(before, after)
        }
        case 'addLink': {
          const before = link(cid, edit.row.linkId)
          put(edit.row)
          return before === undefined || !isSame(before, edit.row)
        }
        case 'changeLink':
          return revise(link(cid, edit.linkId), edit.values)
        case 'useLink': {
          const before = link(cid, edit.linkId)
          // Of this service, a later use may be in memory that is stored with the next one.
          if ((before?.lastUsed ?? -Infinity) >= edit.at) return false
          return revise(before, { lastUsed: edit.at, lastUsedBy: edit.by })
        }
        case 'removeLink':
          return links.get(cid)?.delete(edit.linkId) ?? false
        case 'forget':
          return [rows.delete(cid), links.delete(cid)].includes(true)
      }
    },
  }
}
