import type { Clock } from '../../platform/clock.ts'
import type { KeyedSerial } from '../../platform/serial.ts'
import type { ChangeKind } from '../journal/journal.ts'
import type { HeldWrites } from '../storage/held-writes.ts'
import type { Changed } from './access-changes.ts'
import type { AccessRegistry } from './access-registry.ts'
import type { AccessEdit, AccessStore, LinkRow } from './access-store.ts'

/** Whether a link lets in at a time in ms. */
export const isGoodAt = (now: number, { revoked, expires }: LinkRow): boolean =>
  revoked === null && (expires === null || now < expires)

/** Changes of named links. */
export function accessLinks(options: {
  readonly registry: AccessRegistry
  readonly store: Pick<AccessStore, 'newLinkId'>
  readonly changes: ChangeKind<AccessEdit>
  /** Order of the changes of a channel here. */
  readonly serial: KeyedSerial<string>
  readonly held: Pick<HeldWrites, 'hold'>
  readonly clock: Clock
  readonly maxLinks: number
  /** Ends players that may not watch any more; how many. */
  readonly review: (cid: string) => number
  readonly changed: (cid: string) => void
}) {
  const { registry, store, changes, serial, held, clock, maxLinks, review, changed } = options
  const { link: linkOf } = registry
  const inTurn = <T>(cid: string, work: () => Promise<T>) => serial(cid, () => changes.inTurn(cid, work))
  return {
    addLink: (
      cid: string,
      { name, expires, maxViewers }: { name: string; expires?: number | undefined; maxViewers?: number | undefined },
    ): Promise<number | 'full'> =>
      inTurn(cid, async () => {
        if (registry.links(cid).length >= maxLinks) return 'full'
        const linkId = await store.newLinkId()
        const row: LinkRow = {
          linkId,
          cid,
          name,
          created: clock.now(),
          expires: expires ?? null,
          maxViewers: maxViewers ?? null,
          lastUsed: null,
          lastUsedBy: null,
          revoked: null,
          ended: null,
        }
        await changes.commit({ kind: 'addLink', cid, row })
        return linkId
      }),
    /** Revokes a link, in memory at once. */
    revokeLink: (cid: string, linkId: number): Promise<Changed | 'unknown'> =>
      serial(cid, async () => {
        const link = linkOf(cid, linkId)
        if (!link) return 'unknown'
        // Again, as after a lost answer: what the first time found stays.
        let count = link.ended ?? 0
        if (link.revoked === null) {
          const set = (values: Partial<LinkRow>): void =>
            void registry.apply({ kind: 'changeLink', cid, linkId, values })
          set({ revoked: clock.now() })
          count = review(cid)
          set({ ended: count })
          changed(cid)
        }
        const write = async (): Promise<void> => {
          const now = linkOf(cid, linkId)
          const values = now && { revoked: now.revoked, ended: now.ended }
          if (values) await changes.commit({ kind: 'changeLink', cid, linkId, values })
        }
        const owed = await held.hold(
          `link ${linkId}`,
          () => changes.inTurn(cid, write),
          () => inTurn(cid, write),
        )
        return { ended: count, ...(owed && { owed }) }
      }),
    restoreLink: (cid: string, linkId: number): Promise<'unknown' | undefined> =>
      inTurn(cid, async () => {
        if (!linkOf(cid, linkId)) return 'unknown'
        await changes.commit({ kind: 'changeLink', cid, linkId, values: { revoked: null, ended: null } })
        return undefined
      }),
    /** Deletes a revoked link; `used` for one that still is good. */
    removeLink: (cid: string, linkId: number): Promise<'unknown' | 'used' | undefined> =>
      inTurn(cid, async () => {
        const link = linkOf(cid, linkId)
        if (!link) return 'unknown'
        if (isGoodAt(clock.now(), link)) return 'used'
        await changes.commit({ kind: 'removeLink', cid, linkId })
        return undefined
      }),
  }
}
