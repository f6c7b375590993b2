// Long because the table of writes is the walk: a store that is not in it is not tried.
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { callbackSign } from '../../contract/callbacks/recording.ts'
import {
  accounts,
  chatrooms,
  friends,
  history,
  live,
  local,
  messages,
  queue,
  recordings,
  relations,
  robots,
  teams,
} from '../../contract/operations/index.ts'
import type { ServiceReady } from '../../contract/service-process.ts'
import { type Client, createClient } from '../client/client.ts'
import { createTransport } from '../client/transport.ts'
import { systemClock } from '../../platform/clock.ts'
import { Failure } from '../failure.ts'
import { type StockProxy, startStockProxy } from '../../service/testing/stock-proxy.ts'
import { sessionVault } from '../secrets/session-vault.ts'
import { failureOf, type Rig, scratch, startRig, until } from '../testing/rig.ts'
import { dataFiles } from './testing/data-files.ts'
import { type Filled, fillFolder } from './testing/filled-folder.ts'
import { keepWindows } from '../../electron/testing/kept-windows.ts'
import { type SmallDisk, smallDisk } from '../../platform/testing/small-disk.ts'

// The windows of the desktop keep their places in the app's folder.
vi.mock('electron', () => import('../../electron/testing/electron-double.ts'))

const folder = scratch()
const dataDir = path.join(folder.dir, 'data')
const profileId = 'local'
let disk: SmallDisk
let rig: Rig
let made: Filled
let ready: ServiceReady
let stock: StockProxy
const transport = createTransport()
/** The keychain, which a new start finds as it was. */
const vault = sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' })
const isRoot = process.platform === 'linux' && process.getuid?.() === 0

const start = (): Promise<Rig> => {
  const free = { host: '127.0.0.1', port: 0 }
  return startRig(dataDir, {
    vault,
    choices: { dataDir: path.join(dataDir, 'service'), api: free, media: free, rtmp: free, recording: { reserve: 0 } },
  })
}
beforeAll(async () => {
  if (!isRoot) return
  disk = smallDisk(dataDir, 64)
  rig = await start()
  made = await fillFolder(rig)
  ready = (await rig.companion.serviceReady(1))!
  await service().call(friends.add, { accid: 'mei', faccid: 'host', type: 1 })
  const { appKey, appSecret } = rig.handed.at(-1)!
  stock = await startStockProxy(ready.baseUrl)
  const profile = await rpc().profiles.add({
    name: 'hosted',
    liveUrl: ready.baseUrl.replace(new URL(ready.baseUrl).origin, stock.url),
    messagingUrl: ready.imBaseUrl.replace(new URL(ready.imBaseUrl).origin, stock.url),
    appKey,
    appSecret,
  })
  hosted = profile.id
  await rpc().rooms.add({ profileId: hosted, roomid: made.roomid })
  // Messages are copied to the app's own receiver, so that each writes a delivery too.
  const { url } = await rpc().copies.state({ profileId })
  await service().call(local.setCopyTarget, { url: url!, kinds: [1] })
  const { files } = await rpc().recordings.all({
    profileId,
    beginTime: 0,
    endTime: 4_102_444_800_000,
    deletedOnly: false,
    limit: 10,
    before: null,
  })
  vid = files[0]!.vid
})
afterAll(async () => {
  await rig?.close()
  await stock?.close()
  disk?.remove()
  folder[Symbol.dispose]()
})

/** A write of state by the real operation. `n` makes each a new one; `look` reads what the app and its service have of it in memory. */
interface Write {
  readonly write: (n: number) => Promise<unknown>
  readonly look: () => Promise<unknown>
  /** The service is started again by it. */
  readonly restarts?: true
  /** It takes access away: it is in force at once, says so, and is written as soon as there is room. */
  readonly holds?: true
  /** While there is still room. */
  readonly before?: () => Promise<unknown>
}
const rpc = (): Rig['page']['rpc'] => rig.page.rpc
/** A second profile, of the same service without its extension operations: what is kept of such services only. */
let hosted = ''
/** The recording. */
let vid = 0
const md5 = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex')
/** What a receiver of the app answers to a message from a service, which sends it again after anything but 200. */
async function arrive(url: string | null, headers: Record<string, string>, body: string): Promise<void> {
  const { status } = await fetch(url!, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  if (status === 503) throw new Failure('full', 'asked to send it again')
  if (status !== 200) throw new Error(`answered ${status}`)
}
/** Mei's session on the link. */
const signedIn = async (): Promise<void> => {
  await rpc().messaging.signIn({ profileId, accid: 'mei', keep: true })
  await until('the session', async () =>
    (await rpc().messaging.sessions({ profileId })).some(({ accid, phase }) => accid === 'mei' && phase === 'online'),
  )
}
const mergesOf = async (): Promise<{ running: boolean; names: string[] }> => {
  const { tasks } = await rpc().recordings.merges({ profileId })
  return { running: tasks!.some(({ state }) => state === 'running'), names: tasks!.map(({ outputName }) => outputName) }
}

/** What there is of the channel, which a write further down removes. */
const ofChannel = async (look: () => Promise<unknown>): Promise<unknown> => {
  const { ret } = await service().call(live.list, { records: 100 })
  return ret.list.some(({ cid }) => cid === made.cid) ? await look() : 'removed'
}

const writes: Readonly<Record<string, Write>> = {
  'the settings': {
    write: (n) => rpc().app.changeSettings({ closeToTray: n % 2 === 1 }),
    look: () => Promise.resolve(rig.page.newest('settings')?.settings),
  },
  'a profile': {
    write: (n) =>
      rpc().profiles.add({
        name: `other ${n}`,
        liveUrl: 'http://127.0.0.1:9',
        messagingUrl: 'http://127.0.0.1:9',
        appKey: `k${n}`,
        appSecret: 's',
      }),
    look: () =>
      Promise.resolve(
        rig.page
          .newest('profiles')
          ?.profiles.map(({ id, kind, name, appKey, secret }) => ({ id, kind, name, appKey, secret })),
      ),
  },
  'an import of settings': {
    write: async (n) => {
      const { text } = await rpc().computer.exportSettings({ layout: {} })
      const document = JSON.parse(text) as { settings: object }
      const changed = JSON.stringify({ ...document, settings: { ...document.settings, mutePresets: [n, n + 1] } })
      await rpc().computer.importSettings({
        handle: (await rpc().computer.readSettings({ text: changed, layout: {} })).handle ?? '',
      })
    },
    look: () => Promise.resolve(rig.page.newest('settings')?.settings),
  },
  'a callback that comes': {
    write: async (n) => {
      const fields = { video_name: 'a', orig_video_key: 'k', uid: '1', vid: '2', cid: 'c', nId: `n${n}` }
      const { signKey } = await rpc().receivers.signKey({ profileId })
      await arrive(
        (await rpc().receivers.state({ profileId })).url,
        { sign: callbackSign(md5, fields, signKey) },
        JSON.stringify(fields),
      )
    },
    look: async () => (await rpc().receivers.deliveries({ profileId, limit: 100 })).length,
  },
  'a message copy that comes': {
    write: async (n) => {
      const body = JSON.stringify({ eventType: '1', convType: 'PERSON', msgidServer: String(n) })
      const { appKey, appSecret } = rig.handed.at(-1)!
      const curTime = String(Date.now())
      const sum = createHash('sha1')
        .update(appSecret + md5(body) + curTime, 'utf8')
        .digest('hex')
      await arrive(
        (await rpc().copies.state({ profileId })).url,
        { AppKey: appKey, CurTime: curTime, MD5: md5(body), CheckSum: sum },
        body,
      )
    },
    look: async () => (await rpc().copies.list({ profileId, limit: 100 })).length,
  },
  'a note on a person': {
    write: (n) => rpc().rooms.setNote({ profileId, accid: 'mei', text: `note ${n}` }),
    look: () => rpc().rooms.note({ profileId, accid: 'mei' }),
  },
  'the connection to OBS': {
    write: (n) => rpc().obs.configure({ host: '127.0.0.1', port: 100 + n, enabled: false, password: null }),
    look: () => rpc().obs.state(),
  },
  'the listener of moderators': {
    write: (n) => rpc().seats.listen({ on: false, open: false, port: 9000 + n }),
    look: async () => (await rpc().seats.board()).listener,
  },
  'a moderator': {
    write: (n) => rpc().seats.invite({ profileId, roomid: made.roomid, accid: `mod${n}`, name: `Mod ${n}` }),
    look: async () => (await rpc().seats.board()).seats.map(({ accid, state }) => [accid, state]),
  },
  'a measure and its entry in the log': {
    write: (n) =>
      rpc().rooms.act({ profileId, roomid: made.roomid, measure: { kind: 'announce', text: `Hello ${n}` }, why: '' }),
    look: async () => [
      (await room()).announcement,
      (await rpc().rooms.actions({ profileId, roomid: made.roomid })).length,
    ],
  },
  'a token that is kept': {
    write: (n) => rpc().messaging.createAccount({ profileId, call: { accid: `kept${n}` }, keep: true }),
    // Whether a session has come back after a start is of the moment.
    look: async () =>
      JSON.stringify(await rpc().messaging.accounts({ profileId, search: '', after: '' }), (key, value: unknown) =>
        key === 'online' ? undefined : value,
      ),
  },
  'a line of a hosted room': {
    write: (n) => rpc().rooms.say({ profileId: hosted, roomid: made.roomid, text: `line ${n}` }),
    look: async () =>
      (await rpc().rooms.history({ profileId: hosted, call: { roomid: made.roomid, limit: 100 } })).ret.list.length,
  },
  'a channel': {
    write: (n) => service().call(live.create, { name: `more_${n}`, type: 0 }),
    look: async () => (await service().call(live.list, { records: 100 })).ret.list.map(({ name }) => name),
  },
  'a marker': {
    write: (n) => rpc().recordings.mark({ profileId, cid: made.cid, label: `mark ${n}` }),
    look: async () => {
      // Its channel is removed by a write further down, and with its last recording nobody knows it.
      const { ret } = await service().call(live.list, { records: 100 })
      const isThere = ret.list.some(({ cid }) => cid === made.cid)
      return isThere
        ? await rpc().recordings.markers({ profileId, cids: [made.cid], beginTime: 0, endTime: 4_102_444_800_000 })
        : 'removed'
    },
  },
  'who may watch': {
    write: (n) => service().call(local.updateAccess, { cid: made.cid, embedOrigins: [`https://page${n}.example`] }),
    look: () => ofChannel(async () => (await service().call(local.access, { cid: made.cid })).ret.embedOrigins),
  },
  'a named link': {
    write: (n) => service().call(local.addNamedLink, { cid: made.cid, name: `link ${n}` }),
    look: () => ofChannel(async () => (await service().call(local.access, { cid: made.cid })).ret.links.length),
  },
  'a revoked link': {
    write: async () => {
      const { links } = (await service().call(local.access, { cid: made.cid })).ret
      return service().call(local.revokeNamedLink, { cid: made.cid, linkId: links[0]!.linkId })
    },
    look: () =>
      ofChannel(async () =>
        (await service().call(local.access, { cid: made.cid })).ret.links.map(({ revoked }) => revoked !== undefined),
      ),
    holds: true,
  },
  'a new passphrase and mode': {
    write: () =>
      service().call(local.updateAccess, { cid: made.cid, mode: 'passphrase', passphrase: 'lamp and harbour' }),
    look: () => ofChannel(async () => (await service().call(local.access, { cid: made.cid })).ret.mode),
    holds: true,
  },
  'a channel that is closed to viewers': {
    write: () => service().call(local.updateAccess, { cid: made.cid, closed: true }),
    look: () => ofChannel(async () => (await service().call(local.access, { cid: made.cid })).ret.closed),
    holds: true,
  },
  'a replaced key': {
    write: () => service().call(local.replaceKey, { cid: made.cid }),
    look: () => ofChannel(async () => (await service().call(live.address, { cid: made.cid })).ret.pushUrl),
    holds: true,
  },
  'a paused channel': {
    write: () => service().call(live.pause, { cid: made.cid }),
    look: () => ofChannel(async () => (await service().call(live.state, { cid: made.cid })).ret.status),
    holds: true,
  },
  'several paused channels': {
    write: async () => {
      const { list } = (await service().call(live.list, { records: 100 })).ret
      return service().call(live.pauseMany, { cidList: list.map(({ cid }) => cid) })
    },
    look: async () => (await service().call(live.list, { records: 100 })).ret.list.map(({ status }) => status),
    holds: true,
  },
  'limits of viewers': {
    write: (n) => service().call(local.updateWatchLimits, { maxViewers: 100 + n }),
    look: async () => (await service().call(local.watchLimits, {})).ret.maxViewers,
  },
  'a target': {
    write: (n) => service().call(local.addTarget, { cid: made.cid, name: `target ${n}`, url: 'rtmp://a.example/app' }),
    look: () => ofChannel(async () => (await service().call(local.targets, { cid: made.cid })).ret.list.length),
  },
  'how far it reaches': {
    write: (n) => service().call(local.updateReach, { port: 8443 + n }),
    look: async () => (await service().call(local.reach, {})).ret.reach,
  },
  'a reach that is this computer again': {
    before: () => service().call(local.updateReach, { reach: 'home', localName: false }),
    write: () => service().call(local.updateReach, { reach: 'computer' }),
    look: async () => (await service().call(local.reach, {})).ret.reach,
    holds: true,
  },
  'how long recordings are kept': {
    write: (n) => rpc().recordings.setRetention({ profileId, days: n + 1, gigabytes: 0 }),
    look: () => rpc().recordings.retention({ profileId }),
  },
  'a message': {
    write: (n) =>
      service().call(messages.send, {
        from: 'mei',
        ope: 0,
        to: 'host',
        type: 0,
        body: JSON.stringify({ msg: `hello ${n}` }),
      }),
    look: async () =>
      (
        await service().call(history.session, {
          from: 'mei',
          to: 'host',
          begintime: 0,
          endtime: 4_102_444_800_000,
          limit: 100,
        })
      ).size,
  },
  'a card': {
    write: (n) => service().call(accounts.updateUinfo, { accid: 'mei', name: `Mei ${n}` }),
    look: async () => (await service().call(accounts.getUinfos, { accids: ['mei'] })).uinfos,
  },
  'a friend': {
    write: (n) => service().call(friends.update, { accid: 'mei', faccid: 'host', alias: `alias ${n}` }),
    look: async () => (await service().call(friends.get, { accid: 'mei', createtime: 0 })).friends,
  },
  'a blacklist': {
    write: (n) => service().call(relations.set, { accid: 'mei', targetAcc: 'host', relationType: 1, value: n % 2 }),
    look: async () => (await service().call(relations.list, { accid: 'mei' })).blacklist,
  },
  'a team': {
    write: (n) =>
      service().call(teams.create, {
        tname: `team ${n}`,
        owner: 'mei',
        members: ['host'],
        msg: 'come',
        magree: 0,
        joinmode: 0,
      }),
    look: async () => (await service().call(teams.joinTeams, { accid: 'host' })).count,
  },
  'the word list': {
    write: (n) => service().call(local.setWords, { words: [`bad${n}`] }),
    look: async () => await service().call(local.words, {}),
  },
  'an upload': {
    write: (n) =>
      rpc().messaging.upload({ profileId, content: Buffer.alloc(20_000, n).toString('base64'), type: 'bin' }),
    look: () =>
      Promise.resolve(
        namesOf()
          .filter((name) => name.startsWith(path.join('service', 'files')))
          .sort(),
      ),
  },
  'a room': {
    write: (n) => service().call(chatrooms.create, { creator: 'host', name: `room ${n}` }),
    look: async () => (await rpc().rooms.list({ profileId })).rooms.map(({ name }) => name),
  },
  'a role': {
    write: (n) =>
      service().call(chatrooms.setMemberRole, {
        roomid: made.roomid,
        operator: 'host',
        target: 'mei',
        opt: -2,
        optvalue: n % 2 === 1,
      }),
    look: async () => await service().call(local.muted, { roomid: made.roomid }),
  },
  'a line': {
    write: (n) =>
      service().call(chatrooms.sendMsg, {
        roomid: made.roomid,
        msgId: `m${n}`,
        fromAccid: 'host',
        msgType: 0,
        attach: `line ${n}`,
      }),
    look: async () =>
      (await rpc().rooms.history({ profileId, call: { roomid: made.roomid, limit: 100 } })).ret.list.length,
  },
  'the queue of a room': {
    write: (n) => service().call(queue.offer, { roomid: made.roomid, key: `k${n}`, value: 'v' }),
    look: async () => await service().call(queue.list, { roomid: made.roomid }),
  },
  'a robot': {
    write: () => service().call(robots.add, { roomid: made.roomid, accids: ['mod'] }),
    look: async () => (await room()).onlineusercount,
  },
  'whether guests may come': {
    write: (n) => service().call(local.guests, { roomid: made.roomid, allow: n % 2 === 0 }),
    look: async () => (await rpc().rooms.list({ profileId })).rooms.map(({ roomid }) => roomid),
  },
  'a request of a friend': {
    write: (n) => service().call(friends.add, { accid: 'host', faccid: 'mod', type: 2, msg: `please ${n}` }),
    look: async () => (await service().call(friends.get, { accid: 'host', createtime: 0 })).friends,
  },
  'an invitation to a team': {
    write: (n) =>
      service().call(teams.create, {
        tname: `asked ${n}`,
        owner: 'mei',
        members: ['host'],
        msg: 'come',
        magree: 1,
        joinmode: 0,
      }),
    look: async () => (await service().call(teams.joinTeams, { accid: 'mei' })).count,
  },
  'where callbacks go': {
    write: (n) => service().call(recordings.setSignKey, { signKey: `key ${n}` }),
    look: async () => await service().call(local.callback, {}),
  },
  'a merge': {
    write: async (n) => {
      await rpc().recordings.merge({ profileId, outputName: `merged${n}`, vids: [vid, vid] })
      await until('the merge', async () => !(await mergesOf()).running)
    },
    look: async () => (await mergesOf()).names,
  },
  'a removed channel that was recorded': {
    write: () => service().call(live.remove, { cid: made.cid }),
    look: async () => [
      (await service().call(live.list, { records: 100 })).ret.list.length,
      await service().call(local.deletedChannels, {}),
    ],
  },
  'a removed recording': {
    write: () => rpc().recordings.remove({ profileId, vids: [vid] }),
    look: async () => (await service().call(local.allRecordedFiles, {})).ret.list.length,
  },
  'a line that was read': {
    write: async (n) => {
      await signedIn()
      await rpc().messaging.link.read({ profileId, accid: 'mei', call: { scene: 'p2p', with: 'host', upTo: n } })
    },
    look: () => Promise.resolve(undefined),
  },
  'a message over the link': {
    write: async (n) => {
      await signedIn()
      const call = {
        scene: 'p2p',
        to: 'host',
        type: 0,
        body: JSON.stringify({ msg: `linked ${n}` }),
        clientId: `c${n}`,
      } as const
      await rpc().messaging.link.send({ profileId, accid: 'mei', call })
    },
    look: async () =>
      (
        await service().call(history.session, {
          from: 'mei',
          to: 'host',
          begintime: 0,
          endtime: 4_102_444_800_000,
          limit: 100,
        })
      ).size,
  },
  'where message copies go': {
    write: (n) => service().call(local.setCopyTarget, { kinds: [1, n % 4 === 1 ? 2 : 3] }),
    look: async () => await service().call(local.copyTarget, {}),
  },
  'the receiver of callbacks': {
    write: (n) =>
      n % 2 === 1
        ? rpc().receivers.stop({ profileId })
        : rpc().receivers.start({ profileId, host: '127.0.0.1', port: 0 }),
    look: async () => (await rpc().receivers.state({ profileId })).phase,
  },
  'the receiver of message copies': {
    write: (n) =>
      n % 2 === 1 ? rpc().copies.stop({ profileId }) : rpc().copies.start({ profileId, host: '127.0.0.1', port: 0 }),
    look: async () => (await rpc().copies.state({ profileId })).phase,
  },
  'the places of the windows': {
    // What a window says when it is closed, which nobody waits for: it is in the log.
    write: (n) =>
      keepWindows(dataDir, 1200 + n).catch((error: unknown) => {
        const lines = String(error).split('\n')
        throw lines.length === 2 && lines.every((line) => line.includes('not kept') && line.includes('ENOSPC'))
          ? new Failure('full', String(error))
          : error
      }),
    look: () => Promise.resolve(undefined),
  },
  'the time zone': {
    write: (n) =>
      rpc().computer.setTimeZone({ timeZone: n % 4 === 1 ? 'Asia/Shanghai' : 'Asia/Tokyo', evenOnAir: true }),
    look: () => Promise.resolve(rig.page.newest('computer')?.computer.timeZone),
    restarts: true,
  },
}

/** Tables that have rows only in a PostgreSQL that several services share. */
const ofServers = /: (?:journalPosition|journalEntry|turn|deliveryLine|job|recordingUpload|mergeLease|unusedFile)$/

/** Stores that no write of the table above changes, and the test that tries them on a full disk: one that is neither here nor written is unknown. */
const elsewhere: readonly (readonly [RegExp, string])[] = [
  // What a start writes: the schema, the list of stores, the locks, the keys of a new folder.
  [
    /: (?:sqlite_sequence|kysely_migration(?:_lock)?|guestKey|serviceKey)$|stores\.json$|lock\.(?:db|pid)$/,
    'companion/keeping/disk-start.test.ts',
  ],
  [/^computer(?:-copy)?\.json$/, 'companion/this-computer/computer-document.test.ts'],
  // By what viewers take, which is not called.
  [/: sentMonth$/, 'service/access/watch-limits.test.ts'],
  // Of a push, and none is on air.
  [/: handHold$/, 'service/delay/hand-holds.test.ts'],
  [/: toldPush$/, 'service/outbox/live-callbacks.test.ts'],
  [/: broadcast(?:Push|Sample|Event)?$/, 'service/broadcasts/broadcast-recorder.test.ts'],
  [/target-keys\.json$/, 'service/targets/target-keys.test.ts'],
  [/^service\/delay\//, 'service/delay/delayed-line.test.ts'],
  [/^joined\.json$/, 'companion/remote-rooms/joined-document.test.ts'],
  [/^revoked-seats$/, 'companion/moderators/full-disk.test.ts'],
  [/recordings\//, 'e2e/browser/disk-full.spec.ts'],
  // The copies of the main database, and the key pair of a service that runs alone.
  [/copies\//, 'service/storage/database-copies.test.ts'],
  [/credentials\.json$/, 'companion/keeping/disk-start.test.ts'],
  // Each upload is a file of its own, as the one above.
  [/^service\/files\//, 'companion/keeping/full-disk-walk.test.ts'],
  // Written and removed by the import of settings above.
  [/^import\.json$/, 'companion/settings-file/settings-file.test.ts'],
  // Written behind: what a device has, who was here, names, when a key was last used.
  [/: (?:admission|deviceCursor|logInRecord|roomName)$/, 'service/storage/full-disk-behind.test.ts'],
  [/: guest$/, 'service/watch/guests.test.ts'],
  // Written when a log of actions is over its room.
  [/^actions\.db: dropped$/, 'companion/rooms/action-log.test.ts'],
]
const looks = async (): Promise<Record<string, unknown>> => {
  const seen: Record<string, unknown> = {}
  for (const [what, { look }] of Object.entries(writes)) seen[what] = await look()
  return JSON.parse(JSON.stringify(seen)) as Record<string, unknown>
}
const room = async () => (await service().call(chatrooms.get, { roomid: made.roomid })).chatroom
/** Signed calls to the service of the app, whose refusals are read as the app reads them. */
function service(): Client {
  const { baseUrl, imBaseUrl } = ready
  return createClient(
    { liveUrl: baseUrl, messagingUrl: imBaseUrl, ...rig.handed.at(-1)! },
    { transport, clock: systemClock, random: randomBytes },
  )
}

const digestOf = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex')
const isDatabase = (file: string): boolean =>
  readFileSync(file).subarray(0, 15).toString('latin1') === 'SQLite format 3'
const namesOf = (): string[] =>
  readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(dataDir, path.join(entry.parentPath, entry.name)))
/** Every store that lies in the folder, with a digest of its content: a database by its tables, anything else by its bytes. */
function stores(): Map<string, string> {
  const found = new Map<string, string>()
  for (const name of namesOf().filter((each) => !/-(?:wal|shm|journal)$|^filler$/.test(each))) {
    const file = path.join(dataDir, name)
    if (!isDatabase(file)) {
      found.set(name, digestOf(readFileSync(file)))
      continue
    }
    const database = new DatabaseSync(file)
    const tables = database.prepare(`select name from sqlite_master where type = 'table'`).all() as { name: string }[]
    for (const { name: table } of tables) {
      const rows = database.prepare(`select * from "${table}"`)
      rows.setReadBigInts(true)
      const text = JSON.stringify(rows.all(), (_key, value: unknown) =>
        typeof value === 'bigint' ? `${value}n` : value,
      )
      found.set(`${name}: ${table}`, digestOf(text))
    }
    database.close()
  }
  return found
}

/** The failure of a call that is made here, or of a procedure. */
const refusalOf = async (work: Promise<unknown>): Promise<unknown> => {
  const caught = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (caught instanceof Failure) return caught.data
  return caught === undefined ? { kind: 'nothing was refused' } : failureOf(Promise.reject(caught))
}
/** Writes what waits in the logs of the databases into them, so that the next write needs room. */
function settle(): void {
  for (const name of namesOf().filter((each) => each.endsWith('.db') && !each.endsWith('lock.db'))) {
    const file = path.join(dataDir, name)
    if (!isDatabase(file)) continue
    const database = new DatabaseSync(file)
    database.exec('pragma busy_timeout = 5000; pragma wal_checkpoint(truncate)')
    database.close()
  }
}

it.skipIf(!isRoot)(
  'every store refuses its write on a full disk by name, keeps what it had in memory and on disk, and takes the same write when there is room; what takes access away holds and is written by itself',
  async () => {
    const faults: string[] = []
    const written = new Set<string>()
    let n = 1
    for (const [what, { write, look, restarts, holds, before: prepare }] of Object.entries(writes)) {
      n += 2
      await prepare?.()
      const { pid } = rig.processes.at(-1)!
      // Nothing that goes on in the background writes meanwhile.
      await until(
        'all to be delivered',
        async () => (await service().call(local.deliveries, { limit: 1 })).ret.waiting === 0,
      )
      settle()
      const [before, kept] = [JSON.stringify(await look()), stores()]
      disk.fill()
      const trial = write(n)
      if (holds) {
        const { msg } = (await trial.catch((error: unknown) => ({ msg: String(error) }))) as { msg?: string }
        if (!/in force, but not stored: the disk .* full; .*restart before then undoes it/.test(msg ?? ''))
          faults.push(`${what}: ${msg}`)
        if (JSON.stringify(await look()) === before) faults.push(`${what}: it does not hold: ${before}`)
        await until('pages to be told', () => rig.page.newest('owed')?.reason === 'full', 5_000)
      } else {
        const refusal = (await refusalOf(trial).catch((error: unknown) => ({ kind: String(error) }))) as {
          kind: string
          detail?: string
        }
        if (refusal.kind !== 'full') faults.push(`${what}: ${JSON.stringify(refusal)}`)
        if (JSON.stringify(await look()) !== before)
          faults.push(`${what}: memory changed: ${before} ${JSON.stringify(await look())}`)
      }
      const after = stores()
      for (const [name, digest] of kept)
        if (after.get(name) !== digest) faults.push(`${what}: ${name} changed on the full disk`)
      disk.empty()
      if (!holds)
        await write(n).catch((error: unknown) => faults.push(`${what}: not when there was room: ${String(error)}`))
      await until(
        `${what} to be written`,
        () => {
          const now = stores()
          const changed = [...now].filter(([name, digest]) => after.get(name) !== digest).map(([name]) => name)
          for (const name of changed) written.add(name)
          return changed.length > 0
        },
        holds ? 20_000 : 5_000,
      ).catch((error: unknown) => faults.push(`${what}: ${String(error)}`))
      if (holds) await until('pages to be told', () => rig.page.newest('owed')?.reason === null, 20_000)
      if (restarts) ready = (await rig.companion.serviceReady(150_000))!
      else if (rig.processes.at(-1)!.pid !== pid) faults.push(`${what}: the service was started again`)
    }
    const root = fileURLToPath(new URL('../..', import.meta.url))
    for (const [, file] of elsewhere)
      if (!readFileSync(path.join(root, file), 'utf8').includes('full')) faults.push(`${file} tries no full disk`)
    const isTried = (name: string): boolean => ofServers.test(name) || elsewhere.some(([pattern]) => pattern.test(name))
    const unknown = [...stores().keys()].filter((name) => !written.has(name) && !isTried(name))
    // What SQLite keeps beside a database is tried with it.
    const files = dataFiles.filter(
      ({ passing, examples }) => passing === undefined && examples.every((name) => !/-(?:wal|shm|journal)$/.test(name)),
    )
    const tried = new Set([...written].map((name) => name.split(': ')[0]!))
    unknown.push(...files.flatMap(({ examples }) => examples).filter((name) => !tried.has(name) && !isTried(name)))
    expect({ faults, unknown }).toEqual({ faults: [], unknown: [] })
    // What is in memory is what a new start reads.
    const shown = await looks()
    await rig.close()
    rig = await start()
    ready = (await rig.companion.serviceReady(150_000))!
    expect(await looks()).toEqual(shown)
  },
  180_000,
)
