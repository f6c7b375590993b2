import { createJoinedSession } from '../data/joined-session.ts'
import { createSeatSession } from '../data/seat-session.ts'

/** A request that a door sent: its method, its path, and what was in it. */
export type SessionRequest = readonly [method: string, path: string, body?: unknown]
/** What the other side answers to a request; undefined for no answer. */
export type SessionAnswer = (request: SessionRequest) => Response | Promise<Response> | undefined

/** An answer without content, with the headers that say why. */
export const answer = (status: number, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status, headers })

/** Requests as `fetch` sends them, noted and answered. */
function network(answerOf: SessionAnswer) {
  const requests: SessionRequest[] = []
  const fetch = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const method = init.method ?? 'GET'
    const request: SessionRequest =
      typeof init.body === 'string' ? [method, path, JSON.parse(init.body) as unknown] : [method, path]
    requests.push(request)
    const answered = await answerOf(request)
    if (!answered) throw new TypeError('Failed to fetch')
    return answered
  }
  return { requests, fetch }
}

/** How a moderator's page signs in, with the code that its address carried. */
export function seatSessionOf(answerOf: SessionAnswer, code = '') {
  const { requests, fetch } = network(answerOf)
  const location = { hash: code === '' ? '' : `#code=${code}`, pathname: '/', search: '' }
  return { requests, session: createSeatSession({ location, history: { replaceState: () => undefined }, fetch }) }
}

/** The room of another computer that `joinedDoorOf` signs in to. */
export const joinedId = '00000000000000aa'

/** How the page of a joined room signs in. */
export function joinedSessionOf(answerOf: SessionAnswer) {
  const { requests, fetch } = network(answerOf)
  const session = createJoinedSession(
    { fetch } as unknown as Window,
    joinedId,
    () => Date.now(),
    () => undefined,
  )
  return { requests, session }
}
