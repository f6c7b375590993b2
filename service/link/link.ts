import type { Clock } from '../../platform/clock.ts'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { linkClose, linkLimits } from '../../contract/link/frames.ts'
import { faultOf } from '../away-words.ts'
import type { Client } from '../http/clients.ts'
import { refuseUpgrade } from '../http/failures.ts'
import type { Upgrade } from '../http/listener.ts'
import type { TimeBudget } from '../http/time-budget.ts'
import type { Log } from '../log.ts'
import type { StoredEvent } from '../events/event.ts'
import type { MessageCounts } from '../events/message-counts.ts'
import { createConnection, type Connection } from './connection.ts'
import { createFanOut } from './fan-out.ts'
import { createLogIn, type LogInSources } from './log-in.ts'
import { createLoginThrottle } from './login-throttle.ts'
import { createSharedLoginThrottle } from './shared-login-throttle.ts'
import { createAcks } from './acks.ts'
import { recordTypes, type LoginAudit } from './login-audit.ts'
import { createRequests, readFrame, type RequestSources } from './requests.ts'
import type { Session } from './session.ts'
import type { RedisScripts } from '../redis/redis-scripts.ts'
import type { Sessions } from './sessions.ts'
import type { LinkRelations, LinkTeams } from './ports.ts'
import type { LinkHandlers } from './handlers.ts'
import { createTurnPlaces } from './turn-places.ts'
import { createNotificationPreferences } from './notification-preferences.ts'
import { repeated } from '../../platform/repeated.ts'

/** Connections per address before log-in; further ones get 503 (behaviour.md#the-link). */
const maxPending = 128
/** How long a peer may take to answer a close, in ms. */
const closeTime = 500
/** Guests' requests that begin per event-loop turn; one takes some tenths of 1 ms. */
const guestsATurn = 4
/** Fragments per message. A frame is at most 64 KiB, which honest clients do not fragment. */
const maxFragments = 64

/** Options of the link. */
export interface LinkOptions extends Omit<LogInSources, 'throttle' | 'nextId' | 'received'> {
  /** Who is online: the link enters and takes out. */
  readonly sessions: Sessions
  readonly teams: LinkTeams
  readonly relations: LinkRelations
  readonly handlers: LinkHandlers
  readonly records: Pick<LoginAudit, 'note'>
  readonly isFrozen: (uid: number) => boolean
  /** Whether an account may make a request; by default always. */
  readonly mayAsk?: RequestSources['mayAsk']
  readonly messageCounts?: Pick<MessageCounts, 'conversations'> | undefined
  /** Failed log-ins are counted there over all nodes of a cluster. */
  readonly redis?: Pick<RedisScripts, 'run'> | undefined
  /** Its name among the services of a cluster is in the ids of its sessions. */
  readonly cluster?: { readonly node: string } | undefined
  readonly clock: Clock
  readonly budget: TimeBudget
  readonly log: Log
}

/** The client link: sessions of accounts over WebSocket (docs/link.md). */
export interface Link {
  /** Takes over a connection whose Host and Origin were checked. */
  readonly accept: Upgrade
  /** Passes a stored event to the sessions of its receivers; in order of seq. */
  deliver(event: StoredEvent): void
  /** Connections, before and after the log-in. */
  connections(): number
  /** Ends every session with `closing`, on which clients reconnect. */
  close(): Promise<void>
}

/** Makes the link. */
export function createLink(options: LinkOptions): Link {
  const { clock, random, log, records, sessions } = options
  const throttle = options.redis
    ? createSharedLoginThrottle(options.redis, clock, maxPending)
    : createLoginThrottle(clock, maxPending)
  const connections = new Set<Connection>()
  const forget = sessions.onEnded(({ uid, accid, connection, sdkVersion, clientType }) =>
    records.note({
      uid,
      accid,
      at: clock.now(),
      eventType: recordTypes.logout,
      clientIp: connection.client.address,
      sdkVersion,
      clientType,
      code: 200,
    }),
  )
  const preferences = createNotificationPreferences(options)
  const deliver = createFanOut(sessions, options.teams, preferences, options.messageCounts?.conversations)
  const received = createAcks(options.stream, clock, log)
  const guestTurns = createTurnPlaces(guestsATurn)
  const { cluster } = options
  const prefix = `${cluster ? `${cluster.node}-` : ''}${random(4).toString('hex')}`
  let count = 0
  const logIn = createLogIn({
    ...options,
    throttle,
    received,
    nextId: () => `${prefix}-${(++count).toString(36)}`,
  })
  const limits = {
    maxPayload: linkLimits.frame,
    maxFragments: maxFragments,
    perMessageDeflate: false,
    clientTracking: false,
    closeTimeout: closeTime,
  }
  const server = new WebSocketServer({ noServer: true, ...limits })
  let isClosing = false
  let noneLeft: (() => void) | undefined

  const greet = (webSocket: WebSocket, socket: Duplex, client: Client, known: () => void, leave: () => void): void => {
    const { address } = client
    let session: Session | undefined
    let serve: ((text: string) => void) | undefined
    let isChecking = false
    const refuse = (why: string): void => connection.end(linkClose.login, why)
    const connection = createConnection(webSocket, socket, client, {
      clock,
      events: {
        text(text) {
          if (serve) return serve(text)
          if (isChecking) return refuse('a frame before the log-in was answered')
          isChecking = true
          stopTimer()
          const frame = readFrame(text)
          logIn(frame, connection).then(
            (opened) => {
              if (!opened) return
              known()
              session = opened
              serve = createRequests(opened, { ...options, received, preferences, guestTurns })
            },
            (error: unknown) => {
              const { sentence, refusal, about } = faultOf(error)
              log.error({ ...about, address }, sentence ? `a log-in failed: ${sentence}` : 'a log-in failed')
              // Same code and text as for a request that could not be stored.
              const said = { desc: sentence ?? 'internal fault', ...(refusal && { reason: refusal }) }
              if (frame) connection.say({ t: 'error', id: frame.id, code: 500, ...said })
              connection.end(1011, 'internal fault')
            },
          )
        },
        closed() {
          stopTimer()
          leave()
          connections.delete(connection)
          if (session) sessions.remove(session)
          if (connections.size === 0) noneLeft?.()
        },
      },
    })
    connections.add(connection)
    const stopTimer = clock.after(linkLimits.login, () => refuse('no log-in in time'))
    if (isClosing) connection.end(1001, 'closing')
  }

  const stopLooking = repeated(clock, linkLimits.ping, () => {
    for (const connection of connections) if (!connection.isAlive()) connection.end(linkClose.slow, 'no sign of life')
  })

  return {
    deliver,
    connections: () => connections.size,
    accept(request: IncomingMessage, socket: Duplex, head: Buffer, client: Client, keep: () => void) {
      if (isClosing) return refuseUpgrade(socket, '503 Service Unavailable', 'the service is closing')
      const leave = throttle.admit(client.subnet)
      if (!leave)
        return refuseUpgrade(
          socket,
          '503 Service Unavailable',
          'too many connections that have not logged in',
          'retry-after: 1',
        )
      // Also covers a failed handshake, which is not reported.
      socket.once('close', leave)
      const known = (): void => {
        leave()
        keep()
      }
      server.handleUpgrade(request, socket, head, (webSocket) => greet(webSocket, socket, client, known, leave))
    },
    async close() {
      isClosing = true
      stopLooking()
      for (const session of sessions.all()) sessions.kick(session.uid, session.accid, 'closing')
      for (const connection of connections) connection.end(1001, 'closing')
      if (connections.size > 0) await new Promise<void>((resolve) => (noneLeft = resolve))
      forget()
      server.close()
      await received.close()
    },
  }
}
