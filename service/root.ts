import { randomBytes } from 'node:crypto'
import { operations } from '../contract/operations/index.ts'
import { asDiskFault } from '../platform/disk-fault.ts'
import { systemClock } from '../platform/clock.ts'
import { listenOn } from '../platform/listen.ts'
import { createUndoStack } from '../platform/undo-stack.ts'
import { createViewerAccess } from './access/viewer-access.ts'
import { createApplications, defaultLinkHours } from './applications.ts'
import { inBackground } from './background.ts'
import { createBoundedLog } from './bounded-log.ts'
import { createFaults, faultOperations } from './faults/faults.ts'
import { createApiListener } from './http/api-listener.ts'
import { createAuthentication } from './http/authentication.ts'
import { createClients } from './http/clients.ts'
import { createFileReads } from './http/file-reads.ts'
import { createMediaListener } from './http/media-listener.ts'
import { createRateLimiter } from './http/rate-limiter.ts'
import { createRequestIds } from './http/request-ids.ts'
import { createTimeBudget } from './http/time-budget.ts'
import { createLink } from './link/link.ts'
import { linkOperations } from './link/link-operations.ts'
import { createServiceBounds } from './listener-bounds.ts'
import { createListeners, describeListeners, requireSafeApi } from './listeners.ts'
import { localOperations } from './channels/live-operations-local.ts'
import { liveOperations } from './channels/live-operations.ts'
import { mediaRoutes } from './delivery/media-routes.ts'
import { createOwnPreviews } from './ingest/own-previews.ts'
import { createRtmpServer } from './ingest/rtmp-server.ts'
import { createLiveParts } from './live-parts.ts'
import { createLog } from './log.ts'
import { createPeople } from './people.ts'
import { copyDelivery, copyKind } from './copies/copies.ts'
import { createAddressGuard } from './outbox/address-guard.ts'
import { createCallbacks, recordingCallbacks, recordingKind } from './outbox/callbacks.ts'
import { outboxOperations } from './outbox/outbox-operations.ts'
import { createOutbox } from './outbox/outbox.ts'
import { interfaceAddresses, systemResolve } from './outbox/system-resolve.ts'
import { isLoopback } from './public-addresses.ts'
import { createReachParts } from './reach/service-reach.ts'
import { createTold } from './reach/told.ts'
import { quarantineOperations } from './quarantine/quarantine-operations.ts'
import { createPlaybackTickets } from './recording/playback.ts'
import { createRecording } from './recording/recording.ts'
import { retentionOf } from './recording/removal.ts'
import type { Service, ServiceOptions } from './service.ts'
import { openDataFolder } from './data-folder.ts'
import { serviceKey } from './storage/service-key.ts'
import { createTargetService } from './targets/target-service.ts'
import { version } from './version.ts'
import { createGuestCookies } from './watch/guest-cookie.ts'
import { guestOperations } from './watch/guest-operations.ts'
import { readPageFiles } from './watch/page-files.ts'
import { watchRoutes } from './watch/watch-routes.ts'
import { guestsMayWatch, watched } from './watch/watched.ts'

/** What running answers may still take when the service closes, in ms. */
const closeGrace = 1500
/** For how long a conversation's copies gather after one was sent, in ms. */
const copiesGatherFor = 250
const hour = 3_600_000

/**
 * Starts the service: data folder, store, live, recording, messaging, then the listeners. Each part is made of those above it, and what
 * undoes it stands right behind it. Rejects with a sentence, and leaves nothing open, when a step fails.
 */
export async function createService(options: ServiceOptions): Promise<Service> {
  const { api, media, rtmp, dataDir, credentials, trustedProxies = [] } = options
  const clock = options.clock ?? systemClock
  const random = options.random ?? ((bytes: number) => randomBytes(bytes))
  const timeZone = options.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const log = createBoundedLog(options.log ?? createLog(), clock)
  const startedAt = clock.now()
  requireSafeApi(api, trustedProxies, options.tls !== undefined)
  const clients = createClients(trustedProxies)
  const told = createTold(options)
  const tenantNames = [{ name: 'main', credentials }, ...(options.applications ?? [])]

  const undo = createUndoStack((error) => log.error({ err: error }, 'a part did not close cleanly'))
  try {
    // The data folder and what lies in it.
    const budget = createTimeBudget(clock)
    const bounds = createServiceBounds({ log, clock, shared: clients.isTrusted })
    undo.push(() => bounds.close())
    const folder = await openDataFolder({ ...options, callers: budget, clock, log })
    undo.push(() => folder.close())
    const { store, quarantine } = folder
    const { db, reads } = store
    const localTargets = [api, media, rtmp].every(({ host }) => isLoopback(host))
    const applications = await createApplications(db, tenantNames, { clock, random, localTargets })
    const tenants = tenantNames.map((each) => applications.byKey(each.credentials.appKey)!)
    const uids = tenants.map(({ uid }) => uid)
    const settingsOf = (uid: number) => applications.byUid(uid)!.settings
    const listeners = createListeners({ ...options, told, log, doorPorts: () => reach.doorPorts() })
    const { addresses } = listeners
    const base = { clock, random, log, store, db, reads, dataDir, timeZone, budget, quarantine, applications, uids }

    // Live: who publishes and who plays.
    const onAir = await createLiveParts({ ...base, reserve: options.recording?.reserve, undo })
    const { channels, gate, hub, events, tell, holds, lines, hls } = onAir

    // The outbox and what goes through it.
    const resolve = options.resolve ?? systemResolve
    const guard = createAddressGuard({ resolve, ownPorts: () => listeners.ports(), ownAddresses: interfaceAddresses })
    const delivery = copyDelivery({ byUid: (uid) => applications.byUid(uid), clock })
    const fileTickets = createPlaybackTickets({
      clock,
      key: await serviceKey(db, 'recorded files', random),
      expireBy: 'now',
    })
    const fileUrl = (uid: number, file: { readonly vid: number; readonly format: number }): string =>
      addresses().media +
      fileTickets.path(file, (applications.byUid(uid)?.settings.recordingLinkHours ?? defaultLinkHours) * hour).path
    const outbox = await createOutbox({
      ...base,
      guard,
      kinds: { [recordingKind]: recordingCallbacks(store, random, fileUrl), [copyKind]: delivery },
      localAllowed: async (uid) =>
        (applications.byUid(uid)?.settings ?? (await applications.readSettings(uid))).localTargets,
      gatherFor: copiesGatherFor,
    })
    undo.push(() => outbox.close())
    const callbacks = createCallbacks({ store, outbox, random })

    const fileReads = createFileReads(bounds.files)
    const isOwn = createOwnPreviews({ channels, applications, clock })
    const isVisitor: typeof isOwn = (cid, headers) => reach.isVisitor(headers.cookie, cid)
    const targets = await createTargetService({
      ...base,
      channels,
      hub,
      lines,
      tell,
      choices: options,
      resolve,
      ownPorts: () => listeners.ports(),
      ca: options.targetAuthority,
    })
    undo.push(() => targets.close())
    const { isPublic } = told
    const visitors = { isOwn, isVisitor, isPublic, targetsKbps: targets.kbps, hub, tell, held: onAir.held }
    const viewers = await createViewerAccess({ ...base, ...visitors, channels, addresses })
    undo.push(() => viewers.close())

    const recording = await createRecording({
      ...base,
      fileReads,
      fileTickets,
      hub,
      channels,
      durable: (work) => store.durable(work),
      limits: options.recording,
      mayRecord: (uid) => applications.byUid(uid)?.settings.vodEnabled === true,
      retention: () => tenants.map(retentionOf),
      tell,
      listener: { enqueue: callbacks.enqueueCallback, onFile: () => undefined },
      apiRoot: () => addresses().api,
    })
    undo.push(() => recording.close())

    const people = await createPeople({
      ...base,
      outbox,
      copyDelivery: delivery,
      guard,
      copyUrl: options.copyUrl,
      deliveries: options.deliveries,
      addresses,
      fileReads,
      settingsOf,
      channelOwner: (cid) => channels.get(cid)?.row.uid,
      undo,
    })
    const { sessions, secret, guests, isGuest, accounts, messaging, chatroom, records } = people

    // What others reach ends at once: a listener that goes on accepting while another one closes costs time.
    const together = undo.together()
    together(holds.ending)
    const mayWatchRoom = guestsMayWatch({ guests, rooms: chatroom.rooms, entry: viewers.entry })
    const reached = { told, clients, listeners, channels, events, held: onAir.held, isClosed: viewers.isClosed }
    const reach = await createReachParts({ ...base, choices: options, ...reached })
    together(() => reach.close())
    const link = createLink({
      ...base,
      ...messaging.link,
      sessions,
      accounts,
      records,
      handlers: { ...messaging.link.handlers, ...chatroom.handlers },
      entering: (uid, accid) => guests.entered(uid, accid),
      isGuest,
      mayStay: mayWatchRoom,
      mayAsk: (uid, accid, kind, members) => guests.mayAsk(uid, accid, kind, members) && mayWatchRoom(uid, accid),
      isFrozen: (uid) => settingsOf(uid).frozen,
      plainSignIn: options.plainSignIn,
    })
    together(() => link.close())
    viewers.onGuestEnded((uid, accid) => sessions.kick(uid, accid, 'ended'))
    sessions.onEnded(({ id }) => chatroom.sessionEnded(id))
    messaging.link.stream.on((event) => link.deliver(event))
    if (options.plainSignIn)
      log.warn({}, 'accounts may sign in from the network without TLS: others there can read their tokens')

    // The listeners.
    const rtmpServer = createRtmpServer({
      hub: { ...lines, publish: hub.publish, refused: hub.refused },
      gate,
      clock,
      random,
      log,
      ...bounds.rtmp,
      accepted: clients.hold,
      doors: viewers.doors,
    })
    together(() => rtmpServer.close())
    await listeners.bind('rtmp', (port) => rtmpServer.listen(rtmp.host, port))
    const http = { clients, requestId: createRequestIds(random), publicHosts: told.hosts, time: { budget, clock } }
    const page = options.watchDir === undefined ? undefined : await readPageFiles(options.watchDir)
    const watch = watchRoutes({
      clock,
      ...watched(channels, chatroom.rooms, lines.restOf),
      hold: holds.shownHold,
      newest: (cid) => lines.line(cid)?.sent.newest,
      page,
      viewers: (cid) => hub.viewers(cid),
      isSilent: (cid) => hub.isSilent(cid),
      guests,
      cookies: createGuestCookies({ secret, clock, random }),
      appKey: (uid) => applications.byUid(uid)?.appKey,
      origins: told.origins,
      publicLink: told.publicLink,
      entry: viewers.entry,
    })
    const pulls = mediaRoutes({ hub: lines, hls, mayPlay: gate.mayPlay, isOwn, doors: viewers.doors, clock })
    const mediaListener = createMediaListener({
      ...http,
      routes: [watch, reach.routes(page), pulls, recording.fileRoutes, ...messaging.mediaRoutes],
      origins: told.origins,
      bounds: bounds.media,
      link: link.accept,
    })
    together(() => mediaListener.close(closeGrace))
    await mediaListener.app.ready()
    await listeners.bind('media', (port) => listenOn(mediaListener.server, media.host, port))

    const addressOf = (uid: number, kind: string) => (kind === copyKind ? messaging.copies.target(uid).url : undefined)
    const adopters = [recording.adopt, messaging.adopt]
    const description = { version, startedAt, timeZone, dataDir, listeners: () => listeners.states() }
    const faults = options.faults ? createFaults() : undefined
    if (faults) log.warn({}, 'fault injection is served: callers can make operations fail')
    const apiListener = createApiListener({
      ...http,
      served: [
        ...viewers.operations,
        ...targets.operations(viewers),
        ...reach.operations,
        ...holds.operations,
        ...outboxOperations({ callbacks, outbox, guard, addressOf, clock }),
        ...(faults ? faultOperations(faults, operations) : []),
        ...recording.operations,
        ...quarantineOperations({ quarantine, adopters, isMain: (uid) => uid === uids[0] }),
        ...messaging.operations,
        ...chatroom.operations,
        ...linkOperations({ records, accounts, clock }),
        ...guestOperations(guests, chatroom.rooms),
        ...liveOperations({
          channels,
          addresses,
          pullQuery: viewers.pullQuery,
          cut: (cid, why) => void hub.cut(cid, why),
        }),
        ...localOperations({ ...base, channels, events, rtmp: rtmpServer, addresses, hub, recording, description }),
      ],
      authentication: createAuthentication({ byKey: (appKey) => applications.byKey(appKey), clock, random }),
      limiter: createRateLimiter(clock),
      routes: recording.routes,
      failing: faults && ((uid, path) => faults.take(uid, path)),
      log,
      origins: told.publicOrigins,
      tls: reach.apiTls(),
      bounds: bounds.api,
    })
    together(() => apiListener.close(closeGrace))
    // Streams of events would keep the listener open.
    together(() => events.endAll())
    await apiListener.app.ready()
    await listeners.bind('api', (port) => listenOn(apiListener.server, api.host, port))
    await reach.start({ media: mediaListener.further, rtmp: rtmpServer.further }, apiListener)

    outbox.start()
    inBackground(recording.start(), log, 'taking up recordings of before')
    const described = describeListeners(listeners, credentials, options)
    const { baseUrl, mediaUrl, rtmpUrl } = described.ready
    log.info({ baseUrl, mediaUrl, rtmpUrl, channels: channels.of(uids[0]!).length }, 'the service is ready')
    return { ...described, mediaPackets: () => hub.packets(), close: () => undo.close() }
  } catch (error) {
    await undo.close()
    throw asDiskFault(dataDir, error)
  }
}
