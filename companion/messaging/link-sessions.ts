import type { LinkAnswer, LinkArguments, LinkPush, LinkRequestKind } from '../../contract/link/frames.ts'
import { createLinkClient, type LinkClient, type LinkState, type OpenLinkSocket } from '../../contract/link/client.ts'
import { LinkFailure } from '../../contract/link/client-calls.ts'
import type { LinkSession } from '../../contract/rpc/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { Failure } from '../failure.ts'
import { linkReason, refusedByLink } from './link-failure.ts'
import { toldLinkFaults } from './told-faults.ts'

/** Requests that a page can make through a session. */
export type PageRequest = Exclude<LinkRequestKind, 'login' | 'sync' | 'received' | 'logout' | 'ping'>

/** Messages within this time, in ms, are counted together. */
const countAfter = 200
const most = 16

interface Held {
  readonly accid: string
  token: string
  readonly kept: boolean
  client: LinkClient | undefined
  state: LinkState | undefined
  /** Seq delivered to pages, over all connections. */
  after: number | undefined
  unread: number | null
  /** A count of unread messages is due. */
  counting: boolean
}

const failureOf = (error: unknown): Failure => {
  if (!(error instanceof LinkFailure))
    return new Failure('internal', error instanceof Error ? error.message : String(error))
  return error.code === 0 ? new Failure('unreachable', `link: ${error.message}`) : refusedByLink(error)
}

/** Makes an empty set of sessions. */
export function createLinkSessions(ports: {
  readonly profileId: string
  readonly clock: Clock
  readonly random: () => number
  /** The same over restarts. */
  readonly device: string
  readonly openSocket: OpenLinkSocket
  readonly changed: (session: LinkSession) => void
  readonly pushed: (accid: string, push: LinkPush) => void
  readonly log: (line: string) => void
}) {
  const faults = toldLinkFaults(ports.log)
  const held = new Map<string, Held>()
  let link: { readonly url: string; readonly appKey: string } | undefined

  const phaseOf = ({ state }: Held): LinkSession['phase'] => {
    if (!state) return 'waiting'
    if (state.at === 'out') return 'refused'
    return state.at === 'syncing' ? 'connecting' : state.at
  }
  const view = (one: Held): LinkSession => ({
    profileId: ports.profileId,
    accid: one.accid,
    phase: phaseOf(one),
    reason: one.state?.at === 'out' ? linkReason(one.state) : null,
    unread: one.unread,
    kept: one.kept,
  })
  const disconnect = (one: Held): void => {
    const { client } = one
    if (!client) return
    one.after = client.seq ?? one.after
    one.client = undefined
    one.state = undefined
    client.close()
  }
  const count = (one: Held): void => {
    if (one.counting) return
    one.counting = true
    ports.clock.after(countAfter, () => {
      one.counting = false
      one.client?.request('unread', {}).then(
        ({ total }) => {
          if (one.unread === total || held.get(one.accid) !== one) return
          one.unread = total
          ports.changed(view(one))
        },
        // Asked again after the reconnect.
        () => undefined,
      )
    })
  }
  const connect = (one: Held): void => {
    const to = link
    if (!to) return ports.changed(view(one))
    const client: LinkClient = createLinkClient({
      url: to.url,
      credentials: () => ({
        appKey: to.appKey,
        accid: one.accid,
        token: one.token,
        device: ports.device,
        clientType: 'PC',
        sdkVersion: 'sidestage',
      }),
      ...(one.after === undefined ? {} : { after: one.after }),
      open: ports.openSocket,
      later: (ms, call) => ports.clock.after(ms, call),
      random: ports.random,
      faults,
      onPush: (push) => {
        ports.pushed(one.accid, push)
        if (push.t === 'message' || push.t === 'notification' || push.t === 'recall' || push.t === 'unread') count(one)
      },
      onState: (state) => {
        // A replaced client reports that it is closed.
        if (one.client !== undefined && one.client !== client) return
        if (state.at === 'out' && state.code === 1000) return
        one.state = state
        ports.changed(view(one))
        if (state.at === 'online') count(one)
      },
    })
    one.client = client
    one.state = client.state
  }

  return {
    /** Opens or reopens a session. Throws Failure above the maximum. */
    open: (accid: string, token: string, kept: boolean): LinkSession => {
      const before = held.get(accid)
      if (!before && held.size >= most) throw new Failure('absent', `at most ${most} accounts are signed in at once`)
      if (before) disconnect(before)
      const one: Held = {
        accid,
        token,
        kept,
        client: undefined,
        state: undefined,
        after: before?.after,
        unread: null,
        counting: false,
      }
      held.set(accid, one)
      connect(one)
      return view(one)
    },
    close: (accid: string) => {
      const one = held.get(accid)
      if (!one) return
      disconnect(one)
      held.delete(accid)
      ports.changed({ ...view(one), phase: 'off' })
    },
    renewed: (accid: string, token: string) => {
      const one = held.get(accid)
      if (one) one.token = token
    },
    all: (): LinkSession[] => [...held.values()].map(view),
    ask: async <K extends PageRequest>(accid: string, kind: K, members: LinkArguments<K>): Promise<LinkAnswer<K>> => {
      const client = held.get(accid)?.client
      if (!client) throw new Failure('absent', `${accid} is not signed in`)
      try {
        // The client's queue sends messages again after a drop.
        if (kind === 'send') return (await client.send(members as LinkArguments<'send'>)) as LinkAnswer<typeof kind>
        return await client.request(kind, members)
      } catch (error) {
        throw failureOf(error)
      }
    },
    serviceAt: (next: { readonly url: string; readonly appKey: string } | undefined) => {
      if (next?.url === link?.url && next?.appKey === link?.appKey) return
      link = next
      for (const one of held.values()) {
        disconnect(one)
        connect(one)
      }
    },
    end: () => {
      for (const one of held.values()) disconnect(one)
      held.clear()
    },
  }
}
