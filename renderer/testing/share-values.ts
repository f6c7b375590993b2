import type { ChannelAccess, Reach, WatchLimits } from '../features/share/share.ts'
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
  freeHere: true,
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
/** Nothing is limited, nobody watches. */
export const noLimits: WatchLimits = {
  maxViewers: 0,
  maxKbps: 0,
  maxGigabytes: 0,
  viewers: 0,
  kbps: 0,
  targetsKbps: 0,
  monthBytes: 0,
  waiting: 0,
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

/** What the sheet of who can watch reads. */
export const sheetAnswers = (access: Partial<ChannelAccess> = {}, reach: Partial<Reach> = {}): Answers => ({
  ...shareAnswers(access, reach),
  'operations.access.watchLimits': () => ({ ret: noLimits }),
  'operations.access.schedule': () => ({ ret: {} }),
  'operations.reach.visits': () => ({ ret: { list: [] } }),
})
