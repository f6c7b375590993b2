import path from 'node:path'
import type { OpenLinkSocket } from '../../contract/link/client.ts'
import { accounts, chatrooms, local } from '../../contract/operations/index.ts'
import type { Answer, Arguments } from '../../contract/operation.ts'
import type {
  ListedRoom,
  LoggedDeed,
  Measure,
  MeasureCall,
  ReceivedCopy,
  RoomAction,
  RoomDesk,
  RoomPush,
} from '../../contract/rpc/index.ts'
import type { Client } from '../client/client.ts'
import type { Clock } from '../clock.ts'
import { Failure, reasonOf } from '../failure.ts'
import type { Messaging } from '../messaging/messaging.ts'
import { localProfileId } from '../profiles/profiles.ts'
import { createTurns } from '../turns.ts'
import { createActRates } from './act-rates.ts'
import { actionsAsCsv, actionsAsJson } from './action-export.ts'
import { type Dropped, openActionLog, type Outcome } from './action-log.ts'
import { withNames } from './action-names.ts'
import { loggedText } from './action-texts.ts'
import { type HostedRoomPorts, openHostedRooms } from './hosted-rooms.ts'
import { type KnownRoom, openKnownRooms } from './known-rooms.ts'
import { carryOut, type Done, takesBack, type Taken, maxLine } from './measures.ts'
import { createModeratorCheck, createReadCheck } from './moderator-check.ts'
import { createRoomDesks } from './room-desks.ts'

/** Rooms, the seats that the app takes in them, and what moderators do there. Failures are Failure. */
export interface Rooms {
  list(
    profileId: string,
    before: number | undefined,
  ): Promise<{ complete: boolean; rooms: ListedRoom[]; next: number | null }>
  /** One room, as the list has it; undefined for none. */
  find(profileId: string, roomid: number): Promise<ListedRoom | undefined>
  create(
    profileId: string,
    room: { readonly accid: string; readonly name: string; readonly announcement: string },
  ): Promise<{ roomid: number }>
  add(profileId: string, roomid: number): Promise<ListedRoom>
  linked(profileId: string, cid: string): Promise<{ roomid: number | null }>
  link(profileId: string, cid: string, roomid: number | null): Promise<void>
  enter(profileId: string, roomid: number, renew: boolean): Promise<RoomDesk>
  leave(profileId: string, roomid: number): void
  desks(profileId: string): RoomDesk[]
  /** Lines of the past: the service's own, or of a hosted profile those that were received here. */
  history(profileId: string, call: Arguments<typeof local.roomHistory>): Promise<Answer<typeof local.roomHistory>>
  /** The creator of a room, which never changes. */
  creator(profileId: string, roomid: number): Promise<string>
  /** Says a text as the creator, or as the moderator `as`. */
  say(profileId: string, roomid: number, text: string, as?: string): Promise<{ msgid: string; at: number }>
  /** Refuses unless an account moderates a room, of which it is to read what viewers do not see. */
  mustModerateToRead(profileId: string, roomid: number, accid: string): Promise<void>
  /** Does one thing as the creator, or as the moderator `as`, who must be one at that moment. */
  act(call: MeasureCall, as?: string): Promise<{ action: RoomAction; taken: Taken | null; replaced?: number }>
  /** Logs a measure of a moderator whose seat was taken back while it was on its way: it is not done. */
  refused(profileId: string, roomid: number, measure: Measure, why: string, as: string): Promise<void>
  /** Logs what the creator does about who moderates, before it is done and what came of it; `leftOf` says what is not done yet, empty for nothing. */
  record<T>(
    profileId: string,
    roomid: number,
    deed: LoggedDeed,
    work: () => Promise<T>,
    leftOf?: (value: T) => string,
  ): Promise<T>
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

const pageSize = 100
/** Failures that are an answer of the service. */
const answered: ReadonlySet<Failure['data']['kind']> = new Set(['code', 'missing', 'changed', 'decided'])
/** An entry of the log that has no outcome yet; `names` are those of the people in it, as soon as somebody tells them. */
interface Begun {
  readonly id: number
  readonly names: () => Promise<{ readonly operatorName: string; readonly targetName: string }>
}
/** Entries of one part of an export. */
const maxExport = 500
const isLocal = (profileId: string): boolean => profileId === localProfileId
const hasCode = (error: unknown, code: number): boolean => error instanceof Failure && error.data.code === code

const listedRoom = (room: Answer<typeof local.rooms>['ret']['list'][number]): ListedRoom => {
  const { roomid, name, creator, valid, online, cid } = room
  return { roomid, name, creator, valid, online, cid: cid ?? null }
}

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
  const turns = createTurns()
  const rates = createActRates(clock)
  /** Not every call names an operator that the service could judge by: whoever acts must be a moderator now. */
  const mustModerate = createModeratorCheck()
  const mustModerateToRead = createReadCheck(mustModerate, () => clock.monotonic())
  /** The seat of a moderator, for its rate; undefined for the host. */
  const seatOf = (profileId: string, roomid: number, as: string | undefined): string | undefined =>
    as === undefined ? as : `${profileId} ${roomid} ${as}`
  const read = async (profileId: string, roomid: number, needOnlineUserCount: boolean) =>
    (await (await client(profileId)).call(chatrooms.get, { roomid, needOnlineUserCount })).chatroom
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
  const hosted = orClosed(log, () =>
    openHostedRooms({
      dataDir: ports.dataDir,
      clock,
      known: known.rooms,
      read: (profileId, roomid) => read(profileId, roomid, true),
      receiver: ports.receiver,
      changed: ports.changed,
      pushed: ports.pushed,
    }),
  )
  const knownRoom = (profileId: string, { roomid, name, creator }: KnownRoom): ListedRoom => ({
    roomid,
    name,
    creator,
    valid: null,
    online: null,
    cid: known.channelOf(profileId, roomid) ?? null,
  })
  /** Creators of rooms, which never change: asked for once. */
  const creators = new Map<string, string>()
  const creatorOf = async (profileId: string, roomid: number): Promise<string> => {
    const key = `${profileId} ${roomid}`
    const creator = creators.get(key) ?? (await read(profileId, roomid, false)).creator
    creators.set(key, creator)
    return creator
  }
  /** The creator as far as that is known without asking; empty for unknown. */
  const knownCreator = (profileId: string, roomid: number): string =>
    (isLocal(profileId)
      ? desks.find(roomid)?.accid
      : known.rooms(profileId).find((room) => room.roomid === roomid)?.creator) ?? ''
  /** What people are called in a room, also when they are gone: guests are not registered. Nothing is refused for a name. */
  const namesOf = async (
    profileId: string,
    roomid: number,
    accids: readonly string[],
  ): Promise<ReadonlyMap<string, string>> => {
    // A hosted service counts every call, and a name is none of what was asked for.
    if (!isLocal(profileId)) return new Map()
    const { list } = (await (await client(profileId)).call(local.roomPeople, { roomid, accids: [...accids] })).ret
    return new Map(list.flatMap(({ accid, nick }) => (nick === '' ? [] : [[accid, nick]])))
  }
  const operatorOf = async (profileId: string, roomid: number, as?: string): Promise<string> =>
    as ?? (await creatorOf(profileId, roomid).catch(() => knownCreator(profileId, roomid)))
  /** Puts into the log what is about to be done, before anything is asked of the service but who leads the room. */
  const begin = (
    profileId: string,
    roomid: number,
    { operator, seat }: { readonly operator: string; readonly seat: boolean },
    what: LoggedDeed,
    why: string,
    undoes: number | null,
  ): Begun => {
    const id = log.begin({ profileId, roomid, at: clock.now(), operator, seat, what, why, undoes })
    const target = 'target' in what ? what.target : ''
    const accids = [...new Set([operator, target])].filter(Boolean)
    const ask = (): Promise<ReadonlyMap<string, string>> => namesOf(profileId, roomid, accids).catch(() => new Map())
    const first = ask()
    const names = async () => {
      let of = await first
      // Whoever is invited may be made by it.
      if (accids.some((accid) => !of.has(accid))) of = new Map([...of, ...(await ask())])
      return { operatorName: of.get(operator) ?? '', targetName: of.get(target) ?? '' }
    }
    return { id, names }
  }
  const end = async ({ id, names }: Begun, outcome: Outcome): Promise<void> => {
    try {
      log.end(id, { ...outcome, ...(await names()) })
    } catch (unwritten) {
      // What came of it matters more; the entry stays without an outcome.
      ports.log(`an entry of the log of actions has no outcome: ${reasonOf(unwritten)}`)
    }
  }
  /** The text of the line that a measure is about, or upon which it was taken; null for none, and where nobody can tell it: a service that did not answer is not asked once more. */
  const lineOf = async (
    { profileId, roomid, measure, upon }: Pick<MeasureCall, 'profileId' | 'roomid' | 'measure' | 'upon'>,
    refusal?: unknown,
  ): Promise<string | null> => {
    const isAnswered = refusal === undefined || (refusal instanceof Failure && answered.has(refusal.data.kind))
    const msgid = 'msgid' in measure ? measure.msgid : upon
    if (!isLocal(profileId) || msgid === undefined || !('target' in measure) || !isAnswered) return null
    try {
      const { from, attach } = (await (await client(profileId)).call(local.roomLine, { roomid, msgid })).ret
      // What one person has said does not stand beside the name of another.
      return from === measure.target ? attach.slice(0, maxLine) : null
    } catch (error) {
      if (!(error instanceof Failure))
        ports.log(`the text of a line is missing in the log of actions: ${reasonOf(error)}`)
      return null
    }
  }
  const endFailed = (begun: Begun, error: unknown, line: string | null = null): Promise<void> => {
    const { code, kind } = error instanceof Failure ? error.data : { code: null, kind: 'internal' as const }
    return end(begun, { result: 'failed', code, failure: kind, line, detail: reasonOf(error).slice(0, 500) })
  }
  const madeOnDemand = async (accid: string): Promise<void> => {
    const { uinfos } = await (
      await client(localProfileId)
    )
      .call(accounts.getUinfos, { accids: [accid] })
      .catch((error: unknown) => {
        if (hasCode(error, 414)) return { uinfos: [] }
        throw error
      })
    if (uinfos.length === 0) await ports.accounts.createAccount(localProfileId, { accid }, 'own')
  }

  return {
    list: async (profileId, before) => {
      if (!isLocal(profileId))
        return { complete: false, next: null, rooms: known.rooms(profileId).map((room) => knownRoom(profileId, room)) }
      const { ret } = await (
        await client(profileId)
      ).call(local.rooms, { limit: pageSize, ...(before === undefined ? {} : { before }) })
      return {
        complete: true,
        next: ret.list.length === pageSize ? (ret.list.at(-1)?.created ?? null) : null,
        rooms: ret.list.map(listedRoom),
      }
    },
    find: async (profileId, roomid) => {
      if (!isLocal(profileId)) {
        const room = known.rooms(profileId).find((each) => each.roomid === roomid)
        return room && knownRoom(profileId, room)
      }
      const [room] = (await (await client(profileId)).call(local.roomDetails, { roomidList: [roomid] })).ret.list
      return room && listedRoom(room)
    },
    create: async (profileId, { accid, name, announcement }) => {
      if (isLocal(profileId)) await madeOnDemand(accid)
      const { chatroom } = await (
        await client(profileId)
      ).call(chatrooms.create, { creator: accid, name, ...(announcement === '' ? {} : { announcement }) })
      if (!isLocal(profileId)) await known.noteRoom({ profileId, roomid: chatroom.roomid, name, creator: accid })
      return { roomid: chatroom.roomid }
    },
    add: async (profileId, roomid) => {
      const { name, creator, valid, onlineusercount } = await read(profileId, roomid, true)
      if (!isLocal(profileId)) await known.noteRoom({ profileId, roomid, name, creator })
      return {
        roomid,
        name,
        creator,
        valid,
        online: onlineusercount ?? null,
        cid: known.channelOf(profileId, roomid) ?? null,
      }
    },
    linked: async (profileId, cid) => {
      if (!isLocal(profileId)) return { roomid: known.linked(profileId, cid) ?? null }
      return { roomid: (await (await client(profileId)).call(local.linkedRoom, { cid })).ret.roomid ?? null }
    },
    link: async (profileId, cid, roomid) => {
      if (!isLocal(profileId)) return known.link(profileId, cid, roomid)
      await (await client(profileId)).call(local.linkRoom, { cid, ...(roomid === null ? {} : { roomid }) })
    },
    enter: async (profileId, roomid, renew) => {
      // The client link of a hosted service speaks a protocol of its own: its lines come as copies.
      if (!isLocal(profileId)) return hosted.enter(profileId, roomid)
      const seat = desks.find(roomid)
      if (seat && !renew && seat.phase !== 'refused') return seat
      const { creator, name } = await read(profileId, roomid, false)
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
    creator: creatorOf,
    mustModerateToRead: async (profileId, roomid, accid) =>
      mustModerateToRead(await client(profileId), isLocal(profileId), { profileId, roomid, accid }),
    say: async (profileId, roomid, text, as) => {
      if (as !== undefined) rates.take(seatOf(profileId, roomid, as), text)
      const msgId = ports.random(16).toString('hex')
      if (as === undefined && isLocal(profileId) && desks.find(roomid)?.phase === 'inside')
        return desks.say(roomid, text, msgId)
      const fromAccid = as ?? (await creatorOf(profileId, roomid))
      const service = await client(profileId)
      if (as !== undefined) await mustModerate(service, isLocal(profileId), { profileId, roomid, accid: as })
      const { desc } = await service.call(chatrooms.sendMsg, { roomid, msgId, fromAccid, msgType: 0, attach: text })
      const at = Number(desc.time)
      if (isLocal(profileId)) return { msgid: desc.msgid_client, at }
      const said = { roomid, at, from: fromAccid, fromNick: desc.fromNick, attach: text, clientId: msgId }
      return { msgid: hosted.said(profileId, said).msgid, at }
    },
    act: async (call, as) => {
      const { profileId, roomid, measure, why, undoes, shortens = false } = call
      rates.take(seatOf(profileId, roomid, as), [measure, why])
      // The log is evidence: an entry takes back only what it can take back.
      const undone = undoes === undefined ? undefined : log.read(profileId, roomid, undoes)
      if (undoes !== undefined && !(undone && takesBack(measure, undone.what)))
        throw new Failure('absent', 'there is no such measure to take back')
      const operator = await operatorOf(profileId, roomid, as)
      const begun = begin(profileId, roomid, { operator, seat: as !== undefined }, measure, why, undoes ?? null)
      const target = 'target' in measure ? measure.target : ''
      let done: Done
      try {
        // Its turn begins with its entry, so that the log has measures against one person in the order in which they take effect.
        done = await turns(`${profileId} ${roomid} ${target}`, async () => {
          const service = await client(profileId)
          if (as !== undefined) await mustModerate(service, isLocal(profileId), { profileId, roomid, accid: as })
          const asked = {
            roomid,
            operator: operator || (await creatorOf(profileId, roomid)),
            measure,
            why,
            isLocal: isLocal(profileId),
            shortens,
          }
          // What somebody else has set since is not undone.
          const left =
            undone?.what.kind === 'temporaryMute'
              ? Math.max(0, undone.what.seconds - (clock.now() - undone.at) / 1000)
              : undefined
          return carryOut(service, { ...asked, ...(left !== undefined && { left }) })
        })
      } catch (error) {
        // What stands there now is to be seen beside what was not taken.
        if (!isLocal(profileId) && error instanceof Failure && error.data.kind === 'changed')
          hosted.acted(profileId, roomid, operator, measure)
        await endFailed(begun, error, await lineOf(call, error))
        throw error
      }
      const { taken, replaced } = done
      const line = done.line ?? (await lineOf(call))
      const detail = taken ? JSON.stringify({ ...taken, value: loggedText(taken.value) }) : ''
      try {
        if (!isLocal(profileId)) hosted.acted(profileId, roomid, operator, measure)
        return {
          action: log.end(begun.id, { result: 'done', code: 200, detail, line, ...(await begun.names()) }),
          taken,
          ...(replaced !== undefined && { replaced }),
        }
      } catch (error) {
        // The service has done it: nobody may believe that nothing was changed, and take it again.
        throw new Failure('unlogged', `${reasonOf(error)} ${detail}`.trim())
      }
    },
    refused: async (profileId, roomid, measure, why, as) => {
      rates.take(seatOf(profileId, roomid, as), [measure, why])
      const refusal = new Failure('code', `${as} has no seat at this room any more`, { code: 403 })
      const begun = begin(profileId, roomid, { operator: as, seat: true }, measure, why, null)
      await endFailed(begun, refusal, await lineOf({ profileId, roomid, measure }, refusal))
    },
    record: async (profileId, roomid, deed, work, leftOf) => {
      // Nothing waits for the log: whoever is put out is so at once, and whether that can be written down or not.
      const [entry, outcome] = await Promise.all([
        operatorOf(profileId, roomid)
          .then((operator) => begin(profileId, roomid, { operator, seat: false }, deed, '', null))
          .catch((error: unknown) => {
            ports.log(`not in the log of actions: ${deed.kind}, ${reasonOf(error)}`)
          }),
        work().then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        ),
      ])
      if ('error' in outcome) {
        if (entry) await endFailed(entry, outcome.error)
        throw outcome.error
      }
      const left = leftOf?.(outcome.value) ?? ''
      if (entry)
        await end(entry, {
          result: left === '' ? 'done' : 'partly',
          code: left === '' ? 200 : null,
          detail: left.slice(0, 500),
        })
      return outcome.value
    },
    actions: (profileId, of) => log.list({ profileId, ...of, limit: pageSize }),
    exportActions: async (profileId, roomid, format, before) => {
      const actions = await withNames(log.list({ profileId, roomid, before, limit: maxExport }), (accids) =>
        namesOf(profileId, roomid, accids),
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
