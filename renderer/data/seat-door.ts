import type { InjectionKey } from 'vue'
import type { SessionPage } from './session.ts'

/** Result of a sign-in: `refused` with seconds to wait, `full` for a full disk there, `offline` without an answer. */
export type SeatSignIn =
  | { readonly came: 'in' | 'full' | 'offline' }
  | { readonly came: 'refused'; readonly wait: number }

type SeatEntry = Readonly<Record<'accid' | 'token' | 'code', string>>
/** Where a moderator's page comes in and goes out. Account and token are held by nobody here. */
export function createSeatDoor(page: SessionPage) {
  let code = ''
  const readAddress = (): void => {
    const found = /^#code=([A-Za-z0-9_-]{8,64})$/.exec(page.location.hash)?.[1]
    if (found === undefined) return
    page.history.replaceState(null, '', page.location.pathname + page.location.search)
    code = found
  }
  readAddress()
  return {
    /** The code of the invitation that the address carried; empty for none. */
    get code() {
      return code
    },
    /** Takes a code out of the address, at once. */
    readAddress,
    signIn: async ({ accid, token, code: entered }: SeatEntry): Promise<SeatSignIn> => {
      try {
        const answer = await page.fetch('/session', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ accid, token, ...(entered === '' ? {} : { code: entered }) }),
          credentials: 'same-origin',
        })
        // 507 Insufficient Storage.
        if (answer.status === 507) return { came: 'full' }
        if (answer.status !== 204)
          return {
            came: 'refused',
            wait: Math.min(600, Math.max(0, Number(answer.headers.get('retry-after') ?? 0) || 0)),
          }
        // It works once.
        code = ''
        return { came: 'in' }
      } catch {
        return { came: 'offline' }
      }
    },
    /** Ends this browser's session; false when nobody answered. */
    signOut: async (): Promise<boolean> => {
      try {
        return (await page.fetch('/session', { method: 'DELETE', credentials: 'same-origin' })).status === 204
      } catch {
        return false
      }
    },
  }
}

/** Where the root provides it. */
export const seatDoorKey: InjectionKey<ReturnType<typeof createSeatDoor>> = Symbol('seat door')
