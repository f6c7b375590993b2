import { sameBroadcastWithin, type BroadcastEnd } from '../../contract/operations/broadcasts.ts'
import type { LocalEvent } from '../../contract/local-events.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Channels } from '../channels/channels.ts'
import type { Journal } from '../journal/journal.ts'
import type { BroadcastTable } from '../storage/broadcast-tables.ts'
import { writeBroadcast, type BroadcastChange } from './broadcast-changes.ts'
import type { BroadcastsStore } from './broadcasts-store.ts'

/** A push that began. */
export interface BegunPush {
  readonly uid: number
  readonly cid: string
  /** Name of the channel. */
  readonly channel: string
  /** What a broadcast is called that begins with it; empty without a title. */
  readonly title: string
  readonly at: number
  /** How the push before it ended, where it was replaced. */
  readonly before?: { readonly at: number; readonly how: BroadcastEnd } | undefined
}

/** Which broadcast each channel has on air and what it is called, on every node. */
export type Broadcasts = Awaited<ReturnType<typeof createBroadcasts>>

/** A row of no measurements. */
const nothingYet = { measured: 0, viewers: 0, peak: 0, leftOut: 0 }

/** Makes it: the registry of channels follows. */
export async function createBroadcasts(options: {
  readonly store: BroadcastsStore
  readonly journal: Journal
  readonly channels: Pick<Channels, 'inBroadcast'> & {
    get(cid: string): { readonly broadcastId?: string | undefined } | undefined
  }
  readonly tell: (uid: number, event: LocalEvent) => void
  /** Name of this service among those that share the database. */
  readonly node: string
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
}) {
  const { store, journal, channels, tell, node, clock, random } = options
  const changes = journal.kind<BroadcastChange>('broadcast', {
    store: writeBroadcast,
    apply(change) {
      if (change.kind === 'begin') channels.inBroadcast(change.row.cid, change.row)
      // Of one that is open and not on air, as after a kill, it changes the row alone.
      else if (change.kind !== 'title' || channels.get(change.cid)?.broadcastId === change.broadcastId)
        channels.inBroadcast(change.cid, change.kind === 'end' ? undefined : { title: '', ...change })
    },
  })
  for (const row of await store.open()) if (row.node !== node) channels.inBroadcast(row.cid, row)

  const told = (
    { uid, cid, broadcastId }: Pick<BroadcastTable, 'uid' | 'cid' | 'broadcastId'>,
    change: Extract<LocalEvent, { readonly type: 'broadcast' }>['change'],
    how?: string,
  ): void =>
    tell(uid, { type: 'broadcast', at: clock.now(), cid, broadcastId, change, ...(how !== undefined && { how }) })
  const close = async (row: BroadcastTable, at: number, how: BroadcastEnd): Promise<void> => {
    const { broadcastId, cid } = row
    await changes.commit({ kind: 'end', broadcastId, cid, at, how })
    told(row, 'ended', how)
  }
  /** How a push ended of which its own service has not told it. */
  const unknownEnd = (row: BroadcastTable): BroadcastEnd => (row.node === node ? 'restarted' : 'node')

  return {
    /** A push begins here: it goes on with the last broadcast of its channel, or begins one. The row before it. */
    begin: ({ uid, cid, channel, title, at, before }: BegunPush): Promise<BroadcastTable> =>
      changes.inTurn(cid, async () => {
        const last = await store.newest(uid, cid)
        const isOpen = last?.ended === 0
        // It is stored already: whoever stored it was not told.
        if (isOpen && last.node === node && (await store.lastPush(last)) === at) return last
        const over = last && (isOpen ? (before?.at ?? last.seen) : last.ended)
        const how = last && (before?.how ?? unknownEnd(last))
        // A clock that was set back by more makes it another one, as what is of one would have no order.
        if (last && Math.abs(at - over!) <= sameBroadcastWithin) {
          await changes.commit({
            kind: 'goOn',
            broadcastId: last.broadcastId,
            cid,
            title: last.title,
            at,
            node,
            before: isOpen ? { at: over!, how: how! } : undefined,
          })
          told(last, isOpen && before ? 'changed' : 'wentOn')
          return last
        }
        if (isOpen) await close(last, over!, how!)
        const broadcastId = random(12).toString('hex')
        const times = { began: at, ended: 0, seen: at }
        const row = { broadcastId, uid, cid, channel, title, ...times, how: '', node, pushes: 1, ...nothingYet }
        await changes.commit({ kind: 'begin', row })
        told(row, 'began')
        return row
      }),
    /** Its last push ended; nothing where another node has the broadcast since, or it was ended. */
    end: (broadcastId: string, cid: string, at: number, how: BroadcastEnd): Promise<void> =>
      changes.inTurn(cid, async () => {
        const row = await store.one(broadcastId)
        if (row?.ended === 0 && row.node === node) await close(row, at, how)
      }),
    /** A broadcast is over that nobody has seen since it was read. */
    lost: (row: BroadcastTable): Promise<void> =>
      changes.inTurn(row.cid, async () => {
        const now = await store.one(row.broadcastId)
        if (now?.ended === 0 && now.seen === row.seen) await close(now, now.seen, unknownEnd(now))
      }),
    setTitle: (row: BroadcastTable, title: string): Promise<void> =>
      changes.inTurn(row.cid, async () => {
        const { broadcastId, cid } = row
        // Of the one on air every service tells viewers the title, and keeps it in memory.
        if ((await store.one(broadcastId))?.ended === 0)
          await changes.commit({ kind: 'title', broadcastId, cid, title })
        else await store.setTitle(broadcastId, title)
        told(row, 'changed')
      }),
    /** False while it is on air. */
    remove: (row: BroadcastTable): Promise<boolean> =>
      changes.inTurn(row.cid, async () => {
        if ((await store.one(row.broadcastId))?.ended === 0) return false
        await store.remove(row.broadcastId)
        told(row, 'removed')
        return true
      }),
    /** Some were removed by age or count. */
    removed(uid: number, gone: readonly Pick<BroadcastTable, 'cid' | 'broadcastId'>[]) {
      for (const row of gone) told({ uid, ...row }, 'removed')
    },
    idle: changes.idle,
  }
}
