import type { LinkPush } from '../../contract/link/frames.ts'
import { createLru } from '../../platform/lru.ts'

/** An unanswered request to an account. */
export interface OpenRequest {
  readonly accid: string
  readonly push: LinkPush
}

const most = 500
const keyOf = (accid: string, kind: 'friend' | 'teamInvite' | 'teamApply', tid: string, from: string): string =>
  `${accid} ${kind} ${tid} ${from}`

/** Begins with none. */
export function createOpenRequests() {
  const requests = createLru<OpenRequest>(most)
  const put = (key: string, ask: OpenRequest): void => {
    requests.delete(key)
    requests.set(key, ask)
  }
  return {
    came: (accid: string, push: LinkPush) => {
      if (push.t === 'friend') {
        const other = push.from === accid ? push.to : push.from
        const key = keyOf(accid, 'friend', '', other)
        // Any other relation event ends the request.
        if (push.type === 2 && push.from !== accid) put(key, { accid, push })
        else requests.delete(key)
      } else if ((push.t === 'teamInvite' || push.t === 'teamApply') && push.from !== accid)
        put(keyOf(accid, push.t, push.tid, push.from), { accid, push })
    },
    friendAnswered: (accid: string, other: string) => requests.delete(keyOf(accid, 'friend', '', other)),
    invitationAnswered: (accid: string, tid: string) => {
      for (const key of requests.keys()) if (key.startsWith(`${accid} teamInvite ${tid} `)) requests.delete(key)
    },
    applicationAnswered: (accid: string, tid: string, other: string) =>
      requests.delete(keyOf(accid, 'teamApply', tid, other)),
    all: (): OpenRequest[] => [...requests.keys()].map((key) => requests.get(key)!),
  }
}
