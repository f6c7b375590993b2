import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { ServiceReady } from '../../contract/service-process.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { signInPerson, type LinkPerson } from '../link-person.ts'
import { signedForm } from '../signed-call.ts'
import { makePast } from './backdated.ts'
import { startPush, type Push } from './scene.ts'
import { tokenOf, until, usualPorts, type World } from './screen-app.ts'

/** An own service elsewhere: an extended profile, with a show on air and its room. */
export interface Elsewhere {
  readonly profileId: string
  readonly cid: string
  readonly roomid: number
  /** Host and port of its API, as the status bar has them. */
  readonly host: string
  /** Ends its process as a lost computer does. */
  readonly lose: () => Promise<void>
  /** Starts it again, at the same addresses. */
  readonly start: (switches?: readonly string[]) => Promise<void>
  /** Pushes the show until it is ended; a push before is ended first. */
  readonly push: () => Promise<void>
  readonly close: () => Promise<void>
}

const credentials = { appKey: 'c40f7ad91b6e2583', appSecret: 'of-the-pictures-elsewhere' }
/** As many files of the archive, and the length of a "minute" in ms that makes them two seconds long. */
const archive = { files: 4, minute: 400 }
/** How many people talk in its room. */
const talkers = 4
const opened = new WeakMap<World, Promise<Elsewhere>>()

/** The service elsewhere of a world, which is started when it is asked for first; `show` is the file that is pushed. */
export function elsewhereOf(world: World): Promise<Elsewhere> {
  const known = opened.get(world) ?? open(world)
  opened.set(world, known)
  return known
}

/** Ends it, if it was started. */
export async function closeElsewhere(world: World): Promise<void> {
  const one = await opened.get(world)?.catch(() => undefined)
  await one?.close()
}

async function open(world: World): Promise<Elsewhere> {
  const { personas } = world
  const { rpc } = world.companion
  const home = mkdtempSync(path.join(tmpdir(), 'sidestage-elsewhere-'))
  const show = path.join(world.app.dataDir, 'show.flv')
  let ports = await usualPorts([8740, 8741, 1945])
  let far: ReadyCommand<ServiceReady> | undefined
  const people: LinkPerson[] = []
  let pushed: Push | undefined
  const start = async (switches: readonly string[] = []): Promise<ServiceReady> => {
    const data = path.join(home, 'service')
    const env = { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret }
    far = await startCommand<ServiceReady>(['service/main.ts', '--data', data, ...ports, ...switches], env)
    const { ready } = far
    const [api, media, rtmp] = [ready.baseUrl, ready.mediaUrl, ready.rtmpUrl].map((url) => new URL(url).port)
    ports = ['--api-port', api!, '--media-port', media!, '--rtmp-port', rtmp!]
    return ready
  }
  const lose = async (): Promise<void> => {
    const one = far
    far = undefined
    if (!one) return
    const gone = new Promise((resolve) => one.process.once('exit', resolve))
    one.process.kill('SIGKILL')
    await gone
  }
  const ready = await start(['--recording-minute', String(archive.minute)])
  const join = async (): Promise<string> => {
    const { baseUrl: liveUrl, imBaseUrl: messagingUrl } = ready
    const { id } = await rpc.profiles.add({ name: personas.elsewhere, liveUrl, messagingUrl, ...credentials })
    await rpc.profiles.test({ profileId: id })
    return id
  }
  let profileId = await join()
  const { cid } = await rpc.channels.create({ profileId, name: personas.channels.show })
  const push = async (): Promise<void> => {
    await pushed?.stop()
    const { text } = await rpc.push.copy({ profileId, cid, part: 'url' })
    pushed = startPush(show, text ?? '')
  }
  const record = (duration: number): Promise<unknown> =>
    rpc.recordings.configure({
      profileId,
      cid,
      needRecord: true,
      format: 'mp4',
      duration,
      filename: personas.filenames.show,
    })
  const stateIs = (wanted: string) => async (): Promise<boolean> =>
    (await rpc.recordings.state({ profileId, cid }))?.state === wanted

  await record(5)
  for (const { accid, name } of [personas.host, ...personas.people.slice(0, talkers)])
    await signedForm(ready.imBaseUrl, credentials, '/user/create.action', { accid, name, token: tokenOf(accid) })
  const { accid: host } = personas.host
  const { roomid } = await rpc.rooms.create({
    profileId,
    accid: host,
    name: personas.room.name,
    announcement: personas.room.announcement,
  })
  await rpc.rooms.link({ profileId, cid, roomid })
  await push()
  const span = { cids: [cid], beginTime: Date.now() - 60_000, endTime: Date.now() + 600_000 }
  await until(
    'files elsewhere',
    async () => (await rpc.recordings.list({ profileId, ...span })).files.length >= archive.files,
  )
  await pushed?.stop()
  pushed = undefined
  await until('the last file elsewhere', async () => !(await stateIs('recording')()))
  await far?.stop()
  makePast(home, personas, { show: cid, second: '', roomid }, { now: Date.now(), timeZone: process.env['TZ'] ?? 'UTC' })

  // What the app heard of these files is of other names.
  await rpc.profiles.remove({ profileId })
  const again = await start()
  profileId = await join()
  await record(60)
  await push()
  await rpc.messaging.signIn({ profileId, accid: host, token: tokenOf(host), keep: true })
  await rpc.rooms.enter({ profileId, roomid, renew: false })
  await rpc.operations.local.setWords({ profileId, call: { words: [...personas.words.review], hold: true } })
  const talking = personas.people.slice(0, talkers).map(({ accid }) => {
    const person = signInPerson(again, accid, tokenOf(accid))
    people.push(person)
    return { accid, person }
  })
  for (const { accid, person } of talking) {
    await until(`${accid} online elsewhere`, person.online)
    await person.request('roomEnter', { roomid })
  }
  await until('the show elsewhere on air', stateIs('recording'))
  let said = 0
  const say = async (accid: string, text: string): Promise<void> => {
    const by = talking.find((one) => one.accid === accid)
    if (by) await by.person.request('roomSend', { roomid, type: 0, attach: text, clientId: `far-${said++}` })
    else if (accid === host) await rpc.rooms.say({ profileId, roomid, text })
  }
  const lines = personas.lines.filter(([accid]) => accid === host || talking.some((one) => one.accid === accid))
  await rpc.recordings.mark({ profileId, cid, label: personas.markers[0] ?? '' })
  for (const [accid, text] of lines.slice(0, -1)) await say(accid, text)
  const measure = { kind: 'temporaryMute', target: talking.at(-1)!.accid, seconds: 600 } as const
  const [word = ''] = personas.words.review
  for (const [index, text] of [personas.held.text, world.language === 'zh' ? `${word}？` : `${word}?`].entries())
    await say(talking[index]!.accid, text)
  await rpc.rooms.act({ profileId, roomid, measure, why: personas.muted.why })
  await rpc.rooms.act({ profileId, roomid, measure: { kind: 'slowMode', seconds: 10 }, why: '' })
  for (const [accid, text] of lines.slice(-1)) await say(accid, text)
  await rpc.recordings.mark({ profileId, cid, label: personas.markers[1] ?? '' })

  return {
    profileId,
    cid,
    roomid,
    host: new URL(ready.baseUrl).host,
    lose,
    start: async (switches) => {
      await lose()
      await start(switches)
    },
    push,
    close: async () => {
      for (const person of people) person.close()
      await pushed?.stop()
      await far?.stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
