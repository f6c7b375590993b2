import path from 'node:path'
import type { OpenLinkSocket } from '../../contract/link/client.ts'
import { accounts, local } from '../../contract/operations/index.ts'
import type { Answer, Arguments } from '../../contract/operation.ts'
import type { ReceivedCopy, RoomAction, RoomDesk, RoomPush } from '../../contract/rpc/index.ts'
import type { Client } from '../client/client.ts'
import type { Clock } from '../../platform/clock.ts'
import { Failure } from '../failure.ts'
import type { Messaging } from '../messaging/messaging.ts'
import { isLocal, localProfileId } from '../profiles/profiles.ts'
import { createActionEntries } from './action-entries.ts'
import { actionsAsCsv, actionsAsJson } from './action-export.ts'
import { type Dropped, openActionLog } from './action-log.ts'
import { withNames } from './action-names.ts'
import { type HostedRoomPorts, openHostedRooms } from './hosted-rooms.ts'
import { openKnownRooms } from './known-rooms.ts'
import { createRoomActs, type RoomActs } from './room-acts.ts'
import { createRoomDesks } from './room-desks.ts'
import { createRoomDirectory, type RoomDirectory } from './room-directory.ts'

/** Rooms, the seats that the app takes in them, and what moderators do there. Failures are Failure. */
export interface Rooms extends RoomDirectory, RoomActs {
  enter(profileId: string, roomid: number, renew: boolean): Promise<RoomDesk>
  leave(profileId: string, roomid: number): void
  desks(profileId: string): RoomDesk[]
  /** Lines of the past: the service's own, or of a hosted profile those that were received here. */
  history(profileId: string, call: Arguments<typeof local.roomHistory>): Promise<Answer<typeof local.roomHistory>>
  actions(
    profileId: string,
    of: { roomid?: number | undefined; target?: string | undefined; before?: number | undefined },
  ): RoomAction[]
  /** One part of a file with the log of a room: that of entries with a smaller number than `before`, or the first. `next` is the `before` of the next one, null for none. */
  exportActions(
    profileId: string,
    roomid: number,
    format: 'csv' | 'json',
    before?: number,
  ): Promise<{ name: string; text: string; next: number | null; dropped: Dropped }>
  note(profileId: string, accid: string): string
  setNote(profileId: string, accid: string, text: string): Promise<void>
  /** An account has a new token. */
  renewed(profileId: string, accid: string, token: string): void
  /** The embedded service listens elsewhere now, or nowhere. */
  serviceAt(link: { readonly url: string; readonly appKey: string } | undefined): void
  /** A copy came in at a profile's receiver: a line of a hosted profile's room is on disk when this returns. Throws when the disk refuses. */
  copied(profileId: string, copy: ReceivedCopy): void
  /** A profile's receiver of copies began or ended. */
  receiverChanged(profileId: string): void
  forgetProfile(profileId: string): Promise<void>
  close(): void
}

/** What it needs. */
export interface RoomPorts {
  readonly dataDir: string
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly client: (profileId: string) => Promise<Client>
  readonly openSocket: OpenLinkSocket
  /** Id of this computer on the link, the same over restarts. */
  readonly device: string
  readonly accounts: Pick<Messaging, 'createAccount' | 'refreshToken'>
  /** The token with which the app goes on the link as an account of the embedded service; undefined where it has none of its own. */
  readonly token: (accid: string, wasRefused: boolean) => Promise<string | undefined>
  /** A profile's receiver of message copies. */
  readonly receiver: HostedRoomPorts['receiver']
  readonly changed: (desk: RoomDesk) => void
  readonly pushed: (profileId: string, roomid: number, push: RoomPush) => void
  readonly log: (line: string) => void
}

/** Entries of the log that are listed at once. */
const maxListed = 100
/** Entries of one part of an export. */
const maxExport = 500

/** Opens one thing more; what was opened before is closed where that fails. */
function orClosed<T>(before: { close(): void }, open: () => T): T {
  try {
    return open()
  } catch (error) {
    before.close()
    throw error
  }
}

/** Opens the rooms of a data folder: DATA/rooms.json, DATA/actions.db and DATA/room-copies.db. A damaged one is set aside. */
export async function openRooms(ports: RoomPorts): Promise<Rooms> {
  const { client, clock } = ports
  const known = await openKnownRooms(ports.dataDir)
  const log = openActionLog(path.join(ports.dataDir, 'actions.db'))
  const desks = createRoomDesks({
    profileId: localProfileId,
    clock,
    random: () => ports.random(4).readUInt32BE() / 0x1_0000_0000,
    device: ports.device,
    openSocket: ports.openSocket,
    changed: ports.changed,
    pushed: (roomid, push) => {
      ports.pushed(localProfileId, roomid, push)
    },
  })
  const directory = createRoomDirectory({
    client,
    known,
    accounts: ports.accounts,
    seatedAs: (roomid) => desks.find(roomid)?.accid,
  })
  const hosted = orClosed(log, () =>
    openHostedRooms({
      dataDir: ports.dataDir,
      clock,
      known: known.rooms,
      read: (profileId, roomid) => directory.read(profileId, roomid, true),
      receiver: ports.receiver,
      changed: ports.changed,
      pushed: ports.pushed,
    }),
  )
  const entries = createActionEntries({ actions: log, now: () => clock.now(), client, log: ports.log })
  const acts = createRoomActs({
    clock,
    random: ports.random,
    client,
    directory,
    desks,
    hosted,
    actions: log,
    entries,
    log: ports.log,
  })

  return {
    ...directory,
    ...acts,
    enter: async (profileId, roomid, renew) => {
      // The client link of a hosted service speaks a protocol of its own: its lines come as copies.
      if (!isLocal(profileId)) return hosted.enter(profileId, roomid)
      const seat = desks.find(roomid)
      if (seat && !renew && seat.phase !== 'refused') return seat
      const { creator, name } = await directory.read(profileId, roomid, false)
      const token = renew
        ? (await ports.accounts.refreshToken(profileId, creator, 'own')).token
        : await ports.token(creator, seat !== undefined && desks.hasRefusedToken(roomid))
      if (token === undefined) throw new Failure('secret', `no token of ${creator} that is in force is kept`)
      const { uinfos } = await (await client(profileId)).call(accounts.getUinfos, { accids: [creator] })
      return desks.enter({ roomid, accid: creator, token, name, nick: uinfos[0]?.name ?? '' })
    },
    leave: (profileId, roomid) => {
      if (isLocal(profileId)) desks.leave(roomid)
      else hosted.leave(profileId, roomid)
    },
    desks: (profileId) => (isLocal(profileId) ? desks.all() : hosted.desks(profileId)),
    history: async (profileId, call) =>
      isLocal(profileId) ? (await client(profileId)).call(local.roomHistory, call) : hosted.history(profileId, call),
    actions: (profileId, of) => log.list({ profileId, ...of, limit: maxListed }),
    exportActions: async (profileId, roomid, format, before) => {
      const actions = await withNames(log.list({ profileId, roomid, before, limit: maxExport }), (accids) =>
        entries.namesOf(profileId, roomid, accids),
      )
      const next = actions.length === maxExport ? (actions.at(-1)?.id ?? null) : null
      const part = {
        actions,
        isFirst: before === undefined,
        isLast: next === null,
        dropped: log.dropped(profileId, roomid),
      }
      const text = format === 'csv' ? actionsAsCsv(part) : actionsAsJson(part)
      return { name: `room-${roomid}-actions.${format}`, text, next, dropped: part.dropped }
    },
    note: (profileId, accid) => known.note(profileId, accid),
    setNote: (profileId, accid, text) => known.setNote(profileId, accid, text),
    renewed: (profileId, accid, token) => {
      if (isLocal(profileId)) desks.renewed(accid, token)
    },
    serviceAt: (link) => {
      desks.serviceAt(link)
    },
    copied: (profileId, copy) => {
      if (!isLocal(profileId)) hosted.copied(profileId, copy)
    },
    receiverChanged: (profileId) => {
      if (!isLocal(profileId)) hosted.receiverChanged(profileId)
    },
    forgetProfile: async (profileId) => {
      await known.forgetProfile(profileId)
      hosted.forget(profileId)
    },
    close: () => {
      desks.end()
      hosted.close()
      log.close()
    },
  }
}
