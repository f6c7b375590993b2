import { createJoinedDoor } from '../data/joined-door.ts'
import { createSeatDoor } from '../data/seat-door.ts'

/** A request that a door sent: its method, its path, and what was in it. */
export type DoorRequest = readonly [method: string, path: string, body?: unknown]
/** What the other side answers to a request; undefined for no answer. */
export type DoorAnswer = (request: DoorRequest) => Response | Promise<Response> | undefined

/** An answer without content, with the headers that say why. */
export const answer = (status: number, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status, headers })

/** Requests as `fetch` sends them, noted and answered. */
function network(answerOf: DoorAnswer) {
  const requests: DoorRequest[] = []
  const fetch = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const method = init.method ?? 'GET'
    const request: DoorRequest =
      typeof init.body === 'string' ? [method, path, JSON.parse(init.body) as unknown] : [method, path]
    requests.push(request)
    const answered = await answerOf(request)
    if (!answered) throw new TypeError('Failed to fetch')
    return answered
  }
  return { requests, fetch }
}

/** How a moderator's page signs in, with the code that its address carried. */
export function seatDoorOf(answerOf: DoorAnswer, code = '') {
  const { requests, fetch } = network(answerOf)
  const location = { hash: code === '' ? '' : `#code=${code}`, pathname: '/', search: '' }
  return { requests, door: createSeatDoor({ location, history: { replaceState: () => undefined }, fetch }) }
}

/** The room of another computer that `joinedDoorOf` signs in to. */
export const joinedId = '00000000000000aa'

/** How the page of a joined room signs in. */
export function joinedDoorOf(answerOf: DoorAnswer) {
  const { requests, fetch } = network(answerOf)
  const door = createJoinedDoor(
    { fetch } as unknown as Window,
    joinedId,
    () => Date.now(),
    () => undefined,
  )
  return { requests, door }
}
