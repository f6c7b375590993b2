import { Unauthorized, type AuthMethod } from './client.ts'

/** What the sign-in uses of a page. */
export interface SessionPage {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>
  readonly history: Pick<History, 'replaceState'>
  fetch(
    path: string,
    init?: RequestInit,
  ): Promise<Pick<Response, 'status'> & { readonly headers: Pick<Headers, 'get'> }>
}

const tokenOf = (hash: string): string | undefined => /^#token=([A-Za-z0-9_-]{8,256})$/.exec(hash)?.[1]

/** Exchanges the address's one-time token for a cookie; rejects with `Unauthorized` without a session. */
export async function signIn(page: SessionPage): Promise<AuthMethod> {
  const token = tokenOf(page.location.hash)
  if (token !== undefined) {
    page.history.replaceState(null, '', page.location.pathname + page.location.search)
    const answer = await page.fetch('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
      credentials: 'same-origin',
    })
    if (answer.status === 204) return 'link'
  }
  const answer = await page.fetch('/session', { credentials: 'same-origin' })
  const authMethod: AuthMethod = answer.headers.get('sidestage-door') === 'account' ? 'account' : 'link'
  if (answer.status === 401 || answer.status === 403) throw new Unauthorized('no session', authMethod)
  if (answer.status !== 204 && answer.status !== 200) throw new Error(`session answered ${answer.status}`)
  return authMethod
}
