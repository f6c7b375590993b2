import type { LinkPush } from '../../../contract/link/frames.ts'

/** A request to an account: friendship, invitation to a team, or application to one that it leads. */
export interface Ask {
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
export const maxAsks = 100

const isSame = (a: Ask, b: Ask): boolean => a.kind === b.kind && a.from === b.from && a.tid === b.tid

/** Removes an answered request. */
export const withoutAsk = (asks: readonly Ask[], gone: Ask): Ask[] => asks.filter((ask) => !isSame(ask, gone))
const withAsk = (asks: readonly Ask[], ask: Ask): Ask[] => [ask, ...withoutAsk(asks, ask)].slice(0, maxAsks)

function askOf(push: LinkPush): Ask | null {
  if (push.t === 'friend' && push.type === 2)
    return { kind: 'friend', from: push.from, tid: '', tname: '', msg: push.msg ?? '', at: push.at }
  if (push.t === 'teamInvite')
    return { kind: 'invitation', from: push.from, tid: push.tid, tname: push.tname, msg: push.msg ?? '', at: push.at }
  if (push.t === 'teamApply')
    return { kind: 'application', from: push.from, tid: push.tid, tname: push.tname, msg: push.msg ?? '', at: push.at }
  return null
}

/** Requests after a push; a friend request ends with the friendship. */
export function asksAfter(asks: readonly Ask[], push: LinkPush, accid: string): readonly Ask[] {
  const ask = askOf(push)
  // A request by the account itself comes back to its other devices.
  if (ask) return ask.from === accid ? asks : withAsk(asks, ask)
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

const isAsk = (one: unknown): one is Ask => {
  if (typeof one !== 'object' || one === null) return false
  const { kind, at, ...texts } = one as Readonly<Record<keyof Ask, unknown>>
  const isKind = kind === 'friend' || kind === 'invitation' || kind === 'application'
  return (
    isKind &&
    typeof at === 'number' &&
    (['from', 'tid', 'tname', 'msg'] as const).every((name) => typeof texts[name] === 'string')
  )
}

/** Parses remembered requests; unreadable text gives none. */
export function readAsks(text: string | null): Ask[] {
  try {
    const read: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(read) ? read.filter(isAsk).slice(0, maxAsks) : []
  } catch {
    return []
  }
}
