import type { LinkPush } from '../../../contract/link/frames.ts'

/** A request to an account: friendship, invitation to a team, or application to one that it leads. */
export interface TeamRequest {
  readonly kind: 'friend' | 'invitation' | 'application'
  readonly from: string
  /** '' for a friend request. */
  readonly tid: string
  readonly tname: string
  readonly msg: string
  readonly at: number
}

/** Information for an account; `what` is a key of the locale. */
export interface News {
  readonly what:
    | 'friendAdded'
    | 'friendAccepted'
    | 'friendRejected'
    | 'friendEnded'
    | 'invitationRefused'
    | 'applicationRefused'
    | 'muted'
    | 'unmuted'
  readonly from: string
  readonly tname: string
  readonly msg: string
  readonly at: number
}

/** The oldest are dropped. */
export const maxRequests = 100

const isSame = (a: TeamRequest, b: TeamRequest): boolean => a.kind === b.kind && a.from === b.from && a.tid === b.tid

/** Removes an answered request. */
export const withoutRequest = (asks: readonly TeamRequest[], gone: TeamRequest): TeamRequest[] =>
  asks.filter((ask) => !isSame(ask, gone))
const withRequest = (asks: readonly TeamRequest[], ask: TeamRequest): TeamRequest[] =>
  [ask, ...withoutRequest(asks, ask)].slice(0, maxRequests)

function askOf(push: LinkPush): TeamRequest | null {
  if (push.t === 'friend' && push.type === 2)
    return { kind: 'friend', from: push.from, tid: '', tname: '', msg: push.msg ?? '', at: push.at }
  if (push.t === 'teamInvite')
    return { kind: 'invitation', from: push.from, tid: push.tid, tname: push.tname, msg: push.msg ?? '', at: push.at }
  if (push.t === 'teamApply')
    return { kind: 'application', from: push.from, tid: push.tid, tname: push.tname, msg: push.msg ?? '', at: push.at }
  return null
}

/** Requests after a push; a friend request ends with the friendship. */
export function requestsAfter(asks: readonly TeamRequest[], push: LinkPush, accid: string): readonly TeamRequest[] {
  const ask = askOf(push)
  // A request by the account itself comes back to its other devices.
  if (ask) return ask.from === accid ? asks : withRequest(asks, ask)
  if (push.t !== 'friend') return asks
  const other = push.from === accid ? push.to : push.from
  return asks.filter(({ kind, from }) => kind !== 'friend' || from !== other)
}

const friendNews = { 1: 'friendAdded', 3: 'friendAccepted', 4: 'friendRejected', 5: 'friendEnded' } as const

/** Null for a push without news. */
export function newsOf(push: LinkPush, accid: string, now: number): News | null {
  if (push.t === 'friend' && push.from !== accid) {
    const what = friendNews[push.type as keyof typeof friendNews]
    return what === undefined ? null : { what, from: push.from, tname: '', msg: push.msg ?? '', at: push.at }
  }
  if (push.t === 'teamRefused' && push.from !== accid)
    return {
      what: push.what === 'invitation' ? 'invitationRefused' : 'applicationRefused',
      from: push.from,
      tname: push.tname,
      msg: push.msg ?? '',
      at: push.at,
    }
  if (push.t === 'settings' && push.muted !== undefined)
    return { what: push.muted ? 'muted' : 'unmuted', from: '', tname: push.tid ?? '', msg: '', at: now }
  return null
}

const isRequest = (one: unknown): one is TeamRequest => {
  if (typeof one !== 'object' || one === null) return false
  const { kind, at, ...texts } = one as Readonly<Record<keyof TeamRequest, unknown>>
  const isKind = kind === 'friend' || kind === 'invitation' || kind === 'application'
  return (
    isKind &&
    typeof at === 'number' &&
    (['from', 'tid', 'tname', 'msg'] as const).every((name) => typeof texts[name] === 'string')
  )
}

/** Parses remembered requests; unreadable text gives none. */
export function readRequests(text: string | null): TeamRequest[] {
  try {
    const read: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(read) ? read.filter(isRequest).slice(0, maxRequests) : []
  } catch {
    return []
  }
}
