import type { EventAudience } from '../../contract/rpc/event.ts'
import { isHeardBy, type AppEvent } from '../../contract/rpc/events.ts'
import { live } from '../../contract/operations/index.ts'
import { readWebLink } from '../../contract/web-link.ts'
import { pause } from '../../platform/clock.ts'
import { Failure } from '../failure.ts'
import { readEntry } from '../profiles/profiles.ts'
import { backlogPause, type Connection, maxSubscriptions } from '../lines/connection.ts'
import { forwarded } from './forward.ts'
import { implementRpc } from './implementer.ts'
import { channelsRouter } from './channels-router.ts'
import { messagingRouter } from './messaging-router.ts'
import type { RouterPorts } from './ports.ts'
import { operationsRouter } from './operations-router.ts'
import { pushRouter } from './push-router.ts'
import { recordingsRouter } from './recordings-router.ts'
import { roomsRouter } from './rooms-router.ts'
import { seatEvent } from './seat-gate.ts'
import { createSeatReads } from './seat-reads.ts'
import { seatsRouter } from './seats-router.ts'

/** Only URLs that a page may link to. */
function readLink(text: string): string {
  const link = readWebLink(text)
  if (!link) throw new Failure('absent', 'only http and https addresses are opened')
  return link.href
}

/** Implements contract/rpc; faults leave as FAILED. */
export function createRouter(ports: RouterPorts) {
  const { profiles, supervisor, addresses, hub, clock, settingsFile } = ports
  const { os, failed } = implementRpc(ports, createSeatReads(clock))
  const changed = (profileId: string): void => {
    hub.post({ type: 'channels', profileId })
    ports.pollNow(profileId)
  }

  async function* events(
    connection: Connection,
    signal: AbortSignal | undefined,
    audience: EventAudience,
  ): AsyncGenerator<AppEvent, void> {
    if (connection.subscriptions >= maxSubscriptions) throw failed(new Failure('internal', 'too many subscriptions'))
    connection.subscriptions++
    const end = signal ? AbortSignal.any([connection.closed, signal]) : connection.closed
    try {
      for (const ask of connection.seat || audience !== 'page' ? [] : ports.messaging.openRequests())
        yield { type: 'link', ...ask }
      const { seat } = connection
      do {
        const moved = seat?.moved()
        for await (const event of hub.subscribe(moved ? AbortSignal.any([end, moved]) : end)) {
          const shown = !isHeardBy(audience, event) ? undefined : seat ? seatEvent(event, seat) : event
          if (shown === undefined) continue
          yield shown
          while (connection.backlog() > backlogPause && !end.aborted) await pause(clock, 50, end)
        }
        // After a change of channel a moderator's page starts over.
        if (seat && !end.aborted) yield { type: 'channels', profileId: seat.profileId }
      } while (seat && !end.aborted)
    } finally {
      connection.subscriptions--
    }
  }

  return os.router({
    app: {
      about: os.app.about.handler(({ context: { connection } }) => {
        const { seat } = connection
        if (!seat) {
          const { capabilities, shellReason } = ports.about
          return { ...ports.about, capabilities: [...capabilities], shellReason: shellReason(), seat: null }
        }
        const { profileId, roomid, accid, name } = seat
        const shown = { profileId, roomid, cid: seat.cid(), accid, name }
        const { version } = ports.about
        return { version, shell: 'browser' as const, platform: '', capabilities: [], shellReason: null, seat: shown }
      }),
      events: os.app.events.handler(({ input, context, signal }) =>
        events(context.connection, signal, input?.audience ?? 'page'),
      ),
      changeSettings: os.app.changeSettings.handler(({ input }) => ports.settings.change(input)),
      open: os.app.open.handler(({ input }) => hub.post({ type: 'opened', cid: input.cid })),
      restartService: os.app.restartService.handler(() => supervisor.restart()),
      recoverDatabase: os.app.recoverDatabase.handler(({ input }) => supervisor.recover(input.copy)),
      serviceLog: os.app.serviceLog.handler(() => supervisor.lines()),
      cancelDownload: os.app.cancelDownload.handler(() => ports.cancelDownload()),
      checkUpdate: os.app.checkUpdate.handler(() => ports.checkUpdate()),
      installUpdate: os.app.installUpdate.handler(() => ({ installing: ports.installUpdate() })),
      openLink: os.app.openLink.handler(({ input }) => ports.openLink(readLink(input.url))),
    },
    profiles: {
      ...forwarded('profiles', os.profiles, profiles),
      check: os.profiles.check.handler(async ({ input }) => {
        const { ret } = await ports.clientOf(readEntry({ name: '', ...input })).call(live.list, { records: 1 })
        return { channels: ret.totalRecords }
      }),
      add: os.profiles.add.handler(async ({ input }) => {
        const added = await profiles.add(input)
        ports.extensions.askSoon(added.id)
        return added
      }),
      update: os.profiles.update.handler(async ({ input: { profileId, ...change } }) => {
        addresses.forget(profileId)
        if (profiles.moves(profileId, change)) {
          // First, so that the next service is given nothing of this one.
          await ports.targets.forgetProfile(profileId)
          await ports.messaging.leaveService(profileId)
          ports.rooms.leaveService(profileId)
        }
        const updated = await profiles.update(profileId, change)
        ports.extensions.askSoon(profileId)
        return updated
      }),
      remove: os.profiles.remove.handler(async ({ input }) => {
        await profiles.remove(input.profileId)
        await ports.messaging.forgetProfile(input.profileId)
        await ports.rooms.forgetProfile(input.profileId)
        await ports.moderators.forgetProfile(input.profileId)
        await ports.obs.forgetProfile(input.profileId)
        await ports.targets.forgetProfile(input.profileId)
        addresses.forget(input.profileId)
        // Its parts may have posted until here.
        hub.forget(input.profileId)
      }),
      test: os.profiles.test.handler(async ({ input }) => {
        const client = await ports.client(input.profileId)
        const began = clock.now()
        const { ret } = await client.call(live.list, { records: 1 })
        const milliseconds = clock.now() - began
        await ports.extensions.ask(input.profileId)
        return { channels: ret.totalRecords, milliseconds }
      }),
    },
    channels: channelsRouter(os.channels, ports, changed),
    push: pushRouter(os.push, ports),
    recordings: recordingsRouter(os.recordings, ports, changed),
    receivers: forwarded('receivers', os.receivers, ports.receivers),
    copies: forwarded('copies', os.copies, ports.copies),
    health: { recent: os.health.recent.handler(({ input }) => ports.pushHistory.of(input.profileId, input.cid)) },
    operations: operationsRouter(os.operations, ports.client),
    messaging: messagingRouter(os.messaging, ports),
    seats: seatsRouter(os.seats, ports),
    joined: {
      ...forwarded('joined', os.joined, ports.remoteRooms),
      join: os.joined.join.handler(({ input: { accid, token, code, ...place } }) =>
        ports.remoteRooms.join(place, { accid, token, code }),
      ),
      forget: os.joined.forget.handler(({ input }) => ports.remoteRooms.forget(input.id)),
    },
    rooms: roomsRouter(os.rooms, ports),
    obs: forwarded('obs', os.obs, ports.obs),
    access: forwarded('access', os.access, ports.access),
    targets: forwarded('targets', os.targets, ports.targets),
    computer: {
      ...forwarded('computer', os.computer, ports.computer),
      exportSettings: os.computer.exportSettings.handler(({ input }) => settingsFile.exportSettings(input)),
      readSettings: os.computer.readSettings.handler(({ input }) => settingsFile.readSettings(input)),
      importSettings: os.computer.importSettings.handler(({ input }) => settingsFile.importSettings(input)),
      resetSettings: os.computer.resetSettings.handler(() => settingsFile.resetSettings()),
    },
    keeping: forwarded('keeping', os.keeping, ports.keeping),
    support: forwarded('support', os.support, ports.support),
    console: {
      call: os.console.call.handler(({ input }) => ports.console.call(input.profileId, input.path, input.parameters)),
    },
    preview: {
      open: os.preview.open.handler(({ input, context }) =>
        ports.preview(input.profileId, input.cid, context.connection),
      ),
    },
  })
}
