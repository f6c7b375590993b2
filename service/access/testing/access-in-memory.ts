import { onTestFinished } from 'vitest'
import { manualClock, manualWallClock } from '../../../platform/testing/manual-clock.ts'
import { silentLog } from '../../log.ts'
import type { ChannelAccessTable } from '../../storage/access-tables.ts'
import { createHeldWrites } from '../../storage/held-writes.ts'
import type { AccessStore, LinkRow } from '../access-store.ts'
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
  const disk = { isFull: false }
  const later = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    if (disk.isFull) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
  }
  const retries = manualClock()
  const held = createHeldWrites({ clock: retries, log: silentLog, changed: () => undefined })
  const store: AccessStore = {
    channels: () => Promise.resolve([...rows.values()]),
    links: () => Promise.resolve([...links.values()]),
    async save(row) {
      await later()
      rows.set(row.cid, row)
    },
    async addLink(row) {
      await later()
      const linkId = links.size + 1
      links.set(linkId, { ...(row as Omit<LinkRow, 'linkId'>), linkId })
      return linkId
    },
    async changeLink(linkId, values) {
      await later()
      links.set(linkId, { ...links.get(linkId)!, ...(values as Partial<LinkRow>) })
    },
    async removeLink(linkId) {
      await later()
      links.delete(linkId)
    },
    async removeChannel() {
      await later()
      rows.clear()
      links.clear()
    },
  }
  const players = createPlayers(clock)
  const tokens = createLinkTokens(key)
  const cookies = createEntryCookies({ key, clock })
  const passphrases = createPassphrases({ key })
  const changed: string[] = []
  const access = await createAccess({
    store,
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
  return { access, players, cookies, passphrases, clock, rows, links, changed, watching, disk, retries }
}
