import { startApp, type RunningApp } from '../app.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { startEncoder } from '../encoder.ts'
import { signInPerson, type LinkPerson } from '../link-person.ts'

/** The app with one of everything that a form is about. */
export interface FormApp {
  readonly app: RunningApp
  readonly companion: CompanionClient
  /** A channel with a room, a recording and a marker, and one that has none. */
  readonly show: string
  readonly bare: string
  readonly roomid: number
  readonly tid: string
  /** Id of a room on "another computer" that is moderated from here. */
  readonly joined: string
  /** A link with the code of an invitation, for a browser. */
  readonly invitation: string
  readonly close: () => Promise<void>
}

const profileId = 'local'
const tokenOf = (accid: string): string => `token-of-${accid}`

/** Waits until something holds; throws after a minute and a half with its name. */
async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + 90_000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited in vain: ${what}`)
    await new Promise<void>((resolve) => setTimeout(resolve, 100))
  }
}

/** Starts the app and fills it over its own RPC. */
export async function openFormApp(): Promise<FormApp> {
  const app = await startApp()
  const companion = await openCompanion(app)
  const { rpc } = companion
  const show = (await rpc.channels.create({ profileId, name: 'Forms_Show' })).cid
  const bare = (await rpc.channels.create({ profileId, name: 'Bare_Channel' })).cid
  for (const name of ['Batch_1', 'Batch_2']) await rpc.channels.create({ profileId, name })
  await rpc.recordings.configure({
    profileId,
    cid: show,
    needRecord: true,
    format: 'mp4',
    duration: 60,
    filename: 'Forms',
  })
  const { text } = await rpc.push.copy({ profileId, cid: show, part: 'url' })
  const encoder = startEncoder(text ?? '', { gopSeconds: 1 })
  for (const accid of ['ana', 'mei', 'tom'])
    await companion.call('/user/create.action', { accid, name: accid.toUpperCase(), token: tokenOf(accid) })
  const { roomid } = await rpc.rooms.create({ profileId, accid: 'ana', name: 'Forms room', announcement: 'Be kind' })
  await rpc.rooms.link({ profileId, cid: show, roomid })
  await rpc.messaging.signIn({ profileId, accid: 'ana', token: tokenOf('ana'), keep: true })
  await rpc.operations.friends.add({ profileId, call: { accid: 'ana', faccid: 'mei', type: 1 } })
  await rpc.operations.messages.send({
    profileId,
    call: { from: 'mei', ope: 0, to: 'ana', type: 0, body: JSON.stringify({ msg: 'see https://example.com/songs' }) },
  })
  const { tid } = await rpc.operations.teams.create({
    profileId,
    call: { tname: 'Forms crew', owner: 'ana', members: ['mei'], msg: 'come', magree: 0, joinmode: 0 },
  })
  await rpc.rooms.enter({ profileId, roomid, renew: false })
  const tom: LinkPerson = signInPerson(app.ready.service, 'tom', tokenOf('tom'))
  await until('tom online', tom.online)
  await tom.request('roomEnter', { roomid })
  await tom.request('roomSend', { roomid, type: 0, attach: 'a line with https://example.com/line', clientId: 'line' })
  // A port that stays when the listener begins anew.
  const { urls } = await rpc.seats.listen({ on: true, open: false, port: 0 })
  await rpc.seats.listen({ on: true, open: false, port: Number(new URL(urls[0] ?? '').port) })
  const other = await rpc.seats.invite({ profileId, roomid, accid: 'noor', name: 'Noor' })
  const { link, token, code } = other
  const invited = await rpc.seats.invite({ profileId, roomid, accid: 'lee', name: 'Lee' })
  const { seat } = await rpc.joined.join({
    host: new URL(link ?? '').host,
    secured: false,
    fingerprint: null,
    accid: 'noor',
    token,
    code,
  })
  // The seat is taken back, so that its page asks for a token.
  const { seats } = await rpc.seats.board()
  const taken = seats.find(({ accid }) => accid === 'noor')
  if (taken) await rpc.seats.revoke({ id: taken.id })
  await until(
    'something recorded',
    async () => ((await rpc.recordings.state({ profileId, cid: show }))?.bytes ?? 0) > 100_000,
  )
  await rpc.recordings.mark({ profileId, cid: show, label: 'Kick-off' })
  // A second file, as a merge takes two.
  await rpc.recordings.takeClip({ profileId, cid: show, seconds: 2, name: 'Forms_2' })
  await encoder.stop()
  const files = () =>
    rpc.recordings.list({ profileId, cids: [show], beginTime: Date.now() - 86_400_000, endTime: Date.now() + 60_000 })
  await until('the file', async () => (await files()).files.length > 1)
  return {
    app,
    companion,
    show,
    bare,
    roomid,
    tid,
    joined: seat?.id ?? '',
    invitation: invited.link ?? '',
    close: async () => {
      tom.close()
      companion.close()
      await app.dispose()
    },
  }
}
