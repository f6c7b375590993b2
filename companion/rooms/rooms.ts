import path from 'node:path'
import type { OpenLinkSocket } from '../../contract/link/client.ts'
import { accounts, local } from '../../contract/operations/index.ts'
import type { Answer } from '../../contract/operation.ts'
import type { ReceivedCopy, RoomAction, RoomPanel, RoomPush, RpcInputs } from '../../contract/rpc/index.ts'
import { Failure } from '../failure.ts'
import type { Messaging } from '../messaging/messaging.ts'
import { localProfileId } from '../profiles/profiles.ts'
import { createActionEntries } from './action-entries.ts'
import { actionsAsCsv, actionsAsJson } from './action-export.ts'
import { type Dropped, openActionLog } from './action-log.ts'
import { withNames } from './action-names.ts'
import { type HostedRoomPorts, openHostedRooms } from './hosted-rooms.ts'
import { openKnownRooms } from './known-rooms.ts'
import { createRoomActs } from './room-acts.ts'
import { createPanelSets } from './panel-sets.ts'
import { createRoomDirectory } from './room-directory.ts'
import { createViewerChat, isHost } from './viewer-chat.ts'
import type { PartPorts } from '../part-ports.ts'

type Input = RpcInputs['rooms']

/** Rooms, the app's sessions in them, and moderation. Throws Failure. */
export type Rooms = Awaited<ReturnType<typeof openRooms>>

/** Listed at once. */
const maxListed = 100
/** Entries of one part of an export. */
const maxExport = 500

/** Opens something; closes `before` if that fails. */
function orClosed<T>(before: { close(): void }, open: () => T): T {
  try {
    return open()
  } catch (error) {
    before.close()
    throw error
  }
}

/** Opens DATA/rooms.json, actions.db and room-copies.db; damaged ones are quarantined. */
export async function openRooms(
  ports: Pick<PartPorts, 'dataDir' | 'clock' | 'random' | 'client' | 'isExtended' | 'log'> & {
    readonly openSocket: OpenLinkSocket
    /** The same over restarts. */
    readonly device: string
    readonly accounts: Pick<Messaging, 'createAccount' | 'refreshToken' | 'ownAccount'>
    /** The app's own token; undefined if it has none. */
    readonly token: (profileId: string, accid: string, wasRefused: boolean) => Promise<string | undefined>
    readonly receiver: HostedRoomPorts['receiver']
    readonly changed: (panel: RoomPanel) => void
    readonly pushed: (profileId: string, roomid: number, push: RoomPush) => void
  },
) {
  const { client, clock, isExtended } = ports
  const known = await openKnownRooms(ports.dataDir)
  const log = openActionLog(path.join(ports.dataDir, 'actions.db'))
  const panels = createPanelSets({ ...ports, random: () => ports.random(4).readUInt32BE() / 0x1_0000_0000 })
  const directory = createRoomDirectory({
    ...ports,
    known,
    accidIn: (profileId, roomid) => panels.find(profileId, roomid)?.accid,
  })
  const hosted = orClosed(log, () =>
    openHostedRooms({
      ...ports,
      known: known.rooms,
      read: (profileId, roomid) => directory.read(profileId, roomid, true),
    }),
  )
  const entries = createActionEntries({ ...ports, actions: log, now: () => clock.now() })
  const acts = createRoomActs({ ...ports, directory, panels, hosted, actions: log, entries })
  const viewerChat = createViewerChat({ ...ports, directory, acts, panels })

  return {
    ...directory,
    ...acts,
    ...viewerChat,
    enter: async (profileId: string, roomid: number, renew: boolean): Promise<RoomPanel> => {
      // The link of others has its own protocol: lines come as copies.
      if (!isExtended(profileId)) return hosted.enter(profileId, roomid)
      const of = panels.of(profileId)
      const panel = of.find(roomid)
      if (panel && !renew && panel.phase !== 'refused') return panel
      const { creator, name } = await directory.read(profileId, roomid, false)
      const token = renew
        ? (await ports.accounts.refreshToken(profileId, creator, 'own')).token
        : ((await ports.token(profileId, creator, panel !== undefined && of.hasRefusedToken(roomid))) ??
          // Nobody else signs in with accounts that the switch made at the service of this computer.
          (profileId === localProfileId && isHost(creator)
            ? (await ports.accounts.refreshToken(profileId, creator, 'own')).token
            : undefined))
      if (token === undefined) throw new Failure('secret', `no token of ${creator} that is in force is kept`)
      const { uinfos } = await (await client(profileId)).call(accounts.getUinfos, { accids: [creator] })
      return of.enter({ roomid, accid: creator, token, name, nick: uinfos[0]?.name ?? '' })
    },
    leave: (profileId: string, roomid: number) => {
      if (isExtended(profileId)) panels.of(profileId).leave(roomid)
      else hosted.leave(profileId, roomid)
    },
    panels: (profileId: string): RoomPanel[] =>
      isExtended(profileId) ? panels.of(profileId).all() : hosted.panels(profileId),
    /** Only received lines where the service has no history. */
    history: async ({ profileId, call }: Input['history']): Promise<Answer<typeof local.roomHistory>> =>
      isExtended(profileId) ? (await client(profileId)).call(local.roomHistory, call) : hosted.history(profileId, call),
    actions: (of: Input['actions']): RoomAction[] => log.list({ ...of, limit: maxListed }),
    /** A part of a room's log, of entries below `before`; `next` is the next part's `before`. */
    exportActions: async ({
      profileId,
      roomid,
      format,
      before,
    }: Input['exportActions']): Promise<{ name: string; text: string; next: number | null; dropped: Dropped }> => {
      const actions = await withNames(log.list({ profileId, roomid, before, limit: maxExport }), (accids) =>
        entries.namesOf(profileId, roomid, accids),
      )
      const next = actions.length === maxExport ? (actions.at(-1)?.id ?? null) : null
      const dropped = log.dropped(profileId, roomid)
      const part = { actions, isFirst: before === undefined, isLast: next === null, dropped }
      const text = format === 'csv' ? actionsAsCsv(part) : actionsAsJson(part)
      return { name: `room-${roomid}-actions.${format}`, text, next, dropped }
    },
    note: ({ profileId, accid }: Input['note']) => ({ text: known.note(profileId, accid) }),
    setNote: ({ profileId, accid, text }: Input['setNote']) => known.setNote(profileId, accid, text),
    renewed: panels.renewed,
    /** Where the link of a service is; undefined while that is not known. */
    serviceAt: (link: { readonly url: string; readonly appKey: string } | undefined, profileId = localProfileId) =>
      panels.of(profileId).serviceAt(link),
    /** A copy is on disk when it returns; throws when the disk refuses. */
    copied: (profileId: string, copy: ReceivedCopy) => {
      if (!isExtended(profileId)) hosted.copied(profileId, copy)
    },
    receiverChanged: (profileId: string) => {
      if (!isExtended(profileId)) hosted.receiverChanged(profileId)
    },
    /** Its address becomes another service's: no session goes on there with this one's tokens. */
    leaveService: (profileId: string) => {
      const of = panels.of(profileId)
      for (const { roomid } of of.all()) of.leave(roomid)
      panels.forget(profileId)
    },
    forgetProfile: async (profileId: string) => {
      panels.forget(profileId)
      await known.forgetProfile(profileId)
      hosted.forget(profileId)
    },
    close: () => {
      panels.end()
      hosted.close()
      log.close()
    },
  }
}
