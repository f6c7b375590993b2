import type { InjectionKey } from 'vue'
import type { SessionPage } from './session.ts'

/** `full`: the companion's disk is full; `offline`: no answer. */
export type SeatSignIn =
  | { readonly came: 'in' | 'full' | 'offline' }
  | { readonly came: 'refused'; readonly wait: number }

type SeatEntry = Readonly<Record<'accid' | 'token' | 'code', string>>
/** Keeps neither account nor token. */
export function createSeatSession(page: SessionPage) {
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
    signIn: async ({ accid, token, code: entered }: SeatEntry): Promise<SeatSignIn> => {
      try {
        const answer = await page.fetch('/session', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ accid, token, ...(entered === '' ? {} : { code: entered }) }),
          credentials: 'same-origin',
        })
        if (answer.status === 507) return { came: 'full' }
        if (answer.status !== 204)
          return {
            came: 'refused',
            wait: Math.min(600, Math.max(0, Number(answer.headers.get('retry-after') ?? 0) || 0)),
          }
        code = ''
        return { came: 'in' }
      } catch {
        return { came: 'offline' }
      }
    },
    signOut: async (): Promise<boolean> => {
      try {
        return (await page.fetch('/session', { method: 'DELETE', credentials: 'same-origin' })).status === 204
      } catch {
        return false
      }
    },
  }
}

/** Key of a moderator's sign-in. */
export const seatSessionKey: InjectionKey<ReturnType<typeof createSeatSession>> = Symbol('seat door')
