import type { InjectionKey } from 'vue'
import type { SessionPage } from './session.ts'

/** Result of a sign-in: `refused` for wrong account, token or code, with seconds to wait; `full` when the streamer's disk is; `offline` without an answer. */
export type SeatSignIn =
  | { readonly came: 'in' | 'full' | 'offline' }
  | { readonly came: 'refused'; readonly wait: number }

/** Where a moderator's page comes in and goes out. Account and token are held by nobody here. */
export interface SeatDoor {
  /** The code of the invitation that the address carried; empty for none. */
  readonly code: string
  /** Takes a code out of the address, at once. */
  readAddress(): void
  signIn(entered: { readonly accid: string; readonly token: string; readonly code: string }): Promise<SeatSignIn>
  /** Ends this browser's session; false when nobody answered. */
  signOut(): Promise<boolean>
}

/** Makes it, and takes the code of an invitation out of the address before anybody else reads it. */
export function createSeatDoor(page: SessionPage): SeatDoor {
  let code = ''
  const readAddress = (): void => {
    const found = /^#code=([A-Za-z0-9_-]{8,64})$/.exec(page.location.hash)?.[1]
    if (found === undefined) return
    page.history.replaceState(null, '', page.location.pathname + page.location.search)
    code = found
  }
  readAddress()
  return {
    get code() {
      return code
    },
    readAddress,
    signIn: async ({ accid, token, code: entered }) => {
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
    signOut: async () => {
      try {
        return (await page.fetch('/session', { method: 'DELETE', credentials: 'same-origin' })).status === 204
      } catch {
        return false
      }
    },
  }
}

/** Where the root provides it. */
export const seatDoorKey: InjectionKey<SeatDoor> = Symbol('seat door')
