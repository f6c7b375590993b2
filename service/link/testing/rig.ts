import { systemClock, type Clock } from '../../../platform/clock.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LinkArguments } from '../../../contract/link/frames.ts'
import { createClients } from '../../http/clients.ts'
import { createMediaListener } from '../../http/media-listener.ts'
import { createTimeBudget, type TimeBudget } from '../../http/time-budget.ts'
import { Refused } from '../../refusal.ts'
import { silentLog, type Log } from '../../log.ts'
import type { StoredEvent } from '../../events/event.ts'
import { createMessagingStream, type MessagingStream } from '../../stream/stream.ts'
import { listenOn } from '../../../platform/listen.ts'
import { openStore } from '../../storage/testing/open-store.ts'
import { createLink, type Link } from '../link.ts'
import { createLoginAudit, type LogInRecord, type LoginAudit } from '../login-audit.ts'
import type { LinkHandler, LinkHandlers, HandledKind } from '../handlers.ts'
import { createSessions, type Sessions } from '../sessions.ts'
import { openRaw, type RawLink } from './raw-client.ts'
import { testBounds } from '../../testing/listener-bounds.ts'

/** An account that a test may change. */
export interface TestAccount {
  readonly accid: string
  token: string
  blocked: boolean
  donnop: boolean
}

/** The link on a real listener and stream; accounts, teams and lists are plain objects. */
export interface LinkRig {
  readonly url: string
  readonly port: number
  readonly link: Link
  readonly sessions: Sessions
  readonly stream: MessagingStream
  readonly records: LoginAudit
  readonly copied: LogInRecord[]
  readonly accounts: Map<string, TestAccount>
  /** Members of teams, and those without reminders. */
  readonly teams: Map<number, { readonly members: Set<string>; readonly quiet: Set<string> }>
  /** `owner other` on mute lists. */
  readonly quieted: Set<string>
  frozen: boolean
  add(...accids: string[]): void
  /** Publishes a message of `from` to a team or account, as the API does. */
  publish(
    from: string,
    to: string | number,
    msg: string,
    more?: Partial<Pick<StoredEvent, 'keep' | 'sync' | 'hidden' | 'origin'>>,
  ): Promise<number>
  /** The login frame of an account. */
  credentials(accid: string, more?: Partial<LinkArguments<'login'>>): LinkArguments<'login'>
  /** Opens a link, logs in and syncs. */
  enter(accid: string, more?: Partial<LinkArguments<'login'>>): Promise<RawLink>
  close(): Promise<void>
}

/** AppKey of the rig's application. */
export const rigKey = 'rig-key'
const uid = 7

/** Starts the rig; the clock is the system's by default. */
export async function startRig(
  options: {
    readonly clock?: Clock
    readonly log?: Log
    readonly origins?: readonly string[]
    /** Addresses of the next connections; real by default. */
    readonly ends?: () => { readonly remoteAddress: string; readonly localAddress: string }
    /** Accids of guests. */
    readonly guests?: ReadonlySet<string>
    readonly plainSignIn?: boolean
    readonly budget?: TimeBudget
    readonly handlers?: Partial<LinkHandlers>
    readonly trustedProxies?: readonly string[]
    /** Of its listener. */
    readonly bounds?: Parameters<typeof testBounds>[0]
  } = {},
): Promise<LinkRig> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sidestage-link-'))
  const store = await openStore(dataDir)
  const log = options.log ?? silentLog
  const accounts = new Map<string, TestAccount>()
  const teams: LinkRig['teams'] = new Map()
  const quieted = new Set<string>()
  const copied: LogInRecord[] = []
  const settings = { frozen: false }
  const { clock = systemClock } = options

  const stream = await createMessagingStream({
    db: store.db,
    clock: systemClock,
    log,
    memberships: {
      *membershipsOf(_uid, accid) {
        for (const [tid, { members }] of teams) if (members.has(accid)) yield { tid, since: 0 }
      },
    },
    keep: () => ({ historyDays: 30, roamingDays: 7, offlineDays: 7 }),
  })
  const records = createLoginAudit(
    store.db,
    {
      enqueue(_transaction, record) {
        copied.push(record)
        return Promise.resolve()
      },
    },
    log,
  )
  const publish: LinkRig['publish'] = async (from, to, msg, more = {}) => {
    const { seq } = await stream.publish({
      uid,
      from,
      to: typeof to === 'number' ? { tid: to } : { accids: [to] },
      frame: {
        t: 'message',
        scene: typeof to === 'number' ? 'team' : 'p2p',
        from,
        to: String(to),
        type: 0,
        body: JSON.stringify({ msg }),
        fromClientType: 'REST',
        push: true,
        badge: true,
      },
      keep: { history: true, roam: true, offline: true },
      ...more,
    })
    return seq
  }
  const unserved: LinkHandler<HandledKind> = () => Promise.reject(new Refused(514, 'not in this rig'))
  const send: LinkHandler<'send'> = async ({ scene, to, body, clientId, resend }, { accid, session, clientType }) => {
    const { seq, at } = await stream.publish({
      uid,
      from: accid,
      to: scene === 'team' ? { tid: Number(to) } : { accids: [to] },
      frame: {
        t: 'message',
        scene,
        from: accid,
        to,
        type: 0,
        body,
        resend,
        fromClientType: clientType,
        push: true,
        badge: true,
        ...(clientId !== undefined && { clientId }),
      },
      keep: { history: true, roam: true, offline: true },
      origin: session,
      ...(clientId !== undefined && { idempotencyKey: clientId }),
    })
    return { msgid: seq, timetag: at, antispam: false }
  }
  const names: readonly HandledKind[] = [
    'notify',
    'recall',
    'read',
    'unread',
    'history',
    'friend',
    'friends',
    'relation',
    'cards',
    'teams',
  ]
  const more: readonly HandledKind[] = ['teamInvite', 'teamApply', 'teamAnswer', 'teamLeave']
  const handlers = {
    ...Object.fromEntries([...names, ...more].map((name) => [name, unserved])),
    send,
    ...options.handlers,
  } as unknown as LinkHandlers

  const budget = options.budget ?? createTimeBudget(clock)
  const sessions = createSessions()
  const link = createLink({
    sessions,
    applications: { byKey: (key) => (key === rigKey ? { uid, settings } : undefined) },
    accounts: {
      find: (_uid, accid) => accounts.get(accid),
      tokenMatches: (_uid, accid, token) => accounts.get(accid)?.token === token,
    },
    teams: {
      membersOf: (_uid, tid) => teams.get(tid)?.members ?? [],
      quietIn: (_uid, tid) => (accid) => teams.get(tid)?.quiet.has(accid) === true,
    },
    relations: { hasQuieted: (_uid, owner, other) => quieted.has(`${owner} ${other}`) },
    stream,
    records,
    handlers,
    isFrozen: () => settings.frozen,
    clock,
    budget,
    random: (bytes) => Buffer.alloc(bytes, 1),
    log,
    isGuest: (_uid, accid) => options.guests?.has(accid) === true,
    plainSignIn: options.plainSignIn,
  })
  stream.on((event) => link.deliver(event))
  const clients = createClients(options.trustedProxies)
  const accept: Link['accept'] = (request, socket, head, _client, keep) => {
    for (const [name, value] of Object.entries(options.ends?.() ?? {}))
      Object.defineProperty(request.socket, name, { value })
    link.accept(request, socket, head, clients.of(request), keep)
  }
  const listener = createMediaListener({
    routes: [],
    origins: options.origins ?? [],
    requestId: () => 'x',
    bounds: testBounds(options.bounds),
    time: { budget, clock },
    link: accept,
  })
  await listener.app.ready()
  const port = await listenOn(listener.server, '127.0.0.1', 0)
  const url = `ws://127.0.0.1:${port}/link`
  const credentials: LinkRig['credentials'] = (accid, over = {}) => ({
    appKey: rigKey,
    accid,
    token: accounts.get(accid)?.token ?? 'none',
    device: `${accid}-device`,
    clientType: 'WEB',
    ...over,
  })

  return {
    url,
    port,
    link,
    sessions,
    stream,
    records,
    copied,
    accounts,
    teams,
    quieted,
    publish,
    credentials,
    get frozen() {
      return settings.frozen
    },
    set frozen(value) {
      settings.frozen = value
    },
    add(...accids) {
      for (const accid of accids)
        accounts.set(accid, { accid, token: `token of ${accid}`, blocked: false, donnop: false })
    },
    async enter(accid, over) {
      const raw = await openRaw(url)
      const answer = await raw.ask('login', credentials(accid, over))
      if (answer.t !== 'ok') throw new Error(`no log-in: ${JSON.stringify(answer)}`)
      for (let after = answer.seq!, more = true; more;) {
        const part = await raw.ask('sync', { after })
        after = part.seq!
        more = part['more'] === true
      }
      return raw
    },
    async close() {
      await link.close()
      await listener.close(1000)
      await records.settled()
      await store.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
