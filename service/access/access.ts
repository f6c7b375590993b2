import { accessModes } from '../../contract/operations/access.ts'
import type { Clock } from '../../platform/clock.ts'
import { createKeyedSerial } from '../../platform/serial.ts'
import type { ChannelAccessTable } from '../storage/access-tables.ts'
import type { AccessStore, LinkRow } from './access-store.ts'
import type { EntryCookies } from './entry-cookies.ts'
import { ownLink, type LinkTokens } from './link-tokens.ts'
import type { Passphrases } from './passphrases.ts'
import type { Ground, Players } from './players.ts'
import type { Admission, Visitor } from './visitor.ts'

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

/** How often ended links are looked for, in ms. */
const lookEvery = 500
/** How often the last use of a link is stored at most, in ms. */
const noteEvery = 5_000
const free: Ground = { kind: 'free' }

const fresh = (cid: string): ChannelAccessTable => ({
  cid,
  mode: 'everybody',
  closed: 0,
  passphrase: null,
  generation: 0,
  embedOrigins: '[]',
  next: null,
  nextTitle: null,
})

/** Decides who may watch, from memory; a change is stored before it takes effect. */
export type Access = Awaited<ReturnType<typeof createAccess>>

/** Loads it. */
export async function createAccess(options: {
  readonly store: AccessStore
  readonly tokens: LinkTokens
  readonly cookies: EntryCookies
  readonly passphrases: Passphrases
  readonly players: Players
  readonly clock: Clock
  /** Links of a channel. */
  readonly maxLinks: number
  /** Called after each change of a channel, and each use of a link. */
  readonly changed: (cid: string) => void
  /** A write of a link's last use failed. */
  readonly failed: (error: unknown) => void
}) {
  const { store, tokens, cookies, passphrases, players, clock, maxLinks, changed, failed } = options
  const rows = new Map((await store.channels()).map((row) => [row.cid, row]))
  const links = new Map<string, Map<number, LinkRow>>()
  for (const link of await store.links()) {
    const those = links.get(link.cid) ?? new Map<number, LinkRow>()
    links.set(link.cid, those.set(link.linkId, link))
  }
  const serial = createKeyedSerial<string>()
  const rowOf = (cid: string): ChannelAccessTable => rows.get(cid) ?? fresh(cid)
  const linkOf = (cid: string, linkId: number): LinkRow | undefined => links.get(cid)?.get(linkId)
  const isGood = (link: LinkRow): boolean =>
    link.revoked === null && (link.expires === null || clock.now() < link.expires)
  const mayWatch =
    (cid: string) =>
    (ground: Ground): boolean => {
      if (ground.kind === 'free' || ground.kind === 'visit') return true
      const row = rowOf(cid)
      if (row.closed === 1) return false
      if (ground.kind === 'everybody') return row.mode === 'everybody'
      if (ground.kind === 'passphrase')
        return row.mode === 'everybody' || (row.mode === 'passphrase' && ground.generation === row.generation)
      if (ground.linkId === ownLink) return true
      const link = linkOf(cid, ground.linkId)
      return link !== undefined && isGood(link)
    }
  const review = (cid: string): number =>
    players.review(cid, (ground) => ground.kind !== 'visit' && mayWatch(cid)(ground))

  const admit = (cid: string, visitor: Visitor): Admission => {
    if (visitor.isFree) return { ok: true, ground: free }
    if (visitor.isVisit === true) return { ok: true, ground: { kind: 'visit' } }
    const row = rowOf(cid)
    if (row.closed === 1) return { ok: false, gate: 'closed' }
    const entry = cookies.read(visitor.cookie, cid, row.generation)
    for (const token of [visitor.link, entry.link]) {
      const linkId = token === undefined ? undefined : tokens.read(cid, token)
      const ground: Ground | undefined = linkId === undefined ? undefined : { kind: 'link', linkId }
      if (ground && mayWatch(cid)(ground)) return { ok: true, ground }
    }
    if (row.mode === 'everybody') return { ok: true, ground: { kind: 'everybody' } }
    if (row.mode === 'links') return { ok: false, gate: 'link' }
    return entry.passphrase
      ? { ok: true, ground: { kind: 'passphrase', generation: row.generation } }
      : { ok: false, gate: 'passphrase' }
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

  /** Stores what `valuesOf` makes of the row as it is in its turn; nothing when that is undefined. */
  const save = (
    cid: string,
    valuesOf: (row: ChannelAccessTable) => Partial<ChannelAccessTable> | undefined,
  ): Promise<number | undefined> =>
    serial(cid, async () => {
      const before = rowOf(cid)
      const values = valuesOf(before)
      if (!values) return undefined
      const row = { ...before, ...values }
      await store.save(row)
      rows.set(cid, row)
      if (before.passphrase !== null && before.passphrase !== row.passphrase) passphrases.forget(before.passphrase)
      const ended = review(cid)
      changed(cid)
      return ended
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
    /** As `admit`, with the passphrase of a player; `busy` when too many are being checked. */
    async admitWith(cid: string, visitor: Visitor): Promise<Admission | 'wrong' | 'busy'> {
      const first = admit(cid, visitor)
      const { passphrase, generation, mode } = rowOf(cid)
      if (first.ok || first.gate !== 'passphrase' || visitor.passphrase === undefined || passphrase === null)
        return first
      const entered: Admission = { ok: true, ground: { kind: 'passphrase', generation } }
      if (passphrases.isRemembered(passphrase, visitor.passphrase)) return entered
      const matches = await passphrases.matches(passphrase, visitor.passphrase)
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
    token: (cid: string, linkId: number): string => tokens.write(cid, linkId),
    /** Query that pull addresses of the API carry: those of the application go on when viewers need more. */
    ownQuery: (cid: string): string => (rowOf(cid).mode === 'everybody' ? '' : `?link=${tokens.write(cid, ownLink)}`),
    /** Stores a change; answers the players that it ended. `needsPassphrase` for a mode that has none. */
    async update(cid: string, change: AccessChange): Promise<number | 'needsPassphrase'> {
      const ended = await save(cid, ({ mode, passphrase, generation }) => {
        const to = change.mode ?? mode
        if (to === 'passphrase' && (change.passphrase ?? passphrase) === null) return undefined
        const isNewEntry = change.passphrase !== undefined || to !== mode
        return {
          mode: to,
          ...(change.closed !== undefined && { closed: Number(change.closed) }),
          ...(change.passphrase !== undefined && { passphrase: change.passphrase }),
          ...(isNewEntry && { generation: generation + 1 }),
          ...(change.embedOrigins !== undefined && { embedOrigins: JSON.stringify(change.embedOrigins) }),
        }
      })
      return ended ?? 'needsPassphrase'
    },
    schedule: async (cid: string, next: number | undefined, title: string | undefined): Promise<void> => {
      await save(cid, () => ({ next: next ?? null, nextTitle: next === undefined ? null : (title ?? null) }))
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
    async revokeLink(cid: string, linkId: number): Promise<number | 'unknown'> {
      return serial(cid, async () => {
        const link = linkOf(cid, linkId)
        if (!link) return 'unknown'
        // Again, as after a lost answer: what the first time found stays.
        if (link.revoked !== null) return link.ended ?? 0
        const set = async (values: Partial<LinkRow>): Promise<void> => {
          await store.changeLink(linkId, values)
          links.get(cid)?.set(linkId, { ...link, ...linkOf(cid, linkId), ...values })
        }
        await set({ revoked: clock.now() })
        const ended = review(cid)
        changed(cid)
        await set({ ended })
        return ended
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
