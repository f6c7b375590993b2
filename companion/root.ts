import { local } from '../contract/operations/index.ts'
import type { AppEvent, KeptAside } from '../contract/rpc/index.ts'
import { asDiskFault, trialOf } from '../platform/disk-fault.ts'
import { createUndoStack } from '../platform/undo-stack.ts'
import { inBackground } from './background.ts'
import { createPushAddresses } from './channels/push-addresses.ts'
import { type Client, createClient, type Service } from './client/client.ts'
import { ofThisComputer } from './client/local-client.ts'
import { createTransport } from './client/transport.ts'
import type { Companion, CompanionPorts } from './companion.ts'
import { createConsole } from './console/console.ts'
import { createEventHub } from './hub/event-hub.ts'
import { followShell, shellActions, shellStates } from './hub/shell-controls.ts'
import { isBusy, isOnAir, portHolder } from './hub/state-selectors.ts'
import { openRemoteRooms } from './remote-rooms/remote-rooms.ts'
import { createDiskWatch } from './keeping/disk-watch.ts'
import { createKeeping } from './keeping/keeping.ts'
import { createCompanionBounds } from './listener-bounds.ts'
import { openLinkSocket } from './messaging/link-socket.ts'
import { openMessaging } from './messaging/messaging.ts'
import { openModerators } from './moderators/moderators.ts'
import { openObs } from './obs/obs.ts'
import { createExtensionCheck } from './profiles/extension-check.ts'
import { localProfileId, openProfiles } from './profiles/profiles.ts'
import { tellLinks } from './profiles/told-links.ts'
import { createCopyReceivers } from './receivers/copy-receivers.ts'
import { createReceivers } from './receivers/receivers.ts'
import { createRecordings } from './recordings/recordings.ts'
import { createPreviews } from './previews/previews.ts'
import { createRelay } from './relay/relay.ts'
import { createTickets } from './relay/tickets.ts'
import { createRoomMedia } from './rooms/room-media.ts'
import { openRooms } from './rooms/rooms.ts'
import { createRpcServer } from './rpc/server.ts'
import { openAppSettings, usualSettings } from './settings-file/app-settings.ts'
import { createSettingsFile } from './settings-file/settings-file.ts'
import { onReadyChange, serviceReady } from './supervisor/service-ready.ts'
import { createSupervisor } from './supervisor/supervisor.ts'
import { readFolderFigures } from './support/folder-figures.ts'
import { createKnownSecrets, noteAt, notingClient, notingVault } from './support/known-secrets.ts'
import { createOwnLog } from './support/own-log.ts'
import { createRedactor } from './support/redactor.ts'
import { createSupport } from './support/support.ts'
import { createAccess } from './access/access.ts'
import { createServiceTargets } from './targets/service-targets.ts'
import { readSystem } from './support/system.ts'
import { pollHostedProfiles } from './channel-status/hosted-polls.ts'
import { followLocal } from './channel-status/local-tallies.ts'
import { createPushHistory } from './channel-status/push-history.ts'
import { openComputerDocument } from './this-computer/computer-document.ts'
import { moveBlocker } from './this-computer/move-blocker.ts'
import { createComputer } from './this-computer/this-computer.ts'

/** Composes the companion and starts the service. Rejects with DiskFault, leaving nothing open. */
export async function createCompanion(ports: CompanionPorts): Promise<Companion> {
  const { clock, random, dataDir, about, resolve } = ports
  const known = createKnownSecrets()
  const { log, lines } = createOwnLog(known, clock, ports.log)
  const vault = notingVault(ports.vault, known)
  const undo = createUndoStack((error) => log(`a part did not close cleanly: ${String(error)}`))
  try {
    // In sequence, so that a failure leaves nothing under way.
    const bounds = createCompanionBounds({ log })
    undo.push(() => bounds.close())
    const hub = createEventHub((fault) => log(`an event is left out, as the contract has it otherwise: ${fault}`))
    const profiles = await openProfiles({ dataDir, vault, random })
    const settings = await openAppSettings(dataDir, (changed) => hub.post({ type: 'settings', settings: changed }))
    hub.post({ type: 'settings', settings: settings.value() })
    const computerDocument = await openComputerDocument(dataDir, log)
    const entryName = (name: string): string => profiles.entryName(name)
    const own = { dataDir, home: dataDir, vault, clock, now: (): number => clock.now(), random, entryName, log }
    const kept = { ...settings, usual: usualSettings }
    const settingsFile = createSettingsFile({ ...own, version: about.version, settings: kept, profiles })
    if (await settingsFile.resume()) log('an import of settings that the app ended in the middle of was finished')

    const ca = ports.ca === undefined ? {} : { ca: ports.ca }
    const transport = createTransport(ca)
    undo.push(() => transport.close())
    const clientOf = (service: Service): Client => {
      known.note(service.appKey)
      known.note(service.appSecret)
      return notingClient(createClient(service, { transport, clock, random }), known)
    }
    const supervisor = createSupervisor({
      launch: ports.launch,
      clock,
      choices: ports.choices,
      credentials: () => profiles.localCredentials(),
      probe: async () => (await clientOf(await profiles.service(localProfileId)).call(local.info, {})).ret,
      secrets: () => [profiles.localSecret()],
    })
    undo.push(() => supervisor.stop())
    const becomesReady = (patience: number) => serviceReady(supervisor, clock, patience)
    const client = async (profileId: string): Promise<Client> => {
      const made = clientOf(await profiles.service(profileId))
      return profileId === localProfileId ? ofThisComputer(made, () => supervisor.state().phase === 'running') : made
    }
    const localClient = (): Promise<Client> | undefined => (supervisor.ready() ? client(localProfileId) : undefined)
    const computer = createComputer({
      ...own,
      given: ports.choices,
      named: ports.named ?? { data: false, ports: [] },
      store: computerDocument,
      platform: about.platform,
      profiles: () => profiles.all().map(({ id }) => id),
      supervisor,
      runs: async (patience) => (await becomesReady(patience)) !== undefined,
      onAir: () => isOnAir(hub.state, localProfileId),
      holder: (port) => portHolder(hub.state, port),
      blocker: () => moveBlocker(hub.state, localClient),
      showFile: ports.showFile,
      chooseFolder: ports.chooseFolder,
      changed: (state) => hub.post({ type: 'computer', computer: state }),
    })
    undo.push(() => computer.close())
    hub.post({ type: 'computer', computer: computer.state() })
    const updates = ports.updates?.(() => isBusy(hub.state))
    const shell = { download: ports.download, desktop: ports.desktop, updates }
    undo.push(followShell(hub, shell))

    const addresses = createPushAddresses(clock)
    const pushHistory = createPushHistory()
    const tell = (event: AppEvent): void => {
      pushHistory.note(event)
      hub.post(event)
    }
    supervisor.on((service) => {
      const ready = supervisor.ready()
      profiles.localAt(ready && { liveUrl: ready.baseUrl, messagingUrl: ready.imBaseUrl })
      if (!ready) addresses.forget(localProfileId)
      tell({ type: 'service', service })
    })
    hub.post({ type: 'service', service: supervisor.state() })
    const extensions = createExtensionCheck({ profiles, client, clock, log })
    const base = { ...own, client, isExtended: profiles.isExtended }
    const targets = createServiceTargets({ ...base, hub, tell, supervisor })
    const polls = pollHostedProfiles({ ...base, profiles, hub, tell, addresses, targets, extensions, pushHistory })
    undo.push(() => polls.end())
    const localTallies = followLocal({
      clock,
      client: localClient,
      post: tell,
      changed: (cid) => addresses.forget(localProfileId, cid),
      gone: (cid) => targets.forgetChannel(localProfileId, cid),
      reached: supervisor.mediaAt,
      log,
    })
    undo.push(() => localTallies.end())
    hub.onSubscribers(() => localTallies.markFresh())

    const receiving = { ...base, bounds: bounds.receiver, profiles }
    const receivers = createReceivers({ ...receiving, post: (event) => hub.post(event) })
    undo.push(() => receivers.close())
    const copies = createCopyReceivers(receiving)
    undo.push(() => copies.close())

    const messaging = await openMessaging({
      ...base,
      openSocket: openLinkSocket,
      changed: (session) => hub.post({ type: 'linkSession', session }),
      pushed: (profileId, accid, push) => hub.post({ type: 'link', profileId, accid, push }),
    })
    undo.push(() => messaging.close())
    const rooms = await openRooms({
      ...base,
      openSocket: openLinkSocket,
      device: `rooms${entryName('')}`.slice(0, 32),
      accounts: messaging,
      token: messaging.ownToken,
      changed: (panel) => hub.post({ type: 'room', panel }),
      pushed: (profileId, roomid, push) => hub.post({ type: 'roomPush', profileId, roomid, push }),
      // A removed profile may still have rooms for a moment.
      receiver: (profileId) =>
        profiles.all().some(({ id }) => id === profileId) ? copies.state({ profileId }) : { phase: 'off', url: null },
    })
    undo.push(() => rooms.close())
    messaging.onRenewed((profileId, accid, token) => rooms.renewed(profileId, accid, token))
    copies.on({
      changed: (receiver) => {
        hub.post({ type: 'copyReceiver', receiver })
        rooms.receiverChanged(receiver.profileId)
      },
      arrived: (profileId, copy) => {
        // On disk before the sender is answered.
        rooms.copied(profileId, copy)
        hub.post({ type: 'copy', profileId, copy })
      },
    })
    supervisor.on(() => {
      const ready = supervisor.ready()
      const link = ready && { url: ready.linkUrl, appKey: ready.appKey }
      messaging.serviceAt(link)
      rooms.serviceAt(link)
    })
    undo.push(tellLinks(profiles, [messaging, rooms]))

    const tickets = createTickets({ clock, random })
    undo.push(() => tickets.close())
    const relay = createRelay({ tickets, descriptors: bounds.relay, resolve, ...ca })
    const folder = (): string => computer.folder()
    const root = async (profileId: string): Promise<string> => (await profiles.service(profileId)).liveUrl
    const recordings = createRecordings({ ...base, folder, showFile: ports.showFile, root })
    const previews = createPreviews({ clock, tickets, profiles, client, recordings, supervisor, resolve })

    const moderators = await openModerators({
      ...base,
      bounds: bounds.moderators,
      pageDir: ports.pageDir,
      accounts: messaging,
      token: (profileId, accid) => messaging.token(profileId, accid),
      creator: (profileId, roomid) => rooms.creator(profileId, roomid),
      channel: (profileId, roomid) => rooms.find(profileId, roomid).then((room) => room?.cid ?? null),
      completed: ({ profileId, roomid, accid }) => {
        const entry = rooms.record(profileId, roomid, { kind: 'finishRevoke', target: accid }, () => Promise.resolve())
        inBackground(entry, log, 'logging that a seat is taken back')
      },
      relay,
      changed: (board) => hub.post({ type: 'seats', board }),
    })
    undo.push(() => moderators.close())
    onReadyChange(supervisor, (ready, before) => {
      if (ready && !before) moderators.serviceBack(localProfileId)
    })
    const remoteRooms = await openRemoteRooms({
      ...base,
      platform: about.platform,
      descriptors: bounds.joined,
      openLink: ports.openLink,
      changed: (seats) => hub.post({ type: 'joined', seats }),
    })
    undo.push(() => remoteRooms.close())
    const obs = await openObs({
      ...base,
      // Loaded on first use.
      open: async (place, events) => (await import('./obs/obs-connection.ts')).obsConnections(clock)(place, events),
      push: async (profileId, cid) => addresses.look(profileId, cid, await client(profileId)),
      watched: () => hub.subscribers() > 0,
      changed: (state) => hub.post({ type: 'obs', obs: state }),
    })
    undo.push(() => obs.close())

    // Disks, what was set aside, and help.
    const tellDisk = (refuses: boolean): void => hub.post({ type: 'disk', refuses })
    const diskWatch = createDiskWatch({ clock, folders: () => [dataDir, folder()], trial: trialOf, told: tellDisk })
    undo.push(() => diskWatch.close())
    const tellAside = (aside: KeptAside): void => hub.post({ type: 'setAside', kept: aside })
    const keeping = createKeeping({ ...own, client: localClient, changed: tellAside })
    // From the stores above.
    keeping.announce()
    const tellKept = (): void => inBackground(keeping.tell(), log, 'reading what was set aside')
    tellKept()
    onReadyChange(supervisor, tellKept)
    const wired = { ...base, about, hub, profiles, supervisor, keeping, addresses, recordings, receivers, copies }
    const ours = { access: createAccess(base), extensions, targets, computer, settingsFile, pushHistory, clientOf }
    const others = { ...ours, messaging, rooms, moderators, remoteRooms, obs }
    const support = createSupport({
      ...wired,
      ...others,
      redactor: createRedactor({ secrets: () => known.all(), home: readSystem().home }),
      system: readSystem,
      shell: () => shellStates(shell),
      settings: () => settings.value(),
      profiles: () => profiles.all(),
      service: supervisor,
      log: lines,
      folder: () => readFolderFigures(dataDir, folder()),
      vault: vault.mode,
      history: pushHistory,
    })

    // Pages, and what begins to run now that all is there.
    const rpc = createRpcServer({
      ...wired,
      ...others,
      ...previews,
      support,
      roomMedia: createRoomMedia({ rooms, recordings }),
      console: createConsole(base),
      settings,
      pollNow: (profileId) => polls.pollNow(profileId),
      openLink: ports.openLink,
      ...shellActions(shell, log),
      tryDisk: () => trialOf(dataDir),
      diskRefused: () => diskWatch.refused(),
      heard: (places, said) => noteAt(places, said, known),
      ...(ports.clipboard ? { clipboard: ports.clipboard } : {}),
    })
    undo.push(() => rpc.close())
    inBackground(receivers.resume(), log, 'starting a receiver of callbacks')
    inBackground(copies.resume(), log, 'starting a receiver of message copies')
    inBackground(computer.resume(), log, 'taking up a move of the data')
    supervisor.start({ choices: computer.choices(), mayStart: () => computer.present() })
    inBackground(moderators.resume(rpc.attach), log, 'starting the listener of moderators')
    const service = { service: () => supervisor.ready(), serviceReady: becomesReady }
    return { rpc, relay, joined: remoteRooms, bounds, ...service, close: () => undo.close() }
  } catch (error) {
    await undo.close()
    throw asDiskFault(dataDir, error)
  }
}
