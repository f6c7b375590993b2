import type { ChannelAccess, Reach } from '../features/share/share.ts'
import type { Answers } from './memory-client.ts'

/** Who may watch: anyone with the link. */
export const usualAccess: ChannelAccess = {
  mode: 'everybody',
  closed: false,
  passphrase: false,
  embedOrigins: [],
  viewers: 5,
  links: [],
}
/** The reach of a service on this computer only. */
export const usualReach: Reach = {
  reach: 'computer',
  rtmp: false,
  url: 'http://127.0.0.1:8711',
  results: [
    { reach: 'computer', state: 'works' },
    { reach: 'home', state: 'closed' },
    { reach: 'port', state: 'fault', reason: 'portClosed' },
    { reach: 'proxy', state: 'unchecked' },
  ],
  doors: [],
  encryption: 'none',
  proxies: [],
  fixed: [],
}
/** A reach whose link would lead nowhere. */
export const reachWithoutAddress: Partial<Reach> = {
  reach: 'home',
  results: [{ reach: 'home', state: 'fault', reason: 'noAddress' }],
}

/** What a link is copied by. */
export const shareAnswers = (access: Partial<ChannelAccess> = {}, reach: Partial<Reach> = {}): Answers => ({
  'operations.access.access': () => ({ ret: { ...usualAccess, ...access } }),
  'operations.reach.reach': () => ({ ret: { ...usualReach, ...reach } }),
})
