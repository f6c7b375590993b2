import { accessModes } from '../../contract/operations/access.ts'
import type { ChannelAccessTable } from '../storage/access-tables.ts'
import type { OwedReason } from '../storage/held-writes.ts'

/** Who may watch a channel. */
export type AccessMode = (typeof accessModes)[number]
/** Changes of who may watch; absent members stay. */
export interface AccessChange {
  readonly mode?: AccessMode | undefined
  readonly closed?: boolean | undefined
  /** Salted hash of a new passphrase. */
  readonly passphrase?: string | undefined
  readonly embedOrigins?: readonly string[] | undefined
}
/** How many players a change ended, and why it is not on the disk. */
export interface Changed {
  readonly ended: number
  readonly owed?: OwedReason
}

/** From who may watch most to least. */
const byStrictness: readonly string[] = accessModes
const originsOf = ({ embedOrigins }: ChannelAccessTable): string[] => JSON.parse(embedOrigins) as string[]

/** Before anything is chosen for a channel. */
export const freshAccess = (cid: string): ChannelAccessTable => ({
  cid,
  mode: 'everybody',
  closed: 0,
  passphrase: null,
  generation: 0,
  embedOrigins: '[]',
  next: null,
  nextTitle: null,
  ownSince: 0,
})

const isStricter = (mode: string, before: string): boolean => byStrictness.indexOf(mode) > byStrictness.indexOf(before)

/** A channel's row with a change at a time; undefined for mode passphrase without one. */
export function withChange(row: ChannelAccessTable, change: AccessChange, at: number): ChannelAccessTable | undefined {
  const { mode: before, passphrase, generation } = row
  const mode = change.mode ?? before
  if (mode === 'passphrase' && (change.passphrase ?? passphrase) === null) return undefined
  const isNewEntry = change.passphrase !== undefined || mode !== before
  const isOwnRenewed = change.passphrase !== undefined || isStricter(mode, before)
  return {
    ...row,
    mode,
    ...(change.closed !== undefined && { closed: Number(change.closed) }),
    ...(change.passphrase !== undefined && { passphrase: change.passphrase }),
    ...(isNewEntry && { generation: generation + 1 }),
    ...(isOwnRenewed && { ownSince: Math.max(at, row.ownSince + 1) }),
    ...(change.embedOrigins !== undefined && { embedOrigins: JSON.stringify(change.embedOrigins) }),
  }
}

/** Whether a change only takes access away, so that it holds whatever the disk says. */
export function takesAway(before: ChannelAccessTable, after: ChannelAccessTable): boolean {
  const [origins, left] = [originsOf(before), originsOf(after)]
  const gives =
    isStricter(before.mode, after.mode) ||
    after.closed < before.closed ||
    left.some((origin) => !origins.includes(origin))
  const takes = after.closed > before.closed || after.generation > before.generation || left.length < origins.length
  return takes && !gives
}

/** Values of the columns that a change gives others; of all where it gives none, as it is stored all the same. */
export function changedColumns(before: ChannelAccessTable, after: ChannelAccessTable): Partial<ChannelAccessTable> {
  const columns = Object.entries(after).filter(([column, value]) => before[column as keyof typeof before] !== value)
  return columns.length === 0 ? after : Object.fromEntries(columns)
}
