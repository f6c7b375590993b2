import { embedPath, watchPath } from '../../contract/watch.ts'
import { channel, root } from './place.ts'

/** Which parts of the page a frame shows. */
export type EmbedPart = 'both' | 'picture' | 'chat'

/** What the address asks for; `both` without a known part. Undefined for the page itself. */
export function embedOf({ pathname, search }: Pick<Location, 'pathname' | 'search'>): EmbedPart | undefined {
  if (!pathname.startsWith(`${root}${embedPath}`)) return undefined
  const show = new URLSearchParams(search).get('show')
  return show === 'picture' || show === 'chat' ? show : 'both'
}

/** Address of the whole page, for a link out of a frame. */
export const wholePage = `${root}${watchPath}${channel}`
/** Address of the chat alone, for a window of its own. */
export const chatPage = `${root}${embedPath}${channel}?show=chat`

/** True inside another page. */
export const isFramed = (): boolean => window.top !== window.self

/** Query of the requests of a page in a frame, for which cookies are others. */
export const framedQuery = (): string => (embedOf(location) !== undefined && isFramed() ? '?framed=1' : '')

/** Whether the page lets an answer wait for a show: many frames would use up the browser's connections. */
export const mayWait = (): boolean => framedQuery() === ''

/** Origins of all pages around this one; undefined where the browser does not tell them. */
function around(): string | undefined {
  const { ancestorOrigins } = location as Partial<Location>
  if (ancestorOrigins) return [...ancestorOrigins].join(' ')
  // Of one page around it the address from which it was opened tells the same.
  if (window.parent !== window.top || document.referrer === '') return undefined
  const { origin } = new URL(document.referrer)
  return origin === location.origin ? undefined : origin
}
/** Query of a request for the state: what the page is, and where; `waits` for a show to begin. */
export function stateQuery(waits = false): string {
  const query = new URLSearchParams(framedQuery())
  const origins = query.has('framed') ? around() : undefined
  if (origins !== undefined) query.set('around', origins)
  if (embedOf(location) === 'chat') query.set('show', 'chat')
  if (waits) query.set('wait', '1')
  return query.size === 0 ? '' : `?${query}`
}

const probe = 'sidestage-probe'
/**
 * Whether this browser keeps a cookie for this page where it stands: in a frame of another site only if it is
 * partitioned, which takes TLS.
 */
export function keepsCookies(page: Pick<Document, 'cookie'> = document): boolean {
  const kind =
    window.isSecureContext && location.protocol === 'https:' ? 'SameSite=None; Secure; Partitioned' : 'SameSite=Lax'
  const write = (value: string, age: number): void => {
    page.cookie = `${probe}=${value}; Max-Age=${age}; ${kind}`
  }
  write('1', 60)
  const isKept = page.cookie.split('; ').includes(`${probe}=1`)
  write('', 0)
  return isKept
}
