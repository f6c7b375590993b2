import { setTimeout as wait } from 'node:timers/promises'
import { createLinkClient } from '../../contract/link/client.ts'
import type { LinkAnswer } from '../../contract/link/frames.ts'
import type { ServiceReady } from '../../contract/service-process.ts'
import { linkPlatform } from '../link-person.ts'

/** Somebody in a room who comes again when a node ends, as the watch page does, and reads what was said meanwhile. */
export interface RoomListener {
  isInside(): boolean
  /** Lines by their text that came or were read, each with its number. */
  readonly lines: ReadonlyMap<string, string>
  /** Lines as they came, for each stay a list. */
  readonly stays: readonly ReadonlySet<string>[]
  /** Lines that came more than once within a stay. */
  twice(): number
  /** How long it was not inside since it entered for the first time: the longest time, in ms. */
  longestAway(): number
  /** Codes with which its connections were closed: 1001 by a node that ends, 1006 without a word. */
  readonly closes: readonly number[]
  close(): void
}

/** Lines that are read at once. */
const page = 100

/** Signs in at the proxy and enters the room. */
export function listenInRoom(
  service: Pick<ServiceReady, 'linkUrl' | 'appKey'>,
  { accid, token, roomid }: { readonly accid: string; readonly token: string; readonly roomid: number },
): RoomListener {
  const lines = new Map<string, string>()
  const stays: Set<string>[] = []
  const closes: number[] = []
  let [isInside, twice, longest] = [false, 0, 0]
  let leftAt: number | undefined
  /** A line that it was told, or read: true when it is new. */
  const note = (line: { readonly attach: string; readonly msgid: string }): boolean => {
    const isNew = !lines.has(line.attach)
    lines.set(line.attach, line.msgid)
    return isNew
  }
  const client = createLinkClient({
    ...linkPlatform,
    open: (url, events) =>
      linkPlatform.open(url, {
        ...events,
        closed(code) {
          closes.push(code)
          events.closed(code)
        },
      }),
    url: service.linkUrl,
    credentials: () => ({
      appKey: service.appKey,
      accid,
      token,
      device: `${accid}-device`,
      clientType: 'WEB',
      sdkVersion: 'e2e',
    }),
    onPush(push) {
      if (push.t !== 'roomMessage' || push.roomid !== roomid || push.type !== 0) return
      const stay = stays.at(-1)!
      if (stay.has(push.attach)) twice++
      stay.add(push.attach)
      note(push)
    },
    onState({ at }) {
      if (at === 'online') {
        stays.push(new Set())
        enter().catch(() => undefined)
        return
      }
      if (isInside) leftAt = performance.now()
      isInside = false
    },
  })
  const read = async (): Promise<void> => {
    let answer: Pick<LinkAnswer<'roomHistory'>, 'lines' | 'more'> = await client.request('roomEnter', {
      roomid,
      lines: page,
    })
    while (answer.lines.map(note).includes(true) && answer.more)
      answer = await client.request('roomHistory', { roomid, before: Number(answer.lines.at(-1)!.msgid), limit: page })
  }
  /** Enters, again after a while when that is refused, until the connection is another one. */
  async function enter(): Promise<void> {
    const stay = stays.at(-1)
    const isSame = (): boolean => stay === stays.at(-1) && client.state.at === 'online'
    while (isSame() && !isInside)
      try {
        await read()
        if (!isSame()) return
        isInside = true
        if (leftAt !== undefined) longest = Math.max(longest, performance.now() - leftAt)
        leftAt = undefined
      } catch {
        await wait(500)
      }
  }
  return {
    isInside: () => isInside,
    lines,
    stays,
    twice: () => twice,
    longestAway: () => longest,
    closes,
    close: () => client.close(),
  }
}
