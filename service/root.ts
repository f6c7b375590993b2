import { randomBytes } from 'node:crypto'
import { operations } from '../contract/operations/index.ts'
import { asDiskFault } from '../platform/disk-fault.ts'
import { listenOn } from '../platform/listen.ts'
import { createUndoStack } from '../platform/undo-stack.ts'
import { createViewerAccess } from './access/viewer-access.ts'
import { inBackground } from './background.ts'
import { createBroadcastService } from './broadcasts/broadcast-service.ts'
import { createBaseParts } from './base-parts.ts'
import { createBoundedLog } from './bounded-log.ts'
import { createFaults, faultOperations } from './faults/faults.ts'
import { createApiListener } from './http/api-listener.ts'
import { createAuthentication } from './http/authentication.ts'
import { createClients } from './http/clients.ts'
import { createFileReads } from './http/file-reads.ts'
import { createMediaListener } from './http/media-listener.ts'
import { rateLimiterOf } from './http/shared-rate-limiter.ts'
import { createRequestIds } from './http/request-ids.ts'
import { createTimeBudget } from './http/time-budget.ts'
import { createLink } from './link/link.ts'
import { linkOperations } from './link/link-operations.ts'
import { freshHandlers } from './fresh.ts'
import { openIngestServers } from './ingest-servers/ingest-servers.ts'
import { createServiceBounds } from './listener-bounds.ts'
import { createListeners, describeListeners, requireSafeApi } from './listeners.ts'
import { localOperations } from './channels/live-operations-local.ts'
import { liveOperations } from './channels/live-operations.ts'
import { mediaRoutes } from './delivery/media-routes.ts'
import { createOwnPreviews } from './ingest/own-previews.ts'
import { createRtmpServer } from './ingest/rtmp-server.ts'
import { createLiveParts } from './live-parts.ts'
import { createLog } from './log.ts'
import { atOwner } from './onair/at-owner.ts'
import { originsOfNodes } from './onair/on-air.ts'
import { copyKind } from './copies/copies.ts'
import { createOutgoing } from './outgoing.ts'
import { createPeople } from './people.ts'
import { outboxOperations } from './outbox/outbox-operations.ts'
import { createReachParts } from './reach/service-reach.ts'
import { createTold } from './reach/told.ts'
import { createNodePulls } from './pulls/node-pulls.ts'
import { quarantineOperations } from './quarantine/quarantine-operations.ts'
import { openMonitor } from './metrics/monitor.ts'
import { createServiceCounts } from './metrics/service-counts.ts'
import { createRecording } from './recording/recording.ts'
import { retentionOf } from './recording/removal.ts'
import type { Service, ServiceOptions } from './service.ts'
import { serviceClock } from './service-clock.ts'
import { createTargetService } from './targets/target-service.ts'
import { version } from './version.ts'
import { createGuestCookies } from './watch/guest-cookie.ts'
import { guestOperations } from './watch/guest-operations.ts'
import { readPageFiles } from './watch/page-files.ts'
import { watchRoutes } from './watch/watch-routes.ts'
import { guestsHere, guestsMayWatch, watched } from './watch/watched.ts'

/** What running answers may still take when the service closes, in ms. */
const closeGrace = 1500

/**
 * Starts the service: data folder, store, live, recording, messaging, then the listeners. Each part is made of those
 * above it, with its undoing behind it. Rejects with a sentence, and leaves nothing open, when a step fails.
 */
export async function createService(options: ServiceOptions): Promise<Service> {
  const { api, media, rtmp, dataDir, credentials, spans, trustedProxies = [] } = options
  const clock = serviceClock(options)
  const random = options.random ?? ((bytes: number) => randomBytes(bytes))
  const timeZone = options.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const log = createBoundedLog(options.log ?? createLog(), clock)
  requireSafeApi(api, trustedProxies, options.tls !== undefined)
  const clients = createClients(trustedProxies)
  const told = createTold({ ...options, nodeMedia: options.cluster?.media })
  const grace = options.drain ?? closeGrace

  const undo = createUndoStack((error) => log.error({ err: error }, 'a part did not close cleanly'))
  try {
    // The data folder and what lies in it.
    const budget = createTimeBudget(clock)
    const bounds = createServiceBounds({ log, clock, shared: clients.isTrusted })
    undo.push(() => bounds.close())
    const counts = createServiceCounts()
    const time = { budget, clock }
    const http = { clients, requestId: createRequestIds(random, clients), publicHosts: told.hosts, time, log }
    const monitor = await openMonitor(options.metrics, { ...http, bounds: bounds.metrics, counts, clock })
    undo.push(() => monitor.close())
    const made = { counts, budget, clock, random, log, timeZone, undo }
    const { base, engines, tenants } = await createBaseParts(options, made)
    const startedAt = clock.now()
    const { store, applications, uids } = base
    const settingsOf = (uid: number) => applications.byUid(uid)!.settings
    const doorPorts = () => [...reach.doorPorts(), ...monitor.ports(), ...hooks.ports()]
    const listeners = createListeners({ ...options, told, log, doorPorts })
    const { addresses, ports } = listeners

    // Live: who publishes and who plays.
    const nodeMedia = (): string => options.cluster?.media ?? addresses().media
    const live = await createLiveParts({ ...base, nodeMedia, reserve: options.recording?.reserve, undo })
    const { channels, gate, hub, onAir, events, tell, holds, lines, hls } = live

    const asking = { ...http, ...live, bounds: bounds.hooks, clock, listeners, resolve: options.resolve, undo }
    const hooks = await openIngestServers(options.hooks, asking)

    // The outbox and what goes through it.
    const goings = { spans, resolve: options.resolve, ports, media: () => addresses().media }
    const going = await createOutgoing({ ...base, hub, channels, ...goings })
    const { outbox, guard, callbacks, delivery, fileTickets, resolve } = going
    undo.push(() => going.close())

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
    const visitors = { isOwn, isVisitor, isPublic, targetsKbps: targets.kbps, hub, onAir, held: live.held }
    const viewers = await createViewerAccess({ ...base, ...visitors, tellHere: events.tellHere, channels, addresses })
    undo.push(() => viewers.close())

    const recording = await createRecording({
      ...base,
      spans,
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
      mediaRoot: () => addresses().media,
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
    const broadcasts = await createBroadcastService({ ...base, ...live, ...viewers, rooms: chatroom.rooms, undo })

    // What others reach ends at once: a listener that goes on accepting while another one closes costs time.
    const together = undo.together()
    for (const { ending } of [holds, going, broadcasts]) together(ending)
    const mayWatchRoom = guestsMayWatch({ guests, rooms: chatroom.rooms, entry: viewers.entry })
    const reached = { told, clients, listeners, channels, events, held: live.held, isClosed: viewers.isClosed }
    const reach = await createReachParts({ ...base, choices: options, ...reached })
    together(() => reach.close())
    const link = createLink({
      ...base,
      ...messaging.link,
      sessions,
      accounts,
      records,
      handlers: freshHandlers(engines.fresh, { ...messaging.link.handlers, ...chatroom.handlers }),
      bring: guests.bring,
      entering: guests.entered,
      isGuest,
      mayStay: mayWatchRoom,
      mayAsk: (uid, accid, kind, members) => guests.mayAsk(uid, accid, kind, members) && mayWatchRoom(uid, accid),
      isFrozen: (uid) => settingsOf(uid).frozen,
      plainSignIn: options.plainSignIn,
    })
    together(() => link.close())
    viewers.guestsAre(guestsHere({ sessions, guests, rooms: chatroom.rooms }))
    sessions.onEnded(({ id }) => chatroom.sessionEnded(id))
    messaging.link.stream.on((event) => link.deliver(event))
    if (options.plainSignIn)
      log.warn({}, 'accounts may sign in from the network without TLS: others there can read their tokens')

    // The listeners, which answer by what every service has stored.
    await engines.start()
    const pulled = createNodePulls({ ...base, ...live, grants: viewers.grants, undo })
    const rtmpServer = createRtmpServer({
      hub: { ...lines, join: pulled.join, publish: hub.publish, refused: hub.refused },
      gate,
      begin: onAir.begin,
      clock,
      random,
      log,
      ...bounds.rtmp,
      accepted: clients.hold,
      doors: viewers.doors,
      counts: counts.mediaCounts.rtmp,
    })
    together(() => rtmpServer.close())
    await listeners.bind('rtmp', (port) => rtmpServer.listen(rtmp.host, port))
    const page = options.watchDir === undefined ? undefined : await readPageFiles(options.watchDir)
    const watch = watchRoutes({
      clock,
      ...watched(channels, chatroom.rooms, lines),
      ...live.shown,
      newest: (cid) => lines.line(cid)?.sent.newest,
      page,
      viewers: onAir.viewers,
      maxWaiting: bounds.waiting,
      onBegun: (call) => channels.on(({ row, since }) => since !== undefined && call(row.cid)),
      guests,
      cookies: createGuestCookies({ secret, clock, random }),
      appKey: (uid) => applications.byUid(uid)?.appKey,
      origins: told.origins,
      publicLink: told.publicLink,
      entry: viewers.entry,
      redis: engines.redis,
      mediaRoots: onAir.mediaRoots,
    })
    const owners = { of: onAir.elsewhere, grant: viewers.grants.write }
    const shown = { hub: lines, hls, doors: viewers.doors, counts: counts.mediaCounts }
    const pulls = mediaRoutes({ ...shown, mayPlay: gate.mayPlay, isOwn, clock, ...(options.cluster && { owners }) })
    const mediaListener = createMediaListener({
      ...http,
      routes: [watch, reach.routes(page), pulls, pulled.routes, recording.fileRoutes, ...messaging.mediaRoutes],
      origins: originsOfNodes(told.origins, onAir),
      bounds: bounds.media,
      link: link.accept,
    })
    together(() => mediaListener.close(grace))
    await mediaListener.app.ready()
    await listeners.bind('media', (port) => listenOn(mediaListener.server, media.host, port))

    const addressOf = (uid: number, kind: string) => (kind === copyKind ? messaging.copies.target(uid).url : undefined)
    const adopters = [recording.adopt, messaging.adopt]
    const description = { version, startedAt, timeZone, dataDir, listeners: () => listeners.states() }
    const ofPushes = { ...base, hub: onAir, addresses, description }
    const faults = options.faults ? createFaults() : undefined
    if (faults) log.warn({}, 'fault injection is served: callers can make operations fail')
    const apiListener = createApiListener({
      ...http,
      served: atOwner({ ...base, onAir }, [
        ...viewers.operations,
        ...targets.operations(viewers),
        ...reach.operations,
        ...holds.operations,
        ...broadcasts.operations,
        ...outboxOperations({ callbacks, outbox, guard, addressOf, clock }),
        ...(faults ? faultOperations(faults, operations) : []),
        ...recording.operations,
        ...quarantineOperations({ ...base, adopters, isMain: (uid) => uid === uids[0] }),
        ...messaging.operations,
        ...chatroom.operations,
        ...linkOperations({ records, accounts, clock }),
        ...guestOperations(guests, chatroom.rooms),
        ...liveOperations({ channels, addresses, pullQuery: viewers.pullQuery, cut: onAir.cut }),
        ...localOperations({ ...ofPushes, channels, events, rtmp: rtmpServer, recording }),
      ]),
      authentication: createAuthentication({ ...base, byKey: applications.byKey }),
      limiter: rateLimiterOf(engines.redis, 'api', clock),
      routes: recording.routes,
      counts: counts.requestCounts,
      spans,
      failing: faults && ((uid, path) => faults.take(uid, path)),
      origins: told.publicOrigins,
      tls: reach.apiTls(),
      bounds: bounds.api,
    })
    together(() => apiListener.close(grace))
    // Streams of events would keep the listener open.
    together(() => events.endAll())
    await apiListener.app.ready()
    await listeners.bind('api', (port) => listenOn(apiListener.server, api.host, port))
    await reach.start({ media: mediaListener.further, rtmp: rtmpServer.further }, apiListener)

    outbox.start()
    inBackground(recording.start(), log, 'taking up recordings of before')
    const asked = { ...base, ...live, targets, recording, sessions, link, outbox, rooms: chatroom.rooms }
    await monitor.watch({
      ...asked,
      stream: messaging.link.stream,
      listening: () => [apiListener.server.listening, mediaListener.server.listening, rtmpServer.isListening()],
    })
    undo.push(() => monitor.ending(engines.cluster !== undefined))
    const described = describeListeners(listeners, credentials, options)
    const { baseUrl, mediaUrl, rtmpUrl } = described.ready
    log.info({ baseUrl, mediaUrl, rtmpUrl, channels: channels.of(uids[0]!).length }, 'the service is ready')
    return { ...described, metricsUrl: monitor.url, hooksUrl: hooks.url, mediaPackets: hub.packets, close: undo.close }
  } catch (error) {
    await undo.close()
    throw asDiskFault(dataDir, error)
  }
}
