import type { Clock } from '../../platform/clock.ts'
import { createKeyedSerial } from '../../platform/serial.ts'
import type { Journal } from '../journal/journal.ts'
import type { ChannelAccessTable } from '../storage/access-tables.ts'
import type { HeldWrites } from '../storage/held-writes.ts'
import { changedColumns, takesAway, withChange, type AccessChange, type Changed } from './access-changes.ts'
import { accessLinks, isGoodAt } from './access-links.ts'
import { createAccessRegistry } from './access-registry.ts'
import type { AccessEdit, AccessStore, LinkRow } from './access-store.ts'
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

/**
 * Decides who may watch, from memory. A change is stored before it takes effect, except for what takes access away:
 * that is in force at once, and stored then.
 */
export type Access = Awaited<ReturnType<typeof createAccess>>

/** Loads it. */
export async function createAccess(options: {
  readonly store: AccessStore
  readonly journal: Journal
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
  const { store, journal, tokens, cookies, passphrases, players, held, clock, changed, failed } = options
  const registry = createAccessRegistry({ rows: await store.channels(), links: await store.links() })
  const { row: rowOf, link: linkOf } = registry
  /** The link of a token; undefined when it is not one of this channel. */
  const readToken = (cid: string, token: string): number | undefined =>
    tokens.read(cid, token, (linkId) => (linkId === ownLink ? rowOf(cid).ownSince : linkOf(cid, linkId)?.created))
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
      return link !== undefined && isGoodAt(clock.now(), link)
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
    if (visitor.grant && mayWatch(cid)(visitor.grant)) return { ok: true, ground: visitor.grant }
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
    for (const cid of registry.channels())
      if (registry.links(cid).some(({ expires }) => expires !== null && expires > before && expires <= looked)) {
        review(cid)
        changed(cid)
      }
  }, lookEvery)
  timer.unref()

  /** Players that the last change of a channel's rules ended. */
  const ended = new Map<string, number>()
  const noted = new Map<number, number>()
  /** Channels whose rules are in force as they are here, and not stored so. */
  const ahead = new Set<string>()
  const apply = (edit: AccessEdit): void => {
    const { cid } = edit
    const { passphrase } = rowOf(cid)
    if (edit.kind === 'removeLink') noted.delete(edit.linkId)
    if (edit.kind === 'forget') for (const { linkId } of registry.links(cid)) noted.delete(linkId)
    if (!registry.apply(edit)) return
    if (passphrase !== null && passphrase !== rowOf(cid).passphrase) passphrases.forget(passphrase)
    if (edit.kind === 'forget') {
      ahead.delete(cid)
      ended.delete(cid)
      return
    }
    if (edit.kind !== 'useLink') ended.set(cid, review(cid))
    changed(cid)
  }
  const changes = journal.kind<AccessEdit>('access', { store: store.write, apply })

  const write = async (cid: string, values: Partial<ChannelAccessTable>): Promise<void> => {
    await changes.commit({ kind: 'rules', cid, values })
    ahead.delete(cid)
  }
  /** Here: what takes access away is in force before its turn among services, which may be hard to get. */
  const serial = createKeyedSerial<string>()
  const inTurn = <T>(cid: string, work: () => Promise<T>) => serial(cid, () => changes.inTurn(cid, work))
  /** Stores what `change` makes of the row as it is in its turn; nothing when that is undefined. */
  const save = (
    cid: string,
    change: (row: ChannelAccessTable) => ChannelAccessTable | undefined,
  ): Promise<Changed | undefined> => {
    const made = () => {
      const before = rowOf(cid)
      const row = change(before)
      // Alone: another service may have what takes access away in force in other columns, and not stored yet.
      return row && { takes: takesAway(before, row), values: ahead.has(cid) ? row : changedColumns(before, row) }
    }
    return serial(cid, async () => {
      const first = made()
      ended.delete(cid)
      if (first?.takes !== true)
        return changes.inTurn(cid, async () => {
          const { values } = made() ?? {}
          if (!values) return undefined
          await write(cid, values)
          // Told also where nothing is other than before.
          if (!ended.has(cid)) changed(cid)
          return { ended: ended.get(cid) ?? 0 }
        })
      const { values } = first
      apply({ kind: 'rules', cid, values })
      ahead.add(cid)
      const count = ended.get(cid) ?? 0
      const again = () => inTurn(cid, async () => void (ahead.has(cid) && (await write(cid, rowOf(cid)))))
      const store = () => changes.inTurn(cid, () => write(cid, values))
      const owed = await held.hold(`who may watch ${cid}`, store, again)
      return { ended: count, ...(owed && { owed }) }
    })
  }

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
      registry.apply({ kind: 'changeLink', cid, linkId: link.linkId, values: { lastUsed, lastUsedBy: by } })
      changed(cid)
      if (clock.monotonic() - (noted.get(link.linkId) ?? -Infinity) < noteEvery) return
      noted.set(link.linkId, clock.monotonic())
      changes.commit({ kind: 'useLink', cid, linkId: link.linkId, at: lastUsed, by }).catch(failed)
    },
    row: rowOf,
    /** Origins whose pages may embed the watch page of a channel. */
    embedOrigins: (cid: string): string[] => JSON.parse(rowOf(cid).embedOrigins) as string[],
    /** Newest first. */
    links: (cid: string): LinkRow[] => registry.links(cid).reverse(),
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
    schedule: async (cid: string, next: number | undefined, title: string): Promise<void> => {
      await save(cid, (row) => ({ ...row, next: next ?? null, nextTitle: title === '' ? null : title }))
    },
    /** What the next broadcast is called. */
    nameNext: async (cid: string, title: string): Promise<void> => {
      await save(cid, (row) => ({ ...row, nextTitle: title === '' ? null : title }))
    },
    /** A broadcast is on air: it is not announced any more once its time is there. */
    begun: async (cid: string): Promise<void> => {
      const isDue = ({ next }: ChannelAccessTable): boolean => next !== null && next <= clock.now()
      if (isDue(rowOf(cid)))
        await save(cid, (row) => (isDue(row) ? { ...row, next: null, nextTitle: null } : undefined))
    },
    /** A broadcast began with this title. What is announced for later stays, as that may have been a trial. */
    titleTaken: async (cid: string, title: string): Promise<void> => {
      const isOver = ({ next, nextTitle }: ChannelAccessTable): boolean =>
        nextTitle === title && (next === null || next <= clock.now())
      if (isOver(rowOf(cid))) await save(cid, (row) => (isOver(row) ? { ...row, nextTitle: null } : undefined))
    },
    ...accessLinks({ ...options, registry, changes, serial, review }),
    /** Forgets a deleted channel. */
    forget: (cid: string): Promise<void> =>
      inTurn(cid, async () => {
        if (registry.has(cid)) await changes.commit({ kind: 'forget', cid })
      }),
    async close(): Promise<void> {
      clearInterval(timer)
      await serial.idle()
    },
  }
}
