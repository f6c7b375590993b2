import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chatrooms, live, local } from '../../contract/operations/index.ts'
import type { WatchGuest } from '../../contract/watch.ts'
import { LinkFailure } from '../../contract/link/client-calls.ts'
import { eventually } from '../testing/eventually.ts'
import type { LinkUser } from '../link/testing/link-user.ts'
import { startRooms, type RoomRig } from './testing/rig.ts'

let rig: RoomRig
let listener: LinkUser
beforeAll(async () => {
  rig = await startRooms()
  listener = await rig.user('mike')
})
afterAll(() => rig.close())

/** A unique text that contains the listed word, so that it is caught where the list is set. */
const letters = 'qqvillain'

interface Speaker {
  readonly accid: string
  readonly link: LinkUser
  readonly roomid: number
  /** Reachable by the API: a guest is not an account of the developer. */
  readonly byApi: boolean
}
type State =
  | 'free'
  | 'muted'
  | 'muted for a while'
  | 'slow mode'
  | 'the room muted'
  | 'blacklisted'
  | 'a word of the list'

async function accountIn(roomid: number): Promise<Speaker> {
  const link = await rig.user('mona', 'gate')
  return { accid: 'mona', link, roomid, byApi: true }
}
async function guestIn(roomid: number): Promise<Speaker> {
  const { ret } = await rig.call(live.create, { name: `channel${roomid}`, type: 0 })
  await rig.call(local.linkRoom, { cid: ret!.cid, roomid })
  const answer = await fetch(`${rig.service.ready.mediaUrl}/watch/${ret!.cid}/guest`, { method: 'POST' })
  const { accid, token } = (await answer.json()) as WatchGuest
  return { accid, link: await rig.login(accid, token), roomid, byApi: false }
}

const setStates: Readonly<Record<State, (speaker: Speaker) => Promise<unknown>>> = {
  free: () => Promise.resolve(),
  muted: ({ roomid, accid }) => rig.role(roomid, accid, -2),
  'muted for a while': ({ roomid, accid }) => rig.mute(roomid, accid, 3600),
  async 'slow mode'({ roomid, link }) {
    await rig.call(local.slowMode, { roomid, seconds: 3600 })
    await link.request('roomSend', { roomid, type: 0, attach: 'the one line', clientId: 'one' })
  },
  'the room muted': ({ roomid }) => rig.call(chatrooms.muteRoom, { roomid, operator: 'cara', mute: true }),
  blacklisted: ({ roomid, accid }) => rig.role(roomid, accid, -1),
  'a word of the list': () => rig.call(local.setWords, { words: [letters] }),
}

/** Every writable field by every path, each with its own text, and whether others see it if allowed. */
const writing: Readonly<Record<string, (speaker: Speaker, text: string) => Promise<unknown>>> = {
  'text by the link': ({ link, roomid }, text) =>
    link.request('roomSend', { roomid, type: 0, attach: text, clientId: text }),
  'the extension of a line by the link': ({ link, roomid }, text) =>
    link.request('roomSend', { roomid, type: 0, attach: 'fine', ext: JSON.stringify({ text }), clientId: text }),
  'a custom attachment by the link': ({ link, roomid }, text) =>
    link.request('roomSend', { roomid, type: 100, attach: JSON.stringify({ a: [text] }), clientId: text }),
  'a tip by the link': ({ link, roomid }, text) =>
    link.request('roomSend', { roomid, type: 10, attach: text, clientId: text }),
  'the name of a picture by the link': ({ link, roomid }, text) =>
    link.request('roomSend', {
      roomid,
      type: 1,
      attach: JSON.stringify({ url: 'http://x/', name: text }),
      clientId: text,
    }),
  'a name while inside': ({ link, roomid }, text) => link.request('roomEnter', { roomid, nick: text }),
  'an extension while inside': ({ link, roomid }, text) => link.request('roomEnter', { roomid, ext: text }),
  async 'an avatar while inside, beside a line'({ link, roomid }, text) {
    await link.request('roomEnter', { roomid, avatar: `http://x/ ${text}` })
    await link.request('roomSend', { roomid, type: 0, attach: 'fine', clientId: 'beside' })
  },
  async 'a name on entering again'({ link, roomid }, text) {
    await link.request('roomLeave', { roomid })
    await link.request('roomEnter', { roomid, nick: text })
  },
  async 'an extension on entering again'({ link, roomid }, text) {
    await link.request('roomLeave', { roomid })
    await link.request('roomEnter', { roomid, ext: text })
  },
  'text by the API': ({ byApi, accid, roomid }, text) =>
    byApi
      ? rig.call(chatrooms.sendMsg, { roomid, fromAccid: accid, msgId: text, msgType: 0, attach: text })
      : Promise.reject(new LinkFailure(403, 'a guest is no account of the API')),
  'the extension of a line by the API': ({ byApi, accid, roomid }, text) =>
    byApi
      ? rig.call(chatrooms.sendMsg, { roomid, fromAccid: accid, msgId: text, msgType: 0, attach: 'fine', ext: text })
      : Promise.reject(new LinkFailure(403, 'a guest is no account of the API')),
}
const ofApi = (way: string): boolean => way.endsWith('by the API')

/** Everything sent to a member of a room since a moment. */
async function told({ roomid }: Speaker, from: number): Promise<string> {
  const marker = `marker ${roomid} ${listener.pushed.length}`
  await rig.call(chatrooms.sendMsg, { roomid, fromAccid: 'cara', msgId: marker, msgType: 0, attach: marker })
  await eventually(() => expect(JSON.stringify(listener.pushed)).toContain(marker))
  return JSON.stringify(listener.pushed.slice(from).filter((push) => 'roomid' in push && push.roomid === roomid))
}
/** The lists of a room as anybody reads them. */
async function listed({ roomid }: Speaker): Promise<string> {
  const lists = [0, 1, 2].map((type) => listener.request('roomMembers', { roomid, type, limit: 100 }))
  return JSON.stringify([
    await Promise.all(lists),
    await listener.request('roomHistory', { roomid, limit: 100, notices: true }),
  ])
}

const speakers = { 'an account': accountIn, 'a guest of the watch page': guestIn } as const

describe.each(Object.keys(speakers) as (keyof typeof speakers)[])('%s', (who) => {
  it.each(Object.keys(setStates) as State[])(
    '%s: what it writes is seen by others exactly when it may',
    async (state) => {
      const roomid = await rig.room({ name: `${who} ${state}` })
      await listener.request('roomEnter', { roomid })
      const speaker = await speakers[who](roomid)
      await speaker.link.request('roomEnter', { roomid, nick: `calm ${roomid}` })
      const from = listener.pushed.length
      await setStates[state](speaker)
      try {
        const unexpected: string[] = []
        for (const [index, [way, write]] of Object.entries(writing).entries()) {
          const text = state === 'a word of the list' ? `${letters} ${index}.` : `${letters}${index}.`
          await write(speaker, text).catch((error: unknown) => {
            if (!(error instanceof LinkFailure)) throw error
          })
          const isSeen = (await told(speaker, from)).includes(text)
          if (isSeen !== (state === 'free' && (speaker.byApi || !ofApi(way))))
            unexpected.push(`${way}: ${isSeen ? 'seen' : 'not seen'}`)
        }
        expect(unexpected).toEqual([])
        expect((await listed(speaker)).includes(letters)).toBe(state === 'free')
      } finally {
        await rig.call(local.setWords, { words: [] })
        speaker.link.close()
        await listener.request('roomLeave', { roomid })
      }
    },
  )
})
