import { isHeardBy, type AppEvent, type EventAudience } from '../../contract/rpc/events.ts'
import { type Channel, type Profile, type RevokeStep } from '../../contract/rpc/index.ts'
import { live } from '../../contract/operations/index.ts'
import { recordingBy } from '../../contract/switched-recording.ts'
import { readWebLink } from '../../contract/web-link.ts'
import { disableChannels, removeChannels, resumeChannels } from '../channels/batch.ts'
import { readChannel, readChannels } from '../channels/channel-list.ts'
import type { PushAddress } from '../channels/push-address.ts'
import type { Client } from '../client/client.ts'
import { pause } from '../../platform/clock.ts'
import { Failure, reasonOf } from '../failure.ts'
import { localOnly, localProfileId, readEntry } from '../profiles/profiles.ts'
import { backlogPause, type Connection, maxSubscriptions } from '../lines/connection.ts'
import type { ConnectedSeat } from '../lines/connected-seat.ts'
import { implementRpc } from './implementer.ts'
import { computerRouter } from './computer-router.ts'
import { copiesRouter } from './copies-router.ts'
import { messagingRouter } from './messaging-router.ts'
import type { RouterPorts } from './ports.ts'
import { obsRouter } from './obs-router.ts'
import { operationsRouter } from './operations-router.ts'
import { roomsRouter } from './rooms-router.ts'
import { seatEvent } from './seat-gate.ts'
import { createSeatReads } from './seat-reads.ts'
import { keepingRouter } from './keeping-router.ts'
import { supportRouter } from './support-router.ts'

const keyShown = 4
const card = (address: PushAddress): { server: string; keyStart: string; keyEnd: string; expires: number | null } => ({
  server: address.server,
  keyStart: address.key.slice(0, keyShown),
  // Of a short key the same letters are not shown twice.
  keyEnd: address.key.length >= 4 * keyShown ? address.key.slice(-keyShown) : '',
  expires: address.expires,
})

/** Reads an address that a page wants opened: what the page shows as a link and nothing else, whatever the page has asked before. */
function readLink(text: string): string {
  const link = readWebLink(text)
  if (!link) throw new Failure('absent', 'only http and https addresses are opened')
  return link.href
}

/** The channel of a moderator's page, as a list. */
async function ownChannel(client: Client, seat: ConnectedSeat): ReturnType<typeof readChannels> {
  const cid = seat.cid()
  const own = cid === null ? undefined : await readChannel(client, cid)
  return own ? { channels: [own], total: 1 } : { channels: [], total: 0 }
}

/** Builds the router that implements contract/rpc. Every fault leaves it as FAILED; an unforeseen one with a log id instead of its text. */
export function createRouter(ports: RouterPorts) {
  const { profiles, supervisor, addresses, hub, clock } = ports
  const { os, failed } = implementRpc(ports, createSeatReads(clock))
  const changed = (profileId: string): void => {
    hub.post({ type: 'channels', profileId })
    ports.pollNow(profileId)
  }

  /** Has a new channel recorded where the settings wish for it. The channel is there whatever comes of it. */
  const recordNew = async (profileId: string, cid: string, name: string): Promise<'asIs' | 'on' | 'failed'> => {
    const defaults = ports.settings.value().recording
    if (!defaults.everyPush) return 'asIs'
    try {
      await ports.recordings.configure(profileId, cid, { needRecord: true, ...recordingBy(defaults, name) })
      return 'on'
    } catch (error) {
      ports.log(`a new channel is not recorded as the settings wish: ${reasonOf(error)}`)
      return 'failed'
    }
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
      for (const ask of connection.seat || audience !== 'page' ? [] : ports.messaging.openAsks())
        yield { type: 'link', profileId: localProfileId, ...ask }
      const { seat } = connection
      do {
        const moved = seat?.moved()
        for await (const event of hub.subscribe(moved ? AbortSignal.any([end, moved]) : end)) {
          const shown = !isHeardBy(audience, event) ? undefined : seat ? seatEvent(event, seat) : event
          if (shown === undefined) continue
          yield shown
          while (connection.backlog() > backlogPause && !end.aborted) await pause(clock, 50, end)
        }
        // With another channel a moderator's page reads its lists again, and begins with the present state once more.
        if (seat && !end.aborted) yield { type: 'channels', profileId: seat.profileId }
      } while (seat && !end.aborted)
    } finally {
      connection.subscriptions--
    }
  }

  const notDone = ({ steps }: { readonly steps: readonly RevokeStep[] }): string =>
    steps.flatMap(({ what, ok, detail }) => (ok ? [] : [`${what}: ${detail}`])).join('; ')
  /** Does something about who moderates, with its entry in the log of the room. */
  const onSeat = <T>(
    id: string,
    kind: 'invite' | 'revoke',
    work: () => Promise<T>,
    leftOf?: (value: T) => string,
  ): Promise<T> => {
    const seat = ports.moderators.board().seats.find((each) => each.id === id)
    return seat ? ports.rooms.record(seat.profileId, seat.roomid, { kind, target: seat.accid }, work, leftOf) : work()
  }

  return os.router({
    app: {
      about: os.app.about.handler(({ context: { connection } }) => {
        const { seat } = connection
        if (!seat)
          return {
            ...ports.about,
            capabilities: [...ports.about.capabilities],
            shellReason: ports.about.shellReason(),
            seat: null,
          }
        const { profileId, roomid, accid, name } = seat
        const shown = { profileId, roomid, cid: seat.cid(), accid, name }
        return {
          version: ports.about.version,
          shell: 'browser' as const,
          platform: '',
          capabilities: [],
          shellReason: null,
          seat: shown,
        }
      }),
      events: os.app.events.handler(({ input, context, signal }) =>
        events(context.connection, signal, input?.audience ?? 'page'),
      ),
      changeSettings: os.app.changeSettings.handler(({ input }) => ports.settings.change(input)),
      open: os.app.open.handler(({ input }) => {
        hub.post({ type: 'opened', cid: input.cid })
      }),
      restartService: os.app.restartService.handler(() => supervisor.restart()),
      recoverDatabase: os.app.recoverDatabase.handler(({ input }) => supervisor.recover(input.copy)),
      serviceLog: os.app.serviceLog.handler(() => supervisor.lines()),
      cancelDownload: os.app.cancelDownload.handler(() => {
        ports.cancelDownload()
      }),
      checkUpdate: os.app.checkUpdate.handler(() => {
        ports.checkUpdate()
      }),
      installUpdate: os.app.installUpdate.handler(() => ({ installing: ports.installUpdate() })),
      openLink: os.app.openLink.handler(({ input }) => ports.openLink(readLink(input.url))),
    },
    profiles: {
      check: os.profiles.check.handler(async ({ input }) => {
        const { ret } = await ports.clientOf(readEntry({ name: '', ...input })).call(live.list, { records: 1 })
        return { channels: ret.totalRecords }
      }),
      add: os.profiles.add.handler(({ input }): Promise<Profile> => profiles.add(input)),
      update: os.profiles.update.handler(({ input: { profileId, ...change } }) => {
        addresses.forget(profileId)
        return profiles.update(profileId, change)
      }),
      remove: os.profiles.remove.handler(async ({ input }) => {
        await profiles.remove(input.profileId)
        await ports.messaging.forgetProfile(input.profileId)
        await ports.rooms.forgetProfile(input.profileId)
        await ports.moderators.forgetProfile(input.profileId)
        await ports.obs.forgetProfile(input.profileId)
        addresses.forget(input.profileId)
      }),
      test: os.profiles.test.handler(async ({ input }) => {
        const client = await ports.client(input.profileId)
        const began = clock.now()
        const { ret } = await client.call(live.list, { records: 1 })
        return { channels: ret.totalRecords, milliseconds: clock.now() - began }
      }),
    },
    channels: {
      list: os.channels.list.handler(async ({ input, context: { connection } }) => {
        const client = await ports.client(input.profileId)
        const { seat } = connection
        const { channels, total } = seat ? await ownChannel(client, seat) : await readChannels(client)
        return {
          total,
          channels: channels.map((one): Channel => ({
            cid: one.cid,
            name: one.name,
            status: one.status,
            created: one.ctime,
            needRecord: one.needRecord === 1,
            format: one.format === 1 ? 'flv' : 'mp4',
            duration: one.duration,
            filename: one.filename,
          })),
        }
      }),
      create: os.channels.create.handler(async ({ input }) => {
        const { ret } = await (await ports.client(input.profileId)).call(live.create, { name: input.name, type: 0 })
        const recording = await recordNew(input.profileId, ret.cid, input.name)
        changed(input.profileId)
        return { cid: ret.cid, recording }
      }),
      rename: os.channels.rename.handler(async ({ input }) => {
        await (await ports.client(input.profileId)).call(live.update, { cid: input.cid, name: input.name, type: 0 })
        changed(input.profileId)
      }),
      remove: os.channels.remove.handler(async ({ input }) => {
        const report = await removeChannels(await ports.client(input.profileId), input.cids)
        for (const { cid, ok } of report.results) if (ok) addresses.forget(input.profileId, cid)
        changed(input.profileId)
        return report
      }),
      disable: os.channels.disable.handler(async ({ input }) => {
        const report = await disableChannels(await ports.client(input.profileId), input.cids)
        changed(input.profileId)
        return report
      }),
      resume: os.channels.resume.handler(async ({ input }) => {
        const report = await resumeChannels(await ports.client(input.profileId), input.cids)
        changed(input.profileId)
        return report
      }),
    },
    push: {
      card: os.push.card.handler(async ({ input }) =>
        card(await addresses.look(input.profileId, input.cid, await ports.client(input.profileId))),
      ),
      reveal: os.push.reveal.handler(async ({ input }) => ({
        key: (await addresses.look(input.profileId, input.cid, await ports.client(input.profileId))).key,
      })),
      copy: os.push.copy.handler(async ({ input }) => {
        const address = await addresses.look(input.profileId, input.cid, await ports.client(input.profileId))
        const text = input.part === 'key' ? address.key : address.url
        if (!ports.clipboard) return { text }
        await ports.clipboard(text)
        return { text: null }
      }),
      replaceKey: os.push.replaceKey.handler(async ({ input }) => {
        localOnly(input.profileId)
        return card(await addresses.replace(input.profileId, input.cid, await ports.client(input.profileId)))
      }),
      renew: os.push.renew.handler(async ({ input }) =>
        card(await addresses.renew(input.profileId, input.cid, await ports.client(input.profileId))),
      ),
    },
    recordings: {
      state: os.recordings.state.handler(({ input }) => ports.recordings.state(input.profileId, input.cid)),
      configure: os.recordings.configure.handler(async ({ input: { profileId, cid, ...choice } }) => {
        await ports.recordings.configure(profileId, cid, choice)
        changed(profileId)
      }),
      list: os.recordings.list.handler(({ input }) =>
        ports.recordings.list(input.profileId, input.cids, input.beginTime, input.endTime),
      ),
      all: os.recordings.all.handler(({ input: { profileId, ...request } }) =>
        ports.recordings.all(profileId, request),
      ),
      deletedChannels: os.recordings.deletedChannels.handler(({ input }) =>
        ports.recordings.deletedChannels(input.profileId),
      ),
      ticket: os.recordings.ticket.handler(({ input, context }) =>
        ports.play(input.profileId, input.vid, context.connection),
      ),
      show: os.recordings.show.handler(({ input }) => ports.recordings.show(input.profileId, input.vid)),
      remove: os.recordings.remove.handler(({ input }) => ports.recordings.remove(input.profileId, input.vids)),
      merge: os.recordings.merge.handler(({ input }) =>
        ports.recordings.merge(input.profileId, input.outputName, input.vids),
      ),
      merges: os.recordings.merges.handler(({ input }) => ports.recordings.merges(input.profileId)),
      cancelMerge: os.recordings.cancelMerge.handler(({ input }) =>
        ports.recordings.cancelMerge(input.profileId, input.taskId),
      ),
      mark: os.recordings.mark.handler(({ input }) => ports.recordings.mark(input.profileId, input.cid, input.label)),
      markers: os.recordings.markers.handler(({ input }) =>
        ports.recordings.markers(input.profileId, input.cids, input.beginTime, input.endTime),
      ),
      renameMarker: os.recordings.renameMarker.handler(({ input }) =>
        ports.recordings.renameMarker(input.profileId, input.markerId, input.label),
      ),
      removeMarker: os.recordings.removeMarker.handler(({ input }) =>
        ports.recordings.removeMarker(input.profileId, input.markerId),
      ),
      retention: os.recordings.retention.handler(({ input }) => ports.recordings.retention(input.profileId)),
      setRetention: os.recordings.setRetention.handler(({ input: { profileId, ...retention } }) =>
        ports.recordings.setRetention(profileId, retention),
      ),
      callbacks: os.recordings.callbacks.handler(({ input }) =>
        ports.recordings.callbacks(input.profileId, input.limit),
      ),
      resend: os.recordings.resend.handler(({ input }) => ports.recordings.resend(input.profileId, input.nId)),
    },
    receivers: {
      state: os.receivers.state.handler(({ input }) => ports.receivers.state(input.profileId)),
      start: os.receivers.start.handler(({ input }) => ports.receivers.start(input.profileId, input.host, input.port)),
      stop: os.receivers.stop.handler(({ input }) => ports.receivers.stop(input.profileId)),
      register: os.receivers.register.handler(({ input }) => ports.receivers.register(input.profileId, input.url)),
      deliveries: os.receivers.deliveries.handler(({ input }) =>
        ports.receivers.deliveries(input.profileId, input.limit),
      ),
      replay: os.receivers.replay.handler(({ input }) => ports.receivers.replay(input.profileId, input.id)),
      tamper: os.receivers.tamper.handler(({ input }) =>
        ports.receivers.tamper(input.profileId, input.id, input.field),
      ),
      signKey: os.receivers.signKey.handler(({ input }) => ports.receivers.signKey(input.profileId)),
      setSignKey: os.receivers.setSignKey.handler(({ input }) =>
        ports.receivers.setSignKey(input.profileId, input.signKey, input.atService),
      ),
    },
    copies: copiesRouter(os.copies, ports.copies),
    health: { recent: os.health.recent.handler(({ input }) => ports.pushHistory.of(input.profileId, input.cid)) },
    operations: operationsRouter(os.operations, ports.client),
    messaging: messagingRouter(os.messaging, ports),
    seats: {
      board: os.seats.board.handler(() => ports.moderators.board()),
      invite: os.seats.invite.handler(({ input: { profileId, roomid, accid, name } }) =>
        ports.rooms.record(profileId, roomid, { kind: 'invite', target: accid }, () =>
          ports.moderators.invite(profileId, roomid, accid, name),
        ),
      ),
      inviteAgain: os.seats.inviteAgain.handler(({ input }) =>
        onSeat(input.id, 'invite', () => ports.moderators.inviteAgain(input.id)),
      ),
      revoke: os.seats.revoke.handler(({ input }) =>
        onSeat(input.id, 'revoke', () => ports.moderators.revoke(input.id), notDone),
      ),
      forget: os.seats.forget.handler(({ input }) => ports.moderators.forget(input.id)),
      listen: os.seats.listen.handler(({ input }) => ports.moderators.listen(input)),
      makeCertificate: os.seats.makeCertificate.handler(({ input }) => ports.moderators.makeCertificate(input.names)),
      useCertificate: os.seats.useCertificate.handler(({ input }) => ports.moderators.useCertificate(input)),
    },
    joined: {
      list: os.joined.list.handler(() => ports.joining.list()),
      join: os.joined.join.handler(({ input: { accid, token, code, ...place } }) =>
        ports.joining.join(place, { accid, token, code }),
      ),
      forget: os.joined.forget.handler(({ input }) => ports.joining.forget(input.id)),
    },
    rooms: roomsRouter(os.rooms, ports),
    obs: obsRouter(os.obs, ports.obs),
    computer: computerRouter(os.computer, ports),
    keeping: keepingRouter(os.keeping, ports.keeping),
    support: supportRouter(os.support, ports.support),
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
