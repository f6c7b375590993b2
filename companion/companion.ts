// Long because it is the one flat, ordered root of the companion: what follows is put together here and nowhere else.
import { createHmac } from 'node:crypto'
import path from 'node:path'
import { inBackground } from './background.ts'
import { live, local } from '../contract/operations/index.ts'
import { ownPreviewMark } from '../contract/own-preview.ts'
import { type DesktopState, type Download, Settings, type Update } from '../contract/rpc/index.ts'
import type { ServiceChoices, ServiceReady } from '../contract/service-process.ts'
import { firstRecordingDefaults } from '../contract/switched-recording.ts'
import { type CompanionBounds, createCompanionBounds } from './listener-bounds.ts'
import { createPushAddresses } from './channels/push-addresses.ts'
import { type Client, createClient, type Service } from './client/client.ts'
import { ofThisComputer } from './client/local-cause.ts'
import { createTransport } from './client/transport.ts'
import type { Clock } from './clock.ts'
import { createConsole } from './console/console.ts'
import { Failure, reasonOf } from './failure.ts'
import { openLinkSocket } from './messaging/link-socket.ts'
import { openMessaging } from './messaging/messaging.ts'
import { asDiskFault, trialOf } from '../platform/disk-fault.ts'
import { jsonFile } from '../platform/json-file.ts'
import type { NamedChoices } from './instance/launch-options.ts'
import { openObs } from './obs/obs.ts'
import { localProfileId, openProfiles } from './profiles/profiles.ts'
import { createRecordings } from './recordings/recordings.ts'
import { createCopyReceivers } from './receivers/copy-receivers.ts'
import { createReceivers } from './receivers/receivers.ts'
import { createRelay, type Relay } from './relay/relay.ts'
import { allowedReach, type Resolve } from './relay/target.ts'
import { createTickets } from './relay/tickets.ts'
import { type JoinedPages, openJoining } from './remote-rooms/joining.ts'
import { createRoomMedia } from './rooms/room-media.ts'
import { openModerators } from './moderators/moderators.ts'
import { openRooms } from './rooms/rooms.ts'
import type { RouterPorts } from './rpc/ports.ts'
import { createRpcServer, type RpcServer } from './rpc/server.ts'
import type { Vault } from './secrets/vault.ts'
import { createDiskWatch } from './keeping/disk-watch.ts'
import { createKeeping } from './keeping/keeping.ts'
import { createSettingsFile } from './settings-file/settings-file.ts'
import type { LaunchService } from './supervisor/launcher.ts'
import { logRing } from './supervisor/log-ring.ts'
import { createSupervisor } from './supervisor/supervisor.ts'
import { readFolderFigures } from './support/folder-figures.ts'
import { createKnownSecrets, noteAt, notingClient, notingVault } from './support/known-secrets.ts'
import { createRedactor } from './support/redactor.ts'
import { createSupport } from './support/support.ts'
import { readSystem } from './support/system.ts'
import { createEventHub } from './hub/event-hub.ts'
import { isBusy, isOnAir, isRecording, portHolder } from './hub/state-selectors.ts'
import { followLocal } from './channel-status/local-tallies.ts'
import { createPushHistory } from './channel-status/push-history.ts'
import { type Poll, pollHosted } from './channel-status/polled-tallies.ts'
import { openComputerDocument } from './this-computer/computer-document.ts'
import { createComputer } from './this-computer/this-computer.ts'

/** The fetch of the desktop window's binary, as a shell that has one reports it. */
export interface DownloadControl {
  state(): Download
  cancel(): void
  on(listener: (state: Download) => void): () => void
}

/** Newer versions of the app, as a shell that has them reports them. */
export interface UpdateControl {
  state(): Update
  check(): Promise<void>
  install(): boolean
  on(listener: (update: Update) => void): () => void
}

/** What became of wishes that only the system can fulfil, as the desktop shell reports it. */
export interface DesktopControl {
  state(): DesktopState
  on(listener: (state: DesktopState) => void): () => void
}

/** Everything that the companion takes from its shell. */
export interface CompanionPorts {
  /** Folder of profiles.json and settings.json; exists. */
  readonly dataDir: string
  readonly vault: Vault
  readonly launch: LaunchService
  /** Where the embedded service keeps its data and listens. */
  readonly choices: ServiceChoices
  /** Which of these the command line named, so that they win over what is set in the app; none when absent. */
  readonly named?: NamedChoices
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly resolve: Resolve
  readonly openLink: (url: string) => Promise<void>
  /** Folder of the built page, for pages of moderators; absent where none is served. */
  readonly pageDir?: string
  readonly about: RouterPorts['about']
  readonly clipboard?: (text: string) => Promise<void>
  /** Shows a file in the system's folder window; absent in a shell that cannot. */
  readonly showFile?: (file: string) => void
  /** Has a person choose a folder in the system's dialog; absent in a shell without one. */
  readonly chooseFolder?: () => Promise<string | undefined>
  readonly download?: DownloadControl
  /** Makes the shell's updating; `busy` tells whether something is on air or recorded. Absent in a shell that has none. */
  readonly updates?: (busy: () => boolean) => UpdateControl
  /** Absent in a shell that has no tray, keys or notifications of its own. */
  readonly desktop?: DesktopControl
  /** A certificate authority beside the known ones, for hosted services that have their own. */
  readonly ca?: string
  /** One line for the log, without secrets. */
  readonly log: (line: string) => void
}

/** The app's brain, the same in both shells. */
export interface Companion {
  readonly rpc: RpcServer
  readonly relay: Relay
  /** What shells serve of rooms on other computers. */
  readonly joined: JoinedPages
  /** What bounds the listeners of this process, the shell's among them. */
  readonly bounds: CompanionBounds
  /** The service's ready line, as soon as it runs; undefined when it was given up or `patience` ms have passed. */
  serviceReady(patience: number): Promise<ServiceReady | undefined>
  /** Ends pages, transfers and polls, then the service in order. */
  close(): Promise<void>
}

const defaults: Settings = {
  theme: 'dark',
  language: 'system',
  mutePresets: null,
  roomKeys: {},
  recording: firstRecordingDefaults,
  globalKeys: {},
  notices: ['pushLost', 'recordingStopped', 'diskLow', 'signInFailed'],
  startAtLogin: false,
  closeToTray: false,
}
const hmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex')
const noDownload: Download = { phase: 'none', received: 0, total: null, reason: null }

/**
 * Composes the companion and starts the embedded service. A stored file that is damaged is set aside. Rejects with DiskFault where the
 * app's own folder cannot be written.
 */
export async function createCompanion(given: CompanionPorts): Promise<Companion> {
  const opened: (() => void | Promise<void>)[] = []
  try {
    return await compose(given, opened)
  } catch (error) {
    for (let end = opened.pop(); end; end = opened.pop()) await end()
    throw asDiskFault(given.dataDir, error)
  }
}

/** `opened` gets what ends each part that holds something, so that a start that fails leaves nothing behind. */
async function compose(given: CompanionPorts, opened: (() => void | Promise<void>)[]): Promise<Companion> {
  const known = createKnownSecrets()
  const ownLog = logRing(() => known.all())
  // What a support bundle must know is heard here, so that no part of the app has to think of it.
  const log = (line: string): void => {
    ownLog.add(`${new Date(given.clock.now()).toISOString()} ${line}`)
    given.log(line)
  }
  const ports: CompanionPorts = { ...given, vault: notingVault(given.vault, known), log }
  const { clock, random, vault, dataDir } = ports
  const bounds = createCompanionBounds({ log })
  opened.push(() => bounds.close())
  // A file of an older version lacks what is newer.
  const settingsFile = jsonFile(path.join(dataDir, 'settings.json'), (raw) =>
    Settings.parse(typeof raw === 'object' ? { ...defaults, ...raw } : raw),
  )
  // One after the other: should one of them fail, nothing of the others is still under way.
  const profiles = await openProfiles({ dataDir, vault, random })
  const stored = await settingsFile.load()
  const computerDocument = await openComputerDocument(dataDir, log)
  let settings: Settings = stored ?? defaults
  const transport = createTransport(ports.ca === undefined ? {} : { ca: ports.ca })
  opened.push(() => transport.close())
  const hub = createEventHub()
  const addresses = createPushAddresses(clock)
  const clientOf = (service: Service): Client => {
    known.note(service.appKey)
    known.note(service.appSecret)
    return notingClient(createClient(service, { transport, clock, random }), known)
  }
  const client = async (profileId: string): Promise<Client> => {
    const made = clientOf(await profiles.service(profileId))
    return profileId === localProfileId ? ofThisComputer(made, () => supervisor.state().phase === 'running') : made
  }

  let settingsBefore: Promise<unknown> = Promise.resolve()
  const changeSettings = (change: { [K in keyof Settings]?: Settings[K] | undefined }): Promise<Settings> => {
    // One after the other: of two changes at the same moment neither may undo the other.
    const done = settingsBefore.then(async () => {
      const changed = Settings.parse({
        ...settings,
        ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
      })
      await settingsFile.save(changed)
      settings = changed
      hub.post({ type: 'settings', settings })
      return settings
    })
    settingsBefore = done.catch(() => undefined)
    return done
  }
  const importing = createSettingsFile({
    home: dataDir,
    version: ports.about.version,
    now: () => clock.now(),
    random,
    settings: { value: () => settings, change: changeSettings, usual: defaults },
    profiles,
  })
  if (await importing.resume()) ports.log('an import of settings that the app ended in the middle of was finished')

  const localIsOnAir = (): boolean => isOnAir(hub.state, localProfileId)
  const computer = createComputer({
    home: dataDir,
    given: ports.choices,
    named: ports.named ?? { data: false, ports: [] },
    store: computerDocument,
    clock,
    random,
    vault,
    platform: ports.about.platform,
    entryName: (name) => profiles.entryName(name),
    profiles: () => profiles.all().map(({ id }) => id),
    supervisor: {
      ready: () => supervisor.ready(),
      hold: () => supervisor.hold(),
      release: (change) => supervisor.release(change),
      change: (change) => supervisor.change(change),
    },
    runs: async (patience) => (await serviceReady(patience)) !== undefined,
    onAir: localIsOnAir,
    holder: (port) => portHolder(hub.state, port),
    hindrance: async () => {
      if (localIsOnAir()) return 'onAir'
      if (isRecording(hub.state)) return 'recording'
      if (!supervisor.ready()) return undefined
      const { tasks } = await recordings.merges(localProfileId)
      return tasks?.some(({ state }) => state === 'running') ? 'merging' : undefined
    },
    showFile: ports.showFile,
    chooseFolder: ports.chooseFolder,
    changed: (state) => {
      hub.post({ type: 'computer', computer: state })
    },
    log: ports.log,
  })
  hub.post({ type: 'computer', computer: computer.state() })

  const supervisor = createSupervisor({
    launch: ports.launch,
    clock,
    choices: computer.choices(),
    mayStart: () => computer.present(),
    credentials: () => profiles.localCredentials(),
    probe: async () => (await (await client(localProfileId)).call(local.info, {})).ret,
    secrets: () => [profiles.localSecret()],
  })
  const serviceReady = (patience: number): Promise<ServiceReady | undefined> =>
    new Promise((resolve) => {
      const finish = (): void => {
        off()
        cancel()
        resolve(supervisor.ready())
      }
      const look = (): void => {
        if (supervisor.ready() || supervisor.state().phase === 'stopped') finish()
      }
      const off = supervisor.on(look)
      const cancel = clock.after(patience, finish)
      look()
    })
  const pushHistory = createPushHistory()
  supervisor.on((service) => {
    const ready = supervisor.ready()
    profiles.localAt(ready && { liveUrl: ready.baseUrl, messagingUrl: ready.imBaseUrl })
    if (!ready) addresses.forget(localProfileId)
    pushHistory.note({ type: 'service', service })
    hub.post({ type: 'service', service })
  })
  hub.post({ type: 'service', service: supervisor.state() })
  hub.post({ type: 'settings', settings })
  hub.post({ type: 'download', download: ports.download?.state() ?? noDownload })
  const offDownload = ports.download?.on((download) => {
    hub.post({ type: 'download', download })
  })

  if (ports.desktop) hub.post({ type: 'desktop', desktop: ports.desktop.state() })
  const offDesktop = ports.desktop?.on((desktop) => {
    hub.post({ type: 'desktop', desktop })
  })

  const updates = ports.updates?.(() => isBusy(hub.state))
  if (updates) hub.post({ type: 'update', update: updates.state() })
  const offUpdates = updates?.on((update) => {
    hub.post({ type: 'update', update })
  })

  const polls = new Map<string, { about: string; poll: Poll }>()
  const reconcile = (): void => {
    const all = profiles.all()
    hub.post({ type: 'profiles', profiles: all })
    const wanted = new Map(
      hub.subscribers() === 0
        ? []
        : all.filter((one) => one.kind === 'hosted').map((one) => [one.id, JSON.stringify(one)]),
    )
    for (const [profileId, { about, poll }] of polls) {
      if (wanted.get(profileId) === about) continue
      poll.end()
      polls.delete(profileId)
      if (!all.some((one) => one.id === profileId)) hub.forget(profileId)
    }
    for (const [profileId, about] of wanted) {
      if (!polls.has(profileId))
        polls.set(profileId, {
          about,
          poll: pollHosted({
            profileId,
            clock,
            client: () => client(profileId),
            post: (event) => {
              hub.post(event)
            },
            log: ports.log,
          }),
        })
    }
  }
  profiles.on(reconcile)
  hub.onSubscribers(reconcile)
  reconcile()
  const localTallies = followLocal({
    clock,
    client: () => (supervisor.ready() ? client(localProfileId) : undefined),
    post: (event) => {
      pushHistory.note(event)
      hub.post(event)
    },
    changed: (cid) => {
      addresses.forget(localProfileId, cid)
    },
    log: ports.log,
  })
  opened.push(() => localTallies.end())
  hub.onSubscribers(() => {
    localTallies.markFresh()
  })

  const receivers = createReceivers({
    bounds: bounds.receiver,
    dataDir,
    vault,
    clock,
    random,
    client,
    profiles,
    post: (event) => {
      hub.post(event)
    },
    log: ports.log,
  })
  opened.push(() => receivers.close())
  receivers.resume().catch((error: unknown) => {
    ports.log(`a receiver of callbacks did not start: ${reasonOf(error)}`)
  })

  const copies = createCopyReceivers({
    bounds: bounds.receiver,
    dataDir,
    clock,
    random,
    client,
    profiles,
    receiverChanged: (receiver) => {
      hub.post({ type: 'copyReceiver', receiver })
      rooms.receiverChanged(receiver.profileId)
    },
    arrived: (profileId, copy) => {
      // First what must be on disk before the sender is told that it came.
      rooms.copied(profileId, copy)
      hub.post({ type: 'copy', profileId, copy })
    },
    log: ports.log,
  })

  opened.push(() => copies.close())
  const messaging = await openMessaging({
    dataDir,
    vault,
    entryName: (name) => profiles.entryName(name),
    clock,
    random,
    client,
    openSocket: openLinkSocket,
    changed: (session) => {
      hub.post({ type: 'linkSession', session })
    },
    pushed: (profileId, accid, push) => {
      hub.post({ type: 'link', profileId, accid, push })
    },
    renewed: (profileId, accid, token) => {
      rooms.renewed(profileId, accid, token)
    },
    log: ports.log,
  })
  opened.push(() => messaging.close())
  const rooms = await openRooms({
    dataDir,
    clock,
    random,
    client,
    openSocket: openLinkSocket,
    device: `rooms${profiles.entryName('')}`.slice(0, 32),
    accounts: messaging,
    token: (accid, wasRefused) => messaging.ownToken(localProfileId, accid, wasRefused),
    log,
    changed: (desk) => {
      hub.post({ type: 'room', desk })
    },
    pushed: (profileId, roomid, push) => {
      hub.post({ type: 'roomPush', profileId, roomid, push })
    },
    // Between the removal of a profile and that of its rooms a desk may still ask.
    receiver: (profileId) =>
      profiles.all().some(({ id }) => id === profileId) ? copies.state(profileId) : { phase: 'off', url: null },
  })
  opened.push(() => rooms.close())
  // Not before the rooms that its lines go to.
  copies.resume().catch((error: unknown) => {
    ports.log(`a receiver of message copies did not start: ${reasonOf(error)}`)
  })
  supervisor.on(() => {
    const ready = supervisor.ready()
    const link = ready && { url: ready.linkUrl, appKey: ready.appKey }
    messaging.serviceAt(link)
    rooms.serviceAt(link)
  })
  const tickets = createTickets({ clock, random })
  opened.push(() => tickets.close())
  const diskWatch = createDiskWatch({
    clock,
    folders: () => [dataDir, computer.folder()],
    trial: trialOf,
    told: (refuses) => {
      hub.post({ type: 'disk', refuses })
    },
  })
  opened.push(() => diskWatch.close())
  const relay = createRelay({
    tickets,
    descriptors: bounds.relay,
    resolve: ports.resolve,
    ...(ports.ca === undefined ? {} : { ca: ports.ca }),
  })
  const pull = (text: string): URL | undefined =>
    URL.canParse(text) && /^https?:/.test(text) ? new URL(text) : undefined
  /** An address of the embedded service as it is reached from here: others are told the public one, and the proxy that it leads to may be away. */
  const ownAddress = (text: string): string => {
    const { media, publicMedia } = supervisor.state().addresses ?? {}
    return media !== undefined && publicMedia != null && text.startsWith(`${publicMedia}/`)
      ? media + text.slice(publicMedia.length)
      : text
  }
  const recordings = createRecordings({
    clock,
    client,
    folder: () => computer.folder(),
    showFile: ports.showFile,
    isOwn: async (profileId, url) => url.origin === new URL((await profiles.service(profileId)).liveUrl).origin,
  })
  const moderators = await openModerators({
    bounds: bounds.moderators,
    dataDir,
    vault,
    entryName: (name) => profiles.entryName(name),
    pageDir: ports.pageDir,
    clock,
    random,
    client,
    accounts: messaging,
    token: (profileId, accid) => messaging.token(profileId, accid),
    creator: (profileId, roomid) => rooms.creator(profileId, roomid),
    channel: async (profileId, roomid) => (await rooms.find(profileId, roomid))?.cid ?? null,
    completed: ({ profileId, roomid, accid }) => {
      const entry = rooms.record(profileId, roomid, { kind: 'finishRevoke', target: accid }, () => Promise.resolve())
      inBackground(entry, ports.log, 'logging that a seat is taken back')
    },
    relay,
    attach: (line, seat) => rpc.attach(line, seat),
    changed: (seats) => {
      hub.post({ type: 'seats', board: seats })
    },
    log: ports.log,
  })
  opened.push(() => moderators.close())
  let isServiceReady = supervisor.ready() !== undefined
  supervisor.on(() => {
    const before = isServiceReady
    isServiceReady = supervisor.ready() !== undefined
    if (isServiceReady && !before) moderators.serviceBack(localProfileId)
  })
  const joining = await openJoining({
    dataDir,
    vault,
    entryName: (name) => profiles.entryName(name),
    clock,
    random,
    platform: ports.about.platform,
    descriptors: bounds.joined,
    openLink: ports.openLink,
    changed: (seats) => {
      hub.post({ type: 'joined', seats })
    },
    log: ports.log,
  })
  opened.push(() => joining.close())
  const obs = await openObs({
    dataDir,
    vault,
    entryName: (name) => profiles.entryName(name),
    clock,
    // The library is read in when there is an OBS to connect with.
    open: async (place, events) => (await import('./obs/obs-line.ts')).obsLines(clock)(place, events),
    push: async (profileId, cid) => addresses.look(profileId, cid, await client(profileId)),
    watched: () => hub.subscribers() > 0,
    changed: (state) => {
      hub.post({ type: 'obs', obs: state })
    },
    log: ports.log,
  })
  opened.push(() => obs.close())
  const keeping = createKeeping({
    home: dataDir,
    now: () => clock.now(),
    client: () => (supervisor.ready() ? client(localProfileId) : undefined),
    changed: (kept) => {
      hub.post({ type: 'setAside', kept })
    },
    log: ports.log,
  })
  let keptOf = supervisor.ready()
  // What the stores above had to set aside.
  keeping.announce()
  const tellKept = (): void => {
    keeping.tell().catch((error: unknown) => {
      ports.log(`what was set aside could not be read: ${reasonOf(error)}`)
    })
  }
  tellKept()
  supervisor.on(() => {
    if (supervisor.ready() !== keptOf) {
      keptOf = supervisor.ready()
      tellKept()
    }
  })
  const rpc: RpcServer = createRpcServer({
    clock,
    about: ports.about,
    hub,
    profiles,
    supervisor,
    keeping,
    addresses,
    recordings,
    play: async (profileId, vid, owner) => {
      const [{ liveUrl }, file] = await Promise.all([profiles.service(profileId), recordings.file(profileId, vid)])
      const ticket = tickets.issue(
        {
          profileId,
          cid: '',
          flv: undefined,
          hls: undefined,
          file,
          allowed: await allowedReach(new URL(liveUrl), ports.resolve),
        },
        owner,
      )
      return { path: `/media/${ticket.id}/${file.name}` }
    },
    showFile: async (profileId, text, owner) => {
      const media = supervisor.ready()?.mediaUrl
      const own = ownAddress(text)
      const url = URL.canParse(own) ? new URL(own) : undefined
      // Only what the embedded service keeps: a picture of another host would tell that host who looks.
      if (
        profileId !== localProfileId ||
        media === undefined ||
        url?.origin !== new URL(media).origin ||
        !/^\/files\/[A-Za-z0-9_-]{32}$/.test(url.pathname)
      )
        throw new Failure('absent', 'only files of the service of this computer are shown')
      const file = { name: 'file', url: () => Promise.resolve(url) }
      const ticket = tickets.issue(
        { profileId, cid: '', flv: undefined, hls: undefined, file, allowed: await allowedReach(url, ports.resolve) },
        owner,
      )
      return { path: `/media/${ticket.id}/${file.name}` }
    },
    receivers,
    copies,
    messaging,
    rooms,
    moderators,
    joining,
    obs,
    computer,
    settingsFile: importing,
    support: createSupport({
      clock,
      redactor: createRedactor({ secrets: () => known.all(), home: readSystem().home }),
      about: ports.about,
      system: readSystem,
      shell: () => ({
        update: updates?.state() ?? null,
        download: ports.download?.state() ?? null,
        desktop: ports.desktop?.state() ?? null,
      }),
      settings: () => settings,
      profiles: () => profiles.all(),
      service: supervisor,
      log: () => ownLog.lines(),
      receivers,
      copies,
      moderators,
      obs,
      folder: () => readFolderFigures(dataDir, computer.folder()),
      vault: vault.mode,
      history: pushHistory,
    }),
    roomMedia: createRoomMedia({ rooms, recordings }),
    pushHistory,
    console: createConsole({ clock, client, isLocal: (profileId) => profileId === localProfileId }),
    client,
    clientOf: (entry) => clientOf(entry),
    pollNow: (profileId) => {
      polls.get(profileId)?.poll.pollNow()
    },
    settings: { value: () => settings, change: changeSettings },
    preview: async (profileId, cid, owner) => {
      const { liveUrl, appSecret } = await profiles.service(profileId)
      const { ret } = await (await client(profileId)).call(live.address, { cid })
      const reached = profileId === localProfileId ? ownAddress : (text: string): string => text
      const [flv, hls] = [pull(reached(ret.httpPullUrl)), pull(reached(ret.hlsPullUrl))]
      // What the app itself looks at is no viewer; a hosted service knows no such mark.
      const mark =
        profileId === localProfileId
          ? () => ownPreviewMark(hmac, appSecret, cid, Math.floor(clock.now() / 1000))
          : undefined
      const ticket = tickets.issue(
        { profileId, cid, flv, hls, mark, allowed: await allowedReach(new URL(liveUrl), ports.resolve) },
        owner,
      )
      return {
        flv: flv ? `/media/${ticket.id}/${cid}.flv` : null,
        hls: hls ? `/media/${ticket.id}/hls/playlist.m3u8` : null,
      }
    },
    openLink: ports.openLink,
    checkUpdate: () => {
      if (updates) inBackground(updates.check(), ports.log, 'looking for a newer version')
    },
    installUpdate: () => updates?.install() ?? false,
    cancelDownload: () => {
      ports.download?.cancel()
    },
    tryDisk: () => trialOf(dataDir),
    diskRefused: () => diskWatch.refused(),
    heard: (places, said) => {
      noteAt(places, said, known)
    },
    log: ports.log,
    ...(ports.clipboard ? { clipboard: ports.clipboard } : {}),
  })
  inBackground(computer.resume(), ports.log, 'taking up a move of the data')
  supervisor.start()
  moderators.resume().catch((error: unknown) => {
    ports.log(`the listener of moderators did not start: ${reasonOf(error)}`)
  })

  return {
    rpc,
    relay,
    joined: joining,
    bounds,
    serviceReady,
    close: async () => {
      await computer.close()
      await moderators.close()
      joining.close()
      rpc.close()
      tickets.close()
      for (const [, { poll }] of polls) poll.end()
      localTallies.end()
      offDownload?.()
      offUpdates?.()
      offDesktop?.()
      messaging.close()
      rooms.close()
      obs.close()
      await receivers.close()
      await copies.close()
      await supervisor.stop()
      transport.close()
      bounds.close()
    },
  }
}
