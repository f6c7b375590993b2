import { randomBytes } from 'node:crypto'
import type { IngestFigures, LocalEvent } from '../../../contract/local-events.ts'
import { manualClock } from '../../../platform/testing/manual-clock.ts'
import { temporaryFolder } from '../../hub/testing/fixture.ts'
import type { HubEvent } from '../../hub/hub-events.ts'
import { createMemoryJournal } from '../../journal/memory-journal.ts'
import { madeAgain } from '../../journal/testing/made-again.ts'
import { silentLog } from '../../log.ts'
import { openStore } from '../../storage/testing/open-store.ts'
import type { BroadcastChange } from '../broadcast-changes.ts'
import { createBroadcastRecorder } from '../broadcast-recorder.ts'
import { createBroadcastsStore } from '../broadcasts-store.ts'
import { createBroadcasts } from '../broadcasts.ts'

/** The channel of the rig, and its application. */
export const [rigCid, rigUid] = ['c'.repeat(32), 4711]

/** Services over one store, each with a hub that a test tells what happens; none has listeners. */
export async function startBroadcasts() {
  const folder = temporaryFolder()
  const opened = await openStore(folder.path)
  const clock = manualClock()
  const store = createBroadcastsStore(opened.db)
  const made: { stop(): Promise<void> }[] = []
  const told: (LocalEvent & { type: 'broadcast' })[] = []
  /** Before anything is stored, or once a begin is. */
  const fault: { now?: Error | undefined; after?: Error | undefined; taken?: Error | undefined } = {}
  /** What the next broadcast is called. */
  const next = { title: '' }

  const start = async (node = 'one') => {
    const figures: { now: Omit<IngestFigures, 'viewers'> | undefined; viewers: number } = {
      now: { kbps: 4000, millifps: 30_000, keyFrameGap: 2000, droppedForReaders: 0 },
      viewers: 0,
    }
    let onAir: { readonly broadcastId: string; readonly title: string } | undefined
    let hear = (_event: HubEvent): void => undefined
    let tell = (_event: LocalEvent): void => undefined
    const journal = madeAgain(createMemoryJournal(opened))
    const broadcasts = await createBroadcasts({
      store,
      journal,
      channels: { get: () => onAir, inBroadcast: (_cid, broadcast) => void (onAir = broadcast) },
      tell: (_uid, event) => void (event.type === 'broadcast' && told.push(event)),
      node,
      clock,
      random: randomBytes,
    })
    const recorder = createBroadcastRecorder({
      broadcasts: {
        ...broadcasts,
        async begin(push) {
          if (fault.now) throw fault.now
          const row = await broadcasts.begin(push)
          if (fault.after) throw fault.after
          return row
        },
        end: (...given) => (fault.now ? Promise.reject(fault.now) : broadcasts.end(...given)),
      },
      store: { ...store, note: (...given) => (fault.now ? Promise.reject(fault.now) : store.note(...given)) },
      hub: {
        on(listener) {
          hear = listener
          return () => void (hear = () => undefined)
        },
        figures: () => figures.now && { ...figures.now, viewers: -1 },
      },
      viewers: () => figures.viewers,
      channels: { get: () => ({ row: { uid: rigUid, name: 'Show' }, nextTitle: next.title }) },
      async titleTaken(_cid, title) {
        if (fault.taken) throw fault.taken
        if (next.title === title) next.title = ''
      },
      onTold(listener) {
        tell = listener
        return () => void (tell = () => undefined)
      },
      node,
      clock,
      log: silentLog,
    })
    let isKilled = false
    const one = {
      broadcasts,
      recorder,
      figures,
      onAir: () => onAir,
      /** Another service has stored a change. */
      byAnother: (change: BroadcastChange) => journal.byAnother('broadcast', change),
      /** Tells what the hub tells. */
      async push(type: HubEvent['type'], detail?: string) {
        hear({ type, cid: rigCid, at: clock.now(), ...(detail !== undefined && { detail }) })
        await recorder.settled()
      },
      tell: (event: LocalEvent) => tell(event),
      /** Nothing of it runs any more, as after SIGKILL. */
      kill: async () => {
        isKilled = true
        await recorder.close()
      },
      stop: async () => {
        if (isKilled) return
        recorder.ending()
        await recorder.close()
      },
    }
    made.push(one)
    return one
  }
  return {
    clock,
    store,
    db: opened.db,
    told,
    fault,
    next,
    start,
    /** Passes time, a second at a time, at services that run. */
    async pass(seconds: number, ...those: readonly Awaited<ReturnType<typeof start>>[]) {
      for (let passed = 0; passed < seconds; passed++) {
        clock.advance(1000)
        for (const { recorder } of those) await recorder.settled()
      }
    },
    rows: () => opened.db.selectFrom('broadcast').selectAll().orderBy('began').execute(),
    async close() {
      for (const each of made) await each.stop()
      await opened.close()
      folder.remove()
    },
  }
}
