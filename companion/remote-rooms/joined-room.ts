import { inBackground } from '../background.ts'
import type { JoinFailure } from '../../contract/rpc/joined.ts'
import type { Clock } from '../../platform/clock.ts'
import { mediaAnswer, type MediaAnswer, mediaHeaders, type MediaRequest, plainAnswer } from '../relay/media-answer.ts'
import { rewritePlaylist } from '../relay/playlist.ts'
import type { Line } from '../lines/connection.ts'
import type { Host } from './host.ts'
import { type Credentials, isSignedIn, signInAt, signOutAt } from './host-session.ts'
import type { KeptJoined } from './joined-document.ts'
import { bridgeLines } from './line-bridge.ts'
import { JoinError } from './join-error.ts'
import { createSerial } from '../../platform/serial.ts'
import { isByteRange } from '../../platform/byte-range.ts'
import { textMember } from '../text-member.ts'

/** A joined room: its session in memory, and its pages' requests. */
export type JoinedRoom = ReturnType<typeof createJoinedRoom>

/** Pages and media transfers of one room. */
const maxPages = 8
const maxTransfers = 24
const mediaPath = /^\/media\/[\w.~/-]{1,4096}$/
/** Tells a page why it is not signed in. */
const troubleHeader = 'sidestage-trouble'

const answer = (status: number, trouble?: JoinFailure, wait = 0): MediaAnswer => ({
  status,
  headers: {
    'cache-control': 'no-store',
    ...(trouble === undefined ? {} : { [troubleHeader]: trouble }),
    ...(wait > 0 ? { 'retry-after': String(wait) } : {}),
  },
  body: undefined,
})
const isMedia = (path: string): boolean => mediaPath.test(path) && !path.split('/').includes('..')

/** Makes it, not signed in. */
export function createJoinedRoom(ports: {
  readonly seat: KeptJoined
  readonly host: Host
  readonly clock: Clock
  readonly token: () => Promise<string | undefined>
  readonly keep: (token: string) => Promise<void>
  readonly shown: () => void
  readonly log: (line: string) => void
}) {
  const { seat, host, clock } = ports
  const origin = new URL(`${seat.secured ? 'https' : 'http'}://${seat.host}`)
  const pages = new Set<() => void>()
  let cookie: string | undefined
  /** A refused token is not tried by itself: failures add delay. */
  let refused: { readonly until: number } | undefined
  const oneByOne = createSerial()
  let transfers = 0

  const enter = async (credentials: Credentials): Promise<void> => {
    try {
      cookie = await signInAt(host, credentials)
      refused = undefined
    } catch (error) {
      if (error instanceof JoinError && error.what === 'refused')
        refused = { until: clock.monotonic() + error.wait * 1000 }
      throw error
    }
  }
  const enterAgain = async (byHand: boolean): Promise<void> => {
    if (cookie !== undefined) {
      if (await isSignedIn(host, cookie)) return
      cookie = undefined
    }
    if (refused && !byHand)
      throw new JoinError('refused', Math.max(0, Math.ceil((refused.until - clock.monotonic()) / 1000)))
    const token = await ports.token()
    if (token === undefined) throw new JoinError('token')
    await enter({ accid: seat.accid, token, code: null })
  }
  /** Pages asking together share one session. */
  const inTurn = async (work: () => Promise<void>): Promise<MediaAnswer> => {
    try {
      await oneByOne(work)
      return answer(204)
    } catch (error) {
      const trouble = error instanceof JoinError ? error : new JoinError('offline')
      // An offline host may return; anything else needs a person.
      return answer(trouble.what === 'offline' ? 503 : 401, trouble.what, trouble.wait)
    }
  }
  const close = (): void => {
    for (const end of pages) end()
    pages.clear()
  }
  const leave = (): void => {
    const left = cookie
    cookie = undefined
    if (left !== undefined) inBackground(signOutAt(host, left), ports.log, 'signing out of a joined room')
  }

  return {
    /** A session that was opened just now. */
    enteredWith: (made: string) => {
      cookie = made
    },
    /** GET: signed in, or signs in with the kept token. POST: tries again, maybe with another token. DELETE: leaves. */
    session: (method: string, body: unknown): Promise<MediaAnswer> => {
      if (method === 'GET' || method === 'HEAD') return inTurn(() => enterAgain(false))
      if (method === 'DELETE') {
        leave()
        close()
        return Promise.resolve(answer(204))
      }
      if (method !== 'POST') return Promise.resolve(answer(405))
      const token = textMember(body, 'token', 128)
      if (token === undefined) return inTurn(() => enterAgain(true))
      return inTurn(async () => {
        await enter({ accid: seat.accid, token, code: textMember(body, 'code', 64) ?? null })
        await ports.keep(token)
      })
    },
    media: async ({ method, path, range, signal }: MediaRequest): Promise<MediaAnswer> => {
      if (method !== 'GET' && method !== 'HEAD')
        return { ...plainAnswer(405), headers: { ...mediaHeaders, allow: 'GET, HEAD' } }
      if (!isMedia(path)) return plainAnswer(404)
      if (range !== undefined && !isByteRange(range)) return plainAnswer(416)
      if (cookie === undefined) return plainAnswer(401)
      if (transfers >= maxTransfers) return plainAnswer(503)
      transfers++
      let isOver = false
      const over = (): void => {
        if (!isOver) transfers--
        isOver = true
      }
      try {
        const headers = { cookie, ...(range === undefined ? {} : { range }) }
        const found = await host.ask({ method, path, signal, headers })
        found.once('close', over)
        return await mediaAnswer(found, method, path, (text) =>
          rewritePlaylist(text, new URL(path, origin), (url) =>
            url?.origin === origin.origin && isMedia(url.pathname)
              ? `/joined/${seat.id}${url.pathname}`
              : '/media/refused',
          ),
        )
      } catch {
        over()
        return plainAnswer(502)
      }
    },
    attach: (line: Line): { end(): void } => {
      const session = cookie
      if (session === undefined || pages.size >= maxPages) {
        line.close()
        return { end: () => undefined }
      }
      const { end } = bridgeLines(line, () => host.line(session), clock)
      pages.add(end)
      line.onClose(() => pages.delete(end))
      ports.shown()
      return { end }
    },
    leave,
    close,
  }
}
