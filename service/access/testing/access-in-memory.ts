import { onTestFinished } from 'vitest'
import { manualClock, manualWallClock } from '../../../platform/testing/manual-clock.ts'
import type { ChangeKind } from '../../journal/journal.ts'
import { journalWithoutStore } from '../../journal/testing/journal-without-store.ts'
import { madeAgain } from '../../journal/testing/made-again.ts'
import { createKeyedSerial } from '../../../platform/serial.ts'
import { silentLog } from '../../log.ts'
import type { ChannelAccessTable } from '../../storage/access-tables.ts'
import { createHeldWrites } from '../../storage/held-writes.ts'
import { freshAccess } from '../access-changes.ts'
import type { AccessEdit, AccessStore, LinkRow } from '../access-store.ts'
import { createAccess } from '../access.ts'
import { createEntryCookies } from '../entry-cookies.ts'
import { createLinkTokens } from '../link-tokens.ts'
import { createPassphrases } from '../passphrases.ts'
import { createPlayers, type Ground } from '../players.ts'

/** The channel whose players are watched. */
export const cid = 'a'.repeat(32)

/** Who may watch over a store in memory, which answers in a later turn. */
export async function accessInMemory() {
  const clock = manualWallClock()
  const key = Buffer.alloc(32, 7)
  const rows = new Map<string, ChannelAccessTable>()
  const links = new Map<number, LinkRow>()
  const disk = { isFull: false, isAway: false }
  const later = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    if (disk.isFull) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
  }
  const retries = manualClock()
  const held = createHeldWrites({ clock: retries, log: silentLog, changed: () => undefined })
  const store: AccessStore = {
    channels: () => Promise.resolve([...rows.values()]),
    links: () => Promise.resolve([...links.values()]),
    newLinkId: () => Promise.resolve(links.size + 1),
    async write(_transaction, edit) {
      await later()
      const { cid } = edit
      const change = (linkId: number, values: Partial<LinkRow>): void =>
        void links.set(linkId, { ...links.get(linkId)!, ...values })
      if (edit.kind === 'rules') rows.set(cid, { ...(rows.get(cid) ?? freshAccess(cid)), ...edit.values })
      else if (edit.kind === 'addLink') links.set(edit.row.linkId, edit.row)
      else if (edit.kind === 'changeLink') change(edit.linkId, edit.values)
      else if (edit.kind === 'useLink') change(edit.linkId, { lastUsed: edit.at, lastUsedBy: edit.by })
      else if (edit.kind === 'removeLink') links.delete(edit.linkId)
      else {
        rows.clear()
        links.clear()
      }
    },
  }
  const journal = madeAgain(journalWithoutStore())
  const turns = createKeyedSerial<string | number>()
  const inTurn: ChangeKind<unknown>['inTurn'] = (key, work) =>
    disk.isAway ? Promise.reject(new Error('no turn')) : turns(key, work)
  const players = createPlayers(clock)
  const tokens = createLinkTokens(key)
  const cookies = createEntryCookies({ key, clock })
  const passphrases = createPassphrases({ key })
  const changed: string[] = []
  const access = await createAccess({
    store,
    journal: { kind: (name, rules) => ({ ...journal.kind(name, rules), inTurn }) },
    tokens,
    cookies,
    passphrases,
    players,
    held,
    clock,
    maxLinks: 3,
    changed: (of) => changed.push(of),
    failed: (error) => {
      throw error
    },
  })
  onTestFinished(() => access.close())
  /** A player that tells whether it was ended. */
  const watching = (ground: Ground) => {
    const player = { ended: false }
    players.add({ cid, ground, end: () => (player.ended = true) })
    return player
  }
  /** Another service has stored a change. */
  const byAnother = (edit: AccessEdit): void => journal.byAnother('access', edit)
  return { access, byAnother, players, cookies, passphrases, clock, rows, links, changed, watching, disk, retries }
}
