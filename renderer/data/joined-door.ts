import { shallowRef, type InjectionKey } from 'vue'
import type { JoinTrouble } from '../../contract/rpc/joined.ts'
import { Unauthorized, type Door, type Line } from './client.ts'
import { openPort, openSocket } from './openers.ts'

/** Why a joined room cannot be shown: what the companion says, or `gone` when it was forgotten there. */
export interface JoinedTrouble {
  readonly what: JoinTrouble | 'gone'
  /** Until when another try is refused in any case, in ms. */
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
] satisfies JoinTrouble[]
const maxWait = 600

/** Signs in to a room of another computer by the companion, so that the page keeps no token. Tells `at` how people sign in. */
export function createJoinedDoor(page: Window, id: string, now: () => number, at: (door: Door) => void) {
  const session = `/joined/${id}/session`
  const trouble = shallowRef<JoinedTrouble | null>(null)
  const read = ({ status, headers }: Response): JoinedTrouble['what'] | 'own' | null => {
    const said = headers.get('sidestage-trouble') ?? ''
    const wait = Math.min(maxWait, Math.max(0, Number(headers.get('retry-after') ?? 0) || 0))
    const what = status === 404 ? 'gone' : whats.includes(said) ? (said as JoinTrouble) : null
    trouble.value = what === null ? null : { what, until: now() + wait * 1000 }
    // Without a word about the other computer it is this app itself that nobody is signed in to.
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
    /** Why it was not let in the last time; null when it was. */
    trouble,
    /** Opens an address in the system's browser; resolves with whether it was. */
    openLink: async (url: string): Promise<boolean> => (await post(`/joined/${id}/link`, { url })).status === 204,
    /** Signs in once more, with the kept token or with the one that was entered; resolves with whether that went well. */
    enter: async (entered?: { readonly token: string; readonly code: string }): Promise<boolean> => {
      const answer = await post(
        session,
        entered === undefined ? {} : { token: entered.token, ...(entered.code === '' ? {} : { code: entered.code }) },
      )
      read(answer)
      return answer.status === 204
    },
    /** Ends the session there. */
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

/** Where the root provides it; absent on the app's own page. */
export const joinedDoorKey: InjectionKey<ReturnType<typeof createJoinedDoor>> = Symbol('joined door')
