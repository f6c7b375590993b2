import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as later } from 'node:timers/promises'
import type { Browser } from 'playwright'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { signInPerson, type LinkPerson } from '../link-person.ts'
import { personasOf, type Personas, type Language, type Person } from './personas.ts'
import { eveningZone, makePast } from './backdated.ts'
import { makeShow, startPush, type Push } from './scene.ts'

/** The app with everything that the pictures of one language show. */
export interface World {
  readonly language: Language
  readonly personas: Personas
  app: RunningApp
  companion: CompanionClient
  /** Ids of the show's channel and of the other one on air, and of the show's room. */
  readonly ids: { show: string; second: string; roomid: number }
  /** An invitation that was used, with the token, and one that was not. */
  readonly invited: { link: string; token: string; unused: string; unusedInApp: string }
  close(): Promise<void>
}

const profileId = 'local'
/** A slice of five "minutes" while the archive is made, in ms. */
const slice = 5000
/** The token of an account of the pictures. */
export const tokenOf = (accid: string): string => `token-of-${accid}`

/** Waits until something holds; throws after a minute and a half with its name. */
export async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + 90_000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited in vain: ${what}`)
    await later(150)
  }
}

/** The usual ports where nobody has them, so that pictures show those that a newcomer sees. */
export async function usualPorts(
  ports: readonly [api: number, media: number, rtmp: number] = [8710, 8711, 1935],
): Promise<readonly string[]> {
  const isFree = (port: number): Promise<boolean> =>
    new Promise((resolve) => {
      const server = createServer()
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
    })
  const free = await Promise.all(ports.map(isFree))
  const [api, media, rtmp] = free.every(Boolean) ? ports : [0, 0, 0]
  return ['--api-port', String(api), '--media-port', String(media), '--rtmp-port', String(rtmp)]
}

/** Starts the app on a folder of its own, in one language, with nothing in it. */
export async function openWorld(language: Language): Promise<World> {
  const personas = personasOf[language]
  const dataDir = mkdtempSync(path.join(tmpdir(), 'sidestage-screens-'))
  // The service and the browser show times of this zone.
  process.env['TZ'] = eveningZone(Date.now(), personas.timeZones)
  const app = await startApp({ dataDir, switches: [...(await usualPorts()), '--recording-minute', String(slice / 5)] })
  const companion = await openCompanion(app)
  await companion.rpc.app.changeSettings({ language, theme: 'dark' })
  const world: World = {
    language,
    personas,
    app,
    companion,
    ids: { show: '', second: '', roomid: 0 },
    invited: { link: '', token: '', unused: '', unusedInApp: '' },
    close: async () => {
      world.companion.close()
      await world.app.dispose()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  return world
}

const record = (world: World, cid: string, filename: string, format: 'mp4' | 'flv', duration: number): Promise<void> =>
  world.companion.rpc.recordings.configure({ profileId, cid, needRecord: true, format, duration, filename })

async function pushTo(world: World, cid: string, show: string): Promise<Push> {
  const { text } = await world.companion.rpc.push.copy({ profileId, cid, part: 'url' })
  return startPush(show, text ?? '')
}

const filesOf = async (world: World, cid: string) =>
  (
    await world.companion.rpc.recordings.list({
      profileId,
      cids: [cid],
      beginTime: Date.now() - 6 * 86_400_000,
      endTime: Date.now() + 60_000,
    })
  ).files

/** Channels, a room, a week of recordings and a merged file; then the app is started again. */
export async function fillArchive(world: World, browser: Browser): Promise<string> {
  const { personas, ids } = world
  const { rpc } = world.companion
  const make = async (name: string): Promise<string> => (await rpc.channels.create({ profileId, name })).cid
  const disabled = await make(personas.channels.disabled)
  await rpc.channels.disable({ profileId, cids: [disabled] })
  for (const name of personas.channels.idle.toReversed()) await record(world, await make(name), '', 'mp4', 60)
  ids.second = await make(personas.channels.second)
  ids.show = await make(personas.channels.show)
  await record(world, ids.show, personas.filenames.show, 'mp4', 5)
  await record(world, ids.second, personas.filenames.second, 'flv', 5)
  await rpc.receivers.start({ profileId, host: '127.0.0.1', port: 0 })
  await rpc.receivers.register({ profileId })

  for (const { accid, name } of [personas.host, personas.moderator, ...personas.people])
    await world.companion.call('/user/create.action', { accid, name, token: tokenOf(accid) })
  for (const name of [...personas.room.others, personas.room.name])
    ids.roomid = (
      await rpc.rooms.create({
        profileId,
        accid: personas.host.accid,
        name,
        announcement: name === personas.room.name ? personas.room.announcement : '',
      })
    ).roomid
  await rpc.rooms.link({ profileId, cid: ids.show, roomid: ids.roomid })

  const show = await makeShow(browser, world.app.dataDir, personas.scene)
  const pushes = [await pushTo(world, ids.show, show), await pushTo(world, ids.second, show)]
  await until('seven slices of the show', async () => (await filesOf(world, ids.show)).length >= 6)
  for (const push of pushes) await push.stop()
  await until(
    'the last slice',
    async () => (await rpc.recordings.state({ profileId, cid: ids.show }))?.state !== 'recording',
  )
  const first = (await filesOf(world, ids.show)).map(({ vid }) => vid).sort((a, b) => a - b)
  await rpc.recordings.merge({ profileId, outputName: personas.filenames.merged, vids: first.slice(3, 5) })
  await until('the merged file', async () => (await filesOf(world, ids.show)).some(({ merged }) => merged === true))
  await until('callbacks', async () => (await rpc.recordings.callbacks({ profileId, limit: 50 })).waiting === 0)

  world.companion.close()
  await world.app.stop()
  makePast(world.app.dataDir, personas, ids, { now: Date.now(), timeZone: process.env['TZ'] ?? 'UTC' })
  world.app = await startApp({ dataDir: world.app.dataDir, switches: await usualPorts() })
  world.companion = await openCompanion(world.app)
  await record(world, ids.show, personas.filenames.show, 'mp4', 60)
  return show
}

/** A show on air: two channels, people in the room, lines, measures, talks, moderators. */
export async function fillEvening(world: World, show: string): Promise<{ readonly close: () => Promise<void> }> {
  const { personas, ids, companion } = world
  const { rpc } = companion
  const { roomid } = ids
  const pushes = new Map([[ids.second, await pushTo(world, ids.second, show)]])
  pushes.set(ids.show, await pushTo(world, ids.show, show))
  const viewers = new AbortController()

  for (const accid of [personas.host.accid, personas.moderator.accid])
    await rpc.messaging.signIn({ profileId, accid, token: tokenOf(accid), keep: true })
  await companion.call('/chatroom/setMemberRole.action', {
    roomid,
    operator: personas.host.accid,
    target: personas.moderator.accid,
    opt: 1,
    optvalue: true,
  })
  await rpc.operations.local.setWords({
    profileId,
    call: { words: [...personas.words.reject, ...personas.words.review], hold: true },
  })
  await rpc.copies.start({ profileId, host: '127.0.0.1', port: 0 })
  const { url } = await rpc.copies.state({ profileId })
  await rpc.copies.setTarget({ profileId, url, kinds: [1, 2, 3, 4] })

  const people = new Map<string, LinkPerson>()
  const enter = async ({ accid }: Person): Promise<void> => {
    const person = signInPerson(world.app.ready.service, accid, tokenOf(accid))
    people.set(accid, person)
    await until(`${accid} online`, person.online)
    await person.request('roomEnter', { roomid })
  }
  await rpc.rooms.enter({ profileId, roomid, renew: false })
  for (const person of [personas.moderator, ...personas.people]) await enter(person)
  for (const [key, value] of personas.queue)
    await rpc.rooms.act({ profileId, roomid, measure: { kind: 'queueAdd', key, value }, why: '' })
  await until(
    'the show on air',
    async () => (await rpc.recordings.state({ profileId, cid: ids.show }))?.state === 'recording',
  )

  await inviteModerators(world)
  let said = 0
  const say = async (accid: string, text: string): Promise<void> => {
    if (accid === personas.host.accid) await rpc.rooms.say({ profileId, roomid, text })
    else await people.get(accid)?.request('roomSend', { roomid, type: 0, attach: text, clientId: `line-${said++}` })
    // As people write: each line has a second of its own.
    await later(1300)
  }
  const half = Math.ceil(personas.lines.length / 2)
  await companion.rpc.recordings.mark({ profileId, cid: ids.show, label: personas.markers[0] ?? '' })
  for (const [accid, text] of personas.lines.slice(0, half)) await say(accid, text)
  // A file of its own with lines that were said meanwhile: the encoder comes back.
  await pushes.get(ids.show)?.stop()
  pushes.set(ids.show, await pushTo(world, ids.show, show))
  await until(
    'the show back on air',
    async () => (await rpc.recordings.state({ profileId, cid: ids.show }))?.state === 'recording',
  )
  for (const [accid, text] of personas.lines.slice(half, -2)) await say(accid, text)
  await say(personas.removed.accid, personas.removed.text)
  const { lines } = (await people.get(personas.moderator.accid)!.request('roomHistory', { roomid })) as unknown as {
    lines: { msgid: string; attach: string }[]
  }
  const bad = lines.find(({ attach }) => attach === personas.removed.text)
  if (bad)
    await rpc.rooms.act({
      profileId,
      roomid,
      measure: { kind: 'removeLine', target: personas.removed.accid, msgid: bad.msgid },
      why: personas.removed.why,
    })
  await rpc.rooms.act({
    profileId,
    roomid,
    measure: { kind: 'temporaryMute', target: personas.muted.accid, seconds: 600 },
    why: personas.muted.why,
  })
  await say(personas.held.accid, personas.held.text)
  for (const [accid, text] of personas.lines.slice(-2)) await say(accid, text)
  await rpc.recordings.mark({ profileId, cid: ids.show, label: personas.markers[1] ?? '' })

  await talk(world)
  watchAlong(world, viewers.signal)
  return {
    close: async () => {
      viewers.abort()
      for (const person of people.values()) person.close()
      for (const push of pushes.values()) await push.stop()
    },
  }
}

/** Somebody who moderates from elsewhere, and somebody who has the invitation still. */
async function inviteModerators(world: World): Promise<void> {
  const { personas, ids, invited } = world
  const { rpc } = world.companion
  await rpc.seats.makeCertificate({ names: ['stage.example'] })
  await rpc.seats.listen({ on: true, open: false, port: 0 })
  const invite = (accid: string, name: string) => rpc.seats.invite({ profileId, roomid: ids.roomid, accid, name })
  const [first, second] = [await invite(personas.seat.accid, personas.seat.name), await invite('kai', 'Kai')]
  Object.assign(invited, {
    link: first.link ?? '',
    token: first.token,
    unused: second.link ?? '',
    unusedInApp: second.appLink ?? '',
  })
  // A room that is moderated from this app; here the streamer's computer is this one.
  const { token, code, link } = await invite(personas.guest.accid, personas.guest.name)
  await rpc.joined.join({
    host: new URL(link ?? '').host,
    secured: false,
    fingerprint: null,
    accid: personas.guest.accid,
    token,
    code,
  })
}

/** A conversation, a team and a request. */
async function talk(world: World): Promise<void> {
  const { personas } = world
  const { rpc } = world.companion
  for (const [from, text] of personas.talk.lines) {
    const to = from === personas.host.accid ? personas.seat.accid : personas.host.accid
    await rpc.operations.messages.send({
      profileId,
      call: { from, ope: 0, to, type: 0, body: JSON.stringify({ msg: text }) },
    })
  }
  const members = [personas.seat.accid, personas.moderator.accid, personas.people[0]!.accid]
  await rpc.operations.teams.create({
    profileId,
    call: {
      tname: personas.talk.team,
      owner: personas.host.accid,
      members,
      msg: personas.talk.intro,
      intro: personas.talk.intro,
      magree: 0,
      joinmode: 0,
    },
  })
  await rpc.operations.friends.add({
    profileId,
    call: { accid: personas.moderator.accid, faccid: personas.host.accid, type: 1 },
  })
}

/** Players, so that the number of viewers is not one. */
function watchAlong(world: World, signal: AbortSignal): void {
  const { mediaUrl } = world.app.ready.service
  const watching = (async () => {
    const state = (await (await fetch(`${mediaUrl}/watch/${world.ids.show}/state`)).json()) as { flv?: string }
    if (state.flv === undefined) return
    for (let player = 0; player < 6; player++)
      fetch(new URL(state.flv, mediaUrl), { signal })
        .then(async ({ body }) => {
          for await (const chunk of body ?? []) void chunk
        })
        .catch(() => undefined)
  })()
  // Players end with the pictures.
  watching.catch(() => undefined)
}
