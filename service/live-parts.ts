import type { Kysely } from 'kysely'
import type { UndoStack } from '../platform/undo-stack.ts'
import { createAdmissionLog } from './channels/channels-admissions.ts'
import { createChannelsGate, keepGateTidy } from './channels/channels-gate.ts'
import { createChannelStore } from './channels/channels-store.ts'
import { createChannels } from './channels/channels.ts'
import { createLiveEvents, type LiveEvents } from './channels/events.ts'
import { createHandHolds } from './delay/hand-holds.ts'
import { createHoldSettings } from './delay/hold-settings.ts'
import { createHolds } from './delay/holds.ts'
import { createHls } from './delivery/hls-delivery.ts'
import { createHub } from './hub/hub.ts'
import type { Log } from './log.ts'
import { createHeldWrites } from './storage/held-writes.ts'
import type { Tables } from './storage/schema.ts'

type LiveBase = Omit<Parameters<typeof createHolds>[0], 'hub' | 'settings' | 'hands' | 'channels' | 'tell'> & {
  readonly db: Kysely<Tables>
  readonly random: (bytes: number) => Buffer
  readonly log: Log
  readonly undo: UndoStack
}

/** Who publishes and who plays: channels, hub, and what viewers get of it. What undoes each step goes to `undo`. */
export async function createLiveParts(base: LiveBase) {
  const { db, clock, random, log, undo } = base
  let events: LiveEvents | undefined
  const held = createHeldWrites({ clock, log, changed: () => events?.owed() })
  undo.push(() => held.close())
  const channels = await createChannels({ store: createChannelStore(db), clock, random, held })
  const admissions = createAdmissionLog(db, log)
  undo.push(() => admissions.settled())
  const gate = createChannelsGate({ channels, clock, log: admissions, earlier: await admissions.load() })
  const holdSettings = await createHoldSettings(db)
  const holdFor = (cid: string): number => holdSettings.of(cid).holdSeconds * 1000
  const hands = await createHandHolds({
    db,
    held,
    clock,
    holdFor,
    failed: (error) => log.warn({ err: error }, 'a hold by hand whose push did not come back could not be removed'),
  })
  const hub = createHub({ clock, log, holdFor })
  undo.push(() => hub.close())
  hub.on(({ type, cid, at }) => {
    if (type === 'started') channels.onAir(cid, at)
    else if (type === 'ended') channels.onAir(cid, undefined)
  })
  const live = (events = createLiveEvents({ channels, hub, clock, owed: held.reason }))
  undo.push(() => live.close())
  const { tell } = live
  // What viewers and targets join, instead of the hub.
  const holds = await createHolds({
    ...base,
    hub,
    settings: holdSettings,
    hands,
    channels,
    tell,
  })
  undo.push(() => holds.close())
  const { lines } = holds
  const hls = createHls({ hub: lines, clock, log })
  undo.push(() => hls.close())
  undo.push(keepGateTidy(gate))
  return { channels, gate, hub, events: live, tell, holds, lines, hls, held }
}
