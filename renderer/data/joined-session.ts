import { shallowRef, type InjectionKey } from 'vue'
import type { JoinFailure } from '../../contract/rpc/joined.ts'
import { Unauthorized, type AuthMethod, type Line } from './client.ts'
import { openPort, openSocket } from './openers.ts'

/** `gone`: the companion has forgotten the room. */
export interface JoinedTrouble {
  readonly what: JoinFailure | 'gone'
  /** No attempt is accepted before this time, in ms. */
  readonly until: number
}

const whats: readonly string[] = [
  'offline',
  'changed',
  'refused',
  'token',
  'notOurs',
  'elsewhere',
  'plain',
  'full',
] satisfies JoinFailure[]
const maxWait = 600

/** Signs in through the companion, which keeps the token. Calls `at` with how people sign in. */
export function createJoinedSession(page: Window, id: string, now: () => number, at: (session: AuthMethod) => void) {
  const session = `/joined/${id}/session`
  const trouble = shallowRef<JoinedTrouble | null>(null)
  const read = ({ status, headers }: Response): JoinedTrouble['what'] | 'own' | null => {
    const said = headers.get('sidestage-trouble') ?? ''
    const wait = Math.min(maxWait, Math.max(0, Number(headers.get('retry-after') ?? 0) || 0))
    const what = status === 404 ? 'gone' : whats.includes(said) ? (said as JoinFailure) : null
    trouble.value = what === null ? null : { what, until: now() + wait * 1000 }
    // A 401 without the header comes from this app itself.
    return what ?? (status === 401 ? 'own' : null)
  }
  const post = (path: string, body: object): Promise<Response> =>
    page.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      credentials: 'same-origin',
    })
  return {
    trouble,
    openLink: async (url: string): Promise<boolean> => (await post(`/joined/${id}/link`, { url })).status === 204,
    /** With the kept token or the entered one. */
    enter: async (entered?: { readonly token: string; readonly code: string }): Promise<boolean> => {
      const answer = await post(
        session,
        entered === undefined ? {} : { token: entered.token, ...(entered.code === '' ? {} : { code: entered.code }) },
      )
      read(answer)
      return answer.status === 204
    },
    leave: async (): Promise<void> => {
      await page.fetch(session, { method: 'DELETE', credentials: 'same-origin' })
    },
    opener: {
      open: async (onLost: () => void): Promise<Line> => {
        const answer = await page.fetch(session, { credentials: 'same-origin' })
        const what = read(answer)
        at(what === 'own' ? 'link' : 'account')
        if (what !== null && what !== 'offline') throw new Unauthorized(what, what === 'own' ? 'link' : 'account')
        if (answer.status !== 204) throw new Error(`session answered ${answer.status}`)
        const shell = page.sidestage
        return shell ? openPort(page, () => shell.connect(id), onLost) : openSocket(page, `/joined/${id}/rpc`, onLost)
      },
    },
  }
}

/** Not provided on the app's own page. */
export const joinedSessionKey: InjectionKey<ReturnType<typeof createJoinedSession>> = Symbol('joined door')
