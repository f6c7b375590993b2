import type { Kysely } from 'kysely'
import type { UndoStack } from '../platform/undo-stack.ts'
import type { Bus } from './bus/bus.ts'
import type { NodeCommands } from './bus/node-commands.ts'
import { createAdmissionLog } from './channels/channels-admissions.ts'
import { createChannelsGate, keepGateTidy } from './channels/channels-gate.ts'
import { createChannelStore } from './channels/channels-store.ts'
import { createChannels } from './channels/channels.ts'
import { createLiveEvents, type LiveEvents } from './channels/events.ts'
import { createHandHolds } from './delay/hand-holds.ts'
import { createHoldSettings } from './delay/hold-settings.ts'
import { createHolds, type HoldFacts } from './delay/holds.ts'
import { createShown } from './delay/shown-elsewhere.ts'
import { createHls } from './delivery/hls-delivery.ts'
import { createHub } from './hub/hub.ts'
import type { Journal } from './journal/journal.ts'
import type { Log } from './log.ts'
import { createClusterOnAir } from './onair/cluster-on-air.ts'
import { onAirAlone, type OnAir } from './onair/on-air.ts'
import type { RedisScripts } from './redis/redis-scripts.ts'
import { createHeldWrites } from './storage/held-writes.ts'
import type { AdmissionTable } from './storage/live-tables.ts'
import type { Tables } from './storage/schema.ts'

type LiveBase = Omit<Parameters<typeof createHolds>[0], 'hub' | 'settings' | 'hands' | 'channels' | 'tell'> & {
  readonly db: Kysely<Tables>
  readonly journal: Journal
  readonly bus: Bus
  readonly commands: NodeCommands
  readonly redis: RedisScripts | undefined
  /** Root of the media side of this node, as players and other nodes reach it. */
  readonly nodeMedia: () => string
  readonly random: (bytes: number) => Buffer
  readonly log: Log
  readonly undo: UndoStack
}

/** Who publishes and who plays: channels, hub, and what viewers get of it. What undoes each step goes to `undo`. */
export async function createLiveParts(base: LiveBase) {
  const { db, journal, bus, commands, redis, nodeMedia, clock, random, log, undo } = base
  let events: LiveEvents | undefined
  const held = createHeldWrites({ clock, log, changed: () => events?.owed() })
  undo.push(() => held.close())
  const channels = await createChannels({ store: createChannelStore(db), journal, clock, random, held })
  const admissions = createAdmissionLog(db, log)
  undo.push(() => admissions.settled())
  const told = bus.topic<AdmissionTable>('admissions')
  const noted = (admission: AdmissionTable): void => {
    admissions.note(admission)
    if (redis) told.publish('all', admission)
  }
  const gate = createChannelsGate({
    channels,
    clock,
    log: { note: noted, forget: admissions.forget },
    earlier: await admissions.load(),
  })
  if (redis) undo.push(told.subscribe('all', gate.heard))
  const holdSettings = await createHoldSettings(base)
  const holdFor = (cid: string): number => holdSettings.of(cid).holdSeconds * 1000
  const air = {} as { on: OnAir }
  const hands = await createHandHolds({
    db,
    journal,
    held,
    clock,
    holdFor,
    failed: (error) => log.warn({ err: error }, 'a hold by hand whose push did not come back could not be removed'),
    ...(redis && { elsewhere: (cid) => air.on.elsewhere(cid) !== undefined }),
  })
  // After the hub, which ends the pushes.
  undo.push(() => (air.on as OnAir | undefined)?.close())
  const hub = createHub({ clock, log, holdFor })
  undo.push(() => hub.close())
  air.on = onAirAlone(hub)
  hub.on(({ type, cid, at }) => {
    if (type === 'started') channels.onAir(cid, at)
    else if (type === 'ended') channels.onAir(cid, air.on.elsewhere(cid)?.since)
  })
  const lost = (cid: string, at: number): void => events?.lost(cid, at)
  if (redis) air.on = createClusterOnAir({ redis, bus, commands, hub, channels, media: nodeMedia, lost, clock, log })
  const onAir = air.on
  const holdOf: { facts?: (cid: string) => HoldFacts } = {}
  const hold = (cid: string): HoldFacts | undefined => holdOf.facts?.(cid)
  const figures = (cid: string) => {
    const known = hub.figures(cid)
    return known && { ...known, viewers: onAir.viewers(cid) }
  }
  const shown = { ...hub, figures, viewers: onAir.viewers }
  const live = (events = createLiveEvents({
    channels,
    hub: shown,
    bus,
    clock,
    hold,
    owed: held.reason,
    ...(redis && { node: commands.self }),
  }))
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
    ...(redis && { known: onAir.before }),
  })
  holdOf.facts = holds.facts
  undo.push(() => holds.close())
  const { lines, shownHold } = holds
  const shownOfPushes = createShown({ bus, redis, hub, onAir, shownHold, clock })
  undo.push(shownOfPushes.close)
  const hls = createHls({ hub: lines, clock, log })
  undo.push(() => hls.close())
  undo.push(keepGateTidy(gate))
  return { channels, gate, hub, onAir, events: live, tell, holds, lines, hls, held, shown: shownOfPushes }
}
