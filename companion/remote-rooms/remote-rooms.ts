import { inBackground } from '../background.ts'
import type { JoinedSeat, JoinOutcome } from '../../contract/rpc/index.ts'
import { readWebLink } from '../../contract/web-link.ts'
import type { DescriptorShare } from '../../platform/descriptors.ts'
import { Failure, reasonOf } from '../failure.ts'
import type { MediaAnswer, MediaRequest } from '../relay/media-answer.ts'
import type { Line } from '../lines/connection.ts'
import { fromVault } from '../secrets/vault.ts'
import { createHost } from './host.ts'
import { type Credentials, seatFacts, signInAt } from './host-session.ts'
import { maxJoined, type KeptJoined, openJoinedDocument } from './joined-document.ts'
import { createJoinedRoom, type JoinedRoom } from './joined-room.ts'
import type { Place } from './pinned-socket.ts'
import { JoinError } from './join-error.ts'
import type { PartPorts } from '../part-ports.ts'

/** A request of a page that shows a joined room. */
export interface JoinedRequest extends MediaRequest {
  readonly body?: unknown
}

/** What a shell serves of joined rooms; the other computer cannot reach this one. */
export interface JoinedPages {
  /** Serves `/joined/<id>/session` and `/media/…`; a URL posted to `/joined/<id>/link` opens in the browser. */
  fetch(request: JoinedRequest): Promise<MediaAnswer>
  /** Closes the line when there is no session. */
  attach(line: Line, id: string): { end(): void }
}

/** Rooms on other computers moderated from here. */
export type RemoteRooms = Awaited<ReturnType<typeof openRemoteRooms>>

const systems: Readonly<Record<string, string>> = { win32: 'Windows', darwin: 'Mac OS X' }
const empty = (status: number): MediaAnswer => ({ status, headers: { 'cache-control': 'no-store' }, body: undefined })
/** In ms. */
const shownEvery = 60_000
const pathForm = /^\/joined\/([0-9a-f]{16})(\/session|\/link|\/media\/.+)$/

/** Opens the joined rooms; a damaged file is quarantined. */
export async function openRemoteRooms(
  ports: Pick<PartPorts, 'dataDir' | 'vault' | 'clock' | 'random' | 'entryName' | 'log'> & {
    readonly platform: string
    /** Not counted when absent. */
    readonly descriptors?: DescriptorShare
    /** Opens a URL in the system's browser. */
    readonly openLink: (url: string) => Promise<void>
    readonly changed: (seats: JoinedSeat[]) => void
  },
) {
  const { clock, vault } = ports
  const document = await openJoinedDocument(ports.dataDir)
  const rooms = new Map<string, JoinedRoom>()
  const kept = new Set<string>()
  /** In ms since 1970; ahead of the document. */
  const shownAt = new Map<string, number>()
  const agent = `Sidestage (${systems[ports.platform] ?? 'Linux'})`
  const entry = (id: string): string => ports.entryName(`joined:${id}`)
  const hostOf = (place: Place) => createHost({ place, clock, agent, descriptors: ports.descriptors })

  const list = (): JoinedSeat[] =>
    document.all().map((seat) => ({ ...seat, token: kept.has(seat.id) ? vault.mode.kind : 'missing' }))
  const tell = (): void => ports.changed(list())
  const change = async (update: (seats: readonly KeptJoined[]) => readonly KeptJoined[]): Promise<void> => {
    await document.change(update)
    tell()
  }
  /** A token that the keychain refuses is asked for the next time. */
  const keep = async (id: string, token: string): Promise<void> => {
    try {
      await vault.set(entry(id), token)
      kept.add(id)
    } catch (error) {
      kept.delete(id)
      ports.log(`the token of a joined room was not kept: ${reasonOf(error)}`)
    }
    tell()
  }
  const roomOf = (id: string): JoinedRoom | undefined => {
    const seat = document.all().find((each) => each.id === id)
    if (!seat) return undefined
    const made =
      rooms.get(id) ??
      createJoinedRoom({
        seat,
        host: hostOf(seat),
        clock,
        token: () => vault.get(entry(id)).catch(() => undefined),
        keep: (token) => keep(id, token),
        shown: () => {
          const now = clock.now()
          // A host that ends each line makes pages reconnect all the time.
          if (Math.abs(now - (shownAt.get(id) ?? seat.lastAt)) < shownEvery) return
          shownAt.set(id, now)
          change((seats) => seats.map((each) => (each.id === id ? { ...each, lastAt: now } : each))).catch(
            (error: unknown) => ports.log(`when a joined room was shown was not kept: ${reasonOf(error)}`),
          )
        },
        log: ports.log,
      })
    rooms.set(id, made)
    return made
  }
  const drop = (id: string): void => {
    rooms.get(id)?.close()
    rooms.delete(id)
    shownAt.delete(id)
  }

  const looked = Promise.all(
    document.all().map(async ({ id }) => {
      if ((await vault.get(entry(id)).catch(() => undefined)) !== undefined) kept.add(id)
    }),
  ).then(tell)
  inBackground(looked, ports.log, 'looking for kept tokens of joined rooms')
  tell()

  /** Only what a page shows as a link. */
  const openLink = async ({ method, body }: JoinedRequest): Promise<MediaAnswer> => {
    const url: unknown = typeof body === 'object' && body !== null && 'url' in body ? body.url : undefined
    const link = typeof url === 'string' ? readWebLink(url) : undefined
    if (method !== 'POST' || !link) return empty(method === 'POST' ? 400 : 405)
    return ports.openLink(link.href).then(
      () => empty(204),
      () => empty(502),
    )
  }

  return {
    list,
    /** Rejects with Failure only when the room cannot be kept. */
    join: async (place: Place, credentials: Credentials): Promise<JoinOutcome> => {
      if (document.all().length >= maxJoined) throw new Failure('absent', `there are ${maxJoined} joined rooms already`)
      const host = hostOf(place)
      let cookie: string
      let facts
      try {
        cookie = await signInAt(host, credentials)
        facts = await seatFacts(host, cookie, credentials.accid, clock)
      } catch (error) {
        if (!(error instanceof JoinError)) throw error
        ports.log(`a room at ${place.host} was not joined: ${error.what}`)
        return { seat: null, trouble: error.what, wait: error.wait }
      }
      const { host: at, secured, fingerprint } = place
      const { accid } = credentials
      const there = document
        .all()
        .find((each) => each.host === at && each.accid === accid && each.roomid === facts.roomid)
      const now = clock.now()
      const id = there?.id ?? ports.random(8).toString('hex')
      const times = { joined: there?.joined ?? now, lastAt: now }
      const seat: KeptJoined = { id, host: at, secured, fingerprint, accid, ...facts, ...times }
      await change((seats) => [seat, ...seats.filter((each) => each.id !== id)])
      drop(id)
      await keep(id, credentials.token)
      roomOf(id)?.enteredWith(cookie)
      return { seat: list().find((each) => each.id === id) ?? { ...seat, token: 'missing' }, trouble: null, wait: 0 }
    },
    forget: async (id: string) => {
      const room = roomOf(id)
      await change((seats) => seats.filter((each) => each.id !== id))
      room?.leave()
      drop(id)
      kept.delete(id)
      await fromVault(vault.delete(entry(id)))
    },
    fetch: (request: JoinedRequest): Promise<MediaAnswer> => {
      const [, id, path] = pathForm.exec(request.path) ?? []
      const room = id === undefined ? undefined : roomOf(id)
      if (!room || path === undefined) return Promise.resolve(empty(404))
      if (path === '/link') return openLink(request)
      return path === '/session' ? room.session(request.method, request.body) : room.media({ ...request, path })
    },
    attach: (line: Line, id: string): { end(): void } => {
      const room = roomOf(id)
      if (room) return room.attach(line)
      line.close()
      return { end: () => undefined }
    },
    close: () => {
      for (const id of rooms.keys()) drop(id)
    },
  }
}
