// Long because it is the one flat, ordered root of the service: what follows is put together here and nowhere else.
import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { inBackground } from './background.ts'
import { operations } from '../contract/operations/index.ts'
import type { Credentials, PortNote, ServiceChoices, ServiceReady } from '../contract/service-process.ts'
import type { DeliveryRates } from './chatroom/room-deliveries.ts'
import { createApplications, defaultLinkHours } from './applications.ts'
import { createServiceBounds } from './listener-bounds.ts'
import { createApiListener } from './http/api-listener.ts'
import { createAuthentication } from './http/authentication.ts'
import { createClients, plainAddress } from './http/clients.ts'
import { createMediaListener } from './http/media-listener.ts'
import { createRateLimiter } from './http/rate-limiter.ts'
import { createTimeBudget } from './http/time-budget.ts'
import { createFaults, faultOperations } from './faults/faults.ts'
import { createAdmissionLog } from './live/channels-admissions.ts'
import { createChannelsGate } from './live/channels-gate.ts'
import { createChannelStore } from './live/channels-store.ts'
import { createChannels } from './live/channels.ts'
import { createLiveEvents } from './live/events.ts'
import { createHls } from './live/hls-delivery.ts'
import { createHub } from './live/hub.ts'
import { localOperations, type ListenerState } from './live/live-operations-local.ts'
import { liveOperations } from './live/live-operations.ts'
import { createOwnPreviews } from './live/own-previews.ts'
import { mediaRoutes } from './live/media-routes.ts'
import { createRtmpServer } from './live/rtmp-server.ts'
import { createPlaybackTickets } from './recording/playback.ts'
import { createFileReads } from './http/file-reads.ts'
import { createRecording, type RecordingLimits } from './recording/recording.ts'
import { createBoundedLog } from './bounded-log.ts'
import { createLog, type Log } from './log.ts'
import { copyDelivery, copyKind } from './messaging/copies/copies.ts'
import { createMessaging } from './messaging.ts'
import { createAddressGuard, type Resolve } from './outbox/address-guard.ts'
import { createCallbacks, recordingCallbacks, recordingKind } from './outbox/callbacks.ts'
import { outboxOperations } from './outbox/outbox-operations.ts'
import { createOutbox } from './outbox/outbox.ts'
import { interfaceAddresses, systemResolve } from './outbox/system-resolve.ts'
import { bindPort, type PortBinding } from './port-binding.ts'
import { isLoopback, toldAddresses, type Addresses } from './public-addresses.ts'
import { lockDataDir } from './storage/instance-lock.ts'
import { serviceKey } from './storage/service-key.ts'
import { listenOn } from '../platform/listen.ts'
import { asDiskFault } from '../platform/disk-fault.ts'
import { openQuarantine } from '../platform/quarantine.ts'
import { quarantineOperations } from './quarantine/quarantine-operations.ts'
import { checkInBackground, createDamageNote } from './storage/background-check.ts'
import { createDatabaseCopies } from './storage/database-copies.ts'
import { noteMainDatabase, prepareMainDatabase } from './storage/main-database.ts'
import { openStore } from './storage/store.ts'
import { version } from './version.ts'
import { createGuestCookies, loadGuestSecret } from './watch/guest-cookie.ts'
import { createGuests } from './watch/guests.ts'
import { guestOperations } from './watch/guest-operations.ts'
import { readPageFiles } from './watch/page-files.ts'
import { watchRoutes } from './watch/watch-routes.ts'

/** What a service is made of. */
export interface ServiceOptions extends ServiceChoices {
  /** Key pair of the service's own application. */
  readonly credentials: Credentials
  /** Further applications of the same service, each with a name by which a later start finds its data. */
  readonly applications?: readonly { readonly name: string; readonly credentials: Credentials }[]
  /** Limits of recording; for tests and small disks. */
  readonly recording?: RecordingLimits
  /** Time that guests' lines may take; the usual one when absent, others for tests. */
  readonly deliveries?: DeliveryRates
  readonly log?: Log
  /** Milliseconds since 1970; the system's when absent. */
  readonly clock?: () => number
  /** Milliseconds that only ever pass; for tests. */
  readonly monotonic?: () => number
  /** Unguessable bytes; the system's when absent. */
  readonly random?: (bytes: number) => Buffer
  /** Receive address of the main application's message copies from this start on; as it was when absent. */
  readonly copyUrl?: string | undefined
  /** Serves fault injection, for tests of clients; off when absent. */
  readonly faults?: boolean
  /** Accounts may sign in to the link from other computers without TLS, where others could read their tokens; refused when absent. */
  readonly plainSignIn?: boolean
  /** Turns names of callback addresses into IP addresses; the system's when absent. */
  readonly resolve?: Resolve
}

/** A running service. */
export interface Service {
  readonly ready: ServiceReady
  /** The same with the listeners' own addresses, for whoever runs it on this computer and needs no proxy. */
  readonly own: ServiceReady
  /** Where callers reach the listeners. */
  readonly addresses: Addresses
  /** Ports of the listeners, whatever addresses lead to them. */
  readonly listening: { readonly api: number; readonly media: number; readonly rtmp: number }
  /** Ports that were taken. */
  readonly notes: readonly PortNote[]
  /** Packets of media that came since the start: while it rises, the broadcast goes on. */
  mediaPackets(): number
  /** Undoes everything in reverse order, within 5 s; safe to call again. */
  close(): Promise<void>
}

/** What running answers may still take when the service closes, in ms. */
const closeGrace = 1500
/** For how long a conversation's copies gather after one was sent, in ms. */
const copiesGatherFor = 250
/** How often admissions of running pushes are noted, in ms. */
const tidyEvery = 60_000
const hour = 3_600_000
/** How often it is looked what is beyond its time in the quarantine, in ms. */
const tidyQuarantineEvery = 24 * 3600 * 1000
const mainApplication = 'main'
const after = (ms: number, call: () => void): (() => void) => {
  const timer = setTimeout(call, ms)
  return () => clearTimeout(timer)
}

/** Starts the live service: data directory, store, channels, hub, delivery, then the listeners. Rejects with a sentence, and leaves nothing behind, when it cannot. */
export async function createService(options: ServiceOptions): Promise<Service> {
  const { api, media, rtmp, dataDir, credentials, trustedProxies = [] } = options
  const clock = options.clock ?? Date.now
  const random = options.random ?? ((bytes: number) => randomBytes(bytes))
  const monotonic = options.monotonic ?? ((): number => performance.now())
  const log = createBoundedLog(options.log ?? createLog(), monotonic)
  const startedAt = clock()
  if (!isLoopback(api.host) && trustedProxies.length === 0)
    throw new Error(
      `the api listener cannot be bound to ${api.host} without TLS: signed headers could be read and used by others for 5 minutes; bind it to 127.0.0.1, or name the proxy with TLS that reaches it with --trust-proxy`,
    )
  const clients = createClients(trustedProxies)
  const told = toldAddresses(options)
  const origins = [...new Set([...(options.origins ?? []), ...told.origins])]

  const undo: (() => void | Promise<void>)[] = []
  /** What others reach: all of it ends at once, since a listener that goes on accepting while another one closes costs time. */
  const ends: (() => Promise<void>)[] = []
  const run = async (step: () => void | Promise<void>): Promise<void> => {
    try {
      await step()
    } catch (error) {
      log.error({ err: error }, 'a part did not close cleanly')
    }
  }
  const close = async (): Promise<void> => {
    for (let step = undo.pop(); step; step = undo.pop()) await run(step)
  }
  try {
    undo.push(lockDataDir(dataDir))
    const budget = createTimeBudget(monotonic)
    const bounds = createServiceBounds({ log, shared: (address) => clients.isTrusted(plainAddress(address)) })
    undo.push(() => bounds.close())
    const quarantine = openQuarantine({
      folder: dataDir,
      now: clock,
      told: ({ id, at, reason, detail, paths, count, bytes }) =>
        log.warn({ id, at, reason, detail, paths: paths.slice(0, 20), count, bytes }, 'set aside'),
    })
    const tidyQuarantine = (): void => {
      for (const { id, reason, bytes } of quarantine.tidy())
        log.warn({ id, reason, bytes }, 'thrown away after its time in the quarantine')
    }
    prepareMainDatabase(dataDir, { quarantine, recovery: options.recovery, log })
    const store = await openStore(dataDir, { callers: { ...budget, damaged: createDamageNote(dataDir, log) } })
    undo.push(() => store.close())
    noteMainDatabase(dataDir)
    tidyQuarantine()
    const tidying = setInterval(tidyQuarantine, tidyQuarantineEvery)
    undo.push(() => clearInterval(tidying))
    const copyMaker = createDatabaseCopies({ dataDir, clock, log })
    undo.push(() => copyMaker.close())
    const checking = checkInBackground({ dataDir, log })
    undo.push(() => checking.close())

    const applications = await createApplications(
      store.db,
      [{ name: mainApplication, credentials }, ...(options.applications ?? [])],
      {
        clock,
        random,
        localTargets: [api, media, rtmp].every(({ host }) => isLoopback(host)),
      },
    )
    const tenants = [credentials, ...(options.applications ?? []).map((each) => each.credentials)].map(({ appKey }) =>
      applications.byKey(appKey)!,
    )
    const events = createLiveEvents(clock)
    undo.push(() => events.close())
    const channels = await createChannels({
      store: createChannelStore(store.db),
      clock,
      random,
      changed: (channel, change) => events.changed(channel, change),
    })
    const admissions = createAdmissionLog(store.db, log)
    undo.push(() => admissions.settled())
    const gate = createChannelsGate({ channels, clock, log: admissions, earlier: await admissions.load() })

    const hub = createHub({ clock, log })
    undo.push(() => hub.close())
    events.attach(channels, hub)
    const hls = createHls({ hub, clock, log })
    undo.push(() => hls.close())
    const tidy = setInterval(() => gate.tidy(), tidyEvery)
    undo.push(() => {
      gate.tidy()
      clearInterval(tidy)
    })

    const bindings: Partial<Record<'api' | 'media' | 'rtmp', PortBinding>> = {}
    const portOf = (name: 'api' | 'media' | 'rtmp'): number => bindings[name]?.used ?? options[name].port
    const addresses = (): Addresses => told.addresses(portOf)
    const bind = async (name: 'api' | 'media' | 'rtmp', listen: (port: number) => Promise<number>): Promise<void> => {
      const { host, port } = options[name]
      const binding = await bindPort(listen, port, [api.port, media.port, rtmp.port])
      bindings[name] = binding
      if (binding.used !== port && port !== 0)
        log.warn(
          { listener: name, ...binding },
          `port ${port} is taken by ${binding.holder ?? 'another program'}; using ${binding.used}`,
        )
      if (!isLoopback(host)) {
        const open = {
          rtmp: 'stream keys travel in clear there',
          media: 'anyone there can watch',
          api: 'calls are taken from trusted proxies that say https, and from this computer',
        }[name]
        log.warn({ listener: name, host, port: binding.used }, `the ${name} listener is open to the network: ${open}`)
      }
    }

    const guard = createAddressGuard({
      resolve: options.resolve ?? systemResolve,
      ownPorts: () => Object.values(bindings).map(({ used }) => used),
      ownAddresses: interfaceAddresses,
    })
    const copies = copyDelivery({ byUid: (uid) => applications.byUid(uid), clock })
    const fileTickets = createPlaybackTickets({ clock, key: await serviceKey(store.db, 'recorded files', random) })
    const fileUrl = (uid: number, file: { readonly vid: number; readonly format: number }): string =>
      addresses().media +
      fileTickets.path(file, (applications.byUid(uid)?.settings.recordingLinkHours ?? defaultLinkHours) * hour).path
    const outbox = await createOutbox({
      store,
      guard,
      kinds: { [recordingKind]: recordingCallbacks(store, random, fileUrl), [copyKind]: copies },
      localAllowed: async (uid) =>
        (applications.byUid(uid)?.settings ?? (await applications.readSettings(uid))).localTargets,
      clock,
      after,
      random,
      log,
      gatherFor: copiesGatherFor,
    })
    undo.push(() => outbox.close())
    const callbacks = createCallbacks({ store, outbox, random })

    const timeZone = options.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
    const fileReads = createFileReads(bounds.files)
    const recording = await createRecording({
      fileReads,
      db: store.db,
      reads: store.reads,
      durable: (work) => store.durable(work),
      dataDir,
      timeZone,
      hub,
      channels,
      clock,
      monotonic,
      random,
      log,
      limits: options.recording,
      mayRecord: (uid) => applications.byUid(uid)?.settings.vodEnabled === true,
      retention: () =>
        tenants.map(({ uid, settings }) => ({
          uid,
          days: settings.recordingDays,
          gigabytes: settings.recordingGigabytes,
        })),
      tell: (uid, event) => events.tell(uid, event),
      listener: {
        enqueue: (transaction, file) => callbacks.enqueueCallback(transaction, file),
        onFile: () => undefined,
      },
      apiRoot: () => addresses().api,
      fileTickets,
      quarantine,
    })
    undo.push(() => recording.close())

    const secret = await loadGuestSecret(store.db, random)
    const guests = await createGuests({ db: store.db, clock, random, secret })
    const messaging = await createMessaging({
      fileReads,
      quarantine,
      guests,
      budget,
      deliveries: options.deliveries,
      store,
      applications,
      uids: tenants.map(({ uid }) => uid),
      dataDir,
      clock,
      monotonic,
      random,
      after,
      log,
      outbox,
      copyDelivery: copies,
      guard,
      copyUrl: options.copyUrl,
      mediaRoot: () => addresses().media,
      linkUrl: () => addresses().link,
      timeZone,
      channelOwner: (cid) => channels.get(cid)?.row.uid,
      origins,
      plainSignIn: options.plainSignIn,
    })
    undo.push(() => messaging.close())

    const rtmpServer = createRtmpServer({ hub, gate, clock, random, log, ...bounds.rtmp })
    undo.push(async () => void (await Promise.all(ends.map(run))))
    ends.push(() => rtmpServer.close())
    await bind('rtmp', (port) => rtmpServer.listen(rtmp.host, port))

    const prefix = random(4).toString('hex')
    let requests = 0
    const requestId = (): string => `${prefix}-${(++requests).toString(36)}`
    const watch = watchRoutes({
      page: options.watchDir === undefined ? undefined : await readPageFiles(options.watchDir),
      channel(cid) {
        const found = channels.get(cid)
        return (
          found && { uid: found.row.uid, name: found.row.name, disabled: found.row.disabled === 1, since: found.since }
        )
      },
      room(uid, cid) {
        const row = messaging.rooms.ofChannel(uid, cid)?.row
        return (
          row && {
            roomid: row.roomid,
            name: row.name,
            announcement: row.announcement,
            open: row.valid === 1,
            muted: row.muted === 1,
          }
        )
      },
      viewers: (cid) => hub.viewers(cid),
      isSilent: (cid) => hub.isSilent(cid),
      guests,
      cookies: createGuestCookies({ secret, clock, random }),
      appKey: (uid) => applications.byUid(uid)?.appKey,
      origins,
      publicLink: told.publicLink,
      clock,
      monotonic,
    })
    const isOwn = createOwnPreviews({
      secretOf(cid) {
        const uid = channels.get(cid)?.row.uid
        return uid === undefined ? undefined : applications.byUid(uid)?.appSecret
      },
      clock,
    })
    const mediaListener = createMediaListener({
      routes: [
        watch,
        mediaRoutes({ hub, hls, mayPlay: (cid) => gate.mayPlay(cid), isOwn, clock }),
        recording.fileRoutes,
        ...messaging.mediaRoutes,
      ],
      origins,
      publicHosts: told.hosts,
      clients,
      requestId,
      bounds: bounds.media,
      time: { budget, after },
      link: messaging.link,
    })
    ends.push(
      () => messaging.closeLink(),
      () => mediaListener.close(closeGrace),
    )
    await mediaListener.app.ready()
    await bind('media', (port) => listenOn(mediaListener.server, media.host, port))

    const listeners = (): ListenerState[] =>
      (['api', 'media', 'rtmp'] as const).flatMap((name) => {
        const binding = bindings[name]
        return binding
          ? [
              {
                name,
                address: options[name].host,
                port: binding.used,
                wanted: binding.wanted,
                ...(binding.holder !== undefined && { holder: binding.holder }),
              },
            ]
          : []
      })
    const faults = options.faults ? createFaults() : undefined
    if (options.plainSignIn)
      log.warn({}, 'accounts may sign in from the network without TLS: others there can read their tokens')
    if (faults) log.warn({}, 'fault injection is served: callers can make operations fail')
    const apiListener = createApiListener({
      served: [
        ...outboxOperations({
          callbacks,
          outbox,
          guard,
          addressOf: (uid, kind) => (kind === copyKind ? messaging.copyUrl(uid) : undefined),
          after,
        }),
        ...(faults ? faultOperations(faults, operations) : []),
        ...recording.operations,
        ...quarantineOperations({
          quarantine,
          adopters: [recording.adopt, messaging.adopt],
          isMain: (uid) => uid === tenants[0]?.uid,
        }),
        ...messaging.operations,
        ...guestOperations(guests, messaging.rooms),
        ...liveOperations({ channels, addresses, cut: (cid, why) => void hub.cut(cid, why) }),
        ...localOperations({
          channels,
          applications,
          events,
          caughtUp: () => rtmpServer.caughtUp(),
          addresses,
          viewers: (cid) => hub.viewers(cid),
          clock,
          recordingRoom: () => recording.room(),
          description: { version, startedAt, timeZone, dataDir, listeners },
        }),
      ],
      authentication: createAuthentication({ byKey: (appKey) => applications.byKey(appKey), clock, monotonic, random }),
      limiter: createRateLimiter(monotonic),
      routes: recording.routes,
      failing: faults && ((uid, path) => faults.take(uid, path)),
      log,
      publicHosts: told.hosts,
      origins: told.origins,
      clients,
      requestId,
      bounds: bounds.api,
      time: { budget, after },
    })
    ends.push(async () => {
      const closed = apiListener.close(closeGrace)
      events.endAll()
      await closed
    })
    await apiListener.app.ready()
    await bind('api', (port) => listenOn(apiListener.server, api.host, port))

    outbox.start()
    inBackground(recording.start(), log, 'taking up recordings of before')
    const at = addresses()
    const readyAt = ({ api: baseUrl, media: mediaUrl, rtmp: rtmpUrl, link: linkUrl }: Addresses): ServiceReady => ({
      event: 'ready',
      appKey: credentials.appKey,
      baseUrl,
      imBaseUrl: `${baseUrl}/nimserver`,
      mediaUrl,
      rtmpUrl,
      linkUrl,
    })
    const notes = listeners().flatMap(({ name, wanted, port, holder }): PortNote[] =>
      wanted === 0 || wanted === port
        ? []
        : [{ listener: name, wanted, used: port, ...(holder !== undefined && { holder }) }],
    )
    log.info(
      {
        baseUrl: at.api,
        mediaUrl: at.media,
        rtmpUrl: at.rtmp,
        channels: channels.of(applications.byKey(credentials.appKey)!.uid).length,
      },
      'the service is ready',
    )
    let closing: Promise<void> | undefined
    return {
      ready: readyAt(at),
      own: readyAt(toldAddresses({ api, media, rtmp }).addresses(portOf)),
      addresses: at,
      listening: { api: portOf('api'), media: portOf('media'), rtmp: portOf('rtmp') },
      notes,
      mediaPackets: () => hub.packets(),
      close: () => (closing ??= close()),
    }
  } catch (error) {
    await close()
    throw asDiskFault(dataDir, error)
  }
}
