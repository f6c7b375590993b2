import { createLinkClient, type LinkClient, type LinkState } from '../../../contract/link/client.ts'
import type { LinkArguments, LinkPush, LinkPushKind } from '../../../contract/link/frames.ts'
import { membersFault } from '../../../contract/validate.ts'
import { linkPushes } from '../../../contract/link/frames.ts'
import { eventually } from '../../testing/eventually.ts'
import { openSocket } from './socket.ts'

/** An account at a client that keeps and validates every push. */
export interface LinkUser extends LinkClient {
  readonly pushed: readonly LinkPush[]
  readonly states: readonly LinkState[]
  /** Pushes of one kind so far. */
  of<K extends LinkPushKind>(kind: K): LinkPush<K>[]
  /** Texts of the messages so far. */
  texts(): string[]
  online(): Promise<void>
}

const later = (ms: number, call: () => void): (() => void) => {
  const timer = setTimeout(call, ms)
  return () => clearTimeout(timer)
}

/** Opens a link for an account; `url` may change between connections. */
export function linkUser(
  url: string | (() => string),
  credentials: Omit<LinkArguments<'login'>, 'device' | 'clientType'> & {
    readonly device?: string
    readonly clientType?: string
  },
): LinkUser {
  const pushed: LinkPush[] = []
  const states: LinkState[] = []
  const { after, ...rest } = credentials
  const client = createLinkClient({
    url: 'ws://unused',
    credentials: () => ({ device: `${rest.accid}-web`, clientType: 'WEB', ...rest }),
    open: (_url, events) => openSocket(typeof url === 'string' ? url : url(), events),
    later,
    random: Math.random,
    onPush(push) {
      const fault = membersFault(linkPushes[push.t], push, push.t)
      if (fault !== undefined) throw new Error(fault)
      pushed.push(push)
    },
    onState: (state) => states.push(state),
    ...(after !== undefined && { after }),
  })
  return Object.assign(Object.create(client) as LinkClient, {
    pushed,
    states,
    of: <K extends LinkPushKind>(kind: K) => pushed.filter((push): push is LinkPush<K> => push.t === kind),
    texts: () =>
      pushed.flatMap((push) =>
        push.t === 'message' && push.type === 0 ? [(JSON.parse(push.body) as { msg: string }).msg] : [],
      ),
    async online() {
      await eventually(() => {
        if (client.state.at !== 'online') throw new Error(`not online: ${JSON.stringify(client.state)}`)
      })
    },
  })
}
