import type { Clock } from '../../platform/clock.ts'
import { createKeyedSerial } from '../../platform/serial.ts'
import type { ChannelAccessTable } from '../storage/access-tables.ts'
import type { HeldWrites } from '../storage/held-writes.ts'
import { freshAccess, takesAway, withChange, type AccessChange, type Changed } from './access-changes.ts'
import type { AccessStore, LinkRow } from './access-store.ts'
import type { EntryCookies } from './entry-cookies.ts'
import { ownLink, ownLinkOf, type LinkTokens } from './link-tokens.ts'
import type { Passphrases } from './passphrases.ts'
import type { Ground, Players } from './players.ts'
import type { Admission, Visitor } from './visitor.ts'

/** How often ended links are looked for, in ms. */
const lookEvery = 500
/** How often the last use of a link is stored at most, in ms. */
const noteEvery = 5_000
const free: Ground = { kind: 'free' }

/** Decides who may watch, from memory; a change is stored before it takes effect unless it takes access away. */
export type Access = Awaited<ReturnType<typeof createAccess>>

/** Loads it. */
export async function createAccess(options: {
  readonly store: AccessStore
  readonly tokens: LinkTokens
  readonly cookies: EntryCookies
  readonly passphrases: Passphrases
  readonly players: Players
  readonly held: Pick<HeldWrites, 'hold'>
  readonly clock: Clock
  /** Links of a channel. */
  readonly maxLinks: number
  /** Called after each change of a channel, and each use of a link. */
  readonly changed: (cid: string) => void
  /** A write of a link's last use failed. */
  readonly failed: (error: unknown) => void
}) {
  const { store, tokens, cookies, passphrases, players, held, clock, maxLinks, changed, failed } = options
  const rows = new Map((await store.channels()).map((row) => [row.cid, row]))
  const links = new Map<string, Map<number, LinkRow>>()
  for (const link of await store.links()) {
    const those = links.get(link.cid) ?? new Map<number, LinkRow>()
    links.set(link.cid, those.set(link.linkId, link))
  }
  const serial = createKeyedSerial<string>()
  const rowOf = (cid: string): ChannelAccessTable => rows.get(cid) ?? freshAccess(cid)
  const linkOf = (cid: string, linkId: number): LinkRow | undefined => links.get(cid)?.get(linkId)
  /** The link of a token; undefined when it is not one of this channel. */
  const readToken = (cid: string, token: string): number | undefined =>
    tokens.read(cid, token, (linkId) => (linkId === ownLink ? rowOf(cid).ownSince : linkOf(cid, linkId)?.created))
  const isGood = (link: LinkRow): boolean =>
    link.revoked === null && (link.expires === null || clock.now() < link.expires)
  const mayWatch =
    (cid: string) =>
    (ground: Ground): boolean => {
      if (ground.kind === 'free') return true
      const row = rowOf(cid)
      if (row.closed === 1) return false
      if (ground.kind === 'visit') return true
      if (ground.kind === 'everybody') return row.mode === 'everybody'
      if (ground.kind === 'passphrase')
        return row.mode === 'everybody' || (row.mode === 'passphrase' && ground.generation === row.generation)
      if (ground.kind === 'own') return ground.since === row.ownSince
      const link = linkOf(cid, ground.linkId)
      return link !== undefined && isGood(link)
    }
  const groundOf = ({ ownSince }: ChannelAccessTable, linkId: number): Ground =>
    linkId === ownLink ? { kind: 'own', since: ownSince } : { kind: 'link', linkId }
  const review = (cid: string): number =>
    players.review(cid, (ground) => ground.kind !== 'visit' && mayWatch(cid)(ground))

  const admit = (cid: string, visitor: Visitor): Admission => {
    if (visitor.isFree) return { ok: true, ground: free }
    const row = rowOf(cid)
    if (row.closed === 1) return { ok: false, gate: 'closed' }
    if (visitor.isVisit === true) return { ok: true, ground: { kind: 'visit' } }
    const entry = cookies.read(visitor.cookie, row)
    let linkOver: 'ended' | 'revoked' | undefined
    for (const token of visitor.isWithoutLink === true ? [] : [visitor.link, entry.link]) {
      const linkId = token === undefined ? undefined : readToken(cid, token)
      const ground = linkId === undefined ? undefined : groundOf(row, linkId)
      if (ground && mayWatch(cid)(ground)) return { ok: true, ground }
      // Of a token that is right: it says nothing to somebody who guesses.
      const link = linkId === undefined ? undefined : linkOf(cid, linkId)
      if (link !== undefined && link.revoked === null) linkOver = 'ended'
      else if (linkId !== undefined) linkOver ??= 'revoked'
    }
    if (row.mode === 'everybody') return { ok: true, ground: { kind: 'everybody' } }
    if (row.mode === 'links')
      return linkOver === 'revoked'
        ? { ok: false, gate: 'link', linkOver }
        : { ok: false, gate: linkOver === 'ended' ? 'ended' : 'link' }
    return entry.passphrase
      ? { ok: true, ground: { kind: 'passphrase', generation: row.generation } }
      : { ok: false, gate: 'passphrase', ...(linkOver && { linkOver }) }
  }

  /** Ends of links that were looked at last. */
  let looked = clock.now()
  const timer = setInterval(() => {
    const before = looked
    looked = clock.now()
    for (const [cid, those] of links)
      if ([...those.values()].some(({ expires }) => expires !== null && expires > before && expires <= looked)) {
        review(cid)
        changed(cid)
      }
  }, lookEvery)
  timer.unref()

  /** Stores what `change` makes of the row as it is in its turn; nothing when that is undefined. */
  const save = (
    cid: string,
    change: (row: ChannelAccessTable) => ChannelAccessTable | undefined,
  ): Promise<Changed | undefined> =>
    serial(cid, async () => {
      const before = rowOf(cid)
      const row = change(before)
      if (!row) return undefined
      const take = (): number => {
        rows.set(cid, row)
        if (before.passphrase !== null && before.passphrase !== row.passphrase) passphrases.forget(before.passphrase)
        const ended = review(cid)
        changed(cid)
        return ended
      }
      const write = (): Promise<void> => store.save(row)
      if (takesAway(before, row)) {
        const ended = take()
        const owed = await held.hold(`who may watch ${cid}`, write, () => saveAgain(cid))
        return { ended, ...(owed && { owed }) }
      }
      await write()
      return { ended: take() }
    })
  /** In turn with other changes of the channel. */
  const saveAgain = (cid: string): Promise<void> =>
    serial(cid, async () => {
      const row = rows.get(cid)
      if (row) await store.save(row)
    })
  const changeLink = (cid: string, linkId: number, values: Partial<LinkRow>): Promise<'unknown' | undefined> =>
    serial(cid, async () => {
      const link = linkOf(cid, linkId)
      if (!link) return 'unknown'
      await store.changeLink(linkId, values)
      // Read again: a use may have been noted meanwhile.
      links.get(cid)?.set(linkId, { ...link, ...linkOf(cid, linkId), ...values })
      return undefined
    })
  const noted = new Map<number, number>()

  return {
    admit,
    /** As `admit`, with the passphrase of a player; `busy` when too many are being checked. `from`: its household. */
    async admitWith(cid: string, visitor: Visitor, from?: string): Promise<Admission | 'wrong' | 'busy'> {
      const first = admit(cid, visitor)
      const { passphrase, generation, mode } = rowOf(cid)
      if (first.ok || first.gate !== 'passphrase' || visitor.passphrase === undefined || passphrase === null)
        return first
      const entered: Admission = { ok: true, ground: { kind: 'passphrase', generation } }
      if (passphrases.isRemembered(passphrase, visitor.passphrase)) return entered
      const matches = await passphrases.matches(passphrase, visitor.passphrase, from)
      if (matches === 'busy') return 'busy'
      if (!matches) return 'wrong'
      // It may have been changed meanwhile.
      return mayWatch(cid)(entered.ground) && mode === 'passphrase' ? entered : admit(cid, visitor)
    },
    /** Whether a passphrase was found right before, so that it needs no slow check. */
    isRemembered(cid: string, passphrase: string): boolean {
      const hash = rowOf(cid).passphrase
      return hash !== null && passphrases.isRemembered(hash, passphrase)
    },
    mayWatch: (cid: string, ground: Ground): boolean => mayWatch(cid)(ground),
    /** Whether a link has room for another player. */
    hasRoom(cid: string, ground: Ground): boolean {
      const most = ground.kind === 'link' ? linkOf(cid, ground.linkId)?.maxViewers : undefined
      return most === undefined || most === null || ground.kind !== 'link' || players.ofLink(cid, ground.linkId) < most
    },
    /** Whether a link bounds its players. */
    isLimited: (cid: string, ground: Ground): boolean =>
      ground.kind === 'link' && (linkOf(cid, ground.linkId)?.maxViewers ?? null) !== null,
    /** Notes that somebody began with a link; `by` is what they use. Stored now and then. */
    used(cid: string, ground: Ground, by: string) {
      const link = ground.kind === 'link' ? linkOf(cid, ground.linkId) : undefined
      if (!link) return
      const lastUsed = clock.now()
      links.get(cid)?.set(link.linkId, { ...link, lastUsed, lastUsedBy: by })
      changed(cid)
      if (clock.monotonic() - (noted.get(link.linkId) ?? -Infinity) < noteEvery) return
      noted.set(link.linkId, clock.monotonic())
      store.changeLink(link.linkId, { lastUsed, lastUsedBy: by }).catch(failed)
    },
    row: rowOf,
    /** Origins whose pages may embed the watch page of a channel. */
    embedOrigins: (cid: string): string[] => JSON.parse(rowOf(cid).embedOrigins) as string[],
    links: (cid: string): LinkRow[] => [...(links.get(cid)?.values() ?? [])].reverse(),
    link: linkOf,
    /** Token of a link that is there. */
    token: (cid: string, linkId: number): string =>
      tokens.write({ cid, linkId, created: linkOf(cid, linkId)?.created ?? 0 }),
    readToken,
    /** Query that pull addresses of the API carry: those of the application go on when viewers need more. */
    ownQuery(cid: string): string {
      const row = rowOf(cid)
      return row.mode === 'everybody' ? '' : `?link=${tokens.write(ownLinkOf(row))}`
    },
    /** Makes and stores a change. `needsPassphrase` for a mode that has none. */
    async update(cid: string, change: AccessChange): Promise<Changed | 'needsPassphrase'> {
      const made = await save(cid, (row) => withChange(row, change, clock.now()))
      return made ?? 'needsPassphrase'
    },
    schedule: async (cid: string, next: number | undefined, title: string | undefined): Promise<void> => {
      await save(cid, (row) => ({ ...row, next: next ?? null, nextTitle: next === undefined ? null : (title ?? null) }))
    },
    /** A broadcast is on air: it is not announced any more once its time is there. */
    begun: async (cid: string): Promise<void> => {
      const isDue = ({ next }: ChannelAccessTable): boolean => next !== null && next <= clock.now()
      if (isDue(rowOf(cid)))
        await save(cid, (row) => (isDue(row) ? { ...row, next: null, nextTitle: null } : undefined))
    },
    addLink: (
      cid: string,
      { name, expires, maxViewers }: { name: string; expires?: number | undefined; maxViewers?: number | undefined },
    ): Promise<number | 'full'> =>
      serial(cid, async () => {
        const those = links.get(cid) ?? new Map<number, LinkRow>()
        if (those.size >= maxLinks) return 'full'
        const row = {
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
        const linkId = await store.addLink(row)
        links.set(cid, those.set(linkId, { ...row, linkId }))
        changed(cid)
        return linkId
      }),
    /** Revokes a link, in memory at once. */
    async revokeLink(cid: string, linkId: number): Promise<Changed | 'unknown'> {
      return serial(cid, async () => {
        const link = linkOf(cid, linkId)
        if (!link) return 'unknown'
        // Again, as after a lost answer: what the first time found stays.
        let ended = link.ended ?? 0
        if (link.revoked === null) {
          const set = (values: Partial<LinkRow>): void =>
            void links.get(cid)?.set(linkId, { ...link, ...linkOf(cid, linkId), ...values })
          set({ revoked: clock.now() })
          ended = review(cid)
          set({ ended })
          changed(cid)
        }
        const write = async (): Promise<void> => {
          const now = linkOf(cid, linkId)
          if (now) await store.changeLink(linkId, { revoked: now.revoked, ended: now.ended })
        }
        const owed = await held.hold(`link ${linkId}`, write, () => serial(cid, write))
        return { ended, ...(owed && { owed }) }
      })
    },
    async restoreLink(cid: string, linkId: number): Promise<'unknown' | undefined> {
      const fault = await changeLink(cid, linkId, { revoked: null, ended: null })
      if (!fault) changed(cid)
      return fault
    },
    /** Deletes a revoked link; `used` for one that still is good. */
    removeLink: (cid: string, linkId: number): Promise<'unknown' | 'used' | undefined> =>
      serial(cid, async () => {
        const link = linkOf(cid, linkId)
        if (!link) return 'unknown'
        if (isGood(link)) return 'used'
        await store.removeLink(linkId)
        links.get(cid)?.delete(linkId)
        noted.delete(linkId)
        changed(cid)
        return undefined
      }),
    /** Forgets a deleted channel. */
    forget: (cid: string): Promise<void> =>
      serial(cid, async () => {
        await store.removeChannel(cid)
        const { passphrase } = rowOf(cid)
        if (passphrase !== null) passphrases.forget(passphrase)
        for (const linkId of links.get(cid)?.keys() ?? []) noted.delete(linkId)
        rows.delete(cid)
        links.delete(cid)
      }),
    async close(): Promise<void> {
      clearInterval(timer)
      await serial.idle()
    },
  }
}
