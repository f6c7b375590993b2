import type http from 'node:http'
import { z } from 'zod'
import { shownName } from '../../contract/web-link.ts'
import { type Clock, within } from '../../platform/clock.ts'
import type { Host } from './host.ts'
import { JoinError } from './join-error.ts'

/** Who signs in; the code at first. */
export interface Credentials {
  readonly accid: string
  readonly token: string
  readonly code: string | null
}

/** In seconds. */
const maxWait = 600
const patience = 10_000
const maxNames = 128
/** Two questions are asked. */
const maxFrames = 8
const maxFrame = 256 * 1024
const session = '/session'

const cookieForm = /^(sidestage_\d{1,5}=[\w-]{16,256})(?:;|$)/
const waitOf = (answer: http.IncomingMessage): number =>
  Math.min(maxWait, Math.max(0, Math.ceil(Number(answer.headers['retry-after'] ?? 0) || 0)))

function joinErrorOf(answer: http.IncomingMessage): JoinError {
  const status = answer.statusCode ?? 0
  if (status === 401) return new JoinError('refused', waitOf(answer))
  // 507 Insufficient Storage: the host stores sessions.
  if (status === 507) return new JoinError('full')
  if (status === 421) return new JoinError('elsewhere')
  return new JoinError(status >= 500 ? 'offline' : 'notOurs')
}

/** Rejects with JoinError when unknown. */
export async function isSignedIn(host: Host, cookie: string): Promise<boolean> {
  const answer = await host.ask({ method: 'GET', path: session, headers: { cookie } })
  answer.destroy()
  if (answer.statusCode !== 204 && answer.statusCode !== 401) throw joinErrorOf(answer)
  return answer.statusCode === 204
}

/** Signs in and returns the cookie; credentials are sent only to a host that expects them. Rejects with JoinError. */
export async function signInAt(host: Host, { accid, token, code }: Credentials): Promise<string> {
  const probe = await host.ask({ method: 'GET', path: session })
  probe.destroy()
  if (probe.statusCode === 421) throw new JoinError('elsewhere')
  if (probe.statusCode !== 401 || probe.headers['sidestage-door'] !== 'account')
    throw new JoinError((probe.statusCode ?? 0) >= 500 ? 'offline' : 'notOurs')
  const body = JSON.stringify({ accid, token, ...(code === null ? {} : { code }) })
  const answer = await host.ask({ method: 'POST', path: session, body })
  answer.destroy()
  if (answer.statusCode !== 204) throw joinErrorOf(answer)
  const cookie = cookieForm.exec(answer.headers['set-cookie']?.[0] ?? '')?.[1]
  if (cookie === undefined) throw new JoinError('notOurs')
  return cookie
}

/** Ends a session; errors are ignored. */
export async function signOutAt(host: Host, cookie: string): Promise<void> {
  await host.ask({ method: 'DELETE', path: session, headers: { cookie } }).then(
    (answer) => answer.destroy(),
    () => undefined,
  )
}

const About = z.object({
  json: z.object({
    seat: z.object({
      profileId: z.string().max(64),
      roomid: z.number().int().min(1),
      accid: z.string(),
      name: z.string(),
    }),
  }),
})
const Rooms = z.object({ json: z.object({ rooms: z.array(z.object({ roomid: z.number(), name: z.string() })) }) })

/** Asks what a session's seat is, over its line; untrusted frames are validated here. Rejects with JoinError. */
export async function seatFacts(host: Host, cookie: string, accid: string, clock: Clock) {
  const line = await host.line(cookie)
  try {
    const asked = new Map<string, (body: unknown) => void>()
    const { promise: over, reject: end } = Promise.withResolvers<never>()
    over.catch(() => undefined)
    line.once('close', () => end(new JoinError('offline')))
    let frames = 0
    const hear = (data: unknown, binary: boolean): void => {
      if (++frames > maxFrames || binary || !Buffer.isBuffer(data) || data.length > maxFrame) return refuse()
      try {
        const { i, p } = JSON.parse(data.toString('utf8')) as { i?: unknown; p?: { b?: unknown } | null }
        if (typeof i === 'string') asked.get(i)?.(p?.b)
      } catch {
        refuse()
      }
    }
    const refuse = (): void => {
      // Messages of the same read would still arrive.
      line.off('message', hear)
      end(new JoinError('notOurs'))
      line.terminate()
    }
    line.on('message', hear)
    line.resume()
    const ask = async <T>(path: string, input: object, shape: z.ZodType<T>): Promise<T> => {
      const id = String(asked.size + 1)
      const answered = new Promise<unknown>((resolve) => asked.set(id, resolve))
      line.send(JSON.stringify({ i: id, p: { u: path, b: { json: input } } }), () => undefined)
      const body = await within(clock, patience, Promise.race([answered, over]), () => new JoinError('offline'))
      const read = shape.safeParse(body)
      if (!read.success) throw new JoinError('notOurs')
      return read.data
    }
    const { seat } = (await ask('/app/about', {}, About)).json
    if (seat.accid !== accid) throw new JoinError('notOurs')
    const { rooms } = (await ask('/rooms/list', { profileId: seat.profileId }, Rooms)).json
    const { roomid } = seat
    const room = rooms.find((each) => each.roomid === roomid)?.name.slice(0, maxNames) ?? ''
    const name = shownName(seat.name.slice(0, maxNames), accid)
    return { roomid, room: shownName(room, String(roomid)), name }
  } finally {
    line.terminate()
  }
}
