import type { Clock } from '../platform/clock.ts'
import { defaultLinkHours, type Applications } from './applications.ts'
import { copyDelivery, copyKind } from './copies/copies.ts'
import type { NodeCommands } from './bus/node-commands.ts'
import type { Channels } from './channels/channels.ts'
import type { Hub } from './hub/hub.ts'
import type { Bus } from './bus/bus.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { Log } from './log.ts'
import { createAddressGuard, type Resolve } from './outbox/address-guard.ts'
import { createCallbacks, liveCallbackKind, liveKind, recordingCallbacks, recordingKind } from './outbox/callbacks.ts'
import { createLiveCallbacks } from './outbox/live-callbacks.ts'
import { createOutbox } from './outbox/outbox.ts'
import { interfaceAddresses, systemResolve } from './outbox/system-resolve.ts'
import { createPlaybackTickets } from './recording/playback.ts'
import { serviceKey } from './storage/service-key.ts'
import type { Store } from './storage/store.ts'
import type { Spans } from './tracing/spans.ts'

/** For how long a conversation's copies gather after one was sent, in ms. */
const copiesGatherFor = 250
const hour = 3_600_000

/** The outbox and what goes through it: callbacks of recorded files, with their tickets, of broadcasts, and copies. */
export async function createOutgoing(base: {
  readonly store: Store
  readonly bus: Bus
  readonly jobs: Jobs
  readonly cluster: { readonly node: string } | undefined
  readonly applications: Applications
  readonly resolve: Resolve | undefined
  /** On which the service listens itself. */
  readonly ports: () => number[]
  /** Root of the media side. */
  readonly media: () => string
  readonly hub: Pick<Hub, 'on'>
  readonly channels: Pick<Channels, 'get'>
  readonly commands: Pick<NodeCommands, 'self'>
  readonly spans?: Spans | undefined
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly log: Log
}) {
  const { store, applications, ports, media, clock, random, commands } = base
  const resolve = base.resolve ?? systemResolve
  const guard = createAddressGuard({ resolve, ownPorts: ports, ownAddresses: interfaceAddresses })
  const delivery = copyDelivery({ byUid: (uid) => applications.byUid(uid), clock })
  const key = await serviceKey(store.db, 'recorded files', random)
  const fileTickets = createPlaybackTickets({ clock, key, expireBy: 'now' })
  const fileUrl = (uid: number, file: { readonly vid: number; readonly format: number }): string =>
    media() +
    fileTickets.path(file, (applications.byUid(uid)?.settings.recordingLinkHours ?? defaultLinkHours) * hour).path
  const outbox = await createOutbox({
    ...base,
    guard,
    kinds: {
      [recordingKind]: recordingCallbacks(store, random, fileUrl),
      [liveKind]: liveCallbackKind(store, random),
      [copyKind]: delivery,
    },
    localAllowed: async (uid) =>
      (applications.byUid(uid)?.settings ?? (await applications.readSettings(uid))).localTargets,
    gatherFor: copiesGatherFor,
    shared: base.cluster && { node: base.cluster.node, bus: base.bus },
  })
  const node = commands.self
  const told = createLiveCallbacks({ ...base, outbox, node })
  return {
    outbox,
    guard,
    callbacks: createCallbacks({ store, outbox, random }),
    delivery,
    fileTickets,
    resolve,
    ending: told.ending,
    async close() {
      await told.close()
      await outbox.close()
    },
  }
}
